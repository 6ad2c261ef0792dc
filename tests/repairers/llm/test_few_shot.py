"""Few-shot: which examples are shown, and that they give way to the target."""

import dataclasses
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.core.errors import UserError
from repairlab.repairers.llm.client.model import ScriptedModel, Unanswerable
from repairlab.repairers.llm.prompts.prompter import ExampleSelector, Prompter, shortened
from repairlab.repairers.llm.prompts.templates import View
from repairlab.repairers.llm.settings import LlmSettings, Selection
from repairlab.repairers.repairer import Example
from tests.repairers.llm.bugs import example, python_problem

BUGGY = View(problem=python_problem()).code
EXAMPLES = [
    example(1),
    example(2, buggy=BUGGY.replace("// self.seats", "% self.seats")),
    example(3, buggy=BUGGY.replace("number", "n")),
    example(4, buggy="int f() { return 1; }", fixed="int f() { return 2; }", language="java"),
]


class Letters:
    """An embedder that counts letters."""

    name = "letters"

    def __init__(self) -> None:
        self.n_texts = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.n_texts += len(texts)
        return [[float(text.count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def few_shot(selection: Selection = "nearest", shots: int = 3, **changes: object) -> LlmSettings:
    return LlmSettings(model="scripted", strategy="few-shot", selection=selection, shots=shots, **changes)  # type: ignore[arg-type]


def chosen(examples: Sequence[Example], selection: Selection = "nearest", *, shots: int = 3, seed: int = 0) -> list[str]:
    made = ExampleSelector(examples, few_shot(selection, shots), seed=seed, embedder=Letters())
    return [item.id for item in made.choose(python_problem())]


def test_the_nearest_buggy_code_comes_first() -> None:
    assert chosen(EXAMPLES) == ["shop-2", "shop-3", "shop-1"]
    assert chosen(EXAMPLES, shots=1) == ["shop-2"]


def test_the_nearest_is_shown_last_right_before_the_target() -> None:
    asked = Prompter(few_shot(), ScriptedModel(["x"]), seed=0, examples=EXAMPLES).ask(python_problem())
    text = asked.opening.messages[-1].content
    assert text.index("Title 1") < text.index("Title 3") < text.index("Title 2") < text.index("Now the bug to fix")
    assert ("examples", "shop-2 shop-3 shop-1") in asked.notes


def test_examples_can_be_chosen_by_embedding_and_each_is_embedded_once() -> None:
    embedder = Letters()
    shots = ExampleSelector(EXAMPLES, few_shot("embedding"), seed=0, embedder=embedder)
    assert [item.id for item in shots.choose(python_problem())] == ["shop-2", "shop-3", "shop-1"]
    shots.choose(python_problem())
    assert embedder.n_texts == len(EXAMPLES) + 2


def test_embedding_without_an_embedder_is_an_error() -> None:
    with pytest.raises(UserError, match="--embedding-model"):
        ExampleSelector(EXAMPLES, few_shot("embedding"), seed=0).choose(python_problem())
    assert ExampleSelector([], few_shot("embedding"), seed=0).choose(python_problem()) == ()


def test_random_examples_depend_on_the_seed_alone() -> None:
    many = [example(number) for number in range(1, 30)]
    assert chosen(many, "random") == chosen(many, "random")
    assert chosen(many, "random") != chosen(many, "random", seed=1)
    assert len(set(chosen(many, "random"))) == 3


def test_fixed_examples_are_the_first_ones() -> None:
    assert chosen(EXAMPLES, "fixed", shots=2) == ["shop-1", "shop-2"]


def test_other_languages_are_shown_only_when_there_is_nothing_else() -> None:
    assert "shop-4" not in chosen(EXAMPLES, shots=9)
    assert chosen(EXAMPLES[3:]) == ["shop-4"]


FIXED = "def row_of(self, number):\n        return (number - 1) // self.seats + 1"


@pytest.mark.parametrize("selection", ["nearest", "embedding", "random", "fixed"])
@pytest.mark.parametrize(
    "own",
    [
        dataclasses.replace(example(5, buggy="x = 1", fixed=FIXED), id="hall-1"),
        example(5, buggy=BUGGY, fixed=FIXED),
        example(5, buggy=BUGGY.replace("        # Seats are numbered from 1.\n", "").replace("    ", "\t"), fixed=FIXED),
        example(5, buggy=FIXED, fixed=BUGGY),
        example(5, buggy=f"class Hall:\n{BUGGY}\n\n    x = 1", fixed=f"class Hall:\n    {FIXED}"),
    ],
    ids=["same id", "same code", "same but for comments and white space", "fix undone", "file that holds it"],
)
def test_the_bug_itself_is_never_an_example(selection: Selection, own: Example) -> None:
    assert own.id not in chosen([own, *EXAMPLES], selection, shots=9)


def test_without_examples_the_question_is_the_zero_shot_one() -> None:
    def text(strategy: str) -> str:
        made = LlmSettings(model="scripted", strategy=strategy)
        return Prompter(made, ScriptedModel(["x"]), seed=0).ask(python_problem()).opening.messages[-1].content

    assert text("few-shot") == text("zero-shot")


def test_comments_of_examples_are_left_out_too() -> None:
    commented = example(1, buggy="def f(a):\n    # HINT\n    return a", fixed="def f(a):\n    # HINT\n    return -a")
    asked = Prompter(few_shot(comments="stripped"), ScriptedModel(["x"]), seed=0, examples=[commented]).ask(python_problem())
    assert "HINT" not in asked.opening.messages[-1].content
    assert "return -a" in asked.opening.messages[-1].content


def test_the_farthest_example_goes_first_then_descriptions_then_the_last_example() -> None:
    near, far = example(1), example(2)
    steps = list(shortened((near, far)))
    assert steps[:2] == [(near, far), (near,)]
    assert steps[-1] == ()
    descriptions = [step[0].description for step in steps[1:-1]]
    assert descriptions[0] == "Description 1."
    assert descriptions[1] == "Descrip …"
    assert descriptions[-1] == ""
    assert all(step[0].buggy == near.buggy for step in steps[1:-1])


def test_a_target_that_does_not_fit_is_unanswerable() -> None:
    asking = Prompter(few_shot(context_window=1100), ScriptedModel(["x"], name="small"), seed=0, examples=EXAMPLES)
    with pytest.raises(
        Unanswerable, match=r"the prompt has about \d+ tokens and its answer may have 1024, but small takes 1100 in all"
    ):
        asking.ask(python_problem())


@settings(max_examples=150)
@given(
    window=st.integers(50, 3000),
    lengths=st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 1500)), max_size=5),
    description=st.text(alphabet="ab \n", max_size=600),
)
def test_trimming_never_cuts_the_target(window: int, lengths: list[tuple[int, int]], description: str) -> None:
    examples = [
        dataclasses.replace(example(number, buggy="b" * code, fixed="f" * code), description="d" * words)
        for number, (words, code) in enumerate(lengths, start=1)
    ]
    problem = dataclasses.replace(python_problem(), description=description)
    model = ScriptedModel(["x"], context_window=window)
    alone = Prompter(few_shot(max_tokens=20), model, seed=0)
    asking = Prompter(few_shot(max_tokens=20, shots=5), model, seed=0, examples=examples)
    try:
        least = alone.ask(problem).opening
    except Unanswerable:
        with pytest.raises(Unanswerable):
            asking.ask(problem)
        return
    opening = asking.ask(problem).opening
    text, target = opening.messages[-1].content, least.messages[-1].content
    assert text.endswith(target)
    assert asking.window.tokens(opening) + 20 <= window
    for item in examples:
        assert text.count(item.buggy) == 0 or item.fixed in text


def test_a_prompt_for_completion_models_ends_with_the_signature() -> None:
    prompt = "--- prefix ---\n{% for example in examples %}\n{{ example.fixed }}\n{% endfor %}\n{{ code }}\n{{ given }}\n"
    asked = Prompter(few_shot(shots=1, prompt=prompt), ScriptedModel(["x"]), seed=0, examples=EXAMPLES).ask(python_problem())
    assert asked.opening.text is not None and asked.opening.text.rstrip().endswith("def row_of(self, number):")
    assert asked.question.wanted.shape == "completion" and "".join(asked.sampling.stop)
    assert EXAMPLES[1].fixed in asked.opening.text
