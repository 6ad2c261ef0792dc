"""A trained model, read from its folder: settings, vocabularies and network; or several whose candidates are merged (CoCoNut)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import nn

from repairlab.core.errors import UserError
from repairlab.learning.networks.beam import beam_search
from repairlab.learning.networks.folder import SETTINGS, WEIGHTS, MergeRule, read_learnt, read_members, read_settings
from repairlab.learning.networks.grammar_vocabulary import GrammarVocabulary, NodeLabels
from repairlab.learning.networks.hypotheses import Hypothesis, Marks
from repairlab.learning.networks.inputs import NetworkInput, Written
from repairlab.learning.networks.network import build
from repairlab.learning.networks.pretrained import SpecialTokens
from repairlab.learning.networks.settings import DecodingSettings, ModelSettings, NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch, padded
from repairlab.learning.networks.vocabulary import (
    TOKENIZER_FOLDER,
    WORDS_FILE,
    BytePairs,
    NumberedSource,
    PretrainedTokens,
    TokenNumbers,
    WordVocabulary,
)

TARGET_WORDS = "target-vocabulary.json"
_LONGEST_TOGETHER = 400_000
"""Largest number of source and context tokens that are read together."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """The vocabularies of source and target, which may be the same."""

    source: TokenNumbers
    target: TokenNumbers


@dataclass(frozen=True, slots=True)
class Model:
    """A model that is ready to use."""

    settings: ModelSettings
    learnt: dict[str, Any]
    """Settings of the representation."""
    numbering: Numbering
    network: nn.Module
    device: torch.device

    def write(
        self,
        inputs: Sequence[NetworkInput],
        decoding: DecodingSettings,
        *,
        seed: int = 0,
        done: Callable[[int], None] = lambda n: None,  # noqa: ARG005
    ) -> list[list[Written]]:
        """Return what the network writes for each input, best first; unknown words make a hypothesis drop out."""
        sources = [self.numbering.source.source(item.source, self.settings.max_source) for item in inputs]
        results: list[list[Written]] = [[] for _ in inputs]
        generator = torch.Generator(device=self.device).manual_seed(seed) if decoding.sample else None
        for rows in _grouped([len(item.ids) for item in sources], decoding):
            batch = self._batch([inputs[row] for row in rows], [sources[row] for row in rows])
            found = self._search(batch, decoding, generator)
            for row, hypotheses in zip(rows, found, strict=True):
                results[row] = list(self._written(hypotheses, sources[row].extra))
            done(len(rows))
        return results

    def _search(self, batch: TokenBatch, decoding: DecodingSettings, generator: torch.Generator | None) -> list[list[Hypothesis]]:
        target = self.numbering.target
        marks = Marks(begin=target.begin, end=target.end, banned=tuple({target.pad, target.begin, target.unknown} - {target.end}))
        try:
            return beam_search(self.network, batch, decoding, marks, generator=generator)
        except torch.OutOfMemoryError:
            raise UserError(
                f"the memory of {self.device} does not hold {batch.source.shape[0]} bugs × {decoding.beam} hypotheses; "
                f"lower decoding.at_once (now {decoding.at_once}) or --beam"
            ) from None

    def _batch(self, inputs: Sequence[NetworkInput], sources: Sequence[NumberedSource]) -> TokenBatch:
        numbers = self.numbering.source
        beside = [
            context_numbers(item, self.settings, self.numbering, len(source.ids))
            for item, source in zip(inputs, sources, strict=True)
        ]
        return TokenBatch(
            source=padded([item.ids for item in sources], numbers.pad),
            context=padded(beside, numbers.pad) if any(beside) else None,
            span=torch.tensor([item.span for item in inputs]),
            n_extra=max(len(item.extra) for item in sources),
        ).to(self.device)

    def _written(self, hypotheses: Sequence[Hypothesis], extra: Sequence[str]) -> Iterator[Written]:
        for item in hypotheses:
            places = tuple(map(str, item.places))
            words = self.numbering.target.words(item.ids, extra)
            if words is not None:
                yield Written(tokens=(*places, *words), logprob=item.logprob, n_tokens=len(item.ids) + 1)


def _grouped(lengths: Sequence[int], decoding: DecodingSettings) -> Iterator[list[int]]:
    """Yield rows that are decoded together, the longest first, so that running out of memory shows at once."""
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    most = max(1, decoding.at_once // decoding.beam)
    while order:
        n = max(1, min(most, _LONGEST_TOGETHER // lengths[order[0]]))
        yield order[:n]
        order = order[n:]


def choose_device(name: str) -> torch.device:
    """Return the device of this name; `auto` is a GPU if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UserError(f"unknown device {name!r}. Possible: auto, cpu, cuda, cuda:1, mps") from None
    working = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not working.get(device.type, False) or (device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count()):
        raise UserError(
            f"there is no device {name!r} here: torch {torch.__version__} sees {torch.cuda.device_count()} GPUs; use --device cpu"
        )
    return device


def read_numbering(folder: Path, settings: ModelSettings) -> Numbering:
    """Return the vocabularies of a model's folder."""
    kind = settings.vocabulary.kind
    if kind == "pretrained":
        numbers: TokenNumbers = PretrainedTokens.load(
            folder / TOKENIZER_FOLDER, settings.vocabulary.prefix, chat=settings.vocabulary.chat
        )
        return Numbering(source=numbers, target=numbers)
    if kind == "bpe":
        numbers = BytePairs.load(folder, settings.vocabulary.prefix)
        return Numbering(source=numbers, target=numbers)
    if settings.network.kind == "grammar":
        return Numbering(source=NodeLabels.load(folder, WORDS_FILE), target=GrammarVocabulary.open(folder))
    source = WordVocabulary.load(folder, WORDS_FILE)
    return Numbering(source=source, target=source if settings.vocabulary.shared else WordVocabulary.load(folder, TARGET_WORDS))


