"""What a user may set of the two worlds, with `--set NAME=VALUE`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.errors import ConfigError
from sociolab.engine.setup import WorldSetup
from sociolab.worlds.anteval.information.evidence import Plan
from sociolab.worlds.anteval.intention.assign import UNIFORM, Assigned, read_prior
from sociolab.worlds.anteval.session import MOST_TURNS, Form
from sociolab.worlds.anteval.sessions import Drawn, Sessions, Stored, read_sessions

_MOST_PLAYERS = 6
"""As many as the tables of names and situations are made for."""


class DrawnSettings(BaseModel):
    """How sessions are drawn: T players, N turns in all, H sessions (paper: T = 3, H not given)."""

    model_config = ConfigDict(frozen=True)

    players: int = Field(default=3, ge=1, le=_MOST_PLAYERS)
    turns: int = Field(default=30, ge=1, le=MOST_TURNS)
    sessions: int = Field(default=50, ge=1, le=100_000)

    def of_drawn(self) -> set[str]:
        """The names of the settings that were given and say how sessions are drawn."""
        return self.model_fields_set & set(DrawnSettings.model_fields)


class InformationSettings(DrawnSettings):
    """Information exchange.

    The NPC knows so many `facts`; the paper's k is `key_points`, the same for all sessions of a
    run (without it half of the facts, so that there is something to summarise). `snapshots` N asks
    the players after every N turns what they have learned (0: never); `controls` asks them before
    the first turn, too, and reports all controls.
    """

    facts: int = Field(default=10, ge=1, le=100)
    key_points: int | None = Field(default=None, ge=1)
    snapshots: int = Field(default=0, ge=0)
    controls: bool = True

    def of_drawn(self) -> set[str]:
        """The names of the settings that were given and say how sessions are drawn."""
        return super().of_drawn() | (self.model_fields_set & {"facts"})

    def drawn(self, seed: int) -> Drawn:
        """The sessions that these settings draw."""
        return Drawn("information", seed, self.sessions, self.players, self.turns, self.facts)

    def plan(self, sessions: Sessions) -> Plan:
        """What is measured; ConfigError where a session has fewer facts than k."""
        facts = self.facts
        if isinstance(sessions, Stored):
            facts = min(len(session.knowledge) for session in sessions.sessions)
        k = self.key_points or (facts + 1) // 2
        if k > facts:
            raise ConfigError(
                f"key_points: expected at most as many as there are facts ({facts}), found {k}"
            )
        return Plan(k, self.controls, self.snapshots)


class IntentionSettings(DrawnSettings):
    """Intention expression.

    `prior` is "uniform" or a path to a JSON object from skill to weight; `none` the share of
    players who mean to use no skill; the others mean to use `per_player` different ones.
    """

    prior: str = UNIFORM
    none: float = Field(default=0.15, ge=0, le=1)
    per_player: int = Field(default=1, ge=1, le=18)

    def of_drawn(self) -> set[str]:
        """The names of the settings that were given: all of them say how sessions are drawn."""
        return set(self.model_fields_set)

    def drawn(self, seed: int) -> Drawn:
        """The sessions that these settings draw; ConfigError where the prior cannot be read."""
        assigned = Assigned(read_prior(self.prior), self.none, self.per_player)
        return Drawn("intention", seed, self.sessions, self.players, self.turns, assigned=assigned)


def sessions_of(
    form: Form, setup: WorldSetup, settings: InformationSettings | IntentionSettings
) -> Sessions:
    """The sessions of the folder that is given, or drawn by the settings and the seed.

    ConfigError where sessions come from a folder and settings say how to draw some.
    """
    if setup.folder is None:
        return settings.drawn(setup.seed)
    given = settings.of_drawn()
    if given:
        names = ", ".join(sorted(given))
        raise ConfigError(
            f"the sessions of {setup.folder} are written down already, found settings for drawing "
            f"some ({names}); leave these out, or --data"
        )
    return read_sessions(setup.folder, form)
