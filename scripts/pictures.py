"""Take the pictures of docs/pictures with headless Chromium (apt-get install chromium).

.venv/bin/python scripts/pictures.py            # after a fresh `repairlab demo`, which takes two minutes
.venv/bin/python scripts/pictures.py runs/demo  # of a demo that has run
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
CANDIDATE = "run/templates/bug/java-ledger-balance/2.html"
WIDTH = 1280
MOST_BYTES = 150_000


def main() -> None:
    """Run what is missing, and take both pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("demo", nargs="?", type=Path, help="folder of a demo, with the runs copy, templates and reference")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        demo = options.demo or Path(folder) / "demo"
        if options.demo is None:
            repairlab("demo", "--to", str(demo))
        site = Path(folder) / "site"
        repairlab("view", *(str(demo / name) for name in ("copy", "templates", "reference")), "--export", str(site))
        take(demo / "report.html", PICTURES / "report.png", 760)
        take(site / CANDIDATE, PICTURES / "browser.png", 720)


def repairlab(*arguments: str) -> None:
    """Run a command of this interpreter's repairlab."""
    subprocess.run([sys.executable, "-m", "repairlab", *arguments], check=True)


def take(page: Path, picture: Path, height: int) -> None:
    """Take a picture of the top of a page."""
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    size = [f"--window-size={WIDTH},{height}", "--hide-scrollbars"]
    command = ["chromium", "--headless", *root, *size, f"--screenshot={picture}", page.resolve().as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    if (n := picture.stat().st_size) > MOST_BYTES:
        sys.exit(f"{picture} has {n} bytes, more than {MOST_BYTES}")


if __name__ == "__main__":
    main()
