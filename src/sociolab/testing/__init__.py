"""Suites that every player, mind, world and judge must pass, for pytest (the `dev` extra).

from sociolab.testing import PlayerContract

class TestMyPlayer(PlayerContract):
    def player(self) -> Player:
        return MyPlayer()
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import loaded_when_used

if TYPE_CHECKING:
    from sociolab.testing.judge_contract import JudgeContract
    from sociolab.testing.mind_contract import MindContract
    from sociolab.testing.player_contract import PlayerContract
    from sociolab.testing.world_contract import WorldContract

__all__ = ["JudgeContract", "MindContract", "PlayerContract", "WorldContract"]

__getattr__ = loaded_when_used(
    __name__,
    {
        "JudgeContract": "sociolab.testing.judge_contract",
        "MindContract": "sociolab.testing.mind_contract",
        "PlayerContract": "sociolab.testing.player_contract",
        "WorldContract": "sociolab.testing.world_contract",
    },
)
