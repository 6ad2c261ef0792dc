"""Where published data are, if they are: beside the repository."""

from pathlib import Path

DATA = Path(__file__).parents[2] / "shared" / "data"
