"""Judges of plays by people: what goes wrong with one is on record as a failure of that judging.

A run stops at an error that every further call would meet. Plays by people go on, so that here
such an error is a failure like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sociolab.core.episode import Episode
from sociolab.core.errors import ModelError, SociolabError, StoreError
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Judge, Prompt, WorldKit
from sociolab.core.score import Verdict
from sociolab.runner.jury import failures_of, told_cells, verdicts_of
from sociolab.store.store import Store


def lasting(kit: WorldKit) -> WorldKit:
    """The kit, with model judges that an error for good fails, not stops."""
    return replace(kit, model_judge=lambda model: kit.model_judge(_Lasting(model)))


async def verdicts_or_failures(
    store: Store, run: str, judge: Judge, episode: Episode
) -> tuple[Verdict, ...]:
    """What a judge says of an episode; where it breaks, failures of all that it gives elsewhere.

    StoreError passes through: that is not the judge's doing.
    """
    try:
        return await verdicts_of(judge, episode)
    except StoreError:
        raise
    except SociolabError as error:
        return failures_of(error, told_cells(store, run, judge.id), episode.trial.task.seats)


@dataclass(frozen=True, slots=True)
class _Lasting:
    """A model whose errors end one call only."""

    model: ChatModel

    @property
    def label(self) -> str:
        return self.model.label

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        try:
            return await self.model.complete(prompt, key)
        except ModelError as error:
            raise ModelError(str(error), cause=error.cause, tries=error.tries) from error
