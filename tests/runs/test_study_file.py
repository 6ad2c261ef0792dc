"""A study file: which cells it makes, and what is wrong with one."""

from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.runs.study_file import read_study

STUDY = """\
[study]
name = "small"
benchmarks = ["starter", "other/bench"]
seeds = [1, 2]
{head}
[settings]
n = 4
access = {{ retries = 3 }}
llm = {{ top_p = 0.9 }}

[[systems]]
name = "chat"
repairer = "llm"
llm = {{ model = "vllm/x" }}
access = {{ concurrency = 2 }}

[[systems]]
name = "patterns"
repairer = "templates"
conditions = ["cold"]
seeds = [7]
{system}
[conditions.cold]
llm.temperature = 0.2

[conditions.hot]
llm.temperature = 0.8
visibility = {{ error = true }}
"""


def write(path: Path, *, head: str = "", system: str = "", text: str = STUDY) -> Path:
    path.write_text(text.format(head=head, system=system), encoding="utf-8")
    return path


def test_a_cell_is_made_of_settings_system_condition_benchmark_and_seed(tmp_path: Path) -> None:
    study = read_study(write(tmp_path / "s.toml", head="cost_limit_usd = 2.5"))
    assert study.head.cost_limit_usd == 2.5
    assert len(study.cells) == 2 * 2 * 2 + 2
    assert [cell.name for cell in study.cells][-1] == "bench--patterns--cold--seed-7"
    hot = next(cell for cell in study.cells if cell.name == "starter--chat--hot--seed-2")
    assert (hot.experiment.n, hot.experiment.seed, hot.experiment.visibility.error) == (4, 2, True)
    own = hot.experiment.settings
    assert (own.model, own.temperature, own.top_p) == ("vllm/x", 0.8, 0.9)
    assert (getattr(hot.access, "concurrency", None), getattr(hot.access, "retries", None)) == (2, 3)
    assert study.cells[-1].access is None  # templates ask no model


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"text": "[study]\nname = 'x'\nbenchmarks = ['starter']\n"}, "the study has no system"),
        ({"text": "[study]\nname = 'x'\n"}, "benchmarks"),
        ({"text": "[studies]\nname = 'x'\n"}, "unknown table"),
        ({"text": "[study]\nname = 'x'\nbenchmarks = ['a']\n[[systems]]\nrepairer = 'copy'\n"}, "[[systems]] with a name"),
        ({"head": "seed = 3"}, "seed"),
        ({"system": 'temperature = "hot"'}, "temperature"),
        ({"text": STUDY.replace('conditions = ["cold"]', 'conditions = ["warm"]')}, "unknown condition of system patterns 'warm'"),
        (
            {"text": STUDY.replace("visibility = {{ error = true }}", "").replace('conditions = ["cold"]', "")},
            "are the same to patterns",
        ),
        ({"text": STUDY.replace('"patterns"', '"chat"').replace('conditions = ["cold"]', 'conditions = ["hot"]')}, ""),
        ({"text": STUDY.replace("other/bench", "other/starter")}, "two cells are called"),
        ({"text": STUDY.replace("seeds = [1, 2]", "seeds = [1, 1]")}, "are [1, 1]; name each once"),
        (
            {"text": STUDY.replace('conditions = ["cold"]', 'conditions = "cold"')},
            "conditions of patterns is 'cold', but it must be",
        ),
        ({"text": STUDY.replace("seeds = [7]", "seeds = ['a']")}, "seeds of patterns is ['a'], but it must be a list"),
        ({"text": "[study]\nname = '../x'\nbenchmarks = ['a']\n[[systems]]\nname = 'a'\n"}, "name is '../x'"),
    ],
)
def test_a_wrong_study_is_named(changes: dict[str, str], words: str, tmp_path: Path) -> None:
    if not words:  # another system of the same name with other seeds makes other cells
        assert read_study(write(tmp_path / "s.toml", **changes))
        return
    with pytest.raises(UserError) as error:
        read_study(write(tmp_path / "s.toml", **changes))
    assert words in str(error.value)


def test_a_system_may_be_a_model_that_the_study_trains(tmp_path: Path) -> None:
    text = "[study]\nname = 'x'\nbenchmarks = ['starter']\n[[systems]]\nname = 'a b'\ntrain = {{ {system} }}\n"
    given = 'system = "lora", pairs = "p", set = ["training.epochs=0"]'
    (cell,) = read_study(write(tmp_path / "s.toml", text=text, system=given), tmp_path / "to").cells
    assert cell.training is not None
    assert (cell.training.system, cell.training.set) == ("lora", ("training.epochs=0",))
    assert cell.experiment.repairer == "neural"
    assert cell.experiment.settings.model == str(cell.training.folder) == str(tmp_path / "to" / "models" / "a-b")
    with pytest.raises(UserError, match=r"train of a b.*epochs"):
        read_study(write(tmp_path / "s.toml", text=text, system=f"{given}, epochs = 3"))


def test_every_study_of_the_papers_can_be_read() -> None:
    folder = Path(__file__).parents[2] / "experiments"
    studies = [path for path in folder.glob("*.toml") if "[study]" in path.read_text(encoding="utf-8")]
    assert {path.stem for path in studies} >= {
        "nl2fix",
        "npr4j",
        "defects4c-single",
        "defects4c-conversation",
        "defects4c-tuning",
        "fixeval",
    }
    for path in studies:
        assert read_study(path).head.name == path.stem
