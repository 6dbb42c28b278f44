"""The local endpoint: an OpenAI-compatible server without a model, for tests and dry runs.

`settings` configures it, `server` starts it and answers over HTTP. Replies come from `replies`
(mock text that follows the schema, or a person's) or from a function of the caller; `faults`
injects errors, `counters` counts requests. `fine_tuning` holds training files, jobs and tuned
models.
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.endpoint.chat import (
        ChatBody as ChatBody,
        ChatMessage as ChatMessage,
        RefusalError as RefusalError,
        bad_request as bad_request,
        read_chat as read_chat,
    )
    from sociolab.endpoint.counters import Counters as Counters
    from sociolab.endpoint.faults import Chance as Chance, latency_seconds as latency_seconds
    from sociolab.endpoint.replies import ByHand as ByHand, Replies as Replies
    from sociolab.endpoint.server import (
        ATTEMPT_HEADER as ATTEMPT_HEADER,
        CALL_HEADER as CALL_HEADER,
        EndpointProcess as EndpointProcess,
        EndpointServer as EndpointServer,
        serve as serve,
        start_in_process as start_in_process,
        start_in_thread as start_in_thread,
    )
    from sociolab.endpoint.settings import (
        FAULTS as FAULTS,
        EndpointSettings as EndpointSettings,
        Fault as Fault,
        settings_as_json as settings_as_json,
        settings_from_json as settings_from_json,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
