"""The use cases behind the command line, the web app and the Python interface.

In the order in which work passes through them:

- `run`: a run is described (`config`), opened or resumed (`session`), played (`play`, `on_ray`) and
  judged again (`judge`); a judge sits an exam (`exam`) or is validated on labels (`validate`).
- `players`: specs and models (`models`), the players and judges made of them (`casting`), users'
  own classes and the fingerprint of their code (`own_code`), the models that these call
  (`agent_models`).
- `data`: the tasks to play: a world's own, imported ones, a folder, task lists (`sets`); data made
  elsewhere (`importing`) or written by a model (`writing`).
- `preflight`: checks before a run is paid for: `estimate` (`run --dry-run`) and `doctor`.

Beside them: `registry` (plugins by entry point), `tools` (commands of worlds), `queries`,
`episode_list` and `transcripts` (stored runs and episodes), `opened_run` (a run in a notebook),
`results` (runs as pages, sites and CSV), `audit`, `credit` and `hard_subset` (work that calls a
model or stores a list, around `analysis`), `run_cache` (results that the web app caches) and
`run_sync` (coroutines from plain code). None of this knows of HTTP.
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.app.credit import credit_run as credit_run
    from sociolab.app.data.exporting import export_episodes as export_episodes
    from sociolab.app.data.importing import (
        Import as Import,
        import_anything as import_anything,
        import_prompts as import_prompts,
    )
    from sociolab.app.data.sets import (
        load_world as load_world,
        new_data_set as new_data_set,
        select_tasks as select_tasks,
        world_names as world_names,
    )
    from sociolab.app.episode_list import EpisodeFilter as EpisodeFilter
    from sociolab.app.hard_subset import HardSpec as HardSpec
    from sociolab.app.merging import merge as merge
    from sociolab.app.players.casting import Casting as Casting
    from sociolab.app.players.models import (
        Models as Models,
        ModelSpec as ModelSpec,
        load_models as load_models,
        ready_endpoints as ready_endpoints,
    )
    from sociolab.app.preflight.doctor import Diagnosis as Diagnosis, examine as examine
    from sociolab.app.queries import (
        EPISODES as EPISODES,
        EpisodeQuery as EpisodeQuery,
        ModelCall as ModelCall,
        find_episode as find_episode,
        query_episodes as query_episodes,
    )
    from sociolab.app.registry import world_plugin as world_plugin
    from sociolab.app.results import write_page as write_page
    from sociolab.app.run.config import (
        AuditConfig as AuditConfig,
        CreditConfig as CreditConfig,
        ExamConfig as ExamConfig,
        JudgeConfig as JudgeConfig,
        RunConfig as RunConfig,
        ValidationConfig as ValidationConfig,
        config_of as config_of,
        read_run as read_run,
        write_run as write_run,
    )
    from sociolab.app.run.judge import judge_run as judge_run
    from sociolab.app.run.play import run_async as run_async
    from sociolab.app.run.validate import validate as validate
    from sociolab.app.run_cache import RunCache as RunCache
    from sociolab.app.run_sync import LoopThread as LoopThread
    from sociolab.app.tools import tool_names as tool_names
    from sociolab.app.transcripts import requests_of as requests_of
else:
    __getattr__, __dir__ = load_public_names(__name__)
