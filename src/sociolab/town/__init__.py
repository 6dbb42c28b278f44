"""A sandbox town of generative agents (arXiv 2304.03442), usable by any world.

Public are the names that a mind of your own needs (docs/stss.md).
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.town.clock import Clock as Clock, spoken_date as spoken_date
    from sociolab.town.map import (
        OUTDOORS as OUTDOORS,
        Place as Place,
        Tile as Tile,
        TownMap as TownMap,
    )
    from sociolab.town.map_file import load_map as load_map, own_map as own_map
    from sociolab.town.mind import (
        Mind as Mind,
        MindPlayer as MindPlayer,
    )
    from sociolab.town.model_mind import (
        ModelMind as ModelMind,
        answer_schema as answer_schema,
        build_prompt as build_prompt,
    )
    from sociolab.town.out_of_order import Gaps as Gaps
    from sociolab.town.paths import Paths as Paths
    from sociolab.town.person import (
        Rules as Rules,
        Setting as Setting,
        Surroundings as Surroundings,
        sees as sees,
        shorten_activity as shorten_activity,
    )
    from sociolab.town.questions import (
        QUESTIONS as QUESTIONS,
        Block as Block,
        Choice as Choice,
        ChoosePlace as ChoosePlace,
        DayPlan as DayPlan,
        DayReminder as DayReminder,
        Decision as Decision,
        Decompose as Decompose,
        Entry as Entry,
        GeneralPlan as GeneralPlan,
        Insight as Insight,
        Insights as Insights,
        Items as Items,
        Lines as Lines,
        Matter as Matter,
        Me as Me,
        Memo as Memo,
        Memory as Memory,
        MindAnswer as MindAnswer,
        MindName as MindName,
        MindQuestion as MindQuestion,
        NewPlan as NewPlan,
        Other as Other,
        Part as Part,
        Parts as Parts,
        PlanDay as PlanDay,
        RateImportance as RateImportance,
        Ratings as Ratings,
        Reflect as Reflect,
        Reminder as Reminder,
        Replan as Replan,
        Said as Said,
        SpeechAct as SpeechAct,
        Summarise as Summarise,
        Summary as Summary,
        TalkOrNot as TalkOrNot,
        TalkReminder as TalkReminder,
        Utter as Utter,
        Utterance as Utterance,
    )
    from sociolab.town.questions.generative import (
        Activity as Activity,
        Area as Area,
        ChooseArena as ChooseArena,
        ChooseObject as ChooseObject,
        ChooseSector as ChooseSector,
        ConversationMemo as ConversationMemo,
        ConversationSummary as ConversationSummary,
        DailyPlan as DailyPlan,
        DaySchedule as DaySchedule,
        DrawInsights as DrawInsights,
        EvidencedInsight as EvidencedInsight,
        EvidencedInsights as EvidencedInsights,
        FeelingNote as FeelingNote,
        GenerativeUtter as GenerativeUtter,
        HourlySchedule as HourlySchedule,
        MemoryRating as MemoryRating,
        Noted as Noted,
        ObjectState as ObjectState,
        Outline as Outline,
        PlanningNote as PlanningNote,
        PlanningThought as PlanningThought,
        RateMemories as RateMemories,
        RateMemory as RateMemory,
        React as React,
        RelationshipSummary as RelationshipSummary,
        ReviseIdentity as ReviseIdentity,
        ReviseSchedule as ReviseSchedule,
        SalientAnswer as SalientAnswer,
        SalientQuestions as SalientQuestions,
        Schedule as Schedule,
        Subtask as Subtask,
        Subtasks as Subtasks,
        TaskDecomposition as TaskDecomposition,
        ThingState as ThingState,
        WakeUpHour as WakeUpHour,
        Waking as Waking,
        Written as Written,
    )
    from sociolab.town.residents import (
        Resident as Resident,
        load_residents as load_residents,
        own_residents as own_residents,
    )
    from sociolab.town.scripted.mind import (
        CompleteMind as CompleteMind,
        ScriptedMind as ScriptedMind,
    )
    from sociolab.town.simulation import (
        Order as Order,
        simulate as simulate,
    )
    from sociolab.town.tiled import load_tiled as load_tiled
    from sociolab.town.trace import (
        HEADINGS as HEADINGS,
        TRACE as TRACE,
        Did as Did,
        ObjectBecame as ObjectBecame,
        Planned as Planned,
        PlannedBlock as PlannedBlock,
        Record as Record,
        Remembered as Remembered,
        Reminded as Reminded,
        Stood as Stood,
        Talked as Talked,
        Trace as Trace,
        Walked as Walked,
        WentWithout as WentWithout,
        chunks_in as chunks_in,
        make_chunk as make_chunk,
        make_header as make_header,
        read_trace as read_trace,
    )
    from sociolab.town.trajectory import Trajectory as Trajectory, diary as diary
else:
    __getattr__, __dir__ = load_public_names(__name__)
