"""The types that all packages share: episodes, scores, errors, ports of players and models."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.core.code_fingerprint import same_code as same_code
    from sociolab.core.codec import (
        decode_event as decode_event,
        decode_trial as decode_trial,
        encode_event as encode_event,
        encode_trial as encode_trial,
    )
    from sociolab.core.episode import (
        HUMAN as HUMAN,
        PARTICIPANT as PARTICIPANT,
        Act as Act,
        Action as Action,
        ActionKind as ActionKind,
        ActionSpace as ActionSpace,
        Agent as Agent,
        AgentKind as AgentKind,
        Answered as Answered,
        CastMember as CastMember,
        Ended as Ended,
        EndReason as EndReason,
        Episode as Episode,
        Event as Event,
        Happened as Happened,
        Json as Json,
        Moved as Moved,
        Task as Task,
        Trial as Trial,
        TurnCounts as TurnCounts,
        Unusable as Unusable,
    )
    from sociolab.core.errors import (
        BudgetSpent as BudgetSpent,
        Cause as Cause,
        ConfigError as ConfigError,
        ModelError as ModelError,
        ReplyError as ReplyError,
        SociolabError as SociolabError,
        StorageError as StorageError,
        StoreError as StoreError,
        WorldError as WorldError,
    )
    from sociolab.core.exam import (
        CaseKind as CaseKind,
        ExamCase as ExamCase,
        ExpectedScore as ExpectedScore,
        Form as Form,
    )
    from sociolab.core.instructions import (
        Instructions as Instructions,
        Prompts as Prompts,
    )
    from sociolab.core.metrics import (
        Declared as Declared,
        Metric as Metric,
    )
    from sociolab.core.ports import (
        CANNOT_TELL as CANNOT_TELL,
        Attempt as Attempt,
        CallKey as CallKey,
        ChatModel as ChatModel,
        ChatReply as ChatReply,
        Completed as Completed,
        DataId as DataId,
        FieldWording as FieldWording,
        Judge as Judge,
        Labelled as Labelled,
        Layout as Layout,
        Line as Line,
        Message as Message,
        NoReply as NoReply,
        Note as Note,
        Observation as Observation,
        Play as Play,
        Player as Player,
        PointAnswer as PointAnswer,
        Prompt as Prompt,
        Question as Question,
        Reply as Reply,
        ReplyStore as ReplyStore,
        Request as Request,
        Role as Role,
        Schema as Schema,
        Sent as Sent,
        Served as Served,
        StartRequests as StartRequests,
        Transcript as Transcript,
        Usage as Usage,
        Variant as Variant,
        Wording as Wording,
        World as World,
        WorldKit as WorldKit,
    )
    from sociolab.core.score import (
        UNNAMED_MEASURE as UNNAMED_MEASURE,
        JudgeId as JudgeId,
        Measure as Measure,
        Method as Method,
        NotKnown as NotKnown,
        RatedBy as RatedBy,
        Score as Score,
        ScoreFailure as ScoreFailure,
        Unscored as Unscored,
        Verdict as Verdict,
        resolve_measure as resolve_measure,
    )
    from sociolab.core.seeding import (
        digest as digest,
        interleave as interleave,
        stream as stream,
    )
    from sociolab.core.tracebacks import describe_error as describe_error
else:
    __getattr__, __dir__ = load_public_names(__name__)

__version__ = "0.1.0"
