"""Watch: runs, episodes, transcripts, model calls, search. For the researcher only."""

from __future__ import annotations

from fastapi import APIRouter

from sociolab.web.watch import api, calls, episode, episodes, run, runs, search

router = APIRouter()
for part in (runs, run, episodes, episode, calls, search, api):
    router.include_router(part.router)
