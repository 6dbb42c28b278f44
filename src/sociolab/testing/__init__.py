"""Suites that every player, world and judge must pass, for pytest (the `dev` extra).

from sociolab.testing.contracts import PlayerContract

class TestMyPlayer(PlayerContract):
    def player(self) -> Player:
        return MyPlayer()
"""
