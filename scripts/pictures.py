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
PAGES = {
    "browser": ("view", "run/templates/bug/java-ledger-balance/2.html", 560),
    "matrix": ("view", "benchmark/starter.html", 780),
    "leaderboard": ("site", "starter-1.1.0.html", 700),
}
"""Picture → the verb that writes its page, the page, its height in pixels."""
WIDTH = 1280
MOST_BYTES = 150_000


def main() -> None:
    """Run what is missing, and take all pictures, those of docs pages also in dark colours."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("demo", nargs="?", type=Path, help="folder of a demo, with the runs copy, templates and reference")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        demo = options.demo or Path(folder) / "demo"
        if options.demo is None:
            repairlab("demo", "--to", str(demo))
        runs = [str(demo / name) for name in ("copy", "templates", "reference")]
        repairlab("report", *runs, "-o", str(Path(folder) / "report.html"))
        repairlab("view", *runs, "--export", str(Path(folder) / "view"))
        repairlab("site", *runs, "--to", str(Path(folder) / "site"))
        take(Path(folder) / "report.html", PICTURES / "report.png", 760)
        for name, (verb, page, height) in PAGES.items():
            for scheme in ("", "-dark"):
                take(Path(folder) / verb / page, PICTURES / f"{name}{scheme}.png", height)


def repairlab(*arguments: str) -> None:
    """Run a command of this interpreter's repairlab."""
    subprocess.run([sys.executable, "-m", "repairlab", *arguments], check=True)


def take(page: Path, picture: Path, height: int) -> None:
    """Take a picture of the top of a page."""
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    size = [f"--window-size={WIDTH},{height}", "--hide-scrollbars", "--virtual-time-budget=2000"]
    colours = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if picture.stem.endswith("-dark") else []
    command = ["chromium", "--headless", *root, *size, *colours, f"--screenshot={picture}", page.resolve().as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    if (n := picture.stat().st_size) > MOST_BYTES:
        sys.exit(f"{picture} has {n} bytes, more than {MOST_BYTES}")


if __name__ == "__main__":
    main()
