"""A causal model with a LoRA adapter: trained on answers, asked for them. Needs torch and peft."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from sociolab.core.errors import ConfigError, ReplyError
from sociolab.worlds.anteval.virtual_dm.chat import answer_of, body_of, head
from sociolab.worlds.anteval.virtual_dm.example import Example
from sociolab.worlds.anteval.virtual_dm.training import opened, own_chance, trained

if TYPE_CHECKING:
    from sociolab.worlds.anteval.virtual_dm.finetune import LoraSettings

LONGEST_ANSWER = 256
"""Tokens: more than a dozen checks."""

AT_ONCE = 16
"""Prompts that are answered together."""

NO_LOSS = -100
"""What torch's cross entropy passes over."""


@dataclass(frozen=True, slots=True)
class AdaptedModel:
    """A causal model (of transformers) with an adapter (of peft), and its tokenizer."""

    model: Any
    tokenizer: Any

    def replies(self, examples: Sequence[Example]) -> tuple[str | ReplyError, ...]:
        """What the model answers to each, decoded greedily; ReplyError where one is too long.

        Prompts of about the same length are read together.
        """
        prompts = [prompt_ids(self, example) for example in examples]
        found: dict[int, str | ReplyError] = {}
        for place, (prompt, example) in enumerate(zip(prompts, examples, strict=True)):
            if problem := _length_problem(self, example, len(prompt) + LONGEST_ANSWER):
                # It was trained for long, and what it does with all other rows is worth having.
                found[place] = ReplyError(problem, raw="", cause="context overflow")
        left = sorted(set(range(len(prompts))) - set(found), key=lambda place: len(prompts[place]))
        for start in range(0, len(left), AT_ONCE):
            some = left[start : start + AT_ONCE]
            found |= zip(some, self._written([prompts[place] for place in some]), strict=True)
        return tuple(found[place] for place in range(len(examples)))

    def _written(self, prompts: Sequence[list[int]]) -> list[str]:
        from transformers import GenerationConfig

        end, width = self.tokenizer.eos_token_id, max(map(len, prompts))
        greedy = GenerationConfig(
            do_sample=False, max_new_tokens=LONGEST_ANSWER, eos_token_id=end, pad_token_id=end
        )
        here, before = self.model.device, [width - len(prompt) for prompt in prompts]
        rows = [[end] * pad + prompt for pad, prompt in zip(before, prompts, strict=True)]
        read = [[0] * pad + [1] * (width - pad) for pad in before]
        written = self.model.generate(
            input_ids=torch.tensor(rows, device=here),
            attention_mask=torch.tensor(read, device=here),
            generation_config=greedy,
        )
        return [self.tokenizer.decode(row[width:], skip_special_tokens=True) for row in written]


def train(folder: Path, examples: Sequence[Example], settings: LoraSettings) -> AdaptedModel:
    """The model in a folder with an adapter that was trained on examples.

    torch's own random state is left as it was found.
    """
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, DataCollatorForSeq2Seq

    model, tokenizer = opened(folder, AutoModelForCausalLM, "a causal model", dtype="auto")
    if tokenizer.eos_token is None:
        raise ConfigError(
            f"the tokenizer in {folder} has no end-of-sequence token; set its eos_token"
        )
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=settings.rank,
        lora_alpha=2 * settings.rank,
        target_modules="all-linear",
        lora_dropout=0.0,
    )
    with own_chance(settings.seed), warnings.catch_warnings():
        # peft reads a property of the model by a name that transformers has replaced.
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
        adapted = AdaptedModel(get_peft_model(model, config), tokenizer)
        trained(
            adapted.model,
            [row_of(adapted, example) for example in examples],
            DataCollatorForSeq2Seq(tokenizer),
            epochs=settings.epochs,
            batch=settings.batch,
            rate=settings.learning_rate,
            seed=settings.seed,
        )
    return adapted


def prompt_ids(adapted: AdaptedModel, example: Example) -> list[int]:
    """The prompt as token ids: in the model's chat template if it has one, else as plain text."""
    tokenizer = adapted.tokenizer
    if tokenizer.chat_template:
        messages = [
            {"role": "system", "content": head()},
            {"role": "user", "content": body_of(example)},
        ]
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        ids: list[int] = tokenizer(text, add_special_tokens=False).input_ids
    else:
        ids = tokenizer(f"{head()}\n\n{body_of(example)}\n\n").input_ids
    return ids


def row_of(adapted: AdaptedModel, example: Example) -> dict[str, list[int]]:
    """A prompt with its right answer as token ids; the loss is taken on the answer alone."""
    prompt = prompt_ids(adapted, example)
    answer = adapted.tokenizer(answer_of(example), add_special_tokens=False).input_ids
    answer = [*answer, adapted.tokenizer.eos_token_id]
    problem = _length_problem(adapted, example, len(prompt) + len(answer))
    if problem:
        raise ConfigError(f"{problem}; choose a model with a longer context")
    return {
        "input_ids": [*prompt, *answer],
        "attention_mask": [1] * (len(prompt) + len(answer)),
        "labels": [NO_LOSS] * len(prompt) + answer,
    }


def _length_problem(adapted: AdaptedModel, example: Example, tokens: int) -> str:
    """Why so many tokens are too many for the model; empty where they are not."""
    most = getattr(adapted.model.config.get_text_config(), "max_position_embeddings", None)
    if most is None or tokens <= most:  # positions that are not learned have no end
        return ""
    return (
        f"the model reads at most {most} tokens, and example {example.id} with its answer may take "
        f"{tokens}"
    )
