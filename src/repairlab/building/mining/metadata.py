"""What users know of the repositories that they mine: stars, licences and forks, and which commits patch a CVE."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.building.importers.repository import Repository
from repairlab.building.mining.settings import MiningSettings
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, objects, read_csv, read_json
from repairlab.core.record import record
from repairlab.core.text import repository_name

_COMMIT = re.compile(r"(?:^|/)([0-9a-f]{40})\b")
_CVE = re.compile(r"CVE-\d{4}-\d{4,}")


@record
class RepositoryFacts:
    """What is known of one repository."""

    name: str
    """OWNER/NAME in lower case."""
    stars: int | None
    licence: str | None
    is_fork: bool


def read_metadata(path: Path) -> dict[str, RepositoryFacts]:
    """Read a CSV with the columns repository, stars, licence and fork, or a JSON list of repositories as GitHub's API has them."""
    if path.suffix == ".csv":
        rows: list[tuple[str, Mapping[str, Any]]] = [*read_csv(path, ("repository",))]
    else:
        rows = [*objects(as_type(read_json(path), list, str(path), "the file"), str(path))]
    facts = [_facts(row, where) for where, row in rows]
    return {item.name: item for item in facts}


def _facts(row: Mapping[str, Any], where: str) -> RepositoryFacts:
    name = row.get("repository") or row.get("full_name")
    stars, licence = row.get("stars", row.get("stargazers_count")), row.get("licence", row.get("license"))
    if isinstance(licence, dict):
        licence = licence.get("spdx_id")
    try:
        return RepositoryFacts(
            name=repository_name(as_type(name, str, where, "the repository")),
            stars=int(stars) if stars not in (None, "") else None,
            licence=str(licence).strip() or None if licence else None,
            is_fork=str(row.get("fork", "")).lower() in ("true", "yes", "1"),
        )
    except ValueError:
        raise UserError(f"{where}: stars should be a whole number, not {stars!r}") from None


def fitting(
    folders: Sequence[Path], metadata: Path | None, settings: MiningSettings, notify: Callable[[str], None]
) -> tuple[Path, ...]:
    """Return the clones that the settings allow by what is known of their repositories; `notify` is told of the others."""
    if metadata is None:
        if settings.min_stars or settings.licences:
            raise UserError("--min-stars and --licence need --metadata: a CSV with repository, stars and licence, or GitHub's JSON")
        return tuple(folders)
    known = read_metadata(metadata)
    unfit = {folder: _unfit(Repository(folder), known, settings) for folder in folders}
    for folder, reason in unfit.items():
        if reason:
            notify(f"left out {folder}: {reason}")
    kept = tuple(folder for folder in folders if not unfit[folder])
    if not kept:
        raise UserError(f"no clone is left; the first: {folders[0]}: {unfit[folders[0]]}")
    return kept


def _unfit(repository: Repository, known: Mapping[str, RepositoryFacts], settings: MiningSettings) -> str:
    """Say why a repository is not mined; nothing when it is."""
    names = [repository_name(address) for address in (*repository.remotes(), repository.folder.absolute().name)]
    facts = next((known[name] for name in names if name in known), None)
    if facts is None:
        facts = next((item for name, item in known.items() if name.rpartition("/")[2] == names[-1].rpartition("/")[2]), None)
    if facts is None:
        return "the metadata does not name it"
    if facts.is_fork:
        return "it is a fork"
    if (facts.stars or 0) < settings.min_stars:
        return f"it has {'no known number of' if facts.stars is None else facts.stars} stars, fewer than {settings.min_stars}"
    if settings.licences and (facts.licence or "").lower() not in {name.lower() for name in settings.licences}:
        return f"its licence is {facts.licence or 'unknown'}, not {' or '.join(settings.licences)}"
    return ""


@record
class PatchedCves:
    """Which CVE a commit patches, and what was left out."""

    by_commit: Mapping[str, str]
    notes: tuple[str, ...]


def read_cves(path: Path) -> PatchedCves:
    """Read a CSV of CVEs and the addresses of their patches; a CVE with several patches says of none that it mends it alone."""
    commits: dict[str, set[str]] = defaultdict(set)
    n_without = 0
    columns: Sequence[str] = ("url", "commit_url", "commit")
    for where, row in read_csv(path, ("cve",)):
        cve = row["cve"].strip()
        if cve and not _CVE.fullmatch(cve):
            raise UserError(f"{where}: the column 'cve' is {row['cve']!r}; it should be such as CVE-2020-15908")
        address = next((row[name] for name in columns if row.get(name)), "")
        found = _COMMIT.search(address.strip().lower())
        if cve and found:
            commits[cve].add(found[1])
        else:
            n_without += 1
    several = sorted(cve for cve, patches in commits.items() if len(patches) > 1)
    by_commit = {next(iter(patches)): cve for cve, patches in sorted(commits.items(), reverse=True) if len(patches) == 1}
    if not by_commit:
        raise UserError(f"{path} names no CVE with one commit as its patch; the columns are cve and url (or commit)")
    notes = []
    if several:
        shown = ", ".join(several[:3]) + (", …" if len(several) > 3 else "")
        notes.append(f"{path}: {len(several)} CVEs with several patches left out: {shown}")
    if n_without:
        notes.append(f"{path}: {n_without} rows without a CVE or a commit left out")
    return PatchedCves(by_commit=by_commit, notes=tuple(notes))
