"""A laboratory for the social intelligence of language agents.

>>> from sociolab import RunConfig, run
>>> result = run(RunConfig(world="sotopia", limit=20, seed=1))  # doctest: +SKIP

Everything that the command line does is here too: `run` and `run_async` play, `judge_run` judges
again, `result_of` computes a stored run's result, `Environment` is a seat to train in. Importing
this package loads nothing of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sociolab.app.config import RunConfig
    from sociolab.app.environment import Environment
    from sociolab.app.estimate import estimate
    from sociolab.app.judge import judge_run, judge_run_async
    from sociolab.app.play import run, run_async
    from sociolab.app.stored import open_store
    from sociolab.report.result import RunResult, result_of

_HOMES = {
    "Environment": "sociolab.app.environment",
    "RunConfig": "sociolab.app.config",
    "RunResult": "sociolab.report.result",
    "estimate": "sociolab.app.estimate",
    "judge_run": "sociolab.app.judge",
    "judge_run_async": "sociolab.app.judge",
    "open_store": "sociolab.app.stored",
    "result_of": "sociolab.report.result",
    "run": "sociolab.app.play",
    "run_async": "sociolab.app.play",
}

__all__ = [
    "Environment",
    "RunConfig",
    "RunResult",
    "__version__",
    "estimate",
    "judge_run",
    "judge_run_async",
    "open_store",
    "result_of",
    "run",
    "run_async",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that importing the package stays cheap."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sociolab' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)
