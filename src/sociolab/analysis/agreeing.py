"""What agreement of people and judges lets one conclude, and what not, as sections of a report."""

from __future__ import annotations

from sociolab.analysis.agreeing_judge import judge_section
from sociolab.analysis.agreeing_people import people_section
from sociolab.analysis.agreeing_tables import pair_table
from sociolab.analysis.agreeing_text import Titles
from sociolab.analysis.rated import Ratings
from sociolab.report.section import Section
from sociolab.stats.agreement import AgreementReport


def sections_of(ratings: Ratings, report: AgreementReport, bins: int) -> tuple[Section, ...]:
    """People among themselves, each judge beside them, and each two judges."""
    titles = Titles.of(ratings)
    found = [people_section(ratings, report.people, titles, bins)]
    for number_, judge in enumerate(ratings.methods, 1):
        found.append(judge_section(ratings, report, judge, titles, f"agree{number_}"))
    pairs = dict.fromkeys((cell.first, cell.second) for cell in report.pairs)
    if pairs:
        tables = {
            pair: pair_table([c for c in report.pairs if (c.first, c.second) == pair], titles)
            for pair in pairs
        }
        apart = [" and ".join(pair) for pair, table in tables.items() if not table.rows]
        said = (f"No play was scored by both in what people rated: {'; '.join(apart)}.",)
        cautions = ("Judges that agree may share an error: only people show that.",)
        shown = tuple(table for table in tables.values() if table.rows)
        title = "Judges beside each other"
        found.append(Section(title, said if apart else (), cautions if shown else (), shown))
    return tuple(found)
