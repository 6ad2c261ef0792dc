"""Laws of networks and of beam search: what is cached, batched or searched is what could be computed without."""

import itertools
from contextlib import nullcontext

import pytest

pytest.importorskip("torch", reason="needs the extra: make test-train")
import torch

from repairlab.learning.networks import beam
from repairlab.learning.networks.beam import beam_search
from repairlab.learning.networks.hypotheses import Hypothesis, Marks
from repairlab.learning.networks.network import build
from repairlab.learning.networks.settings import DecodingSettings, NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.networks.vocabulary import END, FIRST_PLACE, WordVocabulary

MARKS = Marks(begin=2, end=3, banned=(0, 1, 2))
WORDS = 6
KINDS = {
    "transformer": NetworkSettings(width=16, heads=2, encoder_layers=1, decoder_layers=2, copy=True),
    "transformer, context": NetworkSettings(width=16, heads=2, encoder_layers=1, decoder_layers=1, context=True, tied=False),
    "transformer, rotary": NetworkSettings(width=16, heads=2, encoder_layers=1, decoder_layers=2, places="rotary"),
    "transformer, aligned": NetworkSettings(width=16, heads=2, encoder_layers=1, decoder_layers=2, copy=True, places="aligned"),
    "lstm, copy": NetworkSettings(kind="recurrent", width=16, encoder_layers=1, decoder_layers=2, copy=True),
    "gru, mlp": NetworkSettings(
        kind="recurrent", width=16, encoder_layers=2, decoder_layers=1, cell="gru", attention="mlp", input_feeding=False
    ),
    "edits": NetworkSettings(kind="edits", width=16, heads=2, encoder_layers=1, decoder_layers=1),
    "t5": NetworkSettings(kind="pretrained", family="t5", width=16, heads=2, encoder_layers=1, decoder_layers=1),
    "bart": NetworkSettings(kind="pretrained", family="bart", width=16, heads=2, encoder_layers=1, decoder_layers=1),
    "roberta": NetworkSettings(kind="pretrained", family="roberta", width=16, heads=2, encoder_layers=1, decoder_layers=1),
    "unixcoder": NetworkSettings(kind="pretrained", family="unixcoder", width=16, heads=2, encoder_layers=2),
    "causal": NetworkSettings(kind="pretrained", family="causal", width=16, heads=2, decoder_layers=2),
    "causal, LoRA": NetworkSettings(kind="pretrained", family="causal", width=16, heads=2, decoder_layers=1, lora_rank=2),
    "convolution": NetworkSettings(kind="convolution", width=16, embedding=12, encoder_layers=2, decoder_layers=2, context=True),
    "convolution, widths": NetworkSettings(
        kind="convolution",
        width=16,
        encoder_layers=2,
        encoder_widths=(8, 16),
        encoder_kernels=(1, 4),
        decoder_layers=3,
        decoder_widths=(12, 8, 8),
        decoder_kernels=(2, 1, 3),
    ),
}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def network(kind: str) -> torch.nn.Module:
    torch.manual_seed(5)
    return build(KINDS[kind], WORDS, WORDS).eval()


def sources(kind: str) -> TokenBatch:
    n_extra = 1 if KINDS[kind].copy else 0
    source = torch.tensor([[4, 5, 5 + n_extra, END], [5, END, 0, 0], [4, 4, END, 0]])
    context = torch.tensor([[5, 5, END], [4, END, 0], [END, 0, 0]]) if KINDS[kind].context else None
    return TokenBatch(source=source, context=context, span=torch.tensor([[1, 2], [0, 1], [0, 0]]), n_extra=n_extra)


def row(batch: TokenBatch, number: int, target: list[int] | None = None) -> TokenBatch:
    """Return one source without its padding, so that padding is tested, too."""
    source = batch.source[number]
    context = None if batch.context is None else batch.context[number][batch.context[number] != 0].unsqueeze(0)
    wanted = None if target is None else torch.tensor([target])
    assert batch.span is not None
    alone = source[source != 0].unsqueeze(0)
    return TokenBatch(source=alone, context=context, target=wanted, span=batch.span[number : number + 1], n_extra=batch.n_extra)


def logprob(net: torch.nn.Module, batch: TokenBatch, number: int, ids: tuple[int, ...], places: tuple[int, ...] = ()) -> float:
    """Return the log-probability of a sequence by one pass over all of it, without any cache."""
    with torch.no_grad():
        target = [*(place + FIRST_PLACE for place in places), *ids, END]
        return -float(net.token_losses(row(batch, number, target), 0.0).sum())


def openings(kind: str, batch: TokenBatch, number: int) -> list[tuple[int, ...]]:
    """Return all pairs of places that a network may point to; one that is empty for networks that do not."""
    assert batch.span is not None
    first, last = batch.span[number].tolist()
    return [(a, b) for a in range(first, last + 1) for b in range(a, last + 1)] if KINDS[kind].kind == "edits" else [()]


