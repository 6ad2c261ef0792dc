"""All importers by name; a module is loaded when it is asked for."""

from repairlab.building.importers.importer import Importer
from repairlab.registry import Parts, lacking

_ABOUT = {
    "defects4j": "A checkout of Defects4J 3; clones of its projects in --clones.",
    "nl2fix": "nl2fix_dataset.json, then a checkout of Defects4J 3: the 283 bugs with their issues.",
    "quixbugs": "A checkout of QuixBugs, or its programs as JSON Lines; --language python or java.",
    "humanevalfix": "humanevalpack.jsonl of HumanEvalFix; Python or Java.",
    "humaneval-java": "A checkout of HumanEval-Java.",
    "kattis": "Problem packages in Kattis' form, one folder each; their wrong submissions become bugs.",
    "codeflaws": "Codeflaws' folders of C programs with cases by file.",
    "introclass": "A checkout of IntroClass.",
    "itsp": "A checkout of ITSP: C programs of students, wrong and then right.",
    "refactory": "Refactory's data: Python functions of students.",
    "condefects": "ConDefects: AtCoder programs in Python or Java; the folder of test cases second.",
    "programs": "Any folder in the generic form: NAME/buggy, NAME/fixed, NAME/tests (docs/importing.md).",
    "codenet": "Project CodeNet's metadata and submissions, then the folder of test cases.",
    "fixeval": "A split file of FixEval, then the folder of test cases.",
    "defects4c": "A checkout of Defects4C; clones of its projects in --clones.",
    "bugsinpy": "A checkout of BugsInPy; clones of its projects in --clones.",
    "swebench": "Instances in SWE-bench's form (JSON Lines); clones of their repositories in --clones.",
}
"""Name and what to give as SOURCE; the function `read` of the module of this name."""

IMPORTERS: Parts[Importer] = Parts(
    "importers",
    "importer",
    {name: f"repairlab.building.importers.{name.replace('-', '_')}:read" for name in _ABOUT},
    about=_ABOUT,
    check=lacking(callable_too=True),
)
