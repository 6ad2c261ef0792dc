"""What decides a network, its vocabulary and how it decodes; part of every model folder. Loads nothing of torch."""

from typing import Annotated, Literal

from repairlab.core.errors import UserError
from repairlab.core.record import record

NetworkKind = Literal["recurrent", "transformer", "convolution", "edits", "grammar", "pretrained"]
CellKind = Literal["lstm", "gru"]
AttentionKind = Literal["general", "mlp"]
Places = Literal["learned", "rotary", "aligned"]
VocabularyKind = Literal["words", "bpe", "pretrained"]
Family = Literal["t5", "roberta", "unixcoder", "bart", "causal"]


@record
class VocabularySettings:
    """How tokens become numbers."""

    kind: VocabularyKind = "words"
    size: Annotated[int, "Most words or subwords; the most frequent are kept."] = 50_000
    least_count: Annotated[int, "Rarer words are unknown."] = 1
    prefix: Annotated[tuple[str, ...], "Subwords that stand before every source."] = ()
    shared: Annotated[bool, "Source and target have one vocabulary."] = True
    chat: Annotated[bool, "The source is a user's message in the chat template of a pretrained tokenizer."] = False


@record
class NetworkSettings:
    """How a network is built. Each kind ignores fields that it does not have."""

    kind: NetworkKind = "transformer"
    width: Annotated[int, "Units of a layer."] = 512
    embedding: Annotated[int, "Size of an embedding; 0: as wide as a layer."] = 0
    encoder_layers: int = 4
    decoder_layers: int = 4
    heads: int = 8
    feed_forward: Annotated[int, "Inner units of a Transformer's layer; 0: four times its width."] = 0
    dropout: float = 0.1
    copy: Annotated[bool, "Copy words of the source by a pointer."] = False
    context: Annotated[bool, "A second encoder reads the context."] = False
    tied: Annotated[bool, "Embeddings of the target are its output weights; needs a shared vocabulary to tie the source, too."] = (
        True
    )
    cell: CellKind = "lstm"
    attention: AttentionKind = "general"
    input_feeding: Annotated[bool, "A recurrent decoder sees its last attention; slower to train."] = True
    bridge: Annotated[bool, "A layer between the last state of the encoder and the first of the decoder."] = True
    kernel: Annotated[int, "Tokens that a convolution sees."] = 3
    encoder_widths: Annotated[tuple[int, ...], "Units of a convolution's layers: one for each, or for all; empty: width."] = ()
    decoder_widths: tuple[int, ...] = ()
    encoder_kernels: Annotated[tuple[int, ...], "Kernels of a convolution's layers, likewise; empty: kernel."] = ()
    decoder_kernels: tuple[int, ...] = ()
    positions: Annotated[int, "Longest sequence, for learned positions."] = 1024
    places: Annotated[
        Places, "How a Transformer knows places: learned vectors, RoPE within a sequence, or RoPE from target to source, too."
    ] = "learned"
    family: Annotated[Family, "Class of a pretrained network."] = "t5"
    pretrained: Annotated[str, "Folder or name on the Hugging Face hub; empty: a network of this size, from random numbers."] = ""
    lora_rank: Annotated[int, "Rank of LoRA's matrices; 0: all weights are trained."] = 0
    lora_alpha: int = 16

    def check(self) -> None:
        """Refuse sizes that make no network."""
        for name in ("width", "encoder_layers", "decoder_layers", "heads", "kernel", "positions"):
            if getattr(self, name) < 1:
                raise UserError(f"network.{name} is {getattr(self, name)}: write a number of at least 1")
        for name in ("encoder_widths", "encoder_kernels", "decoder_widths", "decoder_kernels"):
            found, layers = getattr(self, name), getattr(self, f"{name[:7]}_layers")
            if len(found) not in (0, 1, layers) or any(number < 1 for number in found):
                raise UserError(
                    f"network.{name} is {list(found)}: write one number of at least 1, or one for each of {layers} layers"
                )
        if not 0 <= self.dropout < 1:
            raise UserError(f"network.dropout is {self.dropout}: write a number from 0 to less than 1")
        if self.kind in ("transformer", "edits", "grammar") and self.width % self.heads:
            raise UserError(f"network.width is {self.width}, which {self.heads} heads cannot share: choose a multiple")

    def encoder_shape(self) -> list[tuple[int, int]]:
        """Return width and kernel of each layer of a convolutional encoder.

        >>> NetworkSettings(encoder_layers=2, encoder_widths=(128, 256)).encoder_shape()
        [(128, 3), (256, 3)]
        """
        return self._shape(self.encoder_layers, self.encoder_widths, self.encoder_kernels)

    def decoder_shape(self) -> list[tuple[int, int]]:
        """Return the same for a decoder."""
        return self._shape(self.decoder_layers, self.decoder_widths, self.decoder_kernels)

    def _shape(self, layers: int, widths: tuple[int, ...], kernels: tuple[int, ...]) -> list[tuple[int, int]]:
        wide, seen = widths or (self.width,), kernels or (self.kernel,)
        return [(wide[at % len(wide)], seen[at % len(seen)]) for at in range(layers)]


@record
class DecodingSettings:
    """How hypotheses are searched."""

    beam: int = 10
    max_length: Annotated[int, "Most tokens that are written."] = 100
    length_penalty: Annotated[float, "Scores are divided by length to this power; 0 is OpenNMT's rule, 1 fairseq's."] = 0.0
    sample: Annotated[bool, "Sample hypotheses instead of searching."] = False
    temperature: float = 1.0
    top_p: float = 1.0
    groups: Annotated[int, "Groups of a diverse beam search, which avoid each other's tokens."] = 1
    diversity: Annotated[float, "What a token costs that an earlier group has chosen."] = 0.5
    precision: Annotated[Literal["auto", "bf16", "fp32"], "auto: bf16 on a GPU."] = "auto"
    at_once: Annotated[int, "Most hypotheses that are extended together, over all bugs."] = 8192

    def check(self) -> None:
        """Refuse what cannot be searched."""
        for name, low, high in (("beam", 1, 1000), ("max_length", 1, 100_000), ("groups", 1, self.beam), ("at_once", 1, 10**6)):
            value = getattr(self, name)
            if not low <= value <= high:
                raise UserError(f"decoding.{name} is {value}: write a number from {low} to {high}")
        if self.beam % self.groups:
            raise UserError(f"decoding.beam is {self.beam}, which {self.groups} groups cannot share: choose a multiple")


@record
class ModelSettings:
    """All that is needed to build a model again, and to use it."""

    system: str
    representation: str
    vocabulary: VocabularySettings
    network: NetworkSettings
    decoding: DecodingSettings
    max_source: Annotated[int, "Longer sources are cut in training and in use."] = 1000
    max_target: Annotated[int, "Pairs with longer targets are left out of training."] = 200
    max_context: int = 1000

    def check(self) -> None:
        """Refuse what cannot work."""
        self.network.check()
        self.decoding.check()
        for name in ("max_source", "max_target", "max_context"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} is {getattr(self, name)}: write a number of at least 1")
