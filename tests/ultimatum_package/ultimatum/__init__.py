"""An ultimatum game: the proposer splits 100 points, the responder takes it or nobody gets any."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, Field

import sociolab.plugin.api as lab


class Points(BaseModel):
    """What an offer holds, beside words."""

    points: int = Field(ge=0, le=100, description="of the 100, for the responder")


OFFER = lab.ActionKind("offer", fields=Points, spoken=True, label="Make an offer")
ACCEPT = lab.ActionKind("accept", has_text=False, ends="deal")
DECLINE = lab.ActionKind("decline", has_text=False)
ROLES = {"proposer": "Proposer", "responder": "Responder"}
HEAD = """You are the {seat}. The proposer offers some of 100 points, in a few words; the responder
accepts, or declines. After {rounds} offers without a deal nobody gets anything."""


class Settings(BaseModel):
    rounds: int = Field(default=2, ge=1)


def acts_of(seat: str, turn: int) -> tuple[lab.ActionKind, ...]:
    """Each role has its own acts."""
    return (OFFER,) if seat == "proposer" else (ACCEPT, DECLINE)


def scene_of(rounds: int) -> lab.OpenScene:
    """The proposer offers, the responder answers, and both see it."""
    heads = {seat: HEAD.format(seat=seat, rounds=rounds) for seat in ROLES}
    space = lab.ActionSpace((OFFER, ACCEPT, DECLINE))
    return lab.OpenScene(heads, space, 2 * rounds, names=ROLES, acts=acts_of)


def task_of(game: str, rounds: int) -> lab.Task:
    """A game; its content is all that its transcript needs."""
    return lab.Task(game, tuple(ROLES), game, json.dumps({"rounds": rounds}), ("split",))


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
        return [task_of(game, self.rounds) for game in self.games]

    def play(self, task: lab.Task, trial: str, seed: int) -> lab.Play:
        """As the engine plays scenes."""
        return lab.play(scene_of(self.rounds), trial=trial, seed=seed, policy=self.policy)

    def transcript(self, episode: lab.Episode, seat: str | None = None) -> lab.Transcript:
        """All of it: nothing is private."""
        rounds = json.loads(episode.trial.task.content)["rounds"]
        return scene_of(rounds).transcript("Ultimatum", episode, seat)


class Scripted:
    """Offers 40, then 50; takes 50."""

    async def reply(self, request: lab.Request, memory: lab.Json) -> lab.Reply:
        if request.seat == "proposer":
            points = 40 if request.turn == 0 else 50
            return lab.Reply((lab.Action("offer", "Take it.", fields={"points": points}),))
        last = request.observation.history[-1].actions[0].fields["points"]
        return lab.Reply((lab.Action("accept" if last == 50 else "decline"),))


PAYOFF = lab.Measure("payoff", 0, 100, title="payoff")


def offers_of(episode: lab.Episode) -> list[int]:
    """The points of each offer."""
    given = [action.fields for move in episode.moves for action in move.actions if action.fields]
    return [Points.model_validate(one).points for one in given]


class Payoffs:
    """What each seat got."""

    id = lab.JudgeId("payoffs", "rules", "1")

    async def judge(self, episode: lab.Episode, judging: int = 0) -> tuple[lab.Verdict, ...]:
        if not episode.moves:
            return tuple(lab.Unscored(PAYOFF, seat, "nothing was offered") for seat in ROLES)
        deal = episode.ended is not None and episode.ended.reason == "deal"
        given = offers_of(episode)[-1] if deal else 0
        got = {"proposer": 100 - given if deal else 0, "responder": given}
        return tuple(lab.Score(PAYOFF, seat, points) for seat, points in got.items())


def shown(episode: lab.Episode) -> lab.RatedScene:
    """A game as raters see it."""
    people = tuple(lab.RatedPerson(*role) for role in ROLES.items())
    return lab.RatedScene(
        "100 points are to be split.", people, (), scene_of(2).rated_lines(episode)
    )


def rating() -> lab.RatingGuide:
    """How people rate a game, and how a model judges it."""
    fairness = lab.Measure("fairness", 0, 10, whole=True, title="fairness")
    texts = ("Fairness", "How fair was this player?", "Look at the split.", "Wanted all.", "Half.")
    return lab.RatingGuide((lab.DimensionGuide(fairness, *texts),), shown)


def louder(episode: lab.Episode, seed: int) -> tuple[lab.Variant, ...]:
    """The same offers in other words, for an audit of a judge."""
    events = list(episode.events)
    for n, event in enumerate(events):
        if isinstance(event, lab.Moved):
            loud = tuple(replace(one, text=one.text.upper()) for one in event.actions)
            events[n] = replace(event, actions=loud)
    changes = (("proposer", "", "louder"),)
    return (lab.Variant("louder", replace(episode, events=tuple(events)), changes),)


class Wanted(lab.StoreAccess):
    run: str


async def offers(context: lab.Context, wanted: Wanted) -> lab.Findings:
    """What was offered, game by game."""
    games = context.store.episodes(wanted.run)
    rows = tuple((one.trial.task.id, ", ".join(map(str, offers_of(one)))) for one in games)
    table = lab.TextTable("", ("game", "points for the responder"), rows)
    return lab.Findings((lab.Section("Offers", tables=(table,)),))


def remarks(world: lab.World) -> list[str]:
    """What `sociolab data check` says of somebody's games."""
    return ["an interval wants at least 10 games"] if len(world.tasks()) < 10 else []


