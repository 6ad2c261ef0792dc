"""The network that edits trees: whatever it writes follows the grammar, ends in time, and is code that parses."""

from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra: make test-train")
import torch

from repairlab.core.errors import UserError
from repairlab.learning.networks.beam import beam_search
from repairlab.learning.networks.grammar_decoder import GrammarDecoder
from repairlab.learning.networks.grammar_vocabulary import GRAMMAR_FILE, GrammarVocabulary, NodeLabels
from repairlab.learning.networks.hypotheses import Hypothesis, Marks
from repairlab.learning.networks.inputs import NetworkInput, network_input
from repairlab.learning.networks.model import Model, Numbering, build_for
from repairlab.learning.networks.settings import DecodingSettings, ModelSettings, NetworkSettings, VocabularySettings
from repairlab.learning.networks.tokens import TokenBatch, padded
from repairlab.learning.representations.recoder import RecoderTree, part_read
from repairlab.learning.representations.recoder_edits import applied
from repairlab.learning.representations.representation import Encoded, Sample
from repairlab.learning.training.numbering import tree_grammar

PAIRS = {
    "java": [
        ("int f(int[] a, int n) { for (int i = 0; i <= n; i++) { s += a[i]; } return s; }", "i <= n", "i < n"),
        ("void g(List<String> xs) { if (xs == null) { return; } h(xs, 1, 2); }", "h(xs, 1, 2)", "h(xs, 2)"),
        ("void g(List<String> xs) { h(xs); k(); }", "h(xs)", "h(xs, null)"),
        ("int k(int a) throws E { a = a + 1; return a; }", "a = a + 1;", ""),
        ("boolean m(Foo x) { x.run(); return x.ok(1); }", "return", "if (x == null) { return false; } return"),
        ("boolean m(Foo x) { try { x.run(); } catch (E e) { log(e); } return x.ok(); }", "x.ok()", "!x.ok()"),
    ],
    "python": [
        ("def f(a, n):\n    s = 1\n    for i in range(n):\n        s += a[i]\n    return s\n", "s = 1", "s = 0"),
        ("def g(xs):\n    h(xs, 1)\n    return xs\n", "h(xs, 1)", "h(xs)"),
        ("def g(xs, y):\n    h(xs)\n    k(xs, y)\n    return y\n", "    k(xs, y)\n", ""),
        ("def g(xs):\n    return xs[0]\n", "return", "if not xs:\n        return None\n    return"),
    ],
}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


class Editor:
    """A network of random weights for the pairs of a language."""

    def __init__(self, language: str, *, longest: int = 40) -> None:
        samples = [
            (Sample(language=language, buggy=text, method=text, start=0), text.replace(old, new, 1))
            for text, old, new in PAIRS[language]
        ]
        learnt = {**RecoderTree.learn([*samples, *samples]), "max_written": longest}
        self.representation = RecoderTree(**learnt)
        self.pairs = [self.representation.target(*pair) for pair in samples]
        labels = NodeLabels.most_frequent(Counter(word for encoded, _ in self.pairs for word in encoded.source), 100, 1)
        numbering = Numbering(source=labels, target=GrammarVocabulary(tree_grammar(learnt)))
        network = NetworkSettings(kind="grammar", width=16, heads=2, encoder_layers=2, decoder_layers=2, positions=64)
        settings = ModelSettings(
            system="recoder",
            representation="recoder",
            vocabulary=VocabularySettings(),
            network=network,
            decoding=DecodingSettings(),
        )
        torch.manual_seed(7)
        self.network = build_for(settings, numbering).eval()
        self.model = Model(settings=settings, learnt=learnt, numbering=numbering, network=self.network, device=torch.device("cpu"))

    def read(self, encoded: Encoded) -> NetworkInput:
        return network_input(encoded)

    def batch(self, numbers: list[int], *, targets: bool = True) -> TokenBatch:
        numbering = self.model.numbering
        words = numbering.target
        assert isinstance(words, GrammarVocabulary)
        found = [self.pairs[number] for number in numbers]
        sources = [numbering.source.source(encoded.source, 100) for encoded, _ in found]
        written = [words.target(target, source.extra) for (_, target), source in zip(found, sources, strict=True)]
        return TokenBatch(
            source=padded([source.ids for source in sources]),
            context=padded([words.node_facts(self.read(encoded), len(encoded.source)) for encoded, _ in found]),
            target=padded(written) if targets else None,
        )


