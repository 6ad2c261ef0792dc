"""Our Transformer computes what the same network of `transformers` computes, and our search finds what `generate` finds."""

import pytest

pytest.importorskip("torch", reason="needs the extra: make test-train")
import torch

from repairlab.learning.networks.beam import beam_search
from repairlab.learning.networks.hypotheses import Marks
from repairlab.learning.networks.settings import DecodingSettings, NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.networks.transformer import Transformer
from repairlab.learning.networks.vocabulary import BEGIN, END, PAD
from tests.learning.networks.pegasus import as_pegasus


def test_losses_and_searches_are_those_of_transformers() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(2)
    network = Transformer(NetworkSettings(width=16, heads=2, encoder_layers=2, decoder_layers=2, positions=32), 9, 9).eval()
    with torch.no_grad():
        for weights in network.parameters():
            weights.add_(0.3 * torch.randn_like(weights))  # so that hypotheses differ
        network.head.output.bias[END] += 3  # and end
    theirs = as_pegasus(network)
    source, target = torch.tensor([[4, 5, 8, END], [7, END, PAD, PAD]]), torch.tensor([[6, 7, END], [4, END, PAD]])
    batch = TokenBatch(source=source, target=target)
    with torch.no_grad():
        inputs = torch.cat((torch.full((2, 1), BEGIN), target[:, :-1]), 1)
        logits = theirs(input_ids=source, attention_mask=(source != PAD).long(), decoder_input_ids=inputs).logits
        expected = torch.nn.functional.cross_entropy(logits.transpose(1, 2), target, ignore_index=PAD, reduction="none")
        assert torch.allclose(network.token_losses(batch, 0.0), expected, atol=1e-4)
        found = theirs.generate(
            source,
            attention_mask=(source != PAD).long(),
            num_beams=4,
            num_return_sequences=4,
            max_new_tokens=8,
            length_penalty=0.0,
            early_stopping="never",
            suppress_tokens=[PAD, BEGIN],
            output_scores=True,
            return_dict_in_generate=True,
        )
    ours = beam_search(network, batch, DecodingSettings(beam=4, max_length=9), Marks(begin=BEGIN, end=END, banned=(PAD, BEGIN)))
    rows, scores = found.sequences.view(2, 4, -1)[:, :, 1:].tolist(), found.sequences_scores.view(2, 4).tolist()
    for number in range(2):
        # `generate` also returns what has no end.
        ended = {tuple(row[: row.index(END)]): score for row, score in zip(rows[number], scores[number], strict=True) if END in row}
        own = {item.ids: item.logprob for item in ours[number]}
        assert ended
        assert {ids: own.get(ids, 0.0) for ids in ended} == pytest.approx(ended, abs=1e-3)
