"""Virtual DMs by their specs, such as "linear" or "tuned:openai/MODEL"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sociolab.core.errors import ConfigError
from sociolab.core.user_files import data_home
from sociolab.plugin.context import Context
from sociolab.worlds.anteval.virtual_dm.example import AsyncVirtualDM, LocalDM

if TYPE_CHECKING:
    from sociolab.models.finetuning import FineTuningClient

LINEAR = "linear"
"""The default, which is fitted in a fraction of a second; others but `linear:` cost hours or money.
"""

KINDS = (
    "linear, linear:endpoint/model, linear:DIR, encoder, encoder:DIR, lora:DIR, "
    "endpoint/model?examples=8 or tuned:endpoint/model"
)


@dataclass(frozen=True, slots=True)
class DMKind:
    """One kind of virtual DM.

    `make` returns a new, unfitted one; `untuned` is the DM of the paper's f0, None for a DM that
    has to learn. `keeps`: whether the replies of its model are stored, and for which play they
    serve.
    """

    name: str
    make: Callable[[], AsyncVirtualDM]
    untuned: AsyncVirtualDM | None = None
    keeps: Literal["no", "of this play", "of any play"] = "no"


@dataclass(frozen=True, slots=True)
class DMFactory:
    """Makes virtual DMs from specs; to be closed in the end."""

    lab: Context
    seed: int
    _clients: list[FineTuningClient] = field(default_factory=list)

    async def close(self) -> None:
        """Close the connections of fine-tuning clients."""
        for client in self._clients:
            await client.aclose()

    def kind(self, text: str) -> DMKind:
        """ConfigError for a text that names no virtual DM, or lacks what it needs."""
        if text == LINEAR:
            from sociolab.worlds.anteval.virtual_dm.linear import (
                LinearDM,
                PlayReader,
                require_sklearn,
            )

            require_sklearn(text)
            reader = PlayReader()
            return DMKind(text, lambda: LocalDM(LinearDM(reader)))
        if text.startswith(f"{LINEAR}:"):
            return self._embedded(text)
        if text == "encoder" or text.startswith("encoder:"):
            from sociolab.worlds.anteval.virtual_dm.finetune import EncoderDM, require_finetune

            require_finetune("--dm encoder")
            folder = Path(text.removeprefix("encoder:")) if ":" in text else None
            return DMKind(EncoderDM(folder).name, lambda: LocalDM(EncoderDM(folder)))
        if text.startswith("lora:"):
            return _lora(Path(text.removeprefix("lora:")))
        if text.startswith("tuned:"):
            return self._tuned(text)
        return self._chat(text)

    def _embedded(self, text: str) -> DMKind:
        from sociolab.worlds.anteval.virtual_dm.embedded import EmbeddedDM, TurnVectors
        from sociolab.worlds.anteval.virtual_dm.linear import PlayReader, require_sklearn

        require_sklearn(text)
        model = self.lab.embedder(text.removeprefix(f"{LINEAR}:"), "dm")
        vectors, reader = TurnVectors(model, self.lab.tell), PlayReader()
        return DMKind(
            EmbeddedDM(vectors, reader).name,
            lambda: EmbeddedDM(vectors, reader),
            keeps="of any play",
        )

    def _chat(self, text: str) -> DMKind:
        from sociolab.worlds.anteval.virtual_dm.chat import ChatDM

        plain, shots = _number_after(text, "examples")
        spec = _spec(plain, text)
        if shots is None:
            raise ConfigError(
                f"--dm {text}: an untuned model learns nothing from play, so there is no gap; add "
                f"?examples=8 for few-shot examples (its zero-shot F, f0, is shown too), or use "
                f"tuned:"
            )
        model = self.lab.model(spec, "dm")
        return DMKind(
            f"{model.label}, {shots} examples",
            lambda: ChatDM(model, shots, seed=self.seed, run="shown"),
            ChatDM(model, run="f0"),
            keeps="of this play",
        )

    def _tuned(self, text: str) -> DMKind:
        from sociolab.models.finetuning import FineTuningClient, TuningOrder
        from sociolab.worlds.anteval.virtual_dm.chat import ChatDM
        from sociolab.worlds.anteval.virtual_dm.openai_tuning import OpenAITunedDM

        plain, epochs = _number_after(text.removeprefix("tuned:"), "epochs")
        spec = _spec(plain, text)
        endpoint, base = self.lab.endpoint(spec, "dm")
        client = FineTuningClient(endpoint, base)
        self._clients.append(client)
        order = TuningOrder(seed=self.seed, epochs=epochs)

        def tuned() -> AsyncVirtualDM:
            return OpenAITunedDM(
                client,
                lambda model: self.lab.model(spec.replace(f"/{base}", f"/{model}", 1), "dm"),
                data_home() / "tuning",
                order,
                tell=self.lab.tell,
                run="tuned",
            )

        name = f"tuned:{endpoint.name}/{base}"
        untuned = ChatDM(self.lab.model(spec, "dm"), run="f0")
        return DMKind(name, tuned, untuned, keeps="of this play")


def _lora(folder: Path) -> DMKind:
    from sociolab.worlds.anteval.virtual_dm.finetune import LoraDM, require_finetune

    require_finetune(f"--dm lora:{folder}")

    def make() -> AsyncVirtualDM:
        dm = LoraDM(folder)
        local = LocalDM(dm)
        local.failures = dm.failures
        return local

    return DMKind(LoraDM(folder).name, make)


def _spec(plain: str, text: str) -> str:
    """`plain`, if it is a model's spec; otherwise ConfigError that quotes `text`."""
    if "/" in plain:
        return plain
    raise ConfigError(f'--dm: there is no virtual DM "{text}"; expected {KINDS}')


def _number_after(text: str, name: str) -> tuple[str, int | None]:
    """The spec without `name=NUMBER` after its question mark, and the number; None: not there."""
    plain, _, query = text.partition("?")
    remaining, number = [], None
    for part in filter(None, query.split("&")):
        key, _, value = part.partition("=")
        if key != name:
            remaining.append(part)
        elif not value.isdecimal() or int(value) < 1:
            raise ConfigError(
                f'--dm {text}: {name}: expected a whole number from 1, found "{value}"'
            )
        else:
            number = int(value)
    return plain + ("?" + "&".join(remaining) if remaining else ""), number
