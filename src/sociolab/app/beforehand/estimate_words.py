"""What an estimate says of money and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sociolab.app.beforehand.measuring import Part
from sociolab.core.ports import Role, Usage
from sociolab.models.prices import Price


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast one model can be called: seconds a call (None: not known), and its endpoint's
    limits. `calls` are those of the whole plan, `longest` those of the trial that has most."""

    model: str
    endpoint: str
    seconds: float | None
    in_flight: int
    per_minute: float | None
    calls: int
    longest: int


def dollars(part: Part, price: Price, *, cached: bool) -> float:
    """What it costs, with all that repeats in the provider's cache, or nothing."""
    return price.of(Usage(part.prompt, part.completion, part.cached if cached else 0))


def cached_words(parts: Sequence[Part], price: Price | None) -> str:
    """What caching may spare, as a clause; empty where no price tells."""
    if price is None or price.cached is None or not parts:
        return ""
    least = sum(dollars(part, price, cached=True) for part in parts)
    share = sum(part.cached for part in parts) / max(sum(part.prompt for part in parts), 1)
    return (
        f", or ${least:.2f} if all that prompts repeat from earlier ones ({share:.0%}) comes from "
        "the provider's cache"
    )


def role_lines(model: str, parts: Mapping[Role, Part], price: Price | None) -> list[str]:
    """A line for each role of a model that has several."""
    if len(parts) < 2:
        return []
    lines = []
    for role, part in sorted(parts.items()):
        said = f"  as {role}: {part.calls} calls, {part.prompt:,} tokens read, "
        said += f"{part.completion:,} written"
        if price is not None:
            said += f", ${dollars(part, price, cached=False):.2f}"
            if price.cached is not None:
                said += f" (${dollars(part, price, cached=True):.2f} with the cache)"
        lines.append(said)
    return lines


def seconds_in_all(paces: Sequence[Pace], at_once: int | None) -> float:
    """How long the calls of a plan take: as long as the busiest endpoint and, where `at_once`
    trials are under way and the calls of each wait for one another, no shorter than those."""
    ends = {pace.endpoint for pace in paces}
    busiest = max(_busy([pace for pace in paces if pace.endpoint == one]) for one in ends)
    if at_once is None:
        return busiest
    one_by_one = sum(pace.calls * (pace.seconds or 0) for pace in paces) / at_once
    longest = sum(pace.longest * (pace.seconds or 0) for pace in paces)
    return max(busiest, one_by_one, longest)


def time_line(paces: Sequence[Pace], at_once: int | None, given: float | None) -> str:
    """How long it takes, and what that rests on. `given`: seconds a call, as the user says."""
    unknown = [pace.model for pace in paces if pace.seconds is None]
    if unknown:
        return (
            f"time: not known, since the store has no call to {', '.join(unknown)} yet; give the "
            "seconds of a call by --latency"
        )
    found = seconds_in_all(paces, at_once)
    ends = sorted({(pace.endpoint, pace.in_flight) for pace in paces})
    limits = ", ".join(f"{most} at once to {name}" for name, most in ends)
    if given is not None:
        rests = f"at {given:g} s a call as given"
    else:
        each = ", ".join(f"{pace.seconds:.2g} s for {pace.model}" for pace in paces)
        rests = f"at the last measured seconds a call ({each})"
    return f"time: about {_told(found)}, {rests}, {limits}, no call failing"


def _busy(paces: Sequence[Pace]) -> float:
    """Seconds in which an endpoint can answer all its calls."""
    answering = sum(pace.calls * (pace.seconds or 0) for pace in paces) / paces[0].in_flight
    rate = paces[0].per_minute
    return answering if rate is None else max(answering, sum(p.calls for p in paces) / rate * 60)


def _told(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
