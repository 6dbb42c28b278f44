"""A causal model with a LoRA adapter: trained on answers, asked for them. Needs torch and peft."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from sociolab.core.errors import ConfigError, ReplyError
from sociolab.core.seeding import stream
from sociolab.worlds.anteval.virtual_dm.chat import answer_of, body_of, head
from sociolab.worlds.anteval.virtual_dm.example import Example
from sociolab.worlds.anteval.virtual_dm.finetune import LoraSettings

LONGEST_ANSWER = 256
"""Tokens: more than a dozen checks."""

NO_LOSS = -100
"""What torch's cross entropy passes over."""


@dataclass(frozen=True, slots=True)
class AdaptedModel:
    """A causal model (of transformers) with an adapter (of peft), and its tokenizer."""

    model: Any
    tokenizer: Any

    def reply(self, example: Example) -> str:
        """What the model answers, decoded greedily. ReplyError if it cannot read that much."""
        from transformers import GenerationConfig

        prompt = prompt_ids(self, example)
        problem = _length_problem(self, example, len(prompt) + LONGEST_ANSWER)
        if problem:  # it was trained for long, and what it does with all other rows is worth having
            raise ReplyError(problem, raw="", cause="context overflow")
        greedy = GenerationConfig(
            do_sample=False,
            max_new_tokens=LONGEST_ANSWER,
            eos_token_id=self.tokenizer.eos_token_id,
            pad_token_id=self.tokenizer.eos_token_id,
        )
        tokens = torch.tensor([prompt], device=self.model.device)
        written = self.model.generate(
            input_ids=tokens, attention_mask=torch.ones_like(tokens), generation_config=greedy
        )
        text: str = self.tokenizer.decode(written[0, len(prompt) :], skip_special_tokens=True)
        return text


def train(folder: Path, examples: Sequence[Example], settings: LoraSettings) -> AdaptedModel:
    """The model in a folder with an adapter that was trained on examples.

    torch's own random state is left as it was found.
    """
    from peft import LoraConfig, get_peft_model

    model, tokenizer = _opened(folder)
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=settings.rank,
        lora_alpha=2 * settings.rank,
        target_modules="all-linear",
        lora_dropout=0.0,
    )
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(settings.seed)
        with warnings.catch_warnings():
            # peft reads a property of the model by a name that transformers has replaced.
            warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
            adapted = AdaptedModel(get_peft_model(model, config), tokenizer)
        _learn(adapted, examples, settings)
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


def _opened(folder: Path) -> tuple[Any, Any]:
    """Model and tokenizer from files of this machine; ConfigError where they do not make one."""
    # Read by the hub's client when it is first imported: with this it asks nobody anything.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        model = AutoModelForCausalLM.from_pretrained(
            str(folder), local_files_only=True, use_safetensors=True, dtype="auto"
        )
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise ConfigError(
            f"{folder} does not hold a causal model in safetensors: {reason}"
        ) from error
    if tokenizer.eos_token_id is None:
        raise ConfigError(f"the tokenizer in {folder} has no end token; set its eos_token")
    return model.to("cuda" if torch.cuda.is_available() else "cpu"), tokenizer


def _learn(adapted: AdaptedModel, examples: Sequence[Example], settings: LoraSettings) -> None:
    texts = [_text(adapted, example) for example in examples]
    trained = [weight for weight in adapted.model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=settings.learning_rate)
    adapted.model.train()
    for epoch in range(settings.epochs):
        for part in _shuffled(texts, settings, epoch):
            optimizer.zero_grad()
            adapted.model(**_batch(adapted, part)).loss.backward()
            optimizer.step()
    adapted.model.eval()


def _text(adapted: AdaptedModel, example: Example) -> tuple[list[int], list[int]]:
    """The token ids of a prompt with its right answer, and what the loss is taken on."""
    prompt = prompt_ids(adapted, example)
    answer = adapted.tokenizer(answer_of(example), add_special_tokens=False).input_ids
    answer = [*answer, adapted.tokenizer.eos_token_id]
    problem = _length_problem(adapted, example, len(prompt) + len(answer))
    if problem:
        raise ConfigError(f"{problem}; choose a model with a longer context")
    return [*prompt, *answer], [NO_LOSS] * len(prompt) + answer


def _length_problem(adapted: AdaptedModel, example: Example, tokens: int) -> str:
    """Why so many tokens are too many for the model; empty where they are not."""
    most = adapted.model.config.max_position_embeddings
    if tokens <= most:
        return ""
    return (
        f"the model reads at most {most} tokens, and example {example.id} with its answer may take "
        f"{tokens}"
    )


def _shuffled(
    texts: Sequence[tuple[list[int], list[int]]], settings: LoraSettings, epoch: int
) -> Iterator[list[tuple[list[int], list[int]]]]:
    order = list(texts)
    stream(settings.seed, "lora", epoch).shuffle(order)
    for first in range(0, len(order), settings.batch):
        yield order[first : first + settings.batch]


def _batch(
    adapted: AdaptedModel, texts: Sequence[tuple[list[int], list[int]]]
) -> dict[str, torch.Tensor]:
    """Padded behind, where a causal model does not look."""
    longest = max(len(tokens) for tokens, _ in texts)
    end = adapted.tokenizer.eos_token_id
    rows = {
        "input_ids": [tokens + [end] * (longest - len(tokens)) for tokens, _ in texts],
        "attention_mask": [[int(i < len(tokens)) for i in range(longest)] for tokens, _ in texts],
        "labels": [wanted + [NO_LOSS] * (longest - len(wanted)) for _, wanted in texts],
    }
    return {name: torch.tensor(row, device=adapted.model.device) for name, row in rows.items()}
