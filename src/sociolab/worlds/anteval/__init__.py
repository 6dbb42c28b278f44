"""AntEval: a D&D party plays with an NPC (arXiv 2401.06509), and decides (a world of ours)."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.worlds.anteval.conduct import ConductCheck as ConductCheck
    from sociolab.worlds.anteval.decision.case import (
        CasePerson as CasePerson,
        Clue as Clue,
        DecisionCase as DecisionCase,
        best as best,
    )
    from sociolab.worlds.anteval.decision.cases import (
        DecisionSettings as DecisionSettings,
        Theme as Theme,
        case_task as case_task,
        chance_alone as chance_alone,
        read_tasks as read_tasks,
        themes as themes,
    )
    from sociolab.worlds.anteval.decision.kit import load_decision as load_decision
    from sociolab.worlds.anteval.decision.scoring import (
        ChoiceJudge as ChoiceJudge,
        PoolingModelJudge as PoolingModelJudge,
        PoolingRecordJudge as PoolingRecordJudge,
    )
    from sociolab.worlds.anteval.decision.scripted import ScriptedDecider as ScriptedDecider
    from sociolab.worlds.anteval.decision.world import AntDecision as AntDecision
    from sociolab.worlds.anteval.gap import GapSettings as GapSettings, measure_gap as measure_gap
    from sociolab.worlds.anteval.gap_ladder import CutPlay as CutPlay
    from sociolab.worlds.anteval.importing.dnd import read_examples as read_examples
    from sociolab.worlds.anteval.information.model_judge import ModelJudge as ModelJudge
    from sociolab.worlds.anteval.information.scoring import (
        LEARNED as LEARNED,
        InformationPlan as InformationPlan,
        Learned as Learned,
        RecordJudge as RecordJudge,
        build_polls as build_polls,
        find_answer as find_answer,
    )
    from sociolab.worlds.anteval.kit import (
        load_information as load_information,
        load_intention as load_intention,
    )
    from sociolab.worlds.anteval.party.drawing import draw_party as draw_party
    from sociolab.worlds.anteval.prompt_sets import paper_prompts as paper_prompts
    from sociolab.worlds.anteval.scene import (
        ASK as ASK,
        CHAT as CHAT,
        TELL as TELL,
        USE as USE,
        WIN as WIN,
        AntScene as AntScene,
        is_recorded as is_recorded,
        turn_text as turn_text,
        view_table as view_table,
    )
    from sociolab.worlds.anteval.scripted import (
        ScriptedPartyPlayer as ScriptedPartyPlayer,
        WhatElsePlayer as WhatElsePlayer,
    )
    from sociolab.worlds.anteval.session import (
        NPC as NPC,
        SKILLS as SKILLS,
        Fact as Fact,
        FactKind as FactKind,
        Form as Form,
        Intention as Intention,
        Mystery as Mystery,
        PartyMember as PartyMember,
        Session as Session,
        Trust as Trust,
        session_from as session_from,
    )
    from sociolab.worlds.anteval.sessions import (
        InformationSettings as InformationSettings,
        IntentionSettings as IntentionSettings,
        Sessions as Sessions,
        read_sessions as read_sessions,
        task_of as task_of,
    )
    from sociolab.worlds.anteval.virtual_dm.chat import (
        ChatDM as ChatDM,
        expected_reply as expected_reply,
        prompt_body as prompt_body,
        prompt_head as prompt_head,
        read_answer as read_answer,
        shots_from as shots_from,
    )
    from sociolab.worlds.anteval.virtual_dm.embedded import (
        EmbeddedDM as EmbeddedDM,
        TurnVectors as TurnVectors,
    )
    from sociolab.worlds.anteval.virtual_dm.example import (
        DM as DM,
        AsyncVirtualDM as AsyncVirtualDM,
        Example as Example,
        Label as Label,
        LocalDM as LocalDM,
        Turn as Turn,
        count_overlaps as count_overlaps,
        names_skill as names_skill,
    )
    from sociolab.worlds.anteval.virtual_dm.finetune import (
        LoraDM as LoraDM,
        LoraSettings as LoraSettings,
    )
    from sociolab.worlds.anteval.virtual_dm.openai_tuning import (
        OpenAITunedDM as OpenAITunedDM,
        training_bytes as training_bytes,
    )
    from sociolab.worlds.anteval.virtual_dm.specs import DMFactory as DMFactory
    from sociolab.worlds.anteval.world import AntEval as AntEval
else:
    __getattr__, __dir__ = load_public_names(__name__)
