"""What the clients of `sociolab mcp` may spend, and whom they may seat."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, Field

from sociolab.app.data.sets import load_world
from sociolab.app.players.casting import NO_JUDGE
from sociolab.app.players.models import ModelSpec, NamedSpec, parse
from sociolab.app.run.config import WorldConfig
from sociolab.core.errors import ConfigError
from sociolab.core.user_files import imported_names
from sociolab.report.words import money, plural


class Left(BaseModel):
    """What is left of the budget that the server was started with."""

    usd: float = Field(description="US dollars; what is under way holds its part of the budget")
    episodes: int


@dataclass(frozen=True, slots=True)
class Grant:
    """What work under way may spend at most, held until it is over."""

    usd: float
    episodes: int


@dataclass
class ClientLimits:
    """The budget of a server, in dollars and in episodes, and the users' own code that clients may
    seat: the `allowed` specs."""

    usd: float
    episodes: int
    allowed: Collection[str] = ()
    _used: Grant = Grant(0.0, 0)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def left(self) -> Left:
        used = self._used
        return Left(usd=max(self.usd - used.usd, 0.0), episodes=self.episodes - used.episodes)

    def hold(self, usd: float | None, episodes: int, least: float | None = 0.0) -> Grant:
        """Hold so much (None: all dollars that are left) for work that costs `least` or more.

        ConfigError, which says how much is left, where that is less.
        """
        with self._lock:
            left = self.left
            if episodes > left.episodes:
                raise ConfigError(
                    f"refused: {plural(episodes, 'episode')} would be played, and {left.episodes:,}"
                    f" of the {self.episodes:,} that this server was started with are left; take "
                    "fewer tasks or repeats, or have it started with a larger --episodes"
                )
            rest = (
                f"{money(left.usd)} of the server's budget of {money(self.usd)} is left beside "
                "what is under way"
            )
            advice = "or have the server started with a larger --budget"
            if usd is not None and usd > left.usd:
                raise ConfigError(
                    f"refused: a budget of {money(usd)} was asked for, and {rest}; ask for less, "
                    f"{advice}"
                )
            grant = Grant(left.usd if usd is None else usd, episodes)
            if least is not None and least > grant.usd:
                within = rest if usd is None else f"its budget is {money(usd)} ({rest})"
                raise ConfigError(
                    f"refused: this would cost {money(least)} or more, and {within}; take fewer "
                    f"tasks or repeats, or a cheaper model, {advice}"
                )
            self._add(grant.usd, episodes)
            return grant

    def settle(self, grant: Grant, usd: float, episodes: int) -> None:
        """Replace what was held by what was spent, since the work is over."""
        with self._lock:
            self._add(usd - grant.usd, episodes - grant.episodes)

    def _add(self, usd: float, episodes: int) -> None:
        self._used = Grant(self._used.usd + usd, self._used.episodes + episodes)

    def check(self, config: WorldConfig, specs: Iterable[str | None]) -> None:
        """ConfigError for what no client may name: code, addresses, people and paths."""
        if config.data is not None and config.data not in (there := imported_names(config.world)):
            raise ConfigError(
                f"data: expected an imported data set of {config.world} (there is: "
                f'{", ".join(there) or "none"}), found "{config.data}"'
            )
        for name, value in config.settings.items():
            if any(mark in value for mark in "/\\~") or Path(value).exists():
                raise ConfigError(
                    f'settings: expected for {name} a value that is no path, found "{value}"'
                )
        kit = load_world(config.world, config.data, settings=config.settings)
        own = {*kit.players, *kit.judges, NO_JUDGE, *self.allowed}
        for text in specs:
            if text and text not in own and not isinstance(parse(text, "agent"), ModelSpec):
                raise ConfigError(
                    f'"{text}" may not be used here: expected a model ("endpoint/model") or one of '
                    f"{', '.join(sorted(own))}; code, services and people need --allow at the "
                    "start of the server"
                )


def is_free(specs: Iterable[str | None]) -> bool:
    """Whether these are all players and judges of a world, which call nobody."""
    return all(isinstance(parse(text, "agent"), NamedSpec) for text in specs if text)
