"""The local endpoint: an OpenAI-compatible server without a model, for tests and dry runs.

`settings` says how it behaves, `server` starts it and answers over HTTP. What it answers comes
from `replies` (made-up text that obeys the schema, or a person's) or from a function of the
caller; `faults` spoils it, `counters` counts it. `fine_tuning` keeps training files, jobs and the
models that come of them.
"""