def context_numbers(read: NetworkInput, settings: ModelSettings, numbering: Numbering, n: int) -> list[int]:
    """Return what is read beside a source of `n` tokens: the context, or the facts of nodes; empty if the network has neither."""
    if isinstance(numbering.target, GrammarVocabulary):
        return numbering.target.node_facts(read, n - 1)  # the end mark is no node
    return numbering.source.source(read.context, settings.max_context).ids if settings.network.context else []


def save_numbering(numbering: Numbering, folder: Path) -> None:
    """Write vocabularies into a model's folder."""
    numbering.source.save(folder)
    if isinstance(numbering.target, GrammarVocabulary):
        numbering.target.save(folder)
    elif isinstance(numbering.target, WordVocabulary) and numbering.target is not numbering.source:
        numbering.target.save(folder, TARGET_WORDS)


def build_for(settings: ModelSettings, numbering: Numbering, *, folder: Path | None = None) -> nn.Module:
    """Return a network for the vocabularies."""
    target = numbering.target
    marks = SpecialTokens(pad=target.pad, begin=target.begin, end=target.end)
    grammar = target.grammar if isinstance(target, GrammarVocabulary) else None
    return build(settings.network, numbering.source.size, target.size, marks=marks, folder=folder, grammar=grammar)


def weights_to_keep(network: nn.Module, settings: NetworkSettings) -> dict[str, torch.Tensor]:
    """Return the model's weights: tied ones once, and of a pretrained network with LoRA only those of LoRA."""
    only_lora = bool(settings.lora_rank and settings.pretrained)
    named = dict(network.named_parameters())  # of tied ones the first name
    every = {name for name, _ in network.named_parameters(remove_duplicate=False)}
    kept = {name: item for name, item in named.items() if item.requires_grad or not only_lora}
    more = {} if only_lora else {name: item for name, item in network.state_dict().items() if name not in every}
    return {name: item.detach().contiguous() for name, item in {**kept, **more}.items()}


def untrained(folder: Path) -> UserError:
    """Return the error for a model without weights."""
    return UserError(
        f"{folder} is not trained to its end: it has no {WEIGHTS}. Go on with: repairlab train … --to {folder} --resume"
    )


def load_model(folder: Path, *, device: str = "auto") -> Model:
    """Read a model from its folder."""
    settings = read_settings(folder)
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise untrained(folder)
    place = choose_device(device)
    numbering = read_numbering(folder, settings)
    network = build_for(settings, numbering, folder=folder)
    try:
        missing = network.load_state_dict(load_file(weights), strict=False)
    except RuntimeError as error:
        raise UserError(f"{weights} does not fit the vocabulary or network of {folder / SETTINGS}: {_first(error)}") from None
    lost = set(missing.missing_keys) & set(weights_to_keep(network, settings.network))
    if lost or missing.unexpected_keys:
        odd = min([*lost, *missing.unexpected_keys])
        raise UserError(f"{weights} is of another network than {folder / SETTINGS} says: {odd} is not in both")
    learnt = read_learnt(folder)
    return Model(settings=settings, learnt=learnt, numbering=numbering, network=network.to(place).eval(), device=place)


def _first(error: Exception) -> str:
    return " ".join(line.strip() for line in str(error).split("\n")[1:2]) or str(error)


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Models with one representation."""

    members: tuple[Model, ...]
    rule: MergeRule = "by-score"

    @property
    def representation(self) -> str:
        """Return the name of the representation that all members have."""
        return self.members[0].settings.representation

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the settings of the representation."""
        return self.members[0].learnt

    @property
    def decoding(self) -> DecodingSettings:
        """Return how the first member decodes by itself."""
        return self.members[0].settings.decoding

    def write(
        self,
        inputs: Sequence[NetworkInput],
        decoding: DecodingSettings,
        *,
        seed: int = 0,
        done: Callable[[int], None] = lambda n: None,  # noqa: ARG005
    ) -> list[list[Written]]:
        """Return what the members write for each input, best first."""
        if len(self.members) == 1:
            return self.members[0].write(inputs, decoding, seed=seed, done=done)
        found = [model.write(inputs, decoding, seed=seed) for model in self.members]
        done(len(inputs))
        return [merge([lists[row] for lists in found], self.rule, decoding.beam) for row in range(len(inputs))]


def merge(lists: Sequence[Sequence[Written]], rule: MergeRule, n: int) -> list[Written]:
    """Return at most `n` candidates of all members, each text once, best first.

    >>> one = [Written(tokens=("a",), logprob=-1.0, n_tokens=2), Written(tokens=("b",), logprob=-3.0, n_tokens=2)]
    >>> other = [Written(tokens=("a",), logprob=-2.0, n_tokens=2), Written(tokens=("c",), logprob=-2.5, n_tokens=2)]
    >>> [item.tokens for item in merge([one, other], "by-score", 2)]
    [('a',), ('c',)]
    """
    share = n if rule == "by-score" else max(1, n // len(lists))
    kept: dict[tuple[str, ...], Written] = {}
    for item in sorted((item for found in lists for item in found[:share]), key=lambda item: -item.logprob):
        kept.setdefault(item.tokens, item)
    return list(kept.values())[:n]


def load_ensemble(folder: Path, *, device: str = "auto") -> Ensemble:
    """Load a model, or the members that a folder lists."""
    found = read_members(folder)
    members = tuple(load_model(item, device=device) for item in found.folders)
    if any(model.settings.representation != members[0].settings.representation for model in members):
        raise UserError(f"{folder} lists models of several representations")
    return Ensemble(members=members, rule=found.rule)
