"""GRPO with TRL: a model learns from verdicts. Run: python docs/examples/grpo.py [--model FOLDER] [--url http://localhost:8400]

Needs `pip install trl repairlab`. Without a model a tiny one with random weights is made, to see that everything fits together.
"""

import argparse
import tempfile

import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

import repairlab as rl

CHAT = "{% for m in messages %}<s>{{ m.role }}\n{{ m.content }}</s>\n{% endfor %}<s>assistant\n"


def main() -> None:
    """Train for a few steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="folder or name of a chat model for transformers")
    parser.add_argument("--url", help="address of `repairlab serve`; by default verdicts are made here")
    parser.add_argument("--steps", type=int, default=5)
    options = parser.parse_args()
    scale = {"share": 1.0, "least_similarity": 0.3}
    with (
        tempfile.TemporaryDirectory() as folder,
        rl.Reward("starter", scale=scale, url=options.url, strategy="zero-shot") as reward,
    ):
        rows = [row for row in reward.rows("zero-shot") if row["bug"].startswith("python-")]
        settings = GRPOConfig(
            output_dir=folder,
            max_steps=options.steps,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=256 if options.model else 32,
            learning_rate=1e-6,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            bf16=torch.cuda.is_available(),
            use_cpu=not torch.cuda.is_available(),
        )
        trainer = GRPOTrainer(
            model=options.model or tiny_model(f"{folder}/tiny", [row["prompt"][-1]["content"] for row in rows]),
            reward_funcs=reward,
            args=settings,
            train_dataset=Dataset.from_list(rows),
        )
        trainer.train()
        print(dict(reward.counts))


def tiny_model(folder: str, texts: list[str]) -> str:
    """Write a model with random weights and a tokenizer that has seen these texts."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer, raw.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    raw.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=500, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="<s>", eos_token="</s>", pad_token="</s>")
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=4096, **shape)).save_pretrained(folder)
    return folder


if __name__ == "__main__":
    main()
