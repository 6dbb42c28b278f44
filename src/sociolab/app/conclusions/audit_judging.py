"""Has a judge judge episodes as they are, again, and as variants; its replies are kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import ModelError
from sociolab.core.ports import (
    CallKey,
    ChatReply,
    Judge,
    Prompt,
    ReplyStore,
    Variant,
    Variants,
)
from sociolab.core.score import Score, ScoreFailure, Verdict
from sociolab.runner.judging import verdicts_of
from sociolab.runner.progress import TalliedReplies, Tally
from sociolab.store.store import Store

_AT_ONCE = 128
"""Episodes under way."""


@dataclass(frozen=True, slots=True)
class Audited:
    """All that was said of one episode: as it is (the first of `as_it_is`), again, as variants.

    `variants` holds an entry for each kind asked for, empty where the episode has no such variant.
    """

    trial: Trial
    as_it_is: tuple[tuple[Verdict, ...], ...]
    variants: Mapping[str, tuple[tuple[Variant, tuple[Verdict, ...]], ...]]
    words: Mapping[str, tuple[int, int]]

    @property
    def judgings(self) -> tuple[tuple[Verdict, ...], ...]:
        """Everything that was said, judging by judging."""
        told = (verdicts for kind in self.variants.values() for _, verdicts in kind)
        return (*self.as_it_is, *told)


@dataclass(frozen=True, slots=True)
class Work:
    """What to ask of each episode: so many more judgings as it is, and these variants, by seed."""

    judge: Judge
    repeats: int
    variants: Mapping[str, Variants]
    seed: int


@dataclass(slots=True)
class Asked:
    """The episodes that are done, in the order of the plan, and why it stopped if it did."""

    audited: dict[str, Audited] = field(default_factory=dict)
    error: ModelError | None = None

    @property
    def judgings(self) -> tuple[tuple[Verdict, ...], ...]:
        """Everything that was said, of all episodes."""
        return tuple(said for one in self.audited.values() for said in one.judgings)

    @property
    def failed(self) -> Counter[str]:
        """Judgings that lack a score, by the cause that comes first."""
        first = (
            next((v.cause for v in verdicts if isinstance(v, ScoreFailure)), None)
            for verdicts in self.judgings
        )
        return Counter(cause for cause in first if cause is not None)

    @property
    def in_vain(self) -> bool:
        """Whether judgings failed, and none of them all holds a score."""
        scored = any(isinstance(v, Score) for verdicts in self.judgings for v in verdicts)
        return bool(self.failed) and not scored


@dataclass(frozen=True, slots=True)
class PaidBefore:
    """Replies kept by an audit, and those of the run itself, where the same judge judged it."""

    kept: TalliedReplies
    run: ReplyStore

    def find(self, key: str) -> ChatReply | None:
        """A reply that was paid for before, by whichever of the two."""
        found = self.kept.find(key)
        return found if found is not None else self.run.find(key)

    def keep(self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply) -> None:
        """Kept by the audit: nothing is added to the run."""
        self.kept.keep(key, call, model, prompt, reply)

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        """Kept by the audit."""
        self.kept.keep_failure(call, model, error, seconds)


async def ask(store: Store, run: str, trials: Sequence[Trial], work: Work, tally: Tally) -> Asked:
    """Judge these episodes; an episode that is not done when the money is spent is left out."""
    asked, waiting = Asked(), iter(trials)
    found: dict[str, Audited] = {}

    async def worker() -> None:
        for trial in waiting:
            if asked.error is not None:
                return
            try:
                found[trial.id] = await _audited(Episode(trial, store.events(run, trial.id)), work)
            except ModelError as failure:
                asked.error = asked.error or failure
                return
            tally.done += 1

    await asyncio.gather(*(worker() for _ in range(min(_AT_ONCE, len(trials)))))
    asked.audited = {trial.id: found[trial.id] for trial in trials if trial.id in found}
    return asked


async def _audited(episode: Episode, work: Work) -> Audited:
    as_it_is = [
        await verdicts_of(work.judge, episode, number) for number in range(1 + work.repeats)
    ]
    variants: dict[str, tuple[tuple[Variant, tuple[Verdict, ...]], ...]] = {}
    words: dict[str, tuple[int, int]] = {}
    for kind, of in work.variants.items():
        made = of.make(episode, work.seed)
        variants[kind] = tuple([(v, await verdicts_of(work.judge, _named(v, kind))) for v in made])
        words[kind] = _words(episode, made)
    return Audited(episode.trial, tuple(as_it_is), variants, words)


def _named(variant: Variant, kind: str) -> Episode:
    """The variant under a name of its own, so that its calls are not those of the episode."""
    trial = variant.episode.trial
    return replace(variant.episode, trial=replace(trial, id=f"{trial.id} {kind} {variant.label}"))


def _words(episode: Episode, variants: Iterable[Variant]) -> tuple[int, int]:
    """The words of the seats whose number of words a variant changes: as it is, and then."""
    before, after = 0, 0
    own = _by_seat(episode)
    for variant in variants:
        for seat, count in _by_seat(variant.episode).items():
            if count != own[seat]:
                before, after = before + own[seat], after + count
    return before, after


def _by_seat(episode: Episode) -> Counter[str]:
    found: Counter[str] = Counter()
    for move in episode.moves:
        found[move.seat] += sum(len(action.text.split()) for action in move.actions)
    return found
