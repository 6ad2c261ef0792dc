"""A search whose rounds are recorded and repeated finds what it finds step by step. No GPU is needed: a tape repeats operations."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra: make test-train")
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from repairlab.learning.networks import beam
from repairlab.learning.networks.beam import beam_search
from repairlab.learning.networks.hypotheses import Hypothesis, Marks
from repairlab.learning.networks.network import build
from repairlab.learning.networks.settings import DecodingSettings, NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.networks.vocabulary import END, PAD

MARKS = Marks(begin=2, end=END, banned=(0, 1, 2))
WORDS = 9


class Tape(TorchDispatchMode):  # type: ignore[misc]  # torch's types are not looked at
    """Repeats operations on the tensors that they had, as a CUDA graph does: whatever else Python does is not repeated."""

    def __init__(self) -> None:
        super().__init__()
        self.n_recorded = self.n_replayed = 0
        self._calls: list[tuple[Any, Any, Any, Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        self._calls.append((func, args, kwargs or {}, made))
        return made

    def record(self, work: Callable[[], None]) -> Callable[[], None]:
        """Record work; as it is done thereby, the first replay does nothing."""
        self._calls = []
        with self:
            work()
        calls, done = self._calls, iter([True])
        self.n_recorded += 1

        def replay() -> None:
            self.n_replayed += 1
            if next(done, False):
                return
            for func, args, kwargs, made in calls:
                again = func(*args, **kwargs)
                for old, new in zip(tree_leaves(made), tree_leaves(again), strict=True):
                    if isinstance(old, torch.Tensor) and old.data_ptr() != new.data_ptr():
                        old.copy_(new)

        return replay


def found_by(net: torch.nn.Module, batch: TokenBatch, decoding: DecodingSettings, tape: Tape | None) -> list[list[Hypothesis]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam, "recorder", lambda device: None if tape is None else tape.record)
        return beam_search(net, batch, decoding, MARKS)


def a_network(places: str, *, copy: bool, context: bool, seed: int) -> torch.nn.Module:
    torch.manual_seed(seed)
    net = build(
        NetworkSettings(
            width=16,
            heads=2,
            encoder_layers=1,
            decoder_layers=2,
            copy=copy,
            context=context,
            positions=20,
            places=places,  # type: ignore[arg-type]  # drawn from its values
        ),
        WORDS,
        WORDS,
    ).eval()
    with torch.no_grad():
        for weights in net.parameters():
            weights.add_(0.3 * torch.randn_like(weights))  # so that hypotheses differ
    return net


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    places=st.sampled_from(["learned", "rotary", "aligned"]),
    copy=st.booleans(),
    context=st.booleans(),
    seed=st.integers(0, 10**6),
    beam_and_groups=st.sampled_from([(1, 1), (2, 1), (3, 3), (4, 2), (7, 1)]),
    longest=st.integers(1, 75),
    n=st.integers(1, 5),
    ends=st.sampled_from([-20.0, -3.0, 0.0, 2.0]),
    length_penalty=st.sampled_from([0.0, 1.0]),
)
def test_recorded_rounds_find_what_steps_find(
    *,
    places: str,
    copy: bool,
    context: bool,
    seed: int,
    beam_and_groups: tuple[int, int],
    longest: int,
    n: int,
    ends: float,
    length_penalty: float,
) -> None:
    torch.set_num_threads(1)
    net = a_network(places, copy=copy, context=context, seed=seed)
    with torch.no_grad():
        net.head.output.bias[END] += ends
    lengths = torch.randint(1, 6, (n, 1))
    numbers = (
        torch.randint(4, WORDS, (n, 6)).masked_fill(torch.arange(6) > lengths, PAD).masked_fill(torch.arange(6) == lengths, END)
    )
    batch = TokenBatch(source=numbers, context=numbers.flip(0) if context else None)
    decoding = DecodingSettings(
        beam=beam_and_groups[0], groups=beam_and_groups[1], max_length=longest, length_penalty=length_penalty
    )
    tape = Tape()
    plain, recorded = found_by(net, batch, decoding, None), found_by(net, batch, decoding, tape)
    assert [[item.ids for item in row] for row in recorded] == [[item.ids for item in row] for row in plain]
    for mine, other in zip(recorded, plain, strict=True):
        assert [item.logprob for item in mine] == pytest.approx([item.logprob for item in other], abs=1e-4)


def test_a_long_search_is_recorded_once_for_each_size_of_its_room() -> None:
    net, tape = a_network("learned", copy=False, context=False, seed=1), Tape()
    with torch.no_grad():
        net.head.output.bias[END] -= 100
    batch = TokenBatch(source=torch.tensor([[4, 5, END], [7, END, PAD]]))
    found_by(net, batch, DecodingSettings(beam=3, max_length=66), tape)
    # A room of 32 places: its first round makes the spare one, fifteen are repeated; so for 64; behind them the last round of all.
    assert (tape.n_recorded, tape.n_replayed) == (2, 30)


def test_work_that_cannot_be_recorded_is_done_step_by_step() -> None:
    net = a_network("rotary", copy=True, context=False, seed=2)
    batch, decoding = TokenBatch(source=torch.tensor([[4, 5, END], [7, END, PAD]])), DecodingSettings(beam=4, max_length=20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam, "recorder", lambda device: lambda work: None)
        assert beam_search(net, batch, decoding, MARKS) == found_by(net, batch, decoding, None)
