"""Networks of `transformers` behind the same promises: T5 and BART, RoBERTa with a decoder of ours, UniXcoder, causal models.

A network is loaded by the folder or name of a pretrained model, or made of random weights in the sizes of the settings. Where LoRA
is asked for, `peft` adds its matrices and all other weights stay as they are.
"""

import dataclasses
import math
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from repairlab.core.errors import UserError
from repairlab.learning.networks.folder import UNREADABLE, PretrainedPlace
from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.networks.transformer import SourceMemory, Transformer
from repairlab.learning.networks.vocabulary import BEGIN, END, PAD

CONFIGURATION = "network"
"""Subfolder of a model's folder for the configuration of `transformers`."""


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """The marks of the tokenizer that belongs to a network."""

    pad: int = PAD
    begin: int = BEGIN
    end: int = END


@dataclass(frozen=True, slots=True)
class CachedState:
    """Hypotheses of a network that keeps keys and values itself."""

    cache: Any
    mask: torch.Tensor
    """Which places of the source count, a row per hypothesis."""
    first: torch.Tensor
    """What precedes the first token, a row per hypothesis."""
    encoded: Any = None
    n_written: int = 0


class EncoderDecoder(nn.Module):
    """T5 or BART and their kin."""

    def __init__(self, core: Any, marks: SpecialTokens) -> None:
        """Take a network for conditional generation."""
        super().__init__()
        self.core, self._marks = core, marks
        start = core.config.decoder_start_token_id
        self._first = start if start is not None else marks.end

    def token_losses(self, batch: TokenBatch, smoothing: float) -> torch.Tensor:
        """Return the loss of every token of the targets, 0 for padding."""
        assert batch.target is not None
        first = torch.full_like(batch.target[:, :1], self._first)
        inputs = torch.cat((first, batch.target[:, :-1]), 1)
        mask = (batch.source != self._marks.pad).long()
        found = self.core(input_ids=batch.source, attention_mask=mask, decoder_input_ids=inputs, use_cache=False)
        return _losses(found.logits, batch.target, self._marks.pad, smoothing)

    def start(self, batch: TokenBatch, beam: int) -> CachedState:
        """Return the state of `beam` hypotheses for each source."""
        mask = (batch.source != self._marks.pad).long()
        encoded = self.core.get_encoder()(input_ids=batch.source, attention_mask=mask)[0].repeat_interleave(beam, 0)
        first = torch.full((len(encoded),), self._first, device=encoded.device)
        return CachedState(cache=None, mask=mask.repeat_interleave(beam, 0), first=first, encoded=encoded)

    def step(self, state: CachedState, tokens: torch.Tensor) -> tuple[torch.Tensor, CachedState]:
        """Return log-probabilities of what follows, and the next state."""
        tokens = tokens if state.n_written else state.first
        found = self.core(
            encoder_outputs=(state.encoded,),
            attention_mask=state.mask,
            decoder_input_ids=tokens[:, None],
            past_key_values=state.cache,
            use_cache=True,
        )
        logs = functional.log_softmax(found.logits[:, -1].float(), -1)
        return logs, dataclasses.replace(state, cache=found.past_key_values, n_written=state.n_written + 1)

    def select(self, state: CachedState, rows: torch.Tensor, sources: torch.Tensor | None) -> CachedState:
        """Return the state of these hypotheses; what comes from the sources moves only when some are dropped."""
        if sources is None:
            state.cache.self_attention_cache.batch_select_indices(rows)
            return state
        state.cache.batch_select_indices(rows)
        mask, encoded = state.mask.index_select(0, rows), state.encoded.index_select(0, rows)
        return dataclasses.replace(state, mask=mask, encoded=encoded)


