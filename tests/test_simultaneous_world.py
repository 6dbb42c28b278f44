"""A stranger's world in which three seats act at once keeps the contract."""

from __future__ import annotations

from collections.abc import Mapping

from public_goods import GIVERS, PublicGoods
from sociolab.core.episode import Task
from sociolab.core.ports import Player, World
from sociolab.testing import WorldContract


class TestItKeepsTheContract(WorldContract):
    def world(self) -> World:
        return PublicGoods()


class TestWithItsOwnPlayersToo(WorldContract):
    def world(self) -> World:
        return PublicGoods()

    def players(self, task: Task) -> Mapping[str, Player]:
        return GIVERS
