"""GRPO with TRL: a model learns from verdicts. Run: python docs/examples/grpo.py [--model NAME] [--url http://localhost:8400]

Needs `pip install trl repairlab`. Without a model, a tiny one is made. It learns the form of answers from functions in which a
comparison was changed at random, and sees a few that are right among many that are not; the rest it has to learn from rewards.
"""

import argparse
import random
import re
import tempfile
from pathlib import Path
from typing import Any

import comparisons
import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

import repairlab as rl

CHAT = (
    "{% for m in messages %}<s>{{ m.role }}\n{{ m.content }}</s>{% endfor %}{% if add_generation_prompt %}<s>assistant\n{% endif %}"
)
COMPARISON = re.compile(r" ([<>]=?|[=!]=) ")
STRATEGY = "zero-shot"
Row = dict[str, Any]


def main() -> None:
    """Train, and try the model before and after on bugs that it is not trained on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="folder or name of a chat model for transformers; by default a tiny one is made")
    parser.add_argument("--benchmark", help="name or folder; by default that of comparisons.py is written")
    parser.add_argument("--url", help="address of a `repairlab serve` that has the benchmark; by default verdicts are made here")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--form-steps", type=int, default=400, help="steps in which a tiny model learns how an answer looks")
    options = parser.parse_args()
    torch.manual_seed(0)
    random.seed(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        benchmark = options.benchmark or ("comparisons" if options.url else comparisons.write(folder / "comparisons"))
        with rl.Reward(benchmark, url=options.url, strategy=STRATEGY) as reward:
            rows = reward.rows(STRATEGY)
            unseen = rows[-(len(rows) // 3) :]
            seen = rows[: -len(unseen)]
            model = options.model or tiny_model(folder / "tiny", rows, seen, steps=options.form_steps)
            trainer = GRPOTrainer(
                model=model,
                reward_funcs=reward,
                args=settings(folder, steps=options.steps, is_tiny=options.model is None),
                train_dataset=Dataset.from_list(seen),
            )
            before = plausible(trainer, reward, unseen)
            trainer.train()
            for line in trainer.state.log_history:
                if "reward" in line:
                    print(f"step {line['step']:>4}  reward {line['reward']:.3f}")
            after = plausible(trainer, reward, unseen)
            print(f"plausible on {len(unseen)} other bugs: {before:.0%} before, {after:.0%} after")
            print(dict(reward.counts))


def settings(folder: Path, *, steps: int, is_tiny: bool) -> GRPOConfig:
    """Return how to train; a tiny model learns with larger steps."""
    return GRPOConfig(
        output_dir=str(folder / "out"),
        max_steps=steps,
        per_device_train_batch_size=32 if is_tiny else 8,
        num_generations=8,
        max_completion_length=48 if is_tiny else 512,
        learning_rate=1e-3 if is_tiny else 1e-6,
        logging_steps=max(1, steps // 10),
        disable_tqdm=True,
        save_strategy="no",
        report_to="none",
        bf16=torch.cuda.is_available(),
        use_cpu=not torch.cuda.is_available(),
    )


def plausible(trainer: GRPOTrainer, reward: rl.Reward, rows: list[Row], n: int = 8) -> float:
    """Return the share of sampled completions that pass all tests."""
    tokenizer, model = trainer.processing_class, trainer.model
    texts = [tokenizer.apply_chat_template(row["prompt"], tokenize=False, add_generation_prompt=True) for row in rows]
    asked = tokenizer(texts, return_tensors="pt", padding=True, padding_side="left", add_special_tokens=False).to(model.device)
    with torch.no_grad():
        found = model.generate(**asked, do_sample=True, num_return_sequences=n, max_new_tokens=trainer.args.max_completion_length)
    completions = tokenizer.batch_decode(found[:, asked["input_ids"].shape[1] :], skip_special_tokens=True)
    rewards = reward(completions=completions, bug=[row["bug"] for row in rows for _ in range(n)])
    return sum(item == reward.scale.plausible for item in rewards) / len(rewards)


def tiny_model(folder: Path, rows: list[Row], seen: list[Row], *, steps: int) -> str:
    """Write a model that knows how an answer looks, and that has seen a few that were right among many that were not."""
    tokenizer = tokenizer_of([message["content"] for row in rows for message in row["prompt"]])
    shape = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, max_position_embeddings=1024, **shape)
    config.bos_token_id, config.eos_token_id = tokenizer.bos_token_id, tokenizer.eos_token_id
    model = LlamaForCausalLM(config)
    teach(model, tokenizer, [answer(row, right=0.0) for row in rows for _ in range(10)], folder, steps=steps)
    teach(model, tokenizer, [answer(row, right=0.3) for row in seen for _ in range(20)], folder, steps=steps // 4)
    return str(folder)


def teach(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, answers: list[Row], folder: Path, *, steps: int) -> None:
    """Show a model answers, and write it."""
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(answers),
        args=SFTConfig(
            output_dir=str(folder),
            max_steps=max(1, steps),
            per_device_train_batch_size=16,
            learning_rate=3e-3,
            logging_steps=max(1, steps // 5),
            disable_tqdm=True,
            save_strategy="no",
            report_to="none",
            bf16=False,
            use_cpu=not torch.cuda.is_available(),
        ),
    )
    trainer.train()
    trainer.save_model(str(folder))


def answer(row: Row, *, right: float) -> Row:
    """Return a prompt with the function of it, whose comparison is another: the right one with a chance, else any."""
    prompt = row["prompt"][-1]["content"]
    code = prompt[prompt.index("```") : prompt.rindex("```") + 3]
    wrong = COMPARISON.findall(code)[0]
    drawn = random.choice([operator for operator in comparisons.OPERATORS if operator != wrong])
    chosen = comparisons.right_of(row["bug"]) if random.random() < right else drawn
    return {"prompt": row["prompt"], "completion": [{"role": "assistant", "content": COMPARISON.sub(f" {chosen} ", code)}]}


def tokenizer_of(texts: list[str]) -> PreTrainedTokenizerFast:
    """Return a tokenizer that has seen these texts."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer, raw.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<s>", "</s>", "<pad>"]
    raw.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=600, special_tokens=special, initial_alphabet=alphabet))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="<s>", eos_token="</s>", pad_token="<pad>")
    tokenizer.chat_template = CHAT
    return tokenizer


if __name__ == "__main__":
    main()
