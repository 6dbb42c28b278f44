"""The ultimatum game, with an exam for its judges."""

from __future__ import annotations

from dataclasses import replace

from ultimatum import ROLES, Ultimatum, plugin as ultimatum, task_of

import sociolab.plugin.api as lab


class GameCase(lab.CaseRow):
    """A game of one offer, and what the responder makes of it."""

    points: int
    words: str
    answer: str

    def episode(self) -> lab.Episode:
        """The game as an episode of the world."""
        offer = lab.Action("offer", self.words, fields={"points": self.points})
        moves = (
            lab.Moved(0, "proposer", (offer,)),
            lab.Moved(1, "responder", (lab.Action(self.answer),)),
        )
        reason = "deal" if self.answer == "accept" else "turn limit"
        cast = tuple(lab.CastMember(seat) for seat in ROLES)
        trial = lab.Trial(self.id, "splits", task_of(self.id, 1), cast, 0, 0)
        return lab.Episode(trial, (*moves, lab.Ended(reason, 1, "responder")))


class Generous:
    """Believes that everybody got half."""

    id = lab.JudgeId("generous", "rules", "1")

    async def judge(self, episode: lab.Episode, judging: int = 0) -> tuple[lab.Verdict, ...]:
        payoff = lab.Measure("payoff", 0, 100)
        return tuple(lab.Score(payoff, seat, 50, "they shared") for seat in ROLES)


def load(setup: lab.WorldSetup) -> lab.WorldKit:
    """The kit of the ultimatum game, under this name."""
    kit = ultimatum.loader(setup)
    assert isinstance(kit.world, Ultimatum)
    return replace(kit, world=replace(kit.world, name="splits"))


def exam() -> tuple[lab.ExamCase, ...]:
    """Four cases a form."""
    return lab.read_exam("splits", "exam.toml", GameCase, GameCase.episode)


plugin = replace(ultimatum, name="splits", loader=load, exam=exam)
