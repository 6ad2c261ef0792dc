"""Options of `repairlab run` that concern language models, declared once, and the settings made from them."""

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from repairlab.core.access import Access, check_access
from repairlab.core.errors import UserError, unknown
from repairlab.repairers.llm.settings import Comments, Selection

Model = Annotated[
    str | None,
    typer.Option("--model", help="PROVIDER/NAME: openai/gpt-4o, openrouter/…, vllm/…, ollama/…, hf/…."),
]
StrategyName = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        help="zero-shot, title-only, few-shot, reasoning, infill-line, infill-hunk, infill-function, verdict, completion, edit, "
        "file or conversation [default: zero-shot].",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", help="Address of an OpenAI-compatible server, such as http://localhost:8000/v1."),
]
Temperature = Annotated[float | None, typer.Option("--temperature", help="[default: 0.8]")]
Greedy = Annotated[bool, typer.Option("--greedy", help="The likeliest answer: temperature 0.")]
TopP = Annotated[float | None, typer.Option("--top-p", help="[default: 1]")]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="Longest answer [default: 1024].")]
Stop = Annotated[list[str] | None, typer.Option("--stop", help="A text that ends an answer; may be given several times.")]
Logprobs = Annotated[bool | None, typer.Option("--logprobs", help="Keep log-probabilities, for `repairlab rank`.")]
ContextWindow = Annotated[
    int | None,
    typer.Option("--context-window", help="Tokens of prompt and answer together, where the server does not say."),
]
CommentsName = Annotated[str | None, typer.Option("--comments", help="original, or stripped: show code without comments.")]
PromptFile = Annotated[Path | None, typer.Option("--prompt-file", help="A prompt template of your own; see `repairlab prompt`.")]
ExampleSelector = Annotated[int | None, typer.Option("--shots", help="Examples of few-shot prompts [default: 3].")]
SelectionName = Annotated[
    str | None,
    typer.Option("--selection", help="Examples by nearest code, embedding, random or fixed [default: nearest]."),
]
Examples = Annotated[
    str | None,
    typer.Option("--examples", help="Benchmark to take examples from [default: the other bugs]."),
]
Split = Annotated[str | None, typer.Option("--split", help="Take examples from this split only.")]
EmbeddingModel = Annotated[str | None, typer.Option("--embedding-model", help="For --selection embedding.")]
Attempts = Annotated[int | None, typer.Option("--attempts", help="Conversation: fresh starts [default: 10].")]
Turns = Annotated[int | None, typer.Option("--turns", help="Conversation: answers per start [default: 3].")]

Concurrency = Annotated[int | None, typer.Option("--concurrency", help="Requests at the same time [default: 8].")]
RateLimit = Annotated[float | None, typer.Option("--rate-limit", help="Requests a minute.")]
RequestTimeout = Annotated[float | None, typer.Option("--request-timeout", help="Seconds to wait for an answer [default: 300].")]
Retries = Annotated[
    int | None,
    typer.Option("--retries", help="How often to repeat a request that failed for now [default: 8]."),
]
CostLimit = Annotated[float | None, typer.Option("--cost-limit", help="Stop asking when the run has cost so many US dollars.")]
Prices = Annotated[Path | None, typer.Option("--prices", help="TOML file with prices of models.")]
NoAnswerCache = Annotated[bool, typer.Option("--no-answer-cache", help="Neither use kept answers nor keep new ones.")]
Offline = Annotated[bool, typer.Option("--offline", help="Use kept answers only; ask nobody.")]

NoTranscripts = Annotated[bool, typer.Option("--no-transcripts", help="Leave prompts and raw answers out of the run folder.")]


def llm_settings(options: dict[str, Any], *, greedy: bool, prompt_file: Path | None) -> dict[str, Any]:
    """Return the settings that were given, by the names of their fields."""
    given = {key: value for key, value in options.items() if value is not None}
    if greedy:
        if given.get("temperature"):
            raise UserError(f"--greedy is temperature 0, but --temperature is {given['temperature']:g}: leave one of the two out")
        given["temperature"] = 0.0
    for option, known in (("comments", Comments), ("selection", Selection)):
        if option in given and given[option] not in get_args(known):
            raise unknown(option, given[option], get_args(known))
    if prompt_file is not None:
        try:
            given["prompt"] = prompt_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise UserError(f"cannot read the prompt file {prompt_file}: {reason}") from None
    return given


def access_settings(options: dict[str, Any]) -> Access:
    """Return how models are reached."""
    access = Access(**{key: value for key, value in options.items() if value is not None})
    check_access(access)
    return access