@pytest.mark.parametrize("kind", KINDS)
def test_beam_search_finds_what_exhaustive_search_finds(kind: str) -> None:
    net, batch, longest = network(kind), sources(kind), 4
    found = beam_search(net, batch, DecodingSettings(beam=200, max_length=longest), MARKS)
    words = range(4, WORDS + batch.n_extra)
    for number in range(3):
        written = [ids for n in range(longest) for ids in itertools.product(words, repeat=n)]
        every = list(itertools.product(openings(kind, batch, number), written))
        expected = sorted(((logprob(net, batch, number, ids, places), ids) for places, ids in every), reverse=True)
        assert len(found[number]) == len(expected)
        assert [item.logprob for item in found[number]] == pytest.approx([value for value, _ in expected], abs=1e-4)
        assert {(item.places, item.ids) for item in found[number]} == set(every)


@pytest.mark.parametrize("kind", KINDS)
def test_cached_steps_give_what_one_pass_gives(kind: str) -> None:
    net, batch = network(kind), sources(kind)
    for number, hypotheses in enumerate(beam_search(net, batch, DecodingSettings(beam=5, max_length=9), MARKS)):
        assert hypotheses
        for item in hypotheses:
            assert item.logprob == pytest.approx(logprob(net, batch, number, item.ids, item.places), abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length_penalty", [0.0, 1.0])
def test_a_batch_of_one_gives_what_a_batch_of_many_gives(kind: str, length_penalty: float) -> None:
    net, batch = network(kind), sources(kind)
    settings = DecodingSettings(beam=3, max_length=12, length_penalty=length_penalty)
    together = beam_search(net, batch, settings, MARKS)
    for number in range(3):
        alone = beam_search(net, row(batch, number), settings, MARKS)[0]
        assert [(item.places, item.ids) for item in alone] == [(item.places, item.ids) for item in together[number]]
        assert [item.score for item in alone] == pytest.approx([item.score for item in together[number]], abs=1e-4)


def test_the_length_rule_decides_the_order_and_not_the_log_probability() -> None:
    net, batch = network("transformer"), sources("transformer")
    for penalty in (0.0, 1.0):
        found = beam_search(net, batch, DecodingSettings(beam=20, max_length=6, length_penalty=penalty), MARKS)[0]
        scores = [item.logprob / (len(item.ids) + 1) ** penalty for item in found]
        assert scores == sorted(scores, reverse=True)
        assert [item.score for item in found] == pytest.approx(scores, abs=1e-5)


def test_groups_of_a_diverse_search_avoid_the_tokens_of_each_other() -> None:
    net, batch = network("lstm, copy"), sources("lstm, copy")
    plain = beam_search(net, batch, DecodingSettings(beam=4, max_length=6), MARKS)
    diverse = beam_search(net, batch, DecodingSettings(beam=4, max_length=6, groups=2, diversity=50.0), MARKS)
    for number, found in enumerate(diverse):
        assert {item.ids for item in found} != {item.ids for item in plain[number]}
        for item in found:  # what a token costs another group is no part of its log-probability
            assert item.logprob == item.score == pytest.approx(logprob(net, batch, number, item.ids), abs=1e-4)


def test_sampling_repeats_itself_and_keeps_each_sequence_once() -> None:
    net, batch = network("transformer"), sources("transformer")
    settings = DecodingSettings(beam=30, max_length=5, sample=True, temperature=1.5)

    def drawn(seed: int) -> list[list[Hypothesis]]:
        return beam_search(net, batch, settings, MARKS, generator=torch.Generator().manual_seed(seed))

    first = drawn(1)
    assert first == drawn(1) != drawn(2)
    assert all(len({item.ids for item in found}) == len(found) for found in first)
    assert first[0][0].logprob == pytest.approx(logprob(net, batch, 0, first[0][0].ids), abs=1e-4)


def test_nearly_no_top_p_is_greedy() -> None:
    net, batch = network("transformer"), sources("transformer")
    sampled = DecodingSettings(beam=4, max_length=6, sample=True, top_p=1e-6)
    drawn = beam_search(net, batch, sampled, MARKS, generator=torch.Generator().manual_seed(1))
    assert all(len(found) == 1 for found in drawn)


def test_an_unknown_word_of_the_source_can_be_copied() -> None:
    words = WordVocabulary(["a", "b"], copies=True)
    source = words.source(["a", "odd", "rare", "odd"], 100)
    assert source.extra == ("odd", "rare")
    target = words.target(["rare", "b", "never"], source.extra)
    assert words.words(target[:2], source.extra) == ("rare", "b")
    assert words.words(target[:3], source.extra) is None


@pytest.mark.filterwarnings("ignore:mkldnn_matmul failed")  # by a CPU without bf16, once
@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].kind != "recurrent"])
def test_weights_in_half_precision_are_those_that_autocast_makes_and_only_lent(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    net = network(kind)
    before = {name: item.clone() for name, item in net.state_dict().items()}
    settings = DecodingSettings(beam=3, max_length=4, precision="bf16")
    lent = beam_search(net, sources(kind), settings, MARKS)
    assert all(item.dtype == before[name].dtype and item.equal(before[name]) for name, item in net.state_dict().items())
    monkeypatch.setattr(beam, "half_weights", lambda network: nullcontext())
    assert beam_search(net, sources(kind), settings, MARKS) == lent
