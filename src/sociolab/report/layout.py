"""How the paper of a world lays out its tables: the order of measures, and what clusters are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sociolab.report.schema import MeasureEntry


@dataclass(frozen=True, slots=True)
class Layout:
    """`columns` come first, in this order; of `main`, the first that has values is compared.

    Beside the measures in `macro` stands their mean over clusters (`report.macro`). `agreement`
    names the shares of yes by one reading and by another, and the share on which the two agree:
    Cohen's kappa stands below them.
    """

    columns: tuple[str, ...] = ()
    main: tuple[str, ...] = ("overall",)
    clusters: str = "cluster"
    macro: tuple[str, ...] = ()
    agreement: tuple[str, ...] = ()

    def ordered(self, measures: Iterable[MeasureEntry]) -> tuple[MeasureEntry, ...]:
        """The measures as the paper orders them; those it does not know follow as they came."""
        place = {name: i for i, name in enumerate(self.columns)}
        return tuple(sorted(measures, key=lambda entry: place.get(entry.measure, len(place))))


LAYOUTS = {
    # SOTOPIA, Table 2 and Figure 3.
    "sotopia": Layout(
        columns=(
            "social_rules",
            "secret",
            "financial",
            "relationship",
            "knowledge",
            "goal",
            "believability",
            "overall",
        ),
        main=("overall", "goal_checked", "goal"),
        clusters="scenario",
    ),
    # AntEval, Table 1: IEP first; then the measures over atomic facts, and the controls.
    "anteval-information": Layout(
        columns=(
            "iep",
            "precision",
            "recall",
            "f1",
            "hallucination",
            "no_talk",
            "other_session",
            "party_recall",
            "oracle_transcript",
            "oracle_facts",
        ),
        main=("iep",),
        clusters="session",
    ),
    # STSS, Table 4, and what stands beside it.
    "stss": Layout(
        columns=(
            "public_activity",
            "appointment",
            "inviting_companions",
            "online_activity",
            "asking_for_help",
            "overall",
            "conversation_ratio",
            "conversation_ratio_both",
            "goal_0_min",
            "goal_15_min",
            "goal_any_helper",
            "goal_any_host",
            "goal_read",
            "took_part_by_filter",
            "took_part_read",
            "filter_agreement",
            "lost_no_conversation",
            "lost_not_conveyed",
            "lost_not_noted",
            "lost_not_acted_on",
        ),
        main=("overall",),
        agreement=("took_part_by_filter", "took_part_read", "filter_agreement"),
        clusters="task",
    ),
    # STSS, Table 3: each at both levels, over conversations and over tasks.
    "stss-talk": Layout(
        columns=(
            "conversation_sr",
            "conversation_sr_macro",
            "conversation_gcsr",
            "conversation_gcsr_macro",
            "summary_sr",
            "summary_sr_macro",
            "summary_gcsr",
            "summary_gcsr_macro",
        ),
        main=("conversation_gcsr",),
        clusters="task",
        macro=("conversation_sr", "conversation_gcsr", "summary_sr", "summary_gcsr"),
    ),
    "anteval-intention": Layout(columns=("f_c", "f_o"), main=("f_o",), clusters="session"),
}


def layout_of(world: str) -> Layout:
    """The layout of a world; a plain one where none is known."""
    return LAYOUTS.get(world, Layout())
