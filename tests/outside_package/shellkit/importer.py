"""An importer of scripts: NAME.sh, NAME.fixed.sh, NAME.in and NAME.out in a folder."""

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings, TreeFile
from repairlab.core.errors import UserError

_EXAMPLE = {
    "add.sh": '# Prints the sum of two numbers.\nadd() {\n    echo $(($1 - $2))\n}\n\nread -r one two\nadd "$one" "$two"\n',
    "add.fixed.sh": '# Prints the sum of two numbers.\nadd() {\n    echo $(($1 + $2))\n}\n\nread -r one two\nadd "$one" "$two"\n',
    "add.in": "5 3\n",
    "add.out": "8\n",
}


class Scripts:
    """Scripts NAME.sh with NAME.fixed.sh, NAME.in and NAME.out, in one folder."""

    def __call__(self, sources: Sequence[Path], settings: Settings) -> Import:
        """Look at the folder."""
        if len(sources) != 1 or not sources[0].is_dir():
            raise UserError("one source is needed: a folder with NAME.sh and NAME.fixed.sh")
        names = sorted(path.name.removesuffix(".fixed.sh") for path in sources[0].glob("*.fixed.sh"))[: settings.limit]
        return Import(
            name="scripts",
            version="1.0.0",
            licence="unknown",
            description="Shell scripts",
            n_bugs=len(names),
            bugs=self._bugs(sources[0], names),
        )

    def example(self, folder: Path) -> Sequence[Path]:
        """Write a small source to try the importer on."""
        folder.mkdir(parents=True)
        for name, text in _EXAMPLE.items():
            (folder / name).write_text(text, encoding="utf-8")
        return (folder,)

    def _bugs(self, folder: Path, names: Sequence[str]) -> Iterator[ImportedBug | Dropped]:
        for name in names:
            buggy, fixed = ((folder / f"{name}{ending}").read_text(encoding="utf-8") for ending in (".sh", ".fixed.sh"))
            patch = difflib.unified_diff(buggy.splitlines(keepends=True), fixed.splitlines(keepends=True), "a/main.sh", "b/main.sh")
            yield ImportedBug(
                id=name,
                facts={"language": "shell", "path": "main.sh", "target": name, "test": {"framework": "stdio"}},
                title=f"{name} is wrong",
                description="",
                tree={"main.sh": TreeFile(content=buggy.encode())},
                patch="".join(patch),
                cases={"01": ((folder / f"{name}.in").read_bytes(), (folder / f"{name}.out").read_bytes())},
            )


READ = Scripts()
