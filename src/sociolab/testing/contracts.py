"""The contract suites, to be inherited by a plugin's test class."""

from sociolab.testing.judge_contract import JudgeContract
from sociolab.testing.mind_contract import MindContract
from sociolab.testing.player_contract import PlayerContract
from sociolab.testing.world_contract import WorldContract

__all__ = ["JudgeContract", "MindContract", "PlayerContract", "WorldContract"]
