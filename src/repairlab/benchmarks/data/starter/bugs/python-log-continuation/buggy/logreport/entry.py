"""One line of a log file, taken apart."""

from dataclasses import dataclass

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


@dataclass(frozen=True)
class Entry:
    day: str
    time: str
    level: str
    source: str
    message: str

    @property
    def severity(self):
        return LEVELS.index(self.level)
