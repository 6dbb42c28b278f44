"""The virtual DM "lora": a causal model of the user's with a trained adapter (extra `finetune`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sociolab.core.errors import Cause, ConfigError, ReplyError, WorldError
from sociolab.worlds.anteval.virtual_dm.example import Example, Label
from sociolab.worlds.anteval.virtual_dm.finetune_extra import require_finetune
from sociolab.worlds.anteval.virtual_dm.lora_settings import LoraSettings
from sociolab.worlds.anteval.virtual_dm.prompting import read_answer

if TYPE_CHECKING:
    from sociolab.worlds.anteval.virtual_dm.lora_model import AdaptedModel


class LoraDM:
    """Trains a low-rank adapter of a causal model on prompts and right answers (section 4.2).

    `model_folder` is a folder on this machine with a model as transformers saves it, in
    safetensors; nothing is ever fetched, and no code that lies in the folder is run. Prompt and
    parser are those of every virtual DM that reads text; replies are decoded greedily.

    `failures` counts, by cause and since it was fitted or loaded, the replies that could not be
    used: each is an empty prediction.
    """

    def __init__(self, model_folder: Path, settings: LoraSettings | None = None) -> None:
        if not (model_folder / "config.json").is_file():
            raise ConfigError(
                f"expected the folder of a causal model, with a config.json, found {model_folder}; "
                "give a folder on this machine (names of a model hub are not looked up)"
            )
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
        from sociolab.worlds.anteval.virtual_dm.lora_model import train

        labelled = [example for example in examples if example.labels]
        if not labelled:
            raise ConfigError(f"{self.name} needs examples with labels to learn from; found none")
        self._adapted = train(self._folder, labelled, self._settings)
        self.failures.clear()

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """The first `most` labels of each reply; none where a reply cannot be used."""
        adapted = self._ready()
        return tuple(self._labels(adapted, example, most) for example in examples)

    def save(self, folder: Path) -> None:
        """Write the adapter (not the model) to a folder that `load` reads."""
        self._ready().save(folder)

    def load(self, folder: Path) -> None:
        """Take up an adapter that was trained on this model before. ConfigError if there is none.

        What was learned before is forgotten.
        """
        require_finetune(self.name)
        from sociolab.worlds.anteval.virtual_dm.lora_model import load

        self._adapted = load(self._folder, folder)
        self.failures.clear()

    def _ready(self) -> AdaptedModel:
        if self._adapted is None:
            raise WorldError(f"{self.name}: expected to be fitted or loaded first, found neither")
        return self._adapted

    def _labels(self, adapted: AdaptedModel, example: Example, most: int) -> frozenset[Label]:
        try:
            return read_answer(adapted.reply(example), example, most)
        except ReplyError as error:
            self.failures[error.cause] += 1
            return frozenset()
