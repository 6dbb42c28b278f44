"""Virtual DMs trained on this machine (extra finetune): an encoder, a causal model with LoRA."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sociolab.core.errors import Cause, ConfigError, ReplyError, WorldError, missing_extra
from sociolab.worlds.anteval.virtual_dm.chat import read_answer
from sociolab.worlds.anteval.virtual_dm.example import Example, Label

if TYPE_CHECKING:
    from sociolab.worlds.anteval.virtual_dm.local_models import AdaptedModel, Encoder


PACKAGES = ("torch", "transformers", "peft", "tokenizers", "safetensors")


def require_finetune(who: str) -> None:
    """Nothing where the extra is installed; else ConfigError that says what `who` needs."""
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        raise missing_extra(f"the virtual DM {who!r} needs", "finetune", *missing)


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
        """ "encoder:" and the name of the checkpoint's folder, or "encoder (random start)"."""
        return (
            f"encoder:{self._folder.resolve().name}" if self._folder else "encoder (random start)"
        )

    def fit(self, examples: Sequence[Example]) -> None:
        """Learn from examples. ConfigError without the extra, or where no example has a label."""
        require_finetune(self.name)
        from sociolab.worlds.anteval.virtual_dm.local_models import Encoder

        if not any(example.labels for example in examples):
            raise ConfigError("the encoder needs examples with labels to learn from; found none")
        used = self._settings
        self._fitted = Encoder(
            examples, self._folder, epochs=used.epochs, longest=used.longest, seed=used.seed
        )

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """For each example its `most` likeliest labels. WorldError before `fit`."""
        if self._fitted is None:
            raise WorldError(f"{self.name}: expected a call of fit before predict, found none")
        return tuple(self._fitted.best(examples, most))


def _check_folder(folder: Path, what: str) -> None:
    if not (folder / "config.json").is_file():
        raise ConfigError(
            f"expected the folder of {what}, with a config.json, found {folder}; "
            "give a folder on this machine (names of a model hub are not looked up)"
        )


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """`rank` is the width of what is added to every linear layer."""

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
        """ "lora:" and the name of the model's folder."""
        return f"lora:{self._folder.resolve().name}"

    def fit(self, examples: Sequence[Example]) -> None:
        """Learn from examples; the model itself stays as it is.

        ConfigError without the extra, without an example that has a label, or where an example is
        longer than the model can read.
        """
        require_finetune(self.name)
        from sociolab.worlds.anteval.virtual_dm.local_models import train

        labelled = [example for example in examples if example.labels]
        if not labelled:
            raise ConfigError(f"{self.name} needs examples with labels to learn from; found none")
        used = self._settings
        self._adapted = train(
            self._folder,
            labelled,
            epochs=used.epochs,
            batch=used.batch,
            rate=used.learning_rate,
            rank=used.rank,
            seed=used.seed,
        )
        self.failures.clear()

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """The first `most` labels of each reply; none where a reply cannot be used."""
        replies = self._ready().replies(examples)
        return tuple(
            self._labels(reply, example, most)
            for reply, example in zip(replies, examples, strict=True)
        )

    def _ready(self) -> AdaptedModel:
        if self._adapted is None:
            raise WorldError(f"{self.name}: expected a call of fit before predict, found none")
        return self._adapted

    def _labels(self, reply: str | ReplyError, example: Example, most: int) -> frozenset[Label]:
        try:
            if isinstance(reply, ReplyError):
                raise reply
            return read_answer(reply, example, most)
        except ReplyError as error:
            self.failures[error.cause] += 1
            return frozenset()
