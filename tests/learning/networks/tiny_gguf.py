"""A small model of Llama's kind in one GGUF file, as publishers quantise them, for tests."""

from pathlib import Path

import gguf
import numpy as np
from tokenizers import pre_tokenizers

WIDTH, LAYERS, INNER, HEADS = 32, 2, 64, 2
CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}{{ '<|im_start|>assistant\n' }}"
)
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def write_tiny_gguf(path: Path, *, chat: bool = True) -> Path:
    """Write it; its end mark is its padding, too, as in SmolLM2."""
    chance = np.random.default_rng(1)
    words = [*SPECIAL, *sorted(pre_tokenizers.ByteLevel.alphabet()), "ab"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(LAYERS)
    writer.add_context_length(512)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(words))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(words)
    writer.add_token_types([3] * len(SPECIAL) + [1] * (len(words) - len(SPECIAL)))
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(2)
    if chat:
        writer.add_chat_template(CHAT)
    sizes = {
        "attn_q": (WIDTH, WIDTH),
        "attn_k": (WIDTH, WIDTH),
        "attn_v": (WIDTH, WIDTH),
        "attn_output": (WIDTH, WIDTH),
        "ffn_gate": (INNER, WIDTH),
        "ffn_up": (INNER, WIDTH),
        "ffn_down": (WIDTH, INNER),
    }
    kind = gguf.GGMLQuantizationType.Q8_0
    tensors = {"token_embd": (len(words), WIDTH)}
    tensors |= {f"blk.{layer}.{name}": size for layer in range(LAYERS) for name, size in sizes.items()}
    for name, size in tensors.items():
        numbers = chance.normal(0, 0.1, size).astype(np.float32)
        writer.add_tensor(f"{name}.weight", gguf.quantize(numbers, kind), raw_dtype=kind)
    norms = ["output_norm", *(f"blk.{layer}.{name}" for layer in range(LAYERS) for name in ("attn_norm", "ffn_norm"))]
    for name in norms:
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
