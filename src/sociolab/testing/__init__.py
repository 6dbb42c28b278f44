"""Suites that every player, mind, world and judge must pass, for pytest (the `dev` extra).

from sociolab.testing import PlayerContract

class TestMyPlayer(PlayerContract):
    def player(self) -> Player:
        return MyPlayer()
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.testing.contracts import (
        JudgeContract as JudgeContract,
        PlayerContract as PlayerContract,
        WorldContract as WorldContract,
    )
    from sociolab.testing.minds import (
        MindContract as MindContract,
        stock_questions as stock_questions,
    )
    from sociolab.testing.players import (
        AnyPlayer as AnyPlayer,
        Exchange as Exchange,
        OddPlayer as OddPlayer,
        SilentPlayer as SilentPlayer,
        WatchedPlayer as WatchedPlayer,
    )
    from sociolab.testing.playing import (
        STOCK_ACTIONS as STOCK_ACTIONS,
        STOCK_NAMES as STOCK_NAMES,
        StockScene as StockScene,
        as_bytes as as_bytes,
        drive_recorded as drive_recorded,
        ending_of as ending_of,
        play_scene as play_scene,
        play_task as play_task,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
