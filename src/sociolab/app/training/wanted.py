"""Which examples are wanted, as the user says it; what fits together is checked here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from sociolab.core.errors import ConfigError

Form: TypeAlias = Literal["turns", "sft", "pairs"]
FORMS: tuple[str, ...] = get_args(Form)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to export, and of which turns.

    `measures` become columns of rewards, given by the judge `by`, which must be named where several
    gave one, or none but a rule-based baseline such as the heuristic judge did. `least` keeps what
    has that much of the one measure; `margin` is by how much the two of a pair must differ in it,
    None being anything at all. `agent`, `seat` (an id, or a number from 1), `world` and `asked`
    ("act" or a question's name) keep what is of them. `whole`: one example an episode and seat.
    `heldout` is the share of scenarios that go to a file of their own, drawn by `seed`. ConfigError
    where these do not go together.
    """

    form: str
    measures: tuple[str, ...] = ()
    least: float | None = None
    by: str | None = None
    agent: str | None = None
    seat: str | None = None
    world: str | None = None
    asked: str | None = None
    whole: bool = False
    margin: float | None = None
    heldout: float | None = None
    seed: int = 0
    gzip: bool = False

    def __post_init__(self) -> None:
        for wrong, sentence in _rules(self):
            if wrong:
                raise ConfigError(sentence)


def share_of(text: str) -> float:
    """The share in "scenario:0.1"; ConfigError for anything else."""
    kind, _, share = text.partition(":")
    try:
        value = float(share)
    except ValueError:
        value = 0.0
    if kind != "scenario" or not 0 < value < 1:
        raise ConfigError(
            f'--split: expected scenario:SHARE with a share between 0 and 1, found "{text}"'
        )
    return value


def _rules(one: Wanted) -> tuple[tuple[bool, str], ...]:
    """What must not be, and what is said of it."""
    pairs, found = one.form == "pairs", f"found --as {one.form}"
    names = ", ".join(one.measures) or "none"
    return (
        (
            one.form not in FORMS,
            f'--as: expected {", ".join(FORMS[:-1])} or {FORMS[-1]}, found "{one.form}"',
        ),
        (one.whole and one.form != "sft", f"--whole is for --as sft, {found}"),
        (
            one.whole and one.asked is not None,
            "--whole holds the turns of an episode and no answers: leave --asked out",
        ),
        (one.margin is not None and not pairs, f"--margin is for --as pairs, {found}"),
        (
            one.margin is not None and not one.margin > 0,
            f"--margin: expected more than 0, found {one.margin}",
        ),
        (
            one.least is not None and pairs,
            "--min is for --as turns and sft: what the two of a pair differ by is --margin",
        ),
        (
            one.least is not None and len(one.measures) != 1,
            f"--min goes by one --measure, found {names}",
        ),
        (pairs and len(one.measures) > 1, f"pairs go by one --measure, found {names}"),
        (
            one.by is not None and not one.measures and not pairs,
            "--by says who gave a --measure: name the measure, too",
        ),
    )
