"""What actually served the calls of a run: the models that answered, options that were left out,
and prompts that a server truncated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sociolab.core.ports import Served
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Sentence
from sociolab.report.schema import FailedAttempts, ServedEntry
from sociolab.report.words import money, sanitize
from sociolab.store.calls import ServedCall

SAY = Catalogue("served")

# ------------------------------------------------------------------ counts


def served_entries(calls: Iterable[ServedCall]) -> tuple[ServedEntry, ...]:
    """What served the calls to each model in each role, sorted by model and role."""
    entries = []
    by_model: dict[str, list[ServedCall]] = {}
    for call in calls:
        by_model.setdefault(call.model, []).append(call)
    for model, its_calls in sorted(by_model.items()):
        weighed = [call for call in its_calls if call.tokens]
        cut = cut_prompts([(call.tokens or 0, call.text_bytes) for call in weighed])
        cut_in = Counter(weighed[position].role for position in cut.positions) if cut else {}
        by_role: dict[str, list[ServedCall]] = {}
        for call in its_calls:
            by_role.setdefault(call.role, []).append(call)
        entries += [
            ServedEntry(
                model=model,
                role=role,
                calls=len(same),
                returned=_counts(call.served_model for call in same),
                fingerprints=_counts(call.fingerprint for call in same),
                left_out=_counts(option for call in same for option in call.left_out.split(",")),
                cut=cut_in.get(role, 0),
                cut_at=cut.tokens if cut and role in cut_in else None,
            )
            for role, same in sorted(by_role.items())
        ]
    return tuple(entries)


def _counts(names: Iterable[str]) -> dict[str, int]:
    """How often each name except "" occurs, the most frequent first."""
    return _frequent_first(Counter(name for name in names if name))


def _frequent_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


# ------------------------------------------------------------------ prompts that were cut

NEAR = 0.99
"""Share of the largest token count from which a prompt is at the ceiling."""
FAR_MORE = 1.2
"""Ratio to the usual bytes per token from which a prompt was clearly truncated."""
USUAL = 5.0
"""Bytes per token where a model's own calls are too few to tell; typical texts have 3 to 6."""
FEWEST_OWN = 5
"""Minimum number of calls from which a model's own usual bytes per token are estimated."""
FEWEST_CUT = 3
"""Minimum number of prompts at the ceiling; fewer may be chance."""
SPREAD = 1.1
"""Minimum ratio of the largest to the smallest prompt at the ceiling, in bytes."""
SMALLEST_WINDOW = 256
"""Minimum ceiling in tokens; some servers report the same small number for every prompt."""


@dataclass(frozen=True, slots=True)
class CutPrompts:
    """Prompts that a server truncated at so many tokens, by index in the list that was examined."""

    tokens: int
    positions: tuple[int, ...]


