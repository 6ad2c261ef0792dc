"""Our Transformer's weights in a network of `transformers` that computes the same, to compare results and speed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from repairlab.learning.networks.vocabulary import BEGIN, END, PAD

if TYPE_CHECKING:
    from repairlab.learning.networks.transformer import Attention, Transformer


def as_pegasus(network: "Transformer") -> Any:
    """Return Pegasus with the weights of a Transformer without pointer or second encoder."""
    torch, transformers = import_module("torch"), import_module("transformers")  # pytest loads this file without the extra, too
    settings, size = network.settings, network.head.size
    inner = settings.feed_forward or 4 * settings.width
    made = transformers.PegasusForConditionalGeneration(
        transformers.PegasusConfig(
            vocab_size=size,
            d_model=settings.width,
            encoder_layers=settings.encoder_layers,
            decoder_layers=settings.decoder_layers,
            encoder_attention_heads=settings.heads,
            decoder_attention_heads=settings.heads,
            encoder_ffn_dim=inner,
            decoder_ffn_dim=inner,
            max_position_embeddings=settings.positions,
            activation_function="gelu",
            scale_embedding=True,
            pad_token_id=PAD,
            bos_token_id=BEGIN,
            eos_token_id=END,
            decoder_start_token_id=BEGIN,
            forced_eos_token_id=None,
        )
    )
    with torch.no_grad():
        made.model.shared.weight.copy_(network.source_embedding.weight)
        made.final_logits_bias.copy_(network.head.output.bias)
        for stack, layers, norm in (
            (made.model.encoder, network.encoders[0], network.encoder_norms[0]),
            (made.model.decoder, network.decoder, network.decoder_norm),
        ):
            assert network.positions is not None
            stack.embed_positions.weight.copy_(network.positions.weight)
            stack.layer_norm.load_state_dict(norm.state_dict())
            for theirs, ours in zip(stack.layers, layers, strict=True):
                _copy_layer(theirs, ours)
    return made.eval()


def _copy_layer(theirs: Any, ours: Any) -> None:
    pairs = [(theirs.self_attn, ours.own if hasattr(ours, "own") else ours.attention)]
    norms = [theirs.self_attn_layer_norm, theirs.final_layer_norm]
    if hasattr(ours, "own"):
        pairs.append((theirs.encoder_attn, ours.across[0]))
        norms.insert(1, theirs.encoder_attn_layer_norm)
    for attention, own in pairs:
        _copy_attention(attention, own)
    for norm, own in zip(norms, ours.norms, strict=True):
        norm.load_state_dict(own.state_dict())
    theirs.fc1.load_state_dict(ours.feed_forward[0].state_dict())
    theirs.fc2.load_state_dict(ours.feed_forward[3].state_dict())


def _copy_attention(theirs: Any, ours: "Attention") -> None:
    theirs.q_proj.load_state_dict(ours.query.state_dict())
    theirs.out_proj.load_state_dict(ours.out.state_dict())
    for name, part in (("weight", ours.keys_values.weight), ("bias", ours.keys_values.bias)):
        keys, values = part.chunk(2, 0)
        getattr(theirs.k_proj, name).copy_(keys)
        getattr(theirs.v_proj, name).copy_(values)
