"""Networks by the kind that settings name."""

from pathlib import Path

from torch import nn

from repairlab.core.errors import UserError
from repairlab.learning.networks.convolution import Convolution
from repairlab.learning.networks.grammar_decoder import GrammarDecoder
from repairlab.learning.networks.grammar_vocabulary import TreeGrammar
from repairlab.learning.networks.pointer_edit import PointerEdit
from repairlab.learning.networks.pretrained import SpecialTokens, build_pretrained
from repairlab.learning.networks.recurrent import Recurrent
from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.networks.transformer import Transformer

_OWN = {"recurrent": Recurrent, "transformer": Transformer, "convolution": Convolution, "edits": PointerEdit}


def build(
    settings: NetworkSettings,
    n_source: int,
    n_target: int,
    *,
    marks: SpecialTokens = SpecialTokens(),  # noqa: B008  # it is frozen
    folder: Path | None = None,
    grammar: TreeGrammar | None = None,
) -> nn.Module:
    """Return a network with random weights; a pretrained one as it was published, or as the folder of a model describes it."""
    settings.check()
    if settings.kind == "pretrained":
        return build_pretrained(settings, n_target, marks, folder)
    if settings.kind == "grammar":
        if grammar is None:
            raise UserError("a network of the kind grammar needs a grammar, which only the representation recoder learns")
        return GrammarDecoder(settings, n_source, grammar)
    return _OWN[settings.kind](settings, n_source, n_target)