class PrefixDecoder(nn.Module):
    """One stack that reads the source and continues it: causal models, and UniXcoder, which sees all of the source."""

    def __init__(self, core: Any, marks: SpecialTokens, *, sees_all: bool) -> None:
        """Take the stack with its output layer; `sees_all`: places of the source see those behind them."""
        super().__init__()
        self.core, self._marks, self._sees_all = core, marks, sees_all
        # RoBERTa's positions begin behind the number of its padding.
        self._first_position = core.config.pad_token_id + 1 if sees_all else 0

    def token_losses(self, batch: TokenBatch, smoothing: float) -> torch.Tensor:
        """Return the loss of every token of the targets, 0 for padding."""
        assert batch.target is not None
        mask, first = self._split(batch.source)
        inputs = torch.cat((first.unsqueeze(1), batch.target[:, :-1]), 1)
        n_source, n_target = batch.source.shape[1], inputs.shape[1]
        seen = functional.pad(mask, (0, n_target), value=True)[:, None, None, :]
        earlier = torch.ones(n_source + n_target, n_source + n_target, dtype=torch.bool, device=mask.device).tril()
        if self._sees_all:
            earlier[:n_source, :n_source] = True
        positions = torch.cat((self._source_positions(mask), self._next_positions(mask, 0, n_target)), 1)
        # A padding place attends to itself: attention to nothing is not a number.
        own = torch.eye(n_source + n_target, dtype=torch.bool, device=mask.device)
        found = self.core(
            input_ids=torch.cat((batch.source, inputs), 1),
            attention_mask=(seen & earlier) | own,
            position_ids=positions,
            use_cache=False,
            **self._logits(n_target),
        )
        return _losses(found.logits[:, -n_target:], batch.target, self._marks.pad, smoothing)

    def start(self, batch: TokenBatch, beam: int) -> CachedState:
        """Read the sources once, then keep keys and values for every hypothesis."""
        mask, first = self._split(batch.source)
        n = batch.source.shape[1]
        earlier = torch.ones(n, n, dtype=torch.bool, device=mask.device)
        earlier = earlier if self._sees_all else earlier.tril()
        own = torch.eye(n, dtype=torch.bool, device=mask.device)
        found = self.core(
            input_ids=batch.source,
            attention_mask=(mask[:, None, None, :] & earlier) | own,
            position_ids=self._source_positions(mask),
            use_cache=True,
            **self._logits(1),
        )
        cache = found.past_key_values
        cache.batch_repeat_interleave(beam)
        return CachedState(cache=cache, mask=mask.repeat_interleave(beam, 0), first=first.repeat_interleave(beam, 0))

    def step(self, state: CachedState, tokens: torch.Tensor) -> tuple[torch.Tensor, CachedState]:
        """Return log-probabilities of what follows, and the next state."""
        tokens = tokens if state.n_written else state.first
        seen = functional.pad(state.mask, (0, state.n_written + 1), value=True)[:, None, None, :]
        found = self.core(
            input_ids=tokens[:, None],
            attention_mask=seen,
            position_ids=self._next_positions(state.mask, state.n_written, 1),
            past_key_values=state.cache,
            use_cache=True,
        )
        logs = functional.log_softmax(found.logits[:, -1].float(), -1)
        return logs, dataclasses.replace(state, cache=found.past_key_values, n_written=state.n_written + 1)

    def select(self, state: CachedState, rows: torch.Tensor, sources: torch.Tensor | None) -> CachedState:
        """Return the state of these hypotheses."""
        state.cache.batch_select_indices(rows)
        return state if sources is None else dataclasses.replace(state, mask=state.mask.index_select(0, rows))

    def _split(self, source: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return which places of the source are read ahead, and its last token, after which the target follows."""
        mask = source != self._marks.pad
        last = mask.sum(1, keepdim=True) - 1
        return mask.scatter(1, last, False), source.gather(1, last).squeeze(1)

    def _logits(self, n: int) -> dict[str, int]:
        """Return the option that limits a causal model to the logits of the last `n` places, which need most of its memory."""
        return {} if self._sees_all else {"logits_to_keep": n}

    def _source_positions(self, mask: torch.Tensor) -> torch.Tensor:
        return torch.arange(mask.shape[1], device=mask.device).expand_as(mask) + self._first_position

    def _next_positions(self, mask: torch.Tensor, n_written: int, n: int) -> torch.Tensor:
        return mask.sum(1, keepdim=True) + torch.arange(n_written, n_written + n, device=mask.device) + self._first_position


class PretrainedEncoder(Transformer):
    """RoBERTa or CodeBERT, and our decoder with random weights, tied to its embeddings."""

    def __init__(self, settings: NetworkSettings, core: Any, size: int, marks: SpecialTokens) -> None:
        """Take the encoder, whose width decides that of the decoder."""
        width = core.config.hidden_size
        fitted = dataclasses.replace(settings, width=width, heads=core.config.num_attention_heads, encoder_layers=1, context=False)
        super().__init__(fitted, size, size)
        self._marks = marks
        self.encoders, self.encoder_norms = nn.ModuleList(), nn.ModuleList()
        self.core = core
        self.source_embedding = self.target_embedding = core.get_input_embeddings()
        self.head.output.weight = self.target_embedding.weight

    def encode(self, batch: TokenBatch) -> SourceMemory:
        """Run the encoder."""
        mask = batch.source != self._marks.pad
        states = self.core(input_ids=batch.source, attention_mask=mask.long())[0]
        return SourceMemory(states=[states], biases=[mask[:, None, None, :]], source=batch.source, n_extra=batch.n_extra)


class LanguageHead(nn.Module):
    """A stack with an output layer that is its embedding."""

    def __init__(self, stack: Any) -> None:
        """Take the stack."""
        super().__init__()
        self.stack, self.config = stack, stack.config

    def forward(self, **inputs: Any) -> Any:
        """Return logits and the cache as causal models do."""
        found = self.stack(**inputs)
        logits = found.last_hidden_state @ self.stack.get_input_embeddings().weight.T
        outputs = import_module("transformers.modeling_outputs")
        return outputs.CausalLMOutputWithPast(logits=logits, past_key_values=found.past_key_values)


def build_pretrained(settings: NetworkSettings, size: int, marks: SpecialTokens, folder: Path | None) -> nn.Module:
    """Return a network of `transformers`: as published, as a model's folder describes it, or of random weights."""
    core = _core(settings, size, marks, folder)
    embeddings = core.get_input_embeddings()
    if embeddings.num_embeddings < size:  # marks were added to the tokenizer; rows beyond it are the publisher's padding
        core.resize_token_embeddings(size, mean_resizing=False)
    if settings.lora_rank:
        core = _with_lora(core, settings)
    if settings.family == "roberta":
        return PretrainedEncoder(settings, core, core.get_input_embeddings().num_embeddings, marks)
    if settings.family == "unixcoder":
        return PrefixDecoder(LanguageHead(core), marks, sees_all=True)
    return PrefixDecoder(core, marks, sees_all=False) if settings.family == "causal" else EncoderDecoder(core, marks)


def save_configuration(network: nn.Module, folder: Path) -> None:
    """Write what is needed to build the network again without its pretrained model."""
    configuration = getattr(getattr(network, "core", None), "config", None)
    if configuration is not None:
        configuration.save_pretrained(folder / CONFIGURATION)


def _core(settings: NetworkSettings, size: int, marks: SpecialTokens, folder: Path | None) -> Any:
    library = import_module("transformers")
    more = {"is_decoder": True} if settings.family == "unixcoder" else {}
    if settings.family == "roberta":
        more = {"add_pooling_layer": False}
    kind = {
        "t5": library.AutoModelForSeq2SeqLM,
        "bart": library.AutoModelForSeq2SeqLM,
        "causal": library.AutoModelForCausalLM,
        "roberta": library.RobertaModel,
        "unixcoder": library.RobertaModel,
    }[settings.family]
    if folder is not None and (folder / CONFIGURATION).is_dir() and not (settings.lora_rank and settings.pretrained):
        configuration = library.AutoConfig.from_pretrained(str(folder / CONFIGURATION))
        return _made(kind, configuration, settings)
    if not settings.pretrained:
        return _made(kind, _configuration(settings, size, marks), settings)
    try:
        place = PretrainedPlace.of(settings.pretrained)
        return kind.from_pretrained(place.name, **place.more, **more)
    except UNREADABLE as error:
        reason = str(error).strip().split("\n")[0]
        raise UserError(
            f"cannot load the pretrained network {settings.pretrained!r}: {reason}; name a folder with its weights, a file *.gguf, "
            "or one of the hub"
        ) from None


def _made(kind: Any, configuration: Any, settings: NetworkSettings) -> Any:
    if settings.family == "roberta":
        return kind(configuration, add_pooling_layer=False)
    return kind(configuration) if settings.family == "unixcoder" else kind.from_config(configuration)


def _configuration(settings: NetworkSettings, size: int, marks: SpecialTokens) -> Any:
    """Return a network in the sizes of the settings."""
    library = import_module("transformers")
    width, inner, heads = settings.width, settings.feed_forward or 4 * settings.width, settings.heads
    spread = 0.02 * math.sqrt(768 / width)  # all were published with 0.02 for 768 units; T5 goes by its width itself
    ids = {"pad_token_id": marks.pad, "bos_token_id": marks.begin, "eos_token_id": marks.end, "vocab_size": size}
    if settings.family == "t5":
        return library.T5Config(
            **ids,
            d_model=width,
            d_ff=inner,
            d_kv=width // heads,
            num_heads=heads,
            num_layers=settings.encoder_layers,
            num_decoder_layers=settings.decoder_layers,
            dropout_rate=settings.dropout,
            decoder_start_token_id=marks.pad,
        )
    if settings.family == "bart":
        return library.PLBartConfig(
            **ids,
            d_model=width,
            encoder_layers=settings.encoder_layers,
            decoder_layers=settings.decoder_layers,
            encoder_attention_heads=heads,
            decoder_attention_heads=heads,
            encoder_ffn_dim=inner,
            decoder_ffn_dim=inner,
            max_position_embeddings=settings.positions,
            dropout=settings.dropout,
            attention_dropout=settings.dropout,
            init_std=spread,
            decoder_start_token_id=marks.end,
        )
    if settings.family == "causal":
        return library.LlamaConfig(
            **ids,
            hidden_size=width,
            intermediate_size=inner,
            num_hidden_layers=settings.decoder_layers,
            num_attention_heads=heads,
            num_key_value_heads=heads,
            max_position_embeddings=settings.positions,
            initializer_range=spread,
        )
    return library.RobertaConfig(
        **ids,
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=settings.encoder_layers,
        num_attention_heads=heads,
        max_position_embeddings=settings.positions + marks.pad + 1,
        initializer_range=spread,
        hidden_dropout_prob=settings.dropout,
        attention_probs_dropout_prob=settings.dropout,
        type_vocab_size=1,
        is_decoder=settings.family == "unixcoder",
    )


def _with_lora(core: Any, settings: NetworkSettings) -> Any:
    library = import_module("peft")
    try:
        wanted = library.LoraConfig(r=settings.lora_rank, lora_alpha=settings.lora_alpha, lora_dropout=settings.dropout)
        return library.get_peft_model(core, wanted)
    except ValueError:  # peft knows no usual places for this kind of network
        wanted = library.LoraConfig(
            r=settings.lora_rank, lora_alpha=settings.lora_alpha, lora_dropout=settings.dropout, target_modules="all-linear"
        )
        return library.get_peft_model(core, wanted)


def _losses(logits: torch.Tensor, target: torch.Tensor, pad: int, smoothing: float) -> torch.Tensor:
    losses = functional.cross_entropy(
        logits.float().flatten(0, 1), target.flatten(), ignore_index=pad, reduction="none", label_smoothing=smoothing
    )
    return losses.view_as(target)
