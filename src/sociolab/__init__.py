"""A laboratory for the social intelligence of language agents.

>>> from sociolab import RunConfig, run
>>> first = run(RunConfig(world="sotopia", tasks="bargain", limit=2, seed=1))
>>> first.played
2

Everything that the command line does is here too: `run` and `run_async` play a `Run`, `open_run`
opens a stored one, and a notebook shows both; `judge_run` judges again, `result_of` computes a
stored run's result, `compare` and `rank` conclude from several, `scores_table`, `episodes_table`
and `turns_table` give all of it as rows, `Arena` is a world to train in. An analysis of your own
takes the `values_of` runs and returns a `Section`, which `draw` writes. docs/python.md shows them
at work. Importing this package loads nothing of them.
"""

from typing import TYPE_CHECKING

from sociolab.core import __version__ as __version__
from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.analysis.rank import rank as rank
    from sociolab.analysis.run_comparison import compare as compare
    from sociolab.analysis.values import (
        mean_of as mean_of,
        values_of as values_of,
    )
    from sociolab.app.opened_run import (
        Run as Run,
        open_run as open_run,
    )
    from sociolab.app.players.agent_models import AgentModels as AgentModels
    from sociolab.app.preflight.estimate import estimate as estimate
    from sociolab.app.queries import (
        calls_of as calls_of,
        episodes_table as episodes_table,
        scores_table as scores_table,
        transcript as transcript,
        turns_table as turns_table,
    )
    from sociolab.app.run.config import (
        ArenaConfig as ArenaConfig,
        JudgeConfig as JudgeConfig,
        RunConfig as RunConfig,
    )
    from sociolab.app.run.judge import (
        judge_run as judge_run,
        judge_run_async as judge_run_async,
    )
    from sociolab.app.run.play import (
        Progress as Progress,
        run as run,
        run_async as run_async,
    )
    from sociolab.report.catalogue import Catalogue as Catalogue
    from sociolab.report.finding import (
        Count as Count,
        Finding as Finding,
    )
    from sociolab.report.media import draw as draw
    from sociolab.report.result import (
        RunResult as RunResult,
        result_of as result_of,
    )
    from sociolab.report.section import Section as Section
    from sociolab.store.store import open_store as open_store
    from sociolab.studies.ratings import (
        Rating as Rating,
        keep_ratings as keep_ratings,
    )
    from sociolab.training.arena import Arena as Arena
else:
    __getattr__, __dir__ = load_public_names(__name__)
