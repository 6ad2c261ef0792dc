"""What a Python tree says of itself is read from all the places where projects write it."""

import pytest

from repairlab.building.importers.python_requirements import foreign, metadata_files, read_lines, read_project

SETUP = """\
import setuptools
base = ["six>=1.9"]
options = dict(name="mesh", tests_require=["nose"])
setuptools.setup(install_requires=base + ["attrs"], version=get(), classifiers=["Programming Language :: Python :: 3.8"],
                 entry_points={"console_scripts": ["mesh = mesh:main"]}, **options)
"""


@pytest.mark.parametrize(
    ("files", "name", "requirements"),
    [
        ({"setup.py": SETUP}, "mesh", ("six>=1.9", "attrs", "nose")),
        ({"setup.py": SETUP, "dev-requirements.txt": "mock==1 # old\n"}, "mesh", ("six>=1.9", "attrs", "mock==1")),
        (
            {"setup.cfg": "[metadata]\nname = a\n[options]\ninstall_requires=click\n[options.extras_require]\ntest=pytest-mock\n"},
            "a",
            ("click", "pytest-mock"),
        ),
        (
            {"pyproject.toml": '[project]\nname="b"\ndependencies=["rich"]\n[dependency-groups]\ntests=["pytest",{x="x"}]\n'},
            "b",
            ("rich", "pytest"),
        ),
        (
            {"pyproject.toml": '[tool.poetry]\nname = "c"\n[tool.poetry.dependencies]\npython = "^3.8"\ntoml = "^0.10.2"\n'},
            "c",
            ("toml>=0.10.2,<0.11",),
        ),
        (
            {"tox.ini": "[testenv]\ndeps =\n  pytest\n  py37: mock\n  -r{toxinidir}/more.txt\n", "more.txt": "x\n"},
            "",
            ("pytest", "x"),
        ),
        (
            {
                "setup.py": "setup(extras_require={'reco': ['simplejson'], 'test': ['pytz']})",
                "tox.ini": "[testenv]\nextras = reco\n",
            },
            "",
            ("simplejson", "pytz"),
        ),
        (
            {"setup.py": "setup(name='d', install_requires=open('needs.in').read().split())", "needs.in": "six\n"},
            "d",
            ("six",),
        ),
        (
            {"setup.py": "n = '0.19'\nsetup(install_requires=['mpmath>=%s' % n, f'six>={n}', 'a==%s' % get(), f'b=={get()}'])"},
            "",
            ("mpmath>=0.19", "six>=0.19", "a", "b"),
        ),
        ({"setup.py": "def broken(:", "pyproject.toml": "["}, "", ()),
    ],
)
def test_requirements_are_found_where_they_are_written(files: dict[str, str], name: str, requirements: tuple[str, ...]) -> None:
    project = read_project(files)
    assert (project.name, (*project.requirements, *project.testing)) == (name, requirements)


def test_releases_and_entry_points_are_read_too() -> None:
    project = read_project({"setup.py": SETUP})
    assert project.releases == ("3.8",)
    files = metadata_files(project, "1.5")
    assert files["mesh-1.5.dist-info/entry_points.txt"] == b"[console_scripts]\nmesh = mesh:main\n"
    assert b"Version: 1.5\n" in files["mesh-1.5.dist-info/METADATA"]


def test_files_may_name_other_files_and_options() -> None:
    texts = {"a.txt": "-r b.txt\n--pre\nx==1 \\\n  --hash=sha256:0\n-e .\n", "b.txt": "-r a.txt\ny # why\n\n"}
    assert list(read_lines(texts, "a.txt")) == ["y", "x==1"]


def test_what_no_index_can_answer_is_left_out() -> None:
    lines = [
        "-e git+https://example.org/x#egg=x",
        "git+https://example.org/y",
        "pkg-resources==0.0.0",
        "My_Mesh==2",
        "base==2.10.0.dev0",
        "attrs",
    ]
    assert list(foreign(lines, "my-mesh")) == ["attrs"]
