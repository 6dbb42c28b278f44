"""Train a bargainer with TRL's GRPO, on a CPU, in a few minutes.

The policy is a transformer of 13,000 random parameters. It sees whether it sells or buys, and
writes two digits: how much of what it could gain it asks for, 00 to 99. It repeats that price at
every turn to `haggler:2`, the fixed partner of docs/training.md. Asking for more pays more, until
there is no deal. It is tested on scenarios that it does not train on.

    make extras EXTRAS=trl
    .venv-trl/bin/python examples/train_a_bargainer.py

`--control` trains a second time with the rewards of each batch shuffled among its completions: a
policy that has nothing to learn from.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    TrainerCallback,
)
from trl import GRPOConfig, GRPOTrainer

from sociolab import Arena, ArenaConfig
from sociolab.training.trl import make_reward_func, prompt_rows

WORDS = ("<pad>", "<end>", "sell", "buy", *"0123456789")
DIGITS = 2
SAMPLES = 4
"""Completions for each held-out task, at each test."""


def goal_of(prompt: str) -> tuple[str, float, float]:
    """Whether one is to sell or to buy, and the worst and the best price, from the prompt."""
    goal = prompt.partition("# Your social goal")[2].partition("# How to reply")[0]
    prices = sorted(float(price.replace(",", "")) for price in re.findall(r"\$([\d,]+)", goal))
    if re.search(r"\bsell", goal, re.IGNORECASE):
        return "sell", prices[0], prices[-1]
    return "buy", prices[-1], prices[0]


def offer(completion: str, seen: Any) -> Any:
    """The same price at every turn; without two digits, nothing that the partner understands."""
    digits = completion.split()
    if len(digits) != DIGITS or not all(digit.isdigit() for digit in digits):
        return {"action": "speak", "text": "Well."}
    _, worst, best = goal_of(seen.prompt[0]["content"])
    price = worst + int("".join(digits)) / 100 * (best - worst)
    return {"action": "speak", "text": f"${price:.2f}."}


def tokenizer() -> Any:
    words = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, "<pad>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<end>", padding_side="left"
    )


def policy() -> Any:
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(WORDS),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=16,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=1,
        )
    )


def rows_of(arena: Arena, split: Any) -> list[dict[str, Any]]:
    """The tasks of a split, each with a prompt of one word."""
    return [
        {"prompt": goal_of(row["prompt"][0]["content"])[0], "task": row["task"]}
        for row in prompt_rows(arena, split)
    ]


class HeldOut(TrainerCallback):
    """Tests the policy on the held-out tasks, every `every` steps."""

    def __init__(self, rows: list[dict[str, Any]], reward: Callable[..., Any], every: int) -> None:
        self.rows = rows * SAMPLES
        self.reward = reward
        self.every = every
        self.curve: list[tuple[int, float]] = []

    def test(self, step: int, model: Any, words: Any) -> None:
        asked = words([row["prompt"] for row in self.rows], return_tensors="pt")
        generator = torch.random.get_rng_state()
        torch.manual_seed(0)
        with torch.no_grad():
            tokens = model.generate(
                asked["input_ids"],
                attention_mask=asked["attention_mask"],
                do_sample=True,
                max_new_tokens=DIGITS,
            )
        torch.random.set_rng_state(generator)
        replies = words.batch_decode(tokens[:, asked["input_ids"].shape[1] :])
        rewards = self.reward(None, replies, task=[row["task"] for row in self.rows])
        self.curve.append((step, sum(rewards) / len(rewards)))

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        if state.global_step % self.every == 0:
            self.test(state.global_step, more["model"], more["processing_class"])


def shuffled(reward: Callable[..., list[Any]], seed: int) -> Callable[..., list[Any]]:
    """The same rewards, given to other completions of the batch."""
    draw = random.Random(seed)

    def lottery(*args: Any, **columns: Any) -> list[Any]:
        rewards = reward(*args, **columns)
        draw.shuffle(rewards)
        return rewards

    return lottery


def train(
    seed: int, steps: int, *, shuffle: bool = False, tests: int = 6
) -> list[tuple[int, float]]:
    """The mean held-out reward (0 to 10) by step, at the beginning and `tests` times."""
    torch.manual_seed(seed)
    model, words = policy(), tokenizer()
    arena = Arena(
        "sotopia",
        partner="haggler:2",
        tasks="bargain",
        split_by="scenario:0.3",
        config=ArenaConfig(settings={"closing_question": "false"}),  # the deal is on record
    )
    with arena, tempfile.TemporaryDirectory() as folder:
        reward = make_reward_func(arena, offer)
        heldout = HeldOut(rows_of(arena, "test"), reward, max(1, steps // tests))
        heldout.test(0, model, words)
        trainer = GRPOTrainer(
            model,
            shuffled(reward, seed) if shuffle else reward,
            args=GRPOConfig(
                folder,
                seed=seed,
                max_steps=steps,
                per_device_train_batch_size=32,
                num_generations=8,
                max_completion_length=DIGITS,
                learning_rate=3e-3,
                save_strategy="no",
                report_to=[],
                disable_tqdm=True,
                logging_strategy="no",
                use_cpu=True,
                bf16=False,
            ),
            train_dataset=Dataset.from_list(rows_of(arena, "train")),
            processing_class=words,
            callbacks=[heldout],
        )
        trainer.train()
    return heldout.curve


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--seeds", type=int, default=1, help="how many runs, with seeds from 1")
    options.add_argument("--steps", type=int, default=48)
    options.add_argument("--control", action="store_true", help="also with shuffled rewards")
    options.add_argument("--out", type=Path, help="a CSV file for the curves")
    chosen = options.parse_args()
    rows = []
    for seed in range(1, chosen.seeds + 1):
        for shuffle in (False, True) if chosen.control else (False,):
            rewards = "shuffled" if shuffle else "true"
            for step, heldout in train(seed, chosen.steps, shuffle=shuffle):
                print(f"seed {seed}, {rewards} rewards, step {step}: held out {heldout:.2f}")
                rows.append((seed, rewards, step, round(heldout, 4)))
    if chosen.out:
        with chosen.out.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [("seed", "rewards", "step", "heldout"), *rows]
            )


if __name__ == "__main__":
    main()
