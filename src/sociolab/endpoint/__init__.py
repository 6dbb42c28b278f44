"""The local endpoint: an OpenAI-compatible server without a model, for tests and dry runs.

`settings` says how it behaves, `server` starts it and answers over HTTP. What it answers comes
from `replies` (made-up text that obeys the schema, or a person's) or from a function of the
caller; `faults` spoils it, `counters` counts it. `fine_tuning` keeps training files, jobs and the
models that come of them.
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import lazy_getattr

if TYPE_CHECKING:
    from sociolab.endpoint.server import EndpointProcess, start_in_process, start_in_thread
    from sociolab.endpoint.settings import EndpointSettings

__all__ = ["EndpointProcess", "EndpointSettings", "start_in_process", "start_in_thread"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "EndpointProcess": "sociolab.endpoint.server",
        "EndpointSettings": "sociolab.endpoint.settings",
        "start_in_process": "sociolab.endpoint.server",
        "start_in_thread": "sociolab.endpoint.server",
    },
)
