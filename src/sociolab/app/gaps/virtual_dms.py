"""From a spec to virtual DMs: `linear`, `encoder`, `lora:DIR`, `endpoint/model`, `tuned:...`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.core.errors import ConfigError
from sociolab.core.ports import ChatModel, ReplyStore
from sociolab.models.budget import Budget
from sociolab.store.connect import data_home
from sociolab.worlds.anteval.gap.measure import AtOnce
from sociolab.worlds.anteval.virtual_dm.prompting import AsyncVirtualDM

if TYPE_CHECKING:
    from sociolab.models.finetuning import FineTuningClient

KINDS = "linear, encoder, lora:DIR, endpoint/model?examples=8 or tuned:endpoint/model"


@dataclass(frozen=True, slots=True)
class DMs:
    """One kind of virtual DM.

    `make` makes one that has learned nothing yet; `untuned` is the one of the paper's f0, None
    where nothing can be read without learning. `keeps` says that replies of a model are kept.
    """

    name: str
    make: Callable[[], AsyncVirtualDM]
    untuned: AsyncVirtualDM | None = None
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Workshop:
    """What virtual DMs are made with; `tell` hears what a provider says of its work."""

    models: Models
    replies: ReplyStore
    budget: Budget
    seed: int
    tell: Callable[[str], None]
    _clients: list[FineTuningClient] = field(default_factory=list)

    async def close(self) -> None:
        """Let go of all connections."""
        for client in self._clients:
            await client.close()
        await self.models.close()

    def dms(self, text: str) -> DMs:
        """The virtual DMs of a spec; ConfigError if it is none."""
        if text == "linear":
            from sociolab.worlds.anteval.virtual_dm.linear import LinearDM

            return DMs(text, lambda: AtOnce(LinearDM()))
        if text == "encoder":
            return _encoder()
        if text.startswith("lora:"):
            return _lora(Path(text.removeprefix("lora:")))
        if text.startswith("tuned:"):
            return self._tuned(text)
        return self._chat(text)

    def _chat(self, text: str) -> DMs:
        from sociolab.worlds.anteval.virtual_dm.chat import ChatDM

        plain, shots = _number_after(text, "examples")
        spec = _spec(plain, text)
        if shots is None:
            raise ConfigError(
                f"--dm {text}: an untuned model learns nothing, so it has no gap; add ?examples=8 "
                "to show it examples (its f0 is measured beside), or use tuned:"
            )
        model = self._kept(spec)
        return DMs(
            f"{model.label}, {shots} examples",
            lambda: ChatDM(model, shots, seed=self.seed, run="shown"),
            ChatDM(model, run="f0"),
            keeps=True,
        )

    def _tuned(self, text: str) -> DMs:
        from sociolab.models.finetuning import FineTuningClient, TuningOrder
        from sociolab.worlds.anteval.virtual_dm.chat import ChatDM
        from sociolab.worlds.anteval.virtual_dm.openai_tuning import OpenAITunedDM

        plain, epochs = _number_after(text.removeprefix("tuned:"), "epochs")
        spec = _spec(plain, text)
        client = FineTuningClient(self.models.endpoint(spec), spec.model)
        self._clients.append(client)
        order = TuningOrder(seed=self.seed, epochs=epochs)

        def tuned() -> AsyncVirtualDM:
            return OpenAITunedDM(
                client,
                lambda model: self._kept(replace(spec, model=model)),
                data_home() / "tuning",
                order,
                tell=self.tell,
                run="tuned",
            )

        name = f"tuned:{spec.endpoint}/{spec.model}"
        return DMs(name, tuned, ChatDM(self._kept(spec), run="f0"), keeps=True)

    def _kept(self, spec: ModelSpec) -> ChatModel:
        return self.models.kept(spec, self.replies, self.budget)


def _encoder() -> DMs:
    from sociolab.worlds.anteval.virtual_dm.embedding_weights import packaged_weights
    from sociolab.worlds.anteval.virtual_dm.encoder import EncoderDM
    from sociolab.worlds.anteval.virtual_dm.finetune_extra import require_finetune

    require_finetune("--dm encoder")
    weights = packaged_weights()
    return DMs(EncoderDM(weights).name, lambda: AtOnce(EncoderDM(weights)))


def _lora(folder: Path) -> DMs:
    from sociolab.worlds.anteval.virtual_dm.finetune_extra import require_finetune
    from sociolab.worlds.anteval.virtual_dm.lora import LoraDM

    require_finetune(f"--dm lora:{folder}")

    def adapted() -> AsyncVirtualDM:
        dm = LoraDM(folder)
        at_once = AtOnce(dm)
        at_once.failures = dm.failures
        return at_once

    return DMs(LoraDM(folder).name, adapted)


def _spec(plain: str, text: str) -> ModelSpec:
    if "/" in plain:
        spec = parse(plain, "dm")
        if isinstance(spec, ModelSpec):
            return spec
    raise ConfigError(f'--dm: there is no virtual DM "{text}"; expected {KINDS}')


def _number_after(text: str, name: str) -> tuple[str, int | None]:
    """The spec without `name=NUMBER` after its question mark, and the number; None: not there."""
    plain, _, query = text.partition("?")
    kept, number = [], None
    for part in filter(None, query.split("&")):
        key, _, value = part.partition("=")
        if key != name:
            kept.append(part)
        elif not value.isdecimal() or int(value) < 1:
            raise ConfigError(
                f'--dm {text}: {name}: expected a whole number from 1, found "{value}"'
            )
        else:
            number = int(value)
    return plain + ("?" + "&".join(kept) if kept else ""), number
