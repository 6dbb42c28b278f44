"""How a model on this machine is opened and trained: by the trainer of transformers.

Nothing is fetched, no code that lies in a model's folder is run, and nothing is written. Needs
torch and transformers: import it late.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from sociolab.core.errors import ConfigError


def opened(folder: Path, kind: Any, what: str, **settings: Any) -> tuple[Any, Any]:
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
def own_chance(seed: int) -> Iterator[None]:
    """Chance by this seed; afterwards the random state of Python, numpy and torch is as it was."""
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
    """The trainer, done; its model is on the machine's accelerator where there is one.

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
