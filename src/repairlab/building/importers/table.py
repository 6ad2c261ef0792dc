"""All importers by name, and what each reads; a module is loaded when it is asked for."""

from repairlab.building.importers.importer import Importer
from repairlab.core.record import record
from repairlab.registry import Parts, lacking


@record
class SourceForm:
    """What one importer reads, for `repairlab import` and the reference."""

    about: str
    """What to give as SOURCE, in one line."""
    layout: str
    """Files that the importer looks for."""
    languages: tuple[str, ...]
    options: tuple[str, ...] = ()
    """Options that matter beside the common ones."""
    notes: tuple[str, ...] = ()
    """What differs from the source, one sentence or two each."""


_CLONES, _PYTHON = "--clones", ("--clones", "--libs", "--python", "--keep-pins")
_GOOD_CASES = "Cases that the right program fails are left out with a note."
_LIMITS = "Programs are built without optimisation; limits are 2 s and 256 MB."

SOURCES = {
    "defects4j": SourceForm(
        about="A checkout of Defects4J 3; clones of its projects in --clones.",
        layout="`framework/projects/PROJECT/` with its lists, patches, trigger tests and jars",
        languages=("java",),
        options=(_CLONES, "--libs", "--tests", "--via"),
        notes=(
            "Needs neither Perl nor Ant nor Maven. Missing clones are fetched once per project into `--clones`.",
            "Chart's revisions are Subversion numbers, which clones do not have: use `--via defects4j`.",
            "Jars come from `--libs`, Defects4J's `lib` folders and `/usr/share/java`, in the versions that the build files name.",
            "`--tests relevant` keeps the test sources that relevant tests need; `--tests all` keeps all of them.",
            "A second SOURCE, a checkout of coinse/libro, adds the title and description of each issue report.",
            "Bugs are built as Java 8 (Java 7 where 8 does not compile) with `TZ=America/Los_Angeles` and `LANG=en_US.UTF-8`.",
        ),
    ),
    "nl2fix": SourceForm(
        about="nl2fix_dataset.json, then a checkout of Defects4J 3: the 283 bugs with their issues.",
        layout="`nl2fix_dataset.json`",
        languages=("java",),
        options=(_CLONES, "--libs", "--tests", "--via"),
        notes=(
            "Issues are `summary` and `Description`. `comments` and `summarized_discussion`, which reveal fixes, are never read.",
            "The target is the function with the text `src`, or the one at the key's lines where Defects4J 3 has another text.",
        ),
    ),
    "quixbugs": SourceForm(
        about="A checkout of QuixBugs, or its programs as JSON Lines; --language python or java.",
        layout="`java_testcases/junit`, or `python_testcases` with `json_testcases`; or one file `*.jsonl`",
        languages=("python", "java"),
        options=("--language",),
        notes=(
            "Tests that fail with the right program are left out by name, as QuixBugs itself does.",
            "JSON Lines have no JUnit classes; they are made from the JSON cases, which nine graph programs lack.",
        ),
    ),
    "humanevalfix": SourceForm(
        about="A file humanevalpack*.jsonl of HumanEvalFix; --language where it holds several.",
        layout="JSON Lines with `task_id`, `prompt`, `buggy_solution`, `canonical_solution` and `test`",
        languages=("python", "java", "javascript", "go", "cpp"),
        options=("--language",),
        notes=("Rust tasks are passed over.", "One C++ task needs `libssl-dev`, two need `libboost-dev`."),
    ),
    "humaneval-java": SourceForm(
        about="A checkout of HumanEval-Java.",
        layout="`src/main/java/humaneval/buggy`, `…/correct`, and JUnit tests, as in ASSERT-KTH/human-eval-java",
        languages=("java",),
        notes=("`repairlab validate DIR RESULTS_validate.json` compares our verdicts with those that lin-tan/clm published.",),
    ),
    "kattis": SourceForm(
        about="Problem packages in Kattis' form, one folder each; their wrong submissions become bugs.",
        layout="a package, or a folder of packages, in the legacy form or that of 2023-07",
        languages=("python", "java", "c", "cpp"),
        options=("--language",),
        notes=(
            "The fix is the accepted program in the same language that is most like the wrong one.",
            "The submission's folder gives `submission_verdict`: `wrong_answer` WRONG, `time_limit_exceeded` TIMEOUT, "
            "`run_time_error` CRASH (unset where a memory limit is given), `memory_limit_exceeded` OUT_OF_MEMORY, "
            "`output_limit_exceeded` OUTPUT_LIMIT, `compile_error` UNCOMPILABLE; others none.",
            "Where the package sets no limits: 5 s with a note, 2048 MB of memory, 8 MB of output.",
            "Validators in C, C++ or Python become checker programs; those of interactive problems talk to the program.",
            "Dropped: multi-pass and submit-answer problems, several validators, validators with scripts, several files.",
            "Bugs are not proved on import, because packages also test the judge; run `repairlab check`.",
        ),
    ),
    "codeflaws": SourceForm(
        about="Codeflaws' folders of C programs with cases by file.",
        layout="folders `476-A-bug-WRONG-RIGHT` with two programs, `input-*`, `output-*` and the held-out cases",
        languages=("c",),
        options=("--checker",),
        notes=(_LIMITS, "Programs are compiled as C99. `%I64d` becomes `%lld`.", _GOOD_CASES),
    ),
    "introclass": SourceForm(
        about="A checkout of IntroClass.",
        layout="`ASSIGNMENT/STUDENT/VERSION/ASSIGNMENT.c` with black-box and white-box cases; `ASSIGNMENT/tests/ASSIGNMENT.c`",
        languages=("c",),
        options=("--checker",),
        notes=(
            _LIMITS,
            "Versions that pass all tests by their own `metadata.json` are dropped.",
            "Only the answer in the output counts; `--checker tokens` compares everything.",
            "An exit code other than 0 is a CRASH here; IntroClass ignores it.",
        ),
    ),
    "itsp": SourceForm(
        about="A checkout of ITSP: C programs of students, wrong and then right.",
        layout="`dataset/Lab-3/2810/NUMBER_buggy.c` and `NUMBER_correct.c`; cases `dataset/test/in.2810.1.txt`, `out.2810.1.txt`",
        languages=("c",),
        options=("--checker",),
        notes=(_LIMITS, _GOOD_CASES),
    ),
    "refactory": SourceForm(
        about="Refactory's data: Python functions of students.",
        layout="the unpacked `data.zip`: `QUESTION/code/wrong/*.py`, `reference.py`, `ans/input_*.txt`",
        languages=("python",),
        notes=("The fix is the reference program, because the student's own fix is unknown.",),
    ),
    "condefects": SourceForm(
        about="ConDefects: AtCoder programs in Python or Java; the folder of test cases second.",
        layout="`Code/abc221_a/Python/17/faultyVersion.py` and `correctVersion.py`; cases `TESTS/abc221/A/in` and `out`, "
        "or samples `TESTS/abc221/a/test/sample-1.in` and `.out`",
        languages=("python", "java"),
        options=("--language", "--checker"),
        notes=("Limits are 5 s and 1024 MB.", "ConDefects publishes its cases separately. Samples alone prove few bugs."),
    ),
    "programs": SourceForm(
        about="Your own programs, in the folders NAME/buggy, NAME/fixed and NAME/tests.",
        layout="`NAME/buggy/`, `NAME/fixed/`, `NAME/tests/`; optional `checker/`, `issue.md`, `bug.toml`, `benchmark.toml`",
        languages=("python", "java", "c", "cpp", "javascript", "go"),
        options=("--language", "--checker"),
        notes=(
            "`tests/` holds `NAME.in` with `NAME.out` or `NAME.ans`, pytest files, or JUnit classes.",
            "Any key of `bug.toml` overrides what the importer found out. Unit tests in C and C++ must be named there.",
        ),
    ),
    "codenet": SourceForm(
        about="Project CodeNet's metadata and submissions, then the folder of test cases.",
        layout="`metadata/` and `data/`; cases in `TESTS/PROBLEM_ID`, `TESTS/CONTEST/TITLE`, or the folder in `problems.csv` "
        "(`problem_id`, `folder`)",
        languages=("python", "java", "c", "cpp"),
        options=("--language", "--checker"),
        notes=(
            "A pair is a rejected submission and the last accepted one of the same user, problem and language, if that came later.",
            "Cases are found by name, never by position. Python 2 is dropped.",
            "Limits are the problem's; else 2 s and 1024 MB with a note.",
        ),
    ),
    "fixeval": SourceForm(
        about="A split file of FixEval, then the folder of test cases.",
        layout="a JSON array or JSON Lines; cases as for `codenet`, by title with `problem_list.csv` as a third SOURCE",
        languages=("python", "java"),
        options=("--language", "--checker"),
        notes=(
            "Tokens are turned back into programs.",
            "The tolerance is 1e-6 as in FixEval's code; `--checker float-1e-8` is that of its paper.",
            "`labels.difficulty` is the name of the folder of cases, where that is a letter from A to H; likewise for `codenet`.",
            "Limits are FixEval's: 15 s and 4096 MB for Python, 10 s and 2000 MB for Java.",
        ),
    ),
    "defects4c": SourceForm(
        about="A checkout of Defects4C; clones of its projects in --clones.",
        layout="`defectsc_tpl/projects*/OWNER___REPOSITORY/bugs_list_new.json`",
        languages=("c", "cpp"),
        options=(_CLONES,),
        notes=(
            "A bug is the tree of `commit_after` with the files of `files.src` as in `commit_before`.",
            "Built by CMake with CTest, or automake; other projects need a [hook](../guides/import.md#hooks).",
            "Compilers are gcc and g++. Vulnerabilities are built with `-O0` and AddressSanitizer.",
            "Submodules come from clones in `--clones` that are named like their repositories.",
            "Packages: `libpcap-dev`, `perl` (tcpdump); `libcmocka-dev`, `libpcre2-dev`, `libpcre3-dev` (libyang).",
        ),
    ),
    "bugsinpy": SourceForm(
        about="A checkout of BugsInPy; clones of its projects in --clones.",
        layout="`projects/NAME/bugs/N/` with `bug.info`, `bug_patch.txt`, `run_test.sh`, `requirements.txt`, `setup.sh`",
        languages=("python",),
        options=_PYTHON,
        notes=(
            "The buggy tree is `fixed_commit_id` with the files of `bug_patch.txt` as in `buggy_commit_id`.",
            "Bugs made for Python 3.6 and 3.7 are tested with 3.8 or the next release installed, with a note.",
        ),
    ),
    "swebench": SourceForm(
        about="Instances in SWE-bench's form (JSON Lines); clones of their repositories in --clones.",
        layout="`instance_id`, `repo`, `base_commit`, `patch`, `test_patch`, `problem_statement`, `FAIL_TO_PASS`, `PASS_TO_PASS`",
        languages=("python",),
        options=_PYTHON,
        notes=(
            "The buggy tree is `base_commit` with `test_patch`; the issue is `problem_statement`. `hints_text` is never read.",
            "Regression tests are all tests of the files that the two lists name.",
        ),
    ),
    "bears": SourceForm(
        about="A clone of bears-benchmark with all its branches; jars in --libs.",
        layout="`scripts/data/bug_id_and_branch.json`; branches with commits *Bug commit*, *Human patch* and a file `bears.json`",
        languages=("java",),
        options=("--libs",),
        notes=(
            "The buggy tree is that of the human patch with the sources of the bug commit. Failing classes come from `bears.json`.",
            "Only the changed module is built, by javac; `--libs` holds the jars that Maven would fetch.",
        ),
    ),
    "bugs-jar": SourceForm(
        about="A checkout of bugs-dot-jar with its submodules, or the clone of one project; jars in --libs.",
        layout="branches `bugs-dot-jar_ISSUE_COMMIT` with `.bugs-dot-jar/developer-patch.diff` and `test-results.txt`",
        languages=("java",),
        options=("--libs",),
        notes=(
            "Built like `bears`. Tests are those of classes that fail in `test-results.txt`, else those that the patch changes.",
        ),
    ),
}
"""Name → what the function `read` of the module of this name reads."""

_BRANCHES = {name: f"repairlab.building.importers.java_branches:{name.replace('-', '_')}" for name in ("bears", "bugs-jar")}

IMPORTERS: Parts[Importer] = Parts(
    "importers",
    "importer",
    {name: f"repairlab.building.importers.{name.replace('-', '_')}:read" for name in SOURCES} | _BRANCHES,
    about={name: source.about for name, source in SOURCES.items()},
    check=lacking(callable_too=True),
)
