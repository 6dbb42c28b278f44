"""A laboratory for the social intelligence of language agents.

>>> from sociolab import RunConfig, run
>>> result = run(RunConfig(world="sotopia", limit=20, seed=1))  # doctest: +SKIP

Everything that the command line does is here too: `run` and `run_async` play, `judge_run` judges
again, `result_of` computes a stored run's result, `compare` and `rank` conclude from several,
`scores_table` and `turns_table` give all of it as rows, `Environment` is a seat to train in.
docs/python.md shows them at work. Importing this package loads nothing of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sociolab.app.conclusions.plain import compare, rank
    from sociolab.app.finding.stored import calls_of, open_store, transcript
    from sociolab.app.preflight.estimate import estimate
    from sociolab.app.results.tables import scores_table, turns_table
    from sociolab.app.run.config import RunConfig
    from sociolab.app.run.judge import judge_run, judge_run_async
    from sociolab.app.run.play import Progress, run, run_async
    from sociolab.report.result import RunResult, result_of
    from sociolab.training.environment import Environment

_HOMES = {
    "Environment": "sociolab.training.environment",
    "Progress": "sociolab.app.run.play",
    "RunConfig": "sociolab.app.run.config",
    "RunResult": "sociolab.report.result",
    "calls_of": "sociolab.app.finding.stored",
    "compare": "sociolab.app.conclusions.plain",
    "estimate": "sociolab.app.preflight.estimate",
    "judge_run": "sociolab.app.run.judge",
    "judge_run_async": "sociolab.app.run.judge",
    "open_store": "sociolab.app.finding.stored",
    "rank": "sociolab.app.conclusions.plain",
    "result_of": "sociolab.report.result",
    "run": "sociolab.app.run.play",
    "run_async": "sociolab.app.run.play",
    "scores_table": "sociolab.app.results.tables",
    "transcript": "sociolab.app.finding.stored",
    "turns_table": "sociolab.app.results.tables",
}

__all__ = [
    "Environment",
    "Progress",
    "RunConfig",
    "RunResult",
    "__version__",
    "calls_of",
    "compare",
    "estimate",
    "judge_run",
    "judge_run_async",
    "open_store",
    "rank",
    "result_of",
    "run",
    "run_async",
    "scores_table",
    "transcript",
    "turns_table",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that importing the package stays cheap."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sociolab' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)