@pytest.fixture(scope="module", params=list(PAIRS))
def editor(request: pytest.FixtureRequest) -> Editor:
    return Editor(request.param)


@pytest.mark.parametrize("sample", [False, True])
def test_whatever_is_written_is_a_tree_of_the_grammar_and_parses(editor: Editor, sample: bool) -> None:
    made = editor.representation
    inputs = [editor.read(encoded) for encoded, _ in editor.pairs]
    written = editor.model.write(inputs, DecodingSettings(beam=12, max_length=41, sample=sample), seed=2)
    kinds: Counter[str] = Counter()
    for (encoded, _), found in zip(editor.pairs, written, strict=True):
        assert found
        for item in found:
            assert item.tokens[-1] == "end" and len(item.tokens) <= 40
            kinds.update(token for token in item.tokens if token in ("modify", "insert", "append", "delete", "copy"))
            assert applied(part_read(encoded), item.tokens), "no edit is about a node that is gone"
            if not any(token.endswith("=<unknown>") for token in item.tokens):  # may not have a word to be filled with
                assert made.recover(encoded, item.tokens), item.tokens
    assert len(kinds) == 5 or not sample, "all edits are drawn"


def test_the_fixes_of_pairs_follow_the_grammar(editor: Editor) -> None:
    network = editor.network
    assert isinstance(network, GrammarDecoder)
    for number, (_, written) in enumerate(editor.pairs):
        batch = editor.batch([number])
        assert batch.target is not None
        state = network.start(batch, 1)
        tokens = torch.tensor([2])
        for wanted in batch.target[0]:
            logs, state = network.step(state, tokens)
            assert logs[0, wanted] > float("-inf"), written
            tokens = wanted.unsqueeze(0)


def test_cached_steps_give_what_one_pass_gives_whatever_the_padding(editor: Editor) -> None:
    together = editor.network.token_losses(editor.batch([0, 1, 2]), 0.0).detach()
    for number in range(3):
        batch = editor.batch([number])
        assert batch.target is not None
        alone = editor.network.token_losses(batch, 0.0).detach()
        n = batch.target.shape[1]
        assert torch.allclose(together[number, :n], alone[0], atol=1e-4) and not together[number, n:].any()
        for item in _searched(editor, number):
            target = torch.tensor([[*item.ids, 3]])
            one = TokenBatch(source=batch.source, context=batch.context, target=target)
            loss = float(editor.network.token_losses(one, 0.0).detach().sum())
            assert item.logprob == pytest.approx(-loss, abs=1e-3)


def _searched(editor: Editor, number: int) -> list[Hypothesis]:
    marks = Marks(begin=2, end=3, banned=(0, 1, 2))
    return beam_search(editor.network, editor.batch([number], targets=False), DecodingSettings(beam=3, max_length=41), marks)[0]


def test_what_is_begun_ends_within_the_longest_sequence() -> None:
    editor = Editor("java", longest=12)
    inputs = [editor.read(encoded) for encoded, _ in editor.pairs]
    for found in editor.model.write(inputs, DecodingSettings(beam=10, max_length=13, sample=True), seed=3):
        assert len({item.tokens for item in found}) == len(found) > 0
        assert all(item.tokens[-1] == "end" and item.logprob > float("-inf") for item in found)
    for sample in (False, True):  # where a user allows less, what does not end is no hypothesis
        for found in editor.model.write(inputs, DecodingSettings(beam=10, max_length=5, sample=sample), seed=3):
            assert all(item.tokens[-1] == "end" and len(item.tokens) < 5 for item in found)


def test_a_vocabulary_of_trees_survives_its_file(editor: Editor, tmp_path: Path) -> None:
    words = editor.model.numbering.target
    assert isinstance(words, GrammarVocabulary)
    words.save(tmp_path)
    assert GrammarVocabulary.open(tmp_path).grammar == words.grammar
    (tmp_path / GRAMMAR_FILE).write_text('{"words": 3}')
    with pytest.raises(UserError, match="is no grammar"):
        GrammarVocabulary.open(tmp_path)
