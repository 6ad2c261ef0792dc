from repairlab.core.model import Prompt
from repairlab.repairers.llm.client.model import ChatModel, Sampling, ScriptedModel

PROMPT = Prompt(text="mend this")


def test_a_list_of_answers_is_followed_over_and_over() -> None:
    model: ChatModel = ScriptedModel(["a", "b"])
    assert [answer.text for answer in model.complete(PROMPT, Sampling(), first=1, n=3)] == ["b", "a", "b"]


def test_a_function_sees_the_prompt_and_the_number() -> None:
    model = ScriptedModel(lambda prompt, number: f"{prompt.text} {number}", context_window=7)
    assert [answer.text for answer in model.complete(PROMPT, Sampling(), n=2)] == ["mend this 0", "mend this 1"]
    assert (model.asked, model.context_window, model.count_tokens("abcd")) == ([PROMPT], 7, 2)
