"""The intention gap between two virtual DMs (AntEval section 4.2): G = |fr - fg| / (fr + fg) x 100.

`fr` is the F-score of a virtual DM that learned from real play, `fg` of one that learned from
generated play. Both may be in 0..1 or in percent: G is the same.
"""

from __future__ import annotations


def printed_gap(fr: float, fg: float) -> float | None:
    """G as the paper prints it, 0..100: 0 is no gap. None where both scores are 0."""
    signed = signed_gap(fr, fg)
    return None if signed is None else abs(signed)


def signed_gap(fr: float, fg: float) -> float | None:
    """(fr - fg) / (fr + fg) x 100, -100..100: positive where real play trains the better DM.

    None where both scores are 0.
    """
    return (fr - fg) / (fr + fg) * 100 if fr + fg else None
