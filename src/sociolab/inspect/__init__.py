"""The worlds as tasks of Inspect, and its logs (extra `inspect`): `inspect eval sociolab/WORLD`."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.inspect.logs import export_log as export_log, import_log as import_log
    from sociolab.inspect.models import InspectModels as InspectModels
    from sociolab.inspect.tasks import TASKS as TASKS
else:
    __getattr__, __dir__ = load_public_names(__name__)
