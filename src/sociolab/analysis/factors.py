"""The factors that scores vary with, by name."""

from __future__ import annotations

SCENARIO, TASK, SEAT, PARTNER = "scenario", "task", "seat", "partner"
PAIRING, REPEAT, JUDGE = "pairing", "repeat", "judge"
JUDGINGS = "judgings"
"""More judgings of each play by the one judge there is."""

SETTING = (SCENARIO, TASK, SEAT, PARTNER)
"""What a setting is: its repeats differ by chance alone."""

GIVEN = (SEAT, PAIRING)
"""What nobody can have more of without more of something else."""
