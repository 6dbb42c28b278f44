"""Which rules these are: figures of different versions are not compared."""

from __future__ import annotations

TALK_RULES = "7"
