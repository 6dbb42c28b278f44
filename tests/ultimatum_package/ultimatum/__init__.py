"""An ultimatum game: the proposer splits 100 points, the responder takes it or nobody gets any."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, Field

import sociolab.plugin.api as lab

PAYOFF = lab.Measure("payoff", 0, 100, title="payoff")
FAIRNESS = lab.Measure("fairness", 0, 10, whole=True, title="fairness")

OFFER, ACCEPT, DECLINE = (
    lab.ActionKind("offer", spoken=True),
    lab.ActionKind("accept", has_text=False, ends="deal"),
    lab.ActionKind("decline", has_text=False),
)
ALL = lab.ActionSpace((OFFER, ACCEPT, DECLINE))
SEATS = ("proposer", "responder")


class Settings(BaseModel):
    """`rounds`: how often the proposer may offer."""

    rounds: int = Field(default=2, ge=1)


@dataclass
class Witness:
    """Both see everything."""

    seat: str
    limit: int
    lines: list[lab.Line] = field(default_factory=list)

    def see(self, move: lab.Moved) -> None:
        said = "; ".join(f"{one.kind} {one.text}".strip() for one in move.actions)
        line = lab.Line(move.turn, move.seat, move.seat == self.seat, move.actions, said)
        self.lines.append(line)

    def observe(self, turn: int) -> lab.Observation:
        """What this seat is shown."""
        head = f"Split 100 points. You are the {self.seat}. Offer the points for the responder."
        others = tuple(one for one in SEATS if one != self.seat)
        history = tuple(self.lines)
        return lab.Observation(
            self.seat, self.seat, turn, self.limit, head, history, "Your turn.", others, history
        )

    def seat_called(self, name: str) -> str | None:
        return name if name in SEATS else None


@dataclass
class Scene:
    """The proposer offers, the responder answers."""

    limit: int
    seats: tuple[str, ...] = SEATS
    space: lab.ActionSpace = ALL
    order: lab.Order = "round-robin"
    polls: Sequence[lab.Poll] = ()

    def space_of(self, seat: str, turn: int) -> lab.ActionSpace:
        """Each role has its own acts."""
        return lab.ActionSpace((OFFER,) if seat == "proposer" else (ACCEPT, DECLINE))

    def witness(self, seat: str) -> Witness:
        return Witness(seat, self.limit)


@dataclass
class Ultimatum:
    """Four games that differ in nothing but their names, or those of a data set."""

    policy: lab.FailurePolicy
    rounds: int
    games: tuple[str, ...]
    name: str = "ultimatum"

    @property
    def data(self) -> lab.DataId:
        """The games and how long they are."""
        return lab.DataId("games", "1", f"{'+'.join(self.games)}-{self.rounds}")

    def tasks(self) -> Sequence[lab.Task]:
        """A task a game."""
        return [lab.Task(game, SEATS, game, "{}", ("split",)) for game in self.games]

    def play(self, task: lab.Task, trial: str, seed: int) -> lab.Play:
        """As the engine plays scenes."""
        return lab.play(Scene(2 * self.rounds), trial=trial, seed=seed, policy=self.policy)

    def transcript(self, episode: lab.Episode, seat: str | None = None) -> lab.Transcript:
        """All of it: nothing is private."""
        witness = Witness(seat or "", 2 * self.rounds)
        for move in episode.moves:
            witness.see(move)
        return lab.Transcript(
            "Ultimatum", (("Scene", "100 points to split."),), tuple(witness.lines)
        )


class Scripted:
    """Offers 40, then 50; takes 50."""

    async def reply(self, request: lab.Request, memory: lab.Json) -> lab.Reply:
        if request.seat == "proposer":
            return lab.Reply((lab.Action("offer", "40" if request.turn == 0 else "50"),))
        last = request.observation.history[-1].actions[0].text
        return lab.Reply((lab.Action("accept" if last == "50" else "decline"),))


def payoffs(episode: lab.Episode) -> dict[str, float]:
    """What each seat got."""
    if not episode.ended or episode.ended.reason != "deal":
        return dict.fromkeys(SEATS, 0.0)
    offers = [one.text for move in episode.moves for one in move.actions if one.kind == "offer"]
    given = float(offers[-1]) if offers[-1].isdecimal() else 0.0
    return {"proposer": 100 - given, "responder": given}


class Points:
    id = lab.JudgeId("points", "rules", "1")

    async def judge(self, episode: lab.Episode, judging: int = 0) -> tuple[lab.Verdict, ...]:
        return tuple(lab.Score(PAYOFF, seat, got) for seat, got in payoffs(episode).items())


def model_judge(model: lab.ChatModel) -> lab.Judge:
    return Points()


def load(setup: lab.WorldSetup) -> lab.WorldKit:
    rounds = setup.read("ultimatum", Settings).rounds
    own = ["a", "b", "c", "d"]
    games = json.loads((setup.folder / "games.json").read_text()) if setup.folder else own
    world = Ultimatum(setup.policy, rounds, tuple(games))
    return lab.WorldKit(world, {"scripted": Scripted()}, {"points": Points()}, (), model_judge)


def import_games(wanted: lab.Importing, fresh: Path) -> Sequence[str]:
    """A JSON list of the games' names."""
    games = json.loads(wanted.source.read_text())
    fresh.mkdir()
    (fresh / "games.json").write_text(json.dumps(games))
    return [f"{len(games)} games"]


def import_played(source: Path) -> tuple[Sequence[lab.Episode], Sequence[str]]:
    """A JSON list of accepted offers."""
    played = []
    for number, points in enumerate(json.loads(source.read_text())):
        cast = tuple(lab.CastMember(seat, "somebody") for seat in SEATS)
        task = lab.Task(f"g{number}", SEATS, f"g{number}", "{}", ("split",))
        moves = (lab.Moved(0, "proposer", (lab.Action("offer", str(points)),)),
                 lab.Moved(1, "responder", (lab.Action("accept"),)))  # fmt: skip
        trial = lab.Trial(f"played-{number}", "ultimatum", task, cast, 0, 0)
        played.append(lab.Episode(trial, (*moves, lab.Ended("deal", 1, "responder"))))
    return played, [f"{len(played)} games played elsewhere"]


def shown(episode: lab.Episode) -> lab.RatedScene:
    """A game as raters see it."""
    lines = tuple(
        lab.RatedLine(move.turn + 1, move.seat, move.seat, " ".join((one.kind, one.text)).strip())
        for move in episode.moves for one in move.actions
    )  # fmt: skip
    return lab.RatedScene(
        "100 points", tuple(lab.RatedPerson(one, one) for one in SEATS), (), lines
    )


def rating() -> lab.RatingGuide:
    guide = lab.DimensionGuide(
        FAIRNESS, "Fairness", "How fair?", "The split.", "unfair", "fair", ()
    )
    return lab.RatingGuide((guide,), shown)


plugin = lab.WorldPlugin(
    "ultimatum", load, settings=Settings, short={"rounds": "1"}, rating=rating,
    declared=lab.Declared((lab.Metric("payoff"),), main=("payoff",), cluster="game"),
    importers={"games": lab.Importer(import_games, "play it: sociolab run ultimatum --data {name}"),
               "games-played": lab.EpisodeImporter(import_played)},
)  # fmt: skip
