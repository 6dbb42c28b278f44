"""What people ask the laboratory for; it turns a description into objects, and picks the classes.

In the order in which work passes through it:

- `run`: a run as it is described (`config`), opened and resumed (`session`), played (`play`) and
  judged again (`judge`); a judge on labelled data (`validate`).
- `players`: who plays and who judges: specs and models (`models`), players and judges made of them
  (`casting`), somebody's own classes and what tells their code from another (`own_code`), their
  models (`agent_models`).
- `data`: which tasks are played: a world's own, imported ones, one's own, task lists (`sets`); data
  made elsewhere (`importing`) or by a model (`writing`).
- `preflight`: what is asked before a run is paid for: `estimate` (`run --dry-run`) and `doctor`.

Beside them: `registry` (plugins by entry point), `tools` (the commands of a world, with what they
may use), `queries` (which stored runs and episodes somebody means), `episode_list` and
`transcripts` (episodes read), `results` (runs as pages, sites, CSV and tables for Python),
`audit`, `credit` and `hard_subset` (what calls a model or keeps a list, around `analysis`),
`run_cache` (what an app that stays up keeps of runs) and `run_sync` (a coroutine run from plain
code). None of it knows of HTTP.
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.app.credit import credit_run as credit_run
    from sociolab.app.data.importing import (
        Import as Import,
        import_anything as import_anything,
        import_prompts as import_prompts,
    )
    from sociolab.app.data.sets import (
        load_world as load_world,
        new_data_set as new_data_set,
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
        EpisodeQuery as EpisodeQuery,
        ModelCall as ModelCall,
        find_episode as find_episode,
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

__getattr__, __dir__ = load_public_names(__name__)
