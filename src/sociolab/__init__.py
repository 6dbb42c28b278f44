"""A laboratory for the social intelligence of language agents.

>>> from sociolab import RunConfig, run
>>> result = run(RunConfig(world="sotopia", limit=20, seed=1))  # doctest: +SKIP

Everything that the command line does is here too: `run` and `run_async` play, `judge_run` judges
again, `result_of` computes a stored run's result, `compare` and `rank` conclude from several,
`scores_table` and `turns_table` give all of it as rows, `Environment` is a seat to train in. An
analysis of your own takes the `values_of` runs and returns a `Section`, which `draw` writes.
docs/python.md shows them at work. Importing this package loads nothing of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sociolab.core import __version__ as __version__
from sociolab.core.lazy import lazy_getattr

if TYPE_CHECKING:
    from sociolab.analysis.rank import rank
    from sociolab.analysis.run_comparison import compare
    from sociolab.analysis.values import mean_of, values_of
    from sociolab.app.players.agent_models import AgentModels
    from sociolab.app.preflight.estimate import estimate
    from sociolab.app.queries import calls_of, scores_table, transcript, turns_table
    from sociolab.app.run.config import EnvironmentConfig, JudgeConfig, RunConfig
    from sociolab.app.run.judge import judge_run, judge_run_async
    from sociolab.app.run.play import Progress, run, run_async
    from sociolab.report.catalogue import Catalogue
    from sociolab.report.finding import Count, Finding
    from sociolab.report.media import draw
    from sociolab.report.result import RunResult, result_of
    from sociolab.report.section import Section
    from sociolab.store.store import open_store
    from sociolab.studies.ratings import Rating, keep_ratings
    from sociolab.training.environment import Environment

_HOMES = {
    "AgentModels": "sociolab.app.players.agent_models",
    "Catalogue": "sociolab.report.catalogue",
    "Count": "sociolab.report.finding",
    "Environment": "sociolab.training.environment",
    "EnvironmentConfig": "sociolab.app.run.config",
    "Finding": "sociolab.report.finding",
    "JudgeConfig": "sociolab.app.run.config",
    "Progress": "sociolab.app.run.play",
    "Rating": "sociolab.studies.ratings",
    "RunConfig": "sociolab.app.run.config",
    "RunResult": "sociolab.report.result",
    "Section": "sociolab.report.section",
    "calls_of": "sociolab.app.queries",
    "compare": "sociolab.analysis.run_comparison",
    "draw": "sociolab.report.media",
    "estimate": "sociolab.app.preflight.estimate",
    "judge_run": "sociolab.app.run.judge",
    "judge_run_async": "sociolab.app.run.judge",
    "keep_ratings": "sociolab.studies.ratings",
    "mean_of": "sociolab.analysis.values",
    "open_store": "sociolab.store.store",
    "rank": "sociolab.analysis.rank",
    "result_of": "sociolab.report.result",
    "run": "sociolab.app.run.play",
    "run_async": "sociolab.app.run.play",
    "scores_table": "sociolab.app.queries",
    "transcript": "sociolab.app.queries",
    "turns_table": "sociolab.app.queries",
    "values_of": "sociolab.analysis.values",
}

__all__ = [
    "AgentModels",
    "Catalogue",
    "Count",
    "Environment",
    "EnvironmentConfig",
    "Finding",
    "JudgeConfig",
    "Progress",
    "Rating",
    "RunConfig",
    "RunResult",
    "Section",
    "__version__",
    "calls_of",
    "compare",
    "draw",
    "estimate",
    "judge_run",
    "judge_run_async",
    "keep_ratings",
    "mean_of",
    "open_store",
    "rank",
    "result_of",
    "run",
    "run_async",
    "scores_table",
    "transcript",
    "turns_table",
    "values_of",
]

__getattr__ = lazy_getattr(__name__, _HOMES)
