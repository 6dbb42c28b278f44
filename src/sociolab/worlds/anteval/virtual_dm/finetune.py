"""Virtual DMs trained on this machine (extra finetune), by the trainer of transformers: an encoder
that classifies play, and a causal model with a LoRA adapter, trained on answers and asked for them.

Nothing is fetched, no code that lies in a model's folder is run, and nothing is written. What the
extra holds is imported where it is used.
"""

from __future__ import annotations

import os
import random
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sociolab.core.errors import Cause, ConfigError, ReplyError, WorldError, missing_extra
from sociolab.worlds.anteval.session import SKILLS
from sociolab.worlds.anteval.virtual_dm.chat import (
    expected_reply,
    prompt_body,
    prompt_head,
    read_answer,
)
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label

PACKAGES = ("torch", "transformers", "peft", "tokenizers", "safetensors")


def require_finetune(who: str) -> None:
    """ConfigError, which says what `who` needs, unless the extra is installed."""
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        raise missing_extra(f"the virtual DM {who!r} needs", "finetune", *missing)


def _check_folder(folder: Path, what: str) -> None:
    if not (folder / "config.json").is_file():
        raise ConfigError(
            f"expected the folder of {what}, with a config.json, found {folder}; "
            "give a folder on this machine (names of a model hub are not looked up)"
        )


def open_local(folder: Path, kind: Any, what: str, **settings: Any) -> tuple[Any, Any]:
    """Model (of an Auto class of transformers) and tokenizer from files of this machine.

    ConfigError where they do not make one.
    """
    # Read by the hub's client when it is first imported: with this it asks nobody anything.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from transformers import AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        model = kind.from_pretrained(
            str(folder), local_files_only=True, use_safetensors=True, **settings
        )
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise ConfigError(f"{folder} does not hold {what} in safetensors: {reason}") from error
    return model, tokenizer


@contextmanager
def isolated_randomness(seed: int) -> Iterator[None]:
    """Seed torch; on leaving, restore the random state of Python, numpy and torch."""
    import torch

    python, array = random.getstate(), np.random.get_state()
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(array)


