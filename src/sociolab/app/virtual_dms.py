"""From a spec to virtual DMs: `linear`, `encoder`, `lora:DIR`, `endpoint/model`, `tuned:...`."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from sociolab.app.models import Models
from sociolab.app.specs import ModelSpec, parse
from sociolab.core.errors import Cause, ConfigError
from sociolab.core.ports import ChatModel, ReplyStore
from sociolab.models.budget import Budget
from sociolab.store.place import data_home
from sociolab.worlds.anteval.virtual_dm.example import Example, Label, VirtualDM
from sociolab.worlds.anteval.virtual_dm.prompting import AsyncVirtualDM

KINDS = (
    "linear, encoder, lora:DIR, endpoint/model?examples=8, tuned:endpoint/model (?epochs=3), or "
    "endpoint/model for an untuned one"
)

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class DMs:
    """One kind of virtual DM.

    `fresh` makes one that has learned nothing yet, None where this kind cannot learn; `untuned` is
    the one of the paper's f0, None where there is no reading without learning. `failures` count
    the model replies of all of them that could not be used, by cause.
    """

    name: str
    fresh: Callable[[], VirtualDM] | None
    untuned: VirtualDM | None
    calls_model: bool
    failures: Counter[Cause]


@dataclass(frozen=True, slots=True)
class Workshop:
    """What virtual DMs are made with. They are used in a thread beside the event loop `loop`."""

    models: Models
    replies: ReplyStore
    budget: Budget
    seed: int
    loop: asyncio.AbstractEventLoop
    tell: Callable[[str], None]

    def dms(self, text: str) -> DMs:
        """The virtual DMs of a spec; ConfigError if it is none."""
        failures: Counter[Cause] = Counter()
        if text == "linear":
            from sociolab.worlds.anteval.virtual_dm.linear import LinearDM

            return DMs(text, LinearDM, None, False, failures)
        if text == "encoder":
            return self._encoder(failures)
        if text.startswith("lora:"):
            return self._lora(Path(text.removeprefix("lora:")), failures)
        if text.startswith("tuned:"):
            return self._tuned(text, failures)
        return self._chat(text, failures)

    def _encoder(self, failures: Counter[Cause]) -> DMs:
        from sociolab.worlds.anteval.virtual_dm.embedding_weights import packaged_weights
        from sociolab.worlds.anteval.virtual_dm.encoder import EncoderDM

        weights = packaged_weights()
        return DMs(EncoderDM(weights).name, lambda: EncoderDM(weights), None, False, failures)

    def _lora(self, folder: Path, failures: Counter[Cause]) -> DMs:
        from sociolab.worlds.anteval.virtual_dm.lora import LoraDM

        def fresh() -> VirtualDM:
            return _Counted(LoraDM(folder), failures)

        return DMs(LoraDM(folder).name, fresh, None, False, failures)

    def _chat(self, text: str, failures: Counter[Cause]) -> DMs:
        from sociolab.worlds.anteval.virtual_dm.chat import ChatDM

        plain, shots = _number_after(text, "examples")
        spec = self._spec(plain, text)
        model = self._kept(spec)
        untuned = self._awaited(ChatDM(model, run="f0"), failures)
        if shots is None:
            return DMs(model.label, None, untuned, True, failures)

        def fresh() -> VirtualDM:
            return self._awaited(ChatDM(model, shots, seed=self.seed, run="shown"), failures)

        return DMs(f"{model.label}, {shots} examples", fresh, untuned, True, failures)

    def _tuned(self, text: str, failures: Counter[Cause]) -> DMs:
        from sociolab.models.finetuning import FineTuningClient
        from sociolab.models.finetuning_wire import TuningOrder
        from sociolab.worlds.anteval.virtual_dm.chat import ChatDM
        from sociolab.worlds.anteval.virtual_dm.openai_tuning import OpenAITunedDM

        plain, epochs = _number_after(text.removeprefix("tuned:"), "epochs")
        spec = self._spec(plain, text)
        client = FineTuningClient(self.models.endpoint(spec), spec.model)
        order = TuningOrder(seed=self.seed, epochs=epochs)
        untuned = self._awaited(ChatDM(self._kept(spec), run="f0"), failures)

        def fresh() -> VirtualDM:
            tuned = OpenAITunedDM(
                client,
                lambda model: self._kept(replace(spec, model=model)),
                data_home() / "tuning",
                order,
                tell=self.tell,
                run="tuned",
            )
            return self._awaited(tuned, failures)

        return DMs(f"tuned:{spec.endpoint}/{spec.model}", fresh, untuned, True, failures)

    def _spec(self, plain: str, text: str) -> ModelSpec:
        if "/" in plain:
            spec = parse(plain, "dm")
            if isinstance(spec, ModelSpec):
                return spec
        raise ConfigError(f'--dm: there is no virtual DM "{text}"; expected {KINDS}')

    def _kept(self, spec: ModelSpec) -> ChatModel:
        return self.models.kept(spec, self.replies, self.budget)

    def _awaited(self, dm: AsyncVirtualDM, failures: Counter[Cause]) -> VirtualDM:
        return _Awaited(dm, self.loop, failures)


@dataclass(frozen=True, slots=True)
class _Counted:
    """A virtual DM that reads text by itself, its unusable replies counted."""

    dm: Any
    failures: Counter[Cause]

    @property
    def name(self) -> str:
        return str(self.dm.name)

    def fit(self, examples: Sequence[Example]) -> None:
        self.dm.fit(examples)

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        before = Counter(self.dm.failures)
        found: tuple[frozenset[Label], ...] = self.dm.predict(examples, most)
        self.failures.update(Counter(self.dm.failures) - before)
        return found


@dataclass(frozen=True, slots=True)
class _Awaited:
    """A virtual DM that calls a model, for a thread beside the event loop of the calls."""

    dm: AsyncVirtualDM
    loop: asyncio.AbstractEventLoop
    failures: Counter[Cause]

    @property
    def name(self) -> str:
        return self.dm.name

    def fit(self, examples: Sequence[Example]) -> None:
        self._wait(self.dm.fit_async(examples))

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        before = Counter(self.dm.failures)
        found = self._wait(self.dm.predict_async(examples, most))
        self.failures.update(Counter(self.dm.failures) - before)
        return found

    def _wait(self, work: Coroutine[Any, Any, Value]) -> Value:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()


def _number_after(text: str, name: str) -> tuple[str, int | None]:
    """The spec without `name=NUMBER` after its question mark, and the number; None: not there."""
    plain, _, query = text.partition("?")
    kept, number = [], None
    for part in filter(None, query.split("&")):
        key, _, value = part.partition("=")
        if key != name:
            kept.append(part)
        elif not value.isdecimal() or int(value) < 1:
            raise ConfigError(f"--dm {text}: {name}: expected a whole number from 1, found {value}")
        else:
            number = int(value)
    return plain + ("?" + "&".join(kept) if kept else ""), number
