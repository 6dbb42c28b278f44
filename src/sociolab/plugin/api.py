"""The names that the author of a world needs, in one place: these stay, all others may move.

import sociolab.plugin.api as lab
"""

from __future__ import annotations

from sociolab.core.episode import (
    Action,
    ActionKind,
    ActionSpace,
    CastMember,
    Ended,
    Episode,
    Json,
    Moved,
    Task,
    Trial,
)
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import Declared, Metric
from sociolab.core.ports import (
    ChatModel,
    DataId,
    DryRun,
    Judge,
    Line,
    NoReply,
    Observation,
    Play,
    Player,
    Question,
    Reply,
    Request,
    Role,
    Transcript,
    Variant,
    Variants,
    World,
    WorldKit,
)
from sociolab.core.score import JudgeId, Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.engine.play import play
from sociolab.engine.scene import FailurePolicy, Order, Poll
from sociolab.engine.setup import WorldSetup
from sociolab.plugin.context import Context, Findings, Tool
from sociolab.plugin.shown import (
    Beside,
    Condition,
    Conditions,
    DimensionGuide,
    FactWay,
    RatedLine,
    RatedPerson,
    RatedScene,
    ReviewedTask,
)
from sociolab.plugin.world import (
    EpisodeImporter,
    Importer,
    Importing,
    RatingGuide,
    WorldPlugin,
    WrittenTasks,
)
from sociolab.prompting.templates import prompt

__all__ = [
    "Action",
    "ActionKind",
    "ActionSpace",
    "Beside",
    "CastMember",
    "ChatModel",
    "Condition",
    "Conditions",
    "ConfigError",
    "Context",
    "DataId",
    "Declared",
    "DimensionGuide",
    "DryRun",
    "Ended",
    "Episode",
    "EpisodeImporter",
    "FactWay",
    "FailurePolicy",
    "Findings",
    "Importer",
    "Importing",
    "Json",
    "Judge",
    "JudgeId",
    "Line",
    "Measure",
    "Metric",
    "Moved",
    "NoReply",
    "Observation",
    "Order",
    "Play",
    "Player",
    "Poll",
    "Question",
    "RatedLine",
    "RatedPerson",
    "RatedScene",
    "RatingGuide",
    "Reply",
    "Request",
    "ReviewedTask",
    "Role",
    "Score",
    "ScoreFailure",
    "Task",
    "Tool",
    "Transcript",
    "Trial",
    "Unscored",
    "Variant",
    "Variants",
    "Verdict",
    "World",
    "WorldKit",
    "WorldPlugin",
    "WorldSetup",
    "WrittenTasks",
    "play",
    "prompt",
]
