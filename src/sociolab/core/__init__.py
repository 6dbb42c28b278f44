"""The nouns and the ports that all else is made of."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.core.codec import (
        decode_event as decode_event,
        encode_event as encode_event,
    )
    from sociolab.core.episode import (
        Act as Act,
        Action as Action,
        ActionKind as ActionKind,
        ActionSpace as ActionSpace,
        Agent as Agent,
        AgentKind as AgentKind,
        Answered as Answered,
        CastMember as CastMember,
        Ended as Ended,
        Episode as Episode,
        Event as Event,
        Happened as Happened,
        Json as Json,
        Moved as Moved,
        Task as Task,
        Trial as Trial,
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
    from sociolab.core.exam import ExamCase as ExamCase
    from sociolab.core.instructions import (
        Instructions as Instructions,
        Prompts as Prompts,
    )
    from sociolab.core.metrics import (
        Declared as Declared,
        Metric as Metric,
    )
    from sociolab.core.ports import (
        Attempt as Attempt,
        CallKey as CallKey,
        ChatModel as ChatModel,
        ChatReply as ChatReply,
        Completed as Completed,
        DataId as DataId,
        Judge as Judge,
        Labelled as Labelled,
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
        Served as Served,
        StartRequests as StartRequests,
        Transcript as Transcript,
        Usage as Usage,
        World as World,
        WorldKit as WorldKit,
    )
    from sociolab.core.score import (
        JudgeId as JudgeId,
        Measure as Measure,
        NotKnown as NotKnown,
        RatedBy as RatedBy,
        Score as Score,
        ScoreFailure as ScoreFailure,
        Unscored as Unscored,
        Verdict as Verdict,
    )
    from sociolab.core.seeding import (
        digest as digest,
        stream as stream,
    )
    from sociolab.core.tracebacks import describe_error as describe_error

__version__ = "0.1.0"

__getattr__, __dir__ = load_public_names(__name__)
