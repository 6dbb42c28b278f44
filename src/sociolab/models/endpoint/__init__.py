"""The local endpoint: an OpenAI-compatible server without a model, for tests and dry runs.

`settings` says how it behaves, `running` starts it (in this loop, a thread, a process, or for
good), `server` answers over HTTP. What it answers comes from `replies` (made-up text that obeys
the schema), from `by_hand` (a person) or from a function of the caller; `faults` spoils it.
`fine_tuning` keeps training files, jobs and the models that come of them.
"""