def cut_prompts(prompts: Sequence[tuple[int, int]]) -> CutPrompts | None:
    """The prompts to one model that its server truncated, or None if none seems to have been.

    `prompts` are pairs of the tokens that the server reported and the bytes that were sent. A
    server whose context window is too small silently reads as many tokens as fit: its counts pile
    up at a ceiling while the prompts grow. Prompts were truncated if

    - at least 3 are at the ceiling, within 1 % of the largest count of all (256 or more), although
      they have over 1.2 times the usual bytes per token; and
    - the largest of these has at least 10 % more bytes than the smallest, which texts of one kind
      never have at the same number of tokens.

    Then every prompt at the ceiling with more than the usual bytes per token was truncated. The
    usual number is the 90th percentile of the model's other prompts of at least a quarter of the
    ceiling (in shorter ones the chat template weighs too much), or 5 if there are fewer than 5.

    False alarms are avoided at the cost of misses. Estimated counts are left out, and so are the
    bytes of schemas, which many servers keep out of the prompt. If a server does not count cached
    tokens, counts are small and scattered, and the largest is that of a prompt that was read in
    full. Texts in a language with more bytes per token have more tokens as well. Missed are windows
    that only few prompts exceed, or prompts of equal length, or none by a quarter, and the window
    of one of several servers behind a router.
    """
    ceiling = max((tokens for tokens, _ in prompts), default=0)
    if ceiling < SMALLEST_WINDOW:
        return None
    densities = sorted(size / n for n, size in prompts if ceiling / 4 <= n < NEAR * ceiling)
    usual = densities[len(densities) * 9 // 10] if len(densities) >= FEWEST_OWN else USUAL
    dense = {
        position: size / tokens
        for position, (tokens, size) in enumerate(prompts)
        if tokens >= NEAR * ceiling and size > usual * tokens
    }
    clear = [prompts[position][1] for position, n in dense.items() if n > FAR_MORE * usual]
    if len(clear) < FEWEST_CUT or max(clear) < SPREAD * min(clear):
        return None
    return CutPrompts(ceiling, tuple(dense))


# ------------------------------------------------------------------ names of models

_SNAPSHOT = frozenset(("latest", "preview", "exp", "experimental", "beta", "stable", "free"))


def is_same_model(requested: str, returned: str) -> bool:
    """Whether a server returned the requested name, or that of a snapshot of this model.

    The name of a snapshot continues with a date, a version or a word such as "preview":
    "gpt-x-2026-01-01" for "gpt-x", but not "gpt-x-mini". Capitals, the maker ("maker/gpt-x") and
    "-latest" of an alias do not matter.
    """
    alias, name = (model.rpartition("/")[2].lower() for model in (requested, returned))
    alias = alias.removesuffix("-latest")
    if name == alias or alias.startswith(f"{name}:"):
        return True
    if not name.startswith(alias) or name[len(alias)].isalnum():
        return False
    first = re.split(r"[^a-z0-9]", name[len(alias) + 1 :])[0]
    return first in _SNAPSHOT or any(character.isdigit() for character in first)


# ------------------------------------------------------------------ sentences

MOST_NAMES = 3
"""Maximum number of fingerprints or models that a sentence names."""


def served_facts(entries: Sequence[ServedEntry]) -> Iterator[tuple[str, str]]:
    """The models that answered, as a label and a text; nothing if no server named any."""
    models = [
        f"{model}: {_numbered(returned, most=len(returned))}"
        for model, its_entries in _by_model(entries)
        if (returned := _added(entry.returned for entry in its_entries))
    ]
    if models:
        yield "Models returned", "; ".join(models)


def served_words(served: Served) -> str:
    """A clause on what served a call; "" if nothing is known."""
    parts = [SAY("without", option=option) for option in served.left_out]
    if served.model and served.fingerprint:
        fingerprint = served.fingerprint
        parts.insert(0, SAY("with_fingerprint", model=served.model, fingerprint=fingerprint))
    elif served.model:
        parts.insert(0, SAY("answered_by", model=served.model))
    if served.cap is not None:
        parts.append(SAY("at_most", tokens=Count("token", served.cap)))
    return ", ".join(parts)


def served_warnings(entries: Sequence[ServedEntry]) -> Iterator[Sentence]:
    """A sentence for each way in which what was served differs from the request, or changed during
    the run."""
    for model, its_entries in _by_model(entries):
        calls = Count("call", sum(entry.calls for entry in its_entries))
        returned = _added(entry.returned for entry in its_entries)
        requested = model.partition("/")[2]
        same = {name: n for name, n in returned.items() if is_same_model(requested, name)}
        for name, n in returned.items():
            if name not in same:
                yield SAY("another_model", model=model, n=n, calls=calls, name=sanitize(name))
        if len(same) > 1:
            yield SAY("model_changed", model=model, names=_numbered(same))
        fingerprints = _added(entry.fingerprints for entry in its_entries)
        if len(fingerprints) > 1:
            yield SAY("fingerprint_changed", model=model, names=_numbered(fingerprints))
        if cut := sum(entry.cut for entry in its_entries):
            ceiling = max(entry.cut_at or 0 for entry in its_entries)
            yield SAY("prompts_cut", ceiling=ceiling, n=cut, calls=calls, model=model)
        for entry in its_entries:
            for option, n in entry.left_out.items():
                yield SAY(
                    "option_left_out",
                    option=sanitize(option),
                    n=n,
                    calls=entry.calls,
                    role=entry.role,
                    model=model,
                )


def possible_words(attempts: FailedAttempts) -> Sentence:
    """A sentence saying that failed attempts may have been billed."""
    count = Count("attempt", attempts.possible)
    if not attempts.possible_usd:
        return SAY("maybe_billed", attempts=count)
    return SAY("maybe_billed_at_most", attempts=count, most=money(attempts.possible_usd))


def judge_served_apart(runs: Mapping[str, Sequence[ServedEntry]], judge: str) -> Iterator[Sentence]:
    """A sentence for each way in which the calls of a judge were served differently in these runs.

    `judge` is the label of its model. Runs in which it made no call are left out.
    """
    entries = {
        run: entry
        for run, its_entries in runs.items()
        for entry in its_entries
        if entry.role == "judge" and entry.model == judge
    }
    for option in dict.fromkeys(name for entry in entries.values() for name in entry.left_out):
        without = {run: entry.left_out.get(option, 0) for run, entry in entries.items()}
        if len({n / entries[run].calls for run, n in without.items()}) > 1:
            calls = [
                SAY("calls_of_run", n=n, calls=Count("call", entries[run].calls), run=run)
                for run, n in without.items()
            ]
            yield SAY("judge_without", judge=judge, option=sanitize(option), runs=calls)
    names = {run: sorted(entry.returned) for run, entry in entries.items() if entry.returned}
    if len(set(map(tuple, names.values()))) > 1:
        models = [
            SAY("models_of_run", models=sanitize(" and ".join(some)), run=run)
            for run, some in names.items()
        ]
        yield SAY("judge_answered_by", judge=judge, runs=models)


def _by_model(entries: Sequence[ServedEntry]) -> Iterator[tuple[str, list[ServedEntry]]]:
    for model, some in groupby(entries, lambda entry: entry.model):
        yield model, list(some)


def _added(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    return _frequent_first(sum(map(Counter, counts), Counter[str]()))


def _numbered(counts: Mapping[str, int], most: int = MOST_NAMES) -> str:
    """Names with their calls: "fp_a 30 calls, fp_b 10"."""
    first = [f"{sanitize(name)} {count:,}" for name, count in [*counts.items()][:most]]
    first[0] += " call" if next(iter(counts.values())) == 1 else " calls"
    rest = len(counts) - most
    return ", ".join([*first, *([f"{rest:,} more"] if rest > 0 else [])])
