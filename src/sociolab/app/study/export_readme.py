"""What stands in the files of an exported study, to go with them."""

from __future__ import annotations

from sociolab.app.study.settings import StudySettings
from sociolab.store.studies import StudyRow

_ALL = """\
# {name}

What the study "{title}" holds. Texts are in UTF-8, times in UTC, columns parted by commas. A text
that a spreadsheet would take for a formula has an apostrophe before it.

No file holds a name, an address or a link: `participant` is a code drawn at random. What people
wrote is here as they wrote it, and may tell more than they meant to: read it before you pass it on.

| file | a row is |
|---|---|
| `participants.csv` | a participant |
| `assignments.csv` | something that a participant was given to do |
| `answers.csv`, `answers.jsonl` | an answer of a participant, in whatever part of the study |
{rows}| `study.json` | the study itself: its texts and its plan |

## participants.csv

- `participant`: the code.
- `state`: `invited` (link not used), `arrived` (no consent yet), `consented` (at it), `finished`,
  `refused` (gave no consent, then `consented` is empty, or did not qualify) or `left`.
- `invited`, `arrived`, `consented`, `finished`: when; empty where that has not come.
- `completion_code`: what the participant was shown at the end; only of those who finished.

## assignments.csv

- `participant`, `item` ({item}), `seat` (in it; empty if none in particular).
- `state`: `waiting` (for others), `open`, `done` or `given up`.
- `began`, `ended`: when.

## answers.csv and answers.jsonl

- `participant`, `item` (what was asked about; empty: the whole study), `name` (of what was asked),
  `at` (when).
- `value`: in the CSV, text as it is and anything else as JSON; in the JSON lines, always as JSON.
- Names that begin with `frame.` are notes of the app: `frame.instructions` (were read),
  `frame.survey` (was sent), `frame.reason` (why somebody left), `frame.partner-withdrew` (of an
  item: the partner had everything deleted, and so this episode is gone).
- `closing` or `learned`, with an episode as the item, is an answer to a question in that episode,
  here only if it had to wait for the others' answers. All of them are in episodes.jsonl.
- `review.draft`, and a seat and a dimension with a slash between, are what stood in a form before
  it was handed in; `review.decision` and ratings.csv hold what was.
"""

_SURVEY = """
## survey.csv

A row for each participant who answered; a column for each question:

{questions}
"""

_RATINGS = """
## ratings.csv

A row for each rating, as `sociolab import ratings` reads it: `episode`, `seat`, `rater` (the
participant), `dimension`, `score`, `reason`, `seconds`.
"""

_EPISODES = """
## episodes.jsonl

Everything that was played, as `sociolab export` writes it: JSON lines, the first of which name the
run and its plan. `sociolab import run episodes.jsonl --name NAME` puts it into a store.
"""

_ITEMS = {
    "play": "the trial, as in episodes.jsonl",
    "rate": "the episode",
    "impressions": "the session",
    "review": "the scenario's task",
}


def readme(row: StudyRow, settings: StudySettings) -> str:
    """A README.md for the files of this study."""
    rows, parts = "", []
    if settings.survey:
        rows += "| `survey.csv` | the exit survey of a participant |\n"
        questions = "\n".join(f"- `{one.name}`: {one.text}" for one in settings.survey)
        parts.append(_SURVEY.format(questions=questions))
    if row.kind == "rate":
        rows += "| `ratings.csv` | a rating |\n"
        parts.append(_RATINGS)
    if row.kind == "play":
        rows += "| `episodes.jsonl` | a part of what was played |\n"
        parts.append(_EPISODES)
    head = _ALL.format(name=row.name, title=settings.title, rows=rows, item=_ITEMS[row.kind])
    return head + "".join(parts)