def trained(
    model: Any,
    rows: Sequence[dict[str, Any]],
    collate: Any,
    *,
    epochs: int,
    batch: int,
    rate: float,
    seed: int,
    loss: Any = None,
) -> Any:
    """Train, and return the trainer; its model is on the accelerator where there is one.

    `loss` takes the place of the model's own.
    """
    from transformers import PrinterCallback, Trainer, TrainingArguments

    with TemporaryDirectory() as nowhere:
        arguments = TrainingArguments(
            output_dir=nowhere,
            num_train_epochs=epochs,
            per_device_train_batch_size=batch,
            per_device_eval_batch_size=32,
            learning_rate=rate,
            warmup_steps=0.1,
            weight_decay=0.01,
            seed=seed,
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            remove_unused_columns=False,
            dataloader_pin_memory=False,
        )
        trainer = Trainer(
            model=model,
            args=arguments,
            train_dataset=list(rows),
            data_collator=collate,
            compute_loss_func=loss,
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    trainer.model.eval()
    return trainer


# ------------------------------------------------------------------ the encoder


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """Passes over the examples, how many tokens of each are read, and the seed."""

    epochs: int = 4
    longest: int = 128
    seed: int = 0


class EncoderDM:
    """Reads the last turns with a transformer encoder and scores every candidate and every skill.

    Trained end to end on examples (AntEval section 4.2, with an encoder in the place of GPT-3.5).
    `folder` holds a checkpoint as transformers saves it, in safetensors; without one the network is
    small and starts at random, and `name` says so. Same seed and examples, same predictions on a
    CPU.
    """

    def __init__(self, folder: Path | None, settings: EncoderSettings | None = None) -> None:
        if folder is not None:
            _check_folder(folder, "an encoder")
        self._folder = folder
        self._settings = settings or EncoderSettings()
        self._fitted: Encoder | None = None

    @property
    def name(self) -> str:
        """Such as "encoder:roberta"; without a folder "encoder (random start)"."""
        return (
            f"encoder:{self._folder.resolve().name}" if self._folder else "encoder (random start)"
        )

    def fit(self, examples: Sequence[Example]) -> None:
        """Learn from examples. ConfigError without the extra, or where no example has a label."""
        require_finetune(self.name)
        if not any(example.labels for example in examples):
            raise ConfigError("the encoder needs examples with labels to learn from; found none")
        self._fitted = Encoder(examples, self._folder, self._settings)

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """The `most` likeliest labels of each example. WorldError before `fit`."""
        if self._fitted is None:
            raise WorldError(f"{self.name}: expected a call of fit before predict, found none")
        return tuple(self._fitted.best(examples, most))


NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""What candidates are called in the text; from the tenth on they share the last one."""

OUTPUTS = len(NUMBERS) + len(SKILLS)
MASTER, OTHER = "master", "guest"
RATE, RANDOM_RATE = 1e-4, 3e-3
"""The learning rate of a checkpoint, and of a small network that starts at random."""

MOST_WORDS = 4096
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_SHORTEST_START = 4
"""Letters that the start of a name needs to be taken for the name."""
_WORD = re.compile(r"[A-Z][\w'\u2019]*")


class Encoder:
    """A network fitted on examples; torch's own random state is left as it was found.

    Nobody is called by name, so that nothing is learned about two casts: a candidate is called by a
    number, counted from who spoke last, in the speaker's mark and wherever the play names them. The
    head has an output for each number and for each skill.
    """

    def __init__(
        self, examples: Sequence[Example], folder: Path | None, settings: EncoderSettings
    ) -> None:
        from transformers import DataCollatorWithPadding

        with isolated_randomness(settings.seed):
            if folder is None:
                model, self._tokenizer = _small(map(text_of, examples), settings.longest)
            else:
                model, self._tokenizer = _checkpoint(folder)
            self._tokenizer.truncation_side = "left"
            most = getattr(model.config, "max_position_embeddings", None) or settings.longest
            self._longest = min(settings.longest, self._tokenizer.model_max_length, most)
            self._seed = settings.seed
            self._trainer = trained(
                model,
                [
                    self._row(example) | {"labels": _encode_labels(example)}
                    for example in examples
                    if example.labels
                ],
                DataCollatorWithPadding(self._tokenizer),
                epochs=settings.epochs,
                batch=16,
                rate=RANDOM_RATE if folder is None else RATE,
                seed=settings.seed,
                loss=_loss,
            )

    def best(self, examples: Sequence[Example], most: int) -> Iterator[frozenset[Label]]:
        """The `most` likeliest labels of each example."""
        for example, row in zip(examples, self.scores(examples), strict=True):
            seated = seated_candidates(example)
            scored = [
                (row[_number(seat)] + row[len(NUMBERS) + place], name, skill)
                for seat, name in enumerate(seated)
                for place, skill in enumerate(SKILLS)
            ]
            scored.sort(key=lambda guess: -guess[0])  # of labels that score the same, the first
            yield frozenset(Label(name, skill) for _, name, skill in scored[:most])

    def scores(self, examples: Sequence[Example]) -> Any:
        """[examples, numbers + skills]: how likely each number and each skill is, as logarithms."""
        if not examples:
            return np.zeros((0, OUTPUTS))
        with isolated_randomness(self._seed):  # the trainer draws some as it reads, and needs none
            predictions = self._trainer.predict(
                [self._row(example) for example in examples]
            ).predictions
        logits = np.asarray(predictions, dtype=np.float64)
        parts = np.split(logits, [len(NUMBERS)], axis=1)
        return np.hstack(
            [part - np.logaddexp.reduce(part, axis=1, keepdims=True) for part in parts]
        )

    def _row(self, example: Example) -> dict[str, Any]:
        return dict(self._tokenizer(text_of(example), truncation=True, max_length=self._longest))


def text_of(example: Example) -> str:
    """The play as one text, speakers and names by number; of a long one the end is read."""
    seated = seated_candidates(example)
    called = {name: NUMBERS[_number(seat)] for seat, name in enumerate(seated)}
    marks = {DM: MASTER} | called
    names = names_in_play(example.candidates)
    return " ".join(
        f"{marks.get(turn.speaker, OTHER)} : {masked(turn.text, names, called)}"
        for turn in example.turns
    )


def seated_candidates(example: Example) -> tuple[str, ...]:
    """The candidates, whoever spoke last first; the silent ones last, in their given order."""
    last = {turn.speaker: place for place, turn in enumerate(example.turns)}
    return tuple(sorted(example.candidates, key=lambda name: -last.get(name, -1)))


def names_in_play(candidates: Sequence[str]) -> dict[str, str]:
    """Whom a name means: a word or a part of one candidate's name only, or the start of one.

    Keys are in lower case: "vex'ahlia", "vex" and "ahli" for Vex'ahlia, unless two share them.
    """
    owners_of: dict[str, set[str]] = {}
    for name in candidates:
        for word in re.findall(r"[\w'\u2019]+", name.lower()):
            owners_of.setdefault(word, set()).add(name)
            for part in re.findall(r"\w{3,}", word):
                for end in range(min(_SHORTEST_START, len(part)), len(part) + 1):
                    owners_of.setdefault(part[:end], set()).add(name)
    return {word: owners.pop() for word, owners in owners_of.items() if len(owners) == 1}


def masked(text: str, names: dict[str, str], called: dict[str, str]) -> str:
    """The text with every capitalised name in play replaced by what its owner is called."""

    def number(match: re.Match[str]) -> str:
        word = re.sub(r"['\u2019]s?$", "", match[0].lower())
        return called[names[word]] if word in names else match[0]

    return _WORD.sub(number, text)


def _number(seat: int) -> int:
    return min(seat, len(NUMBERS) - 1)


def _encode_labels(example: Example) -> list[float]:
    """1 for each number and each skill that is in a label, else 0."""
    targets = [0.0] * OUTPUTS
    seated = seated_candidates(example)
    for who, skill in example.labels:
        if who in seated:
            targets[_number(seated.index(who))] = 1.0
        targets[len(NUMBERS) + SKILLS.index(skill)] = 1.0
    return targets


def _loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
    """The cross entropy of the numbers and of the skills; of several labels each counts alike."""
    from torch.nn.functional import cross_entropy

    slices = slice(None, len(NUMBERS)), slice(len(NUMBERS), None)
    targets = [
        labels[:, part] / labels[:, part].sum(1, keepdim=True).clamp(min=1) for part in slices
    ]
    return sum(
        cross_entropy(outputs.logits[:, part], target)
        for part, target in zip(slices, targets, strict=True)
    )


def _checkpoint(folder: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForSequenceClassification

    model, tokenizer = open_local(
        folder, AutoModelForSequenceClassification, "an encoder", num_labels=OUTPUTS
    )
    if tokenizer.pad_token_id is None:
        raise ConfigError(f"the tokenizer in {folder} has no padding token; set its pad_token")
    return model, tokenizer


def _small(texts: Iterable[str], longest: int) -> tuple[Any, Any]:
    """A small network with random weights, and the most frequent words of these texts."""
    from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordLevel
    from transformers import (
        ModernBertConfig,
        ModernBertForSequenceClassification,
        PreTrainedTokenizerFast,
    )

    normal, cut = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    times = Counter(
        word for text in texts for word, _ in cut.pre_tokenize_str(normal.normalize_str(text))
    )
    times.update((MASTER, OTHER, *NUMBERS))
    frequent = sorted(times, key=lambda word: (-times[word], word))[:MOST_WORDS]
    words = {word: number for number, word in enumerate((*_SPECIAL, *frequent))}
    own = Tokenizer(WordLevel(words, unk_token=_SPECIAL[1]))
    own.normalizer, own.pre_tokenizer = normal, cut
    ends = [(mark, words[mark]) for mark in _SPECIAL[2:]]
    own.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=ends)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=own, pad_token=_SPECIAL[0], unk_token=_SPECIAL[1]
    )
    config = ModernBertConfig(
        vocab_size=len(words),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=longest,
        classifier_pooling="mean",  # from so little play attention to one token is not learned
        pad_token_id=words[_SPECIAL[0]],
        bos_token_id=words[_SPECIAL[2]],
        cls_token_id=words[_SPECIAL[2]],
        eos_token_id=words[_SPECIAL[3]],
        sep_token_id=words[_SPECIAL[3]],
        num_labels=OUTPUTS,
    )
    return ModernBertForSequenceClassification(config), tokenizer


# ------------------------------------------------------------------ LoRA


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """Training options; `rank` is that of the update of every linear layer (r of LoRA)."""

    epochs: int = 3
    batch: int = 8
    learning_rate: float = 2e-4
    rank: int = 16
    seed: int = 0


class LoraDM:
    """Trains a low-rank adapter of a causal model on prompts and right answers (section 4.2).

    `model_folder` is a folder on this machine with a model as transformers saves it, in
    safetensors; nothing is ever fetched, and no code that lies in the folder is run. Prompt and
    parser are those of every virtual DM that reads text; replies are decoded greedily.

    `failures` counts, by cause and since it was fitted, the replies that could not be
    used: each is an empty prediction.
    """

    def __init__(self, model_folder: Path, settings: LoraSettings | None = None) -> None:
        _check_folder(model_folder, "a causal model")
        self._folder = model_folder
        self._settings = settings or LoraSettings()
        self._adapted: AdaptedModel | None = None
        self.failures: Counter[Cause] = Counter()

    @property
    def name(self) -> str:
        """Such as "lora:qwen", by the model's folder."""
        return f"lora:{self._folder.resolve().name}"

    def fit(self, examples: Sequence[Example]) -> None:
        """Learn from examples; the model itself stays as it is.

        ConfigError without the extra, without an example that has a label, or where an example is
        longer than the model can read.
        """
        require_finetune(self.name)
        labelled = [example for example in examples if example.labels]
        if not labelled:
            raise ConfigError(f"{self.name} needs examples with labels to learn from; found none")
        self._adapted = train(self._folder, labelled, self._settings)
        self.failures.clear()

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """The first `most` labels of each reply; none where a reply cannot be used."""
        replies = self._ready().replies(examples)
        return tuple(
            self._read_reply(reply, example, most)
            for reply, example in zip(replies, examples, strict=True)
        )

    def _ready(self) -> AdaptedModel:
        if self._adapted is None:
            raise WorldError(f"{self.name}: expected a call of fit before predict, found none")
        return self._adapted

    def _read_reply(self, reply: str | ReplyError, example: Example, most: int) -> frozenset[Label]:
        try:
            if isinstance(reply, ReplyError):
                raise reply
            return read_answer(reply, example, most)
        except ReplyError as error:
            self.failures[error.cause] += 1
            return frozenset()


LONGEST_ANSWER = 256
"""Tokens: more than a dozen checks."""

AT_ONCE = 16
"""Prompts that are answered together."""

NO_LOSS = -100
"""The label that torch's cross entropy ignores."""


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
        replies: dict[int, str | ReplyError] = {}
        for place, (prompt, example) in enumerate(zip(prompts, examples, strict=True)):
            if problem := _length_problem(self, example, len(prompt) + LONGEST_ANSWER):
                # It was trained for long, and what it does with all other rows is worth having.
                replies[place] = ReplyError(problem, raw="", cause="context overflow")
        remaining = sorted(
            set(range(len(prompts))) - set(replies), key=lambda place: len(prompts[place])
        )
        for start in range(0, len(remaining), AT_ONCE):
            some = remaining[start : start + AT_ONCE]
            replies |= zip(some, self._written([prompts[place] for place in some]), strict=True)
        return tuple(replies[place] for place in range(len(examples)))

    def _written(self, prompts: Sequence[list[int]]) -> list[str]:
        import torch
        from transformers import GenerationConfig

        end, width = self.tokenizer.eos_token_id, max(map(len, prompts))
        greedy = GenerationConfig(
            do_sample=False, max_new_tokens=LONGEST_ANSWER, eos_token_id=end, pad_token_id=end
        )
        device, before = self.model.device, [width - len(prompt) for prompt in prompts]
        rows = [[end] * pad + prompt for pad, prompt in zip(before, prompts, strict=True)]
        read = [[0] * pad + [1] * (width - pad) for pad in before]
        written = self.model.generate(
            input_ids=torch.tensor(rows, device=device),
            attention_mask=torch.tensor(read, device=device),
            generation_config=greedy,
        )
        return [self.tokenizer.decode(row[width:], skip_special_tokens=True) for row in written]


def train(folder: Path, examples: Sequence[Example], settings: LoraSettings) -> AdaptedModel:
    """The model in a folder with an adapter that was trained on examples.

    torch's own random state is left as it was found.
    """
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, DataCollatorForSeq2Seq

    model, tokenizer = open_local(folder, AutoModelForCausalLM, "a causal model", dtype="auto")
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
    with isolated_randomness(settings.seed), warnings.catch_warnings():
        # peft reads a property of the model by a name that transformers has replaced.
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
        adapted = AdaptedModel(get_peft_model(model, config), tokenizer)
        trained(
            adapted.model,
            [training_row(adapted, example) for example in examples],
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
            {"role": "system", "content": prompt_head()},
            {"role": "user", "content": prompt_body(example)},
        ]
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        ids: list[int] = tokenizer(text, add_special_tokens=False).input_ids
    else:
        ids = tokenizer(f"{prompt_head()}\n\n{prompt_body(example)}\n\n").input_ids
    return ids


def training_row(adapted: AdaptedModel, example: Example) -> dict[str, list[int]]:
    """A prompt with its right answer as token ids; the loss is taken on the answer alone."""
    prompt = prompt_ids(adapted, example)
    answer = adapted.tokenizer(expected_reply(example), add_special_tokens=False).input_ids
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
