"""How far judges and people agree on the plays of some runs, as sections and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sociolab.analysis.agreeing import sections_of
from sociolab.analysis.rated import Ratings, ratings_of
from sociolab.report.section import Section, documents
from sociolab.stats.agreement import AgreementReport, agreement_report
from sociolab.store.store import Store


@dataclass(frozen=True, slots=True)
class Agreements:
    """What was rated, what came of it, and how it reads."""

    ratings: Ratings
    report: AgreementReport
    bins: int
    sections: tuple[Section, ...]

    def document(self) -> dict[str, Any]:
        """All figures and all sentences, see docs/ratings.md."""
        return {
            "runs": list(self.ratings.runs),
            "bins": self.bins,
            "raters": [asdict(rater) for rater in self.ratings.raters],
            "judges": dict(self.ratings.methods),
            "people": [asdict(cell) for cell in self.report.people],
            "judge_and_people": [asdict(cell) for cell in self.report.judges],
            "judge_pairs": [asdict(cell) for cell in self.report.pairs],
            "sections": documents(self.sections),
        }


def agreements(
    store: Store, runs: Sequence[str], judges: Sequence[str] = (), *, bins: int = 5
) -> Agreements:
    """Compare the judges of some runs with the people who rated them; ConfigError if nobody did."""
    ratings = ratings_of(store, runs, judges)
    ranges = {measure.name: (measure.low, measure.high) for measure in ratings.measures}
    report = agreement_report(ratings.people, ratings.judges, ranges, bins=bins)
    return Agreements(ratings, report, bins, sections_of(ratings, report, bins))
