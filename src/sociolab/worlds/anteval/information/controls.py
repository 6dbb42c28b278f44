"""What the exchange is held against: what could be said without it, and what at most."""

from __future__ import annotations

from sociolab.core.score import Measure

NO_TALK = Measure("no_talk", 0, 1, title="no talk")
"""Recall of each player's answer before the first turn (N = 0)."""
OTHER_SESSION = Measure("other_session", 0, 1, title="other session")
"""Recall of each player's answer when it is held against the facts of another session."""
BLIND_GUESS = Measure("blind_guess", 0, 1, title="guess")
"""Recall of what somebody would say who knows the genre only."""
ORACLE_TRANSCRIPT = Measure("oracle_transcript", 0, 1, title="oracle (read)")
"""Recall of an oracle that read all that was said, asides included: no player can have more."""
ORACLE_FACTS = Measure("oracle_facts", 0, 1, title="oracle (told)")
"""Recall of an oracle that was handed the facts: how far the matcher can go."""

OF_SEATS = (NO_TALK, OTHER_SESSION)
OF_SESSIONS = (BLIND_GUESS, ORACLE_TRANSCRIPT, ORACLE_FACTS)
CONTROLS = (*OF_SEATS, *OF_SESSIONS)
