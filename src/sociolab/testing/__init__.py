"""Suites that every player, mind, world and judge must pass, for pytest (the `dev` extra).

from sociolab.testing import PlayerContract

class TestMyPlayer(PlayerContract):
    def player(self) -> Player:
        return MyPlayer()
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import lazy_getattr

if TYPE_CHECKING:
    from sociolab.testing.contracts import JudgeContract, PlayerContract, WorldContract
    from sociolab.testing.minds import MindContract

__all__ = ["JudgeContract", "MindContract", "PlayerContract", "WorldContract"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "JudgeContract": "sociolab.testing.contracts",
        "MindContract": "sociolab.testing.minds",
        "PlayerContract": "sociolab.testing.contracts",
        "WorldContract": "sociolab.testing.contracts",
    },
)
