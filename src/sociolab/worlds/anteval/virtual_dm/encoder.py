"""The virtual DM "encoder": a small transformer, fine-tuned on examples (the extra `finetune`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sociolab.core.errors import ConfigError, WorldError
from sociolab.worlds.anteval.virtual_dm.encoder_settings import EncoderSettings
from sociolab.worlds.anteval.virtual_dm.example import Example, Label
from sociolab.worlds.anteval.virtual_dm.finetune_extra import require_finetune

if TYPE_CHECKING:
    from sociolab.worlds.anteval.virtual_dm.encoder_training import Trained


class EncoderDM:
    """Reads the last turns with a transformer encoder and scores every candidate with every skill.

    Trained end to end on examples (AntEval section 4.2, with a network of our own). `weights` is
    the folder that `packaged_weights()` finds; without one the network is small and starts at
    random, and `name` says so. Same seed and examples, same predictions on a CPU.
    """

    def __init__(self, weights: Path | None, settings: EncoderSettings | None = None) -> None:
        self._weights = weights
        self._settings = settings or EncoderSettings()
        self._trained: Trained | None = None

    @property
    def name(self) -> str:
        """ "encoder", or "encoder (random start)" without pretrained weights."""
        return "encoder" if self._weights else "encoder (random start)"

    def fit(self, examples: Sequence[Example]) -> None:
        """Learn from examples. ConfigError without the extra, or where no example has a label."""
        require_finetune(self.name)
        from sociolab.worlds.anteval.virtual_dm.encoder_training import train

        if not any(example.labels for example in examples):
            raise ConfigError("the encoder needs examples with labels to learn from; found none")
        self._trained = train(examples, self._weights, self._settings)

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """For each example its `most` likeliest labels. WorldError before `fit`."""
        if self._trained is None:
            raise WorldError(f"{self.name}: expected to be fitted before it predicts, found not")
        from sociolab.worlds.anteval.virtual_dm.encoder_training import best_labels

        return tuple(best_labels(self._trained, examples, most))