def load(setup: lab.WorldSetup) -> lab.WorldKit:
    rounds = setup.read("ultimatum", Settings).rounds
    games = json.loads((setup.folder / "games.json").read_text()) if setup.folder else "abcd"
    return lab.WorldKit(
        Ultimatum(setup.policy, rounds, tuple(games)), {"scripted": Scripted()},
        {"payoffs": Payoffs()}, (), lambda model: lab.guide_judge(rating(), model),
        variants={"louder": lab.Variants(louder, "offers are written in capitals")},
    )  # fmt: skip


def import_games(wanted: lab.Importing, fresh: Path) -> Sequence[str]:
    """A JSON list of the games' names."""
    games = lab.json_file(wanted.source)
    if not isinstance(games, list):
        raise lab.ConfigError(f"{wanted.source}: expected a list of names, found {games!r:.40}")
    fresh.mkdir()
    (fresh / "games.json").write_text(json.dumps(games))
    return [f"{len(games)} games"]


def import_played(source: Path) -> tuple[list[lab.Episode], list[str], list[lab.ImportedJudging]]:
    """A JSON list of accepted offers."""
    played = []
    for number, points in enumerate(json.loads(source.read_text())):
        cast = tuple(lab.CastMember(seat, lab.Agent("somebody", "imported")) for seat in ROLES)
        offer = lab.Action("offer", fields=Points(points=points).model_dump())
        moves = [lab.Moved(0, "proposer", (offer,))]
        moves += [lab.Moved(1, "responder", (lab.Action("accept"),))]
        trial = lab.Trial(f"played-{number}", "ultimatum", task_of(f"g{number}", 1), cast, 0, 0)
        played.append(lab.Episode(trial, (*moves, lab.Ended("deal", 1, "responder"))))
    return played, [f"{len(played)} games played elsewhere"], []


plugin = lab.WorldPlugin(
    "ultimatum", load, settings=Settings, short={"rounds": "1"},
    declared=lab.Declared(
        (lab.Metric("payoff", unit="points", tooltip="Points got"), lab.Metric("fairness")),
        main=("payoff",), cluster="game", spoken=("offer",), roles=ROLES,
        acts={"accept": "accepted", "decline": "declined"}, ends={"deal": "they agreed"},
    ),
    importers={"games": lab.Importer(import_games, "play it: sociolab run ultimatum --data {name}"),
               "games-played": lab.EpisodeImporter(import_played)},
    guides={"fairness": rating}, remarks=remarks,
    tools={"offers": lambda: lab.Tool(
        Wanted, offers, demo=lambda runs: Wanted(run=runs["ultimatum"]))},
)  # fmt: skip
