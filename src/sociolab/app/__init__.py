"""What people ask the laboratory for; it turns a description into objects, and picks the classes.

The rooms, in the order in which work passes through them:

- `players`: who plays and who judges: specs, models, somebody's own classes.
- `data_sets`: which tasks are played: a world's own, imported ones, one's own, task lists.
- `runs`: a run as it is described, played, resumed and judged again.
- `beforehand`: what is asked before a run is paid for: estimates, dry runs, `doctor`.
- `finding`: which stored runs, episodes and seats somebody means.
- `results`: runs as pages, sites, CSV and tables for Python.
- `conclusions`: comparisons, rankings, curves, agreement and audits of judges, from several runs.
- `crediting`: which turns moved a goal. `training`: episodes as examples, a seat to train in.
- `gaps`: AntEval's gap to real play. `towns`: towns lived, replayed and frozen into talks.
- `study`, `floor`, `rating`: studies with people: set-up, plays, ratings.
- `watching`: what the pages for the researcher show. None of these knows of HTTP.

Beside them: `registry` (plugins by entry point), `user_files` (what users write, read), `new_file`
and `fresh_folder` (nothing is written by halves), `anywhere` (a coroutine run from plain code).
"""
