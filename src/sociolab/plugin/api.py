"""The names that the author of a world needs; their place is stable, all others may move.

import sociolab.plugin.api as lab
"""

from __future__ import annotations

from sociolab.core.episode import (
    Action,
    ActionKind,
    ActionSpace,
    Agent,
    CastMember,
    Ended,
    Episode,
    Json,
    Moved,
    Task,
    Trial,
)
from sociolab.core.errors import ConfigError
from sociolab.core.exam import ExamCase, ExpectedScore
from sociolab.core.metrics import Declared, Metric
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    DataId,
    Judge,
    Line,
    Message,
    Negotiation,
    NoReply,
    Observation,
    Play,
    Player,
    Prompt,
    Question,
    Reply,
    Request,
    Role,
    StandingOffers,
    Transcript,
    Variant,
    Variants,
    World,
    WorldKit,
)
from sociolab.core.reading import json_file, json_lines, record
from sociolab.core.score import JudgeId, Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.core.seeding import stream
from sociolab.engine.episode_loop import play
from sociolab.engine.scene import FailurePolicy, Order, Poll
from sociolab.engine.setup import WorldSetup
from sociolab.plugin.context import Context, Findings, Tool
from sociolab.plugin.exam import CaseRow, read_exam
from sociolab.plugin.judge import guide_judge
from sociolab.plugin.options import Flag, ModelAccess, StoreAccess
from sociolab.plugin.scene import OpenScene
from sociolab.plugin.shown import (
    Condition,
    Conditions,
    DecidedCluster,
    DimensionGuide,
    FactWay,
    RatedLine,
    RatedPerson,
    RatedScene,
    ReviewedTask,
    Sidebar,
    guides_from,
)
from sociolab.plugin.world import (
    EpisodeImporter,
    ImportedJudging,
    Importer,
    Importing,
    PromptImporter,
    RatingGuide,
    Revise,
    WorldPlugin,
    Writer,
)
from sociolab.plugin.writing import Author, WriteJob, WrittenTasks, write_all
from sociolab.prompting.sets import prompt
from sociolab.report.section import Section, TextTable

__all__ = [
    "Action",
    "ActionKind",
    "ActionSpace",
    "Agent",
    "Author",
    "CallKey",
    "CaseRow",
    "CastMember",
    "ChatModel",
    "Condition",
    "Conditions",
    "ConfigError",
    "Context",
    "DataId",
    "DecidedCluster",
    "Declared",
    "DimensionGuide",
    "Ended",
    "Episode",
    "EpisodeImporter",
    "ExamCase",
    "ExpectedScore",
    "FactWay",
    "FailurePolicy",
    "Findings",
    "Flag",
    "ImportedJudging",
    "Importer",
    "Importing",
    "Json",
    "Judge",
    "JudgeId",
    "Line",
    "Measure",
    "Message",
    "Metric",
    "ModelAccess",
    "Moved",
    "Negotiation",
    "NoReply",
    "Observation",
    "OpenScene",
    "Order",
    "Play",
    "Player",
    "Poll",
    "Prompt",
    "PromptImporter",
    "Question",
    "RatedLine",
    "RatedPerson",
    "RatedScene",
    "RatingGuide",
    "Reply",
    "Request",
    "ReviewedTask",
    "Revise",
    "Role",
    "Score",
    "ScoreFailure",
    "Section",
    "Sidebar",
    "StandingOffers",
    "StoreAccess",
    "Task",
    "TextTable",
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
    "WriteJob",
    "Writer",
    "WrittenTasks",
    "guide_judge",
    "guides_from",
    "json_file",
    "json_lines",
    "play",
    "prompt",
    "read_exam",
    "record",
    "stream",
    "write_all",
]
