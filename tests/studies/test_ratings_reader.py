"""A file of ratings, line by line: what is read, and that nothing in it ends in a traceback."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from sociolab import Rating
from sociolab.core import ConfigError, Measure
from sociolab.studies.rating_files import FIELDS, RatingFile, read_ratings
from sociolab.studies.rating_tables import read_table
from sociolab.studies.ratings import Rateable, WrongLine, normalize_name
from sociolab.worlds import sotopia

TITLES = {"financial": "financial and material benefits", "goal": "goal completion"}
RUN = Rateable(
    "fair",
    {},
    (),
    frozenset(),
    {one.name: one for one in sotopia.DIMENSIONS},
    {normalize_name(name): one.name for one in sotopia.DIMENSIONS for name in (one.name, one.title)}
    | {title: name for name, title in TITLES.items()},
    frozenset(),
    (),
)
GOAL = "a whole number from 0 to 10 as goal"
HEAD = "episode,seat,rater,dimension,score,reason,seconds\n"
ROW = '{"episode": "x", "seat": "ann", "rater": "r1", "dimension": "goal", "score": 7}'


def read(text: str, *mapped: str) -> RatingFile:
    return read_ratings(read_table(text.encode()), RUN, mapped, b"salt")


def only_problem(data: bytes) -> WrongLine:
    read = read_ratings(read_table(data), RUN)
    (wrong,) = read.wrong
    assert read.ratings == []
    return wrong


def test_a_csv_line_and_the_same_as_json_are_the_same_rating() -> None:
    csv = HEAD + 'lamp-AA,ann,r1,goal,7,"kind, and ""fair""",31.5\n'
    row = {
        "episode": "lamp-AA",
        "seat": "ann",
        "rater": "r1",
        "dimension": "goal",
        "score": 7,
        "reason": 'kind, and "fair"',
        "seconds": 31.5,
    }
    wanted = Rating("lamp-AA", "ann", "r1", "goal", 7.0, 'kind, and "fair"', 31.5)
    assert read(csv) == RatingFile([(2, wanted)])
    assert read(json.dumps(row)) == RatingFile([(1, wanted)])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_come_in_any_order_from_any_spreadsheet(separator: str) -> None:
    rows = [("Score", "rater", "agent", "seat", "dimension", "episode")]
    rows.append(("\N{MINUS SIGN}2", "r1", "gpt", "ann", "secret", "x"))
    text = "\ufeff" + "\r\n".join(separator.join(row) for row in rows)
    found = read(text)
    ((_, rating),) = found.ratings
    assert found.wrong == []
    assert found.lines == ("columns read as: Score = score", "columns left out: agent")
    assert (rating.score, rating.seat, rating.episode) == (-2.0, "ann", "x")


def test_a_reason_may_go_over_several_lines_and_later_lines_keep_their_numbers() -> None:
    text = HEAD + 'x,ann,r1,goal,7,"first\nsecond",\n\nx,bob,r1,goal,eight,,\n'
    found = read(text)
    assert [number for number, _ in found.ratings] == [2]
    assert found.wrong == [WrongLine(5, f'expected {GOAL}, found "eight"')]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("x,ann,r1,goal", "expected 7 cells, found 4"),
        (",ann,r1,goal,7,,", "expected an episode, found none"),
        ("x,ann,,goal,7,,", "expected a rater, found none"),
        ("x,ann,Anna Holm,goal,7,,", "expected a pseudonym as rater"),
        ("x,ann,r1,goal,inf,,", f'expected {GOAL}, found "inf"'),
        ("x,ann,r1,goal,1_0,,", 'found "1_0"'),
        ('x,ann,r1,goal,"7,500",,', 'found "7,500"'),
        ("x,ann,r1,goal,7,,-3", 'expected seconds from 0 or nothing, found "-3"'),
        ('x,ann,r1,goal,7,"open', "expected CSV"),
    ],
)
def test_each_wrong_line_is_told_with_what_was_expected(line: str, told: str) -> None:
    wrong = only_problem((HEAD + line).encode())
    assert wrong.line == 2
    assert told in wrong.what


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ('{"episode": "x"}', "found no seat"),
        ("{", "expected a JSON object"),
        ('{"episode": ' + "[" * 100_000, "expected a JSON object"),
        ('[{"episode": "x"}]', "found no seat"),
        ('[{"episode": "x"', "expected a JSON array of objects"),
        ("[7]", 'expected a JSON object, found "7"'),
        (ROW[:-1] + ', "score": 3}', 'expected each column once, found "score" twice'),
        (ROW[:-1] + ', "reason": "' + "x" * 10_001 + '"}', "at most 10,000 characters, found 10,0"),
        (
            ROW[:-1] + ', "when": "yesterday"}',
            "with its zone as when, such as 2026-03-01T14:05:00Z",
        ),
        (ROW[:-1] + ', "when": "2026-03-01T14:05"}', 'found "2026-03-01T14:05"'),
    ],
)
def test_each_wrong_json_line_is_told(row: str, told: str) -> None:
    assert told in only_problem(row.encode()).what


@pytest.mark.parametrize("score", [True, [7], "7e400", 1e400, 10**400, "9" * 5000])
def test_a_json_score_is_a_finite_number(score: object) -> None:
    row = {"episode": "x", "seat": "a", "rater": "r", "dimension": "goal", "score": score}
    assert f"expected {GOAL}" in only_problem(json.dumps(row).encode()).what


def test_missing_and_repeated_columns_are_refused_before_all_lines() -> None:
    for head, told in (
        (HEAD.replace("rater,", ""), "found no rater among"),
        (HEAD.replace("reason", "seat"), '"seat" twice'),
    ):
        wrong = only_problem((head + "x,ann,r1,goal,7,,\n" * 3).encode())
        assert wrong.line == 1
        assert told in wrong.what


def test_another_encoding_is_read_and_told() -> None:
    found = read_ratings(read_table(HEAD.encode() + b"x,ann,r1,goal,7,caf\xe9,\n"), RUN)
    assert found.ratings[0][1].reason == "caf\xe9"
    assert found.lines == ("read as Latin-1 (Windows-1252)",)


def test_a_blank_cell_is_no_rating_and_not_zero() -> None:
    found = read(HEAD + "x,ann,r1,goal,,,\nx,ann,r1,secret,n/a,,\nx,ann,r1,knowledge,0,,\n")
    assert [(one.dimension, one.score) for _, one in found.ratings] == [("knowledge", 0.0)]
    assert found.lines == ("blank cells, which are no ratings: 2",)


def test_a_wide_table_has_a_rating_in_each_cell() -> None:
    # A decimal comma, two long names, a blank: 3 ratings of a row of 4 cells.
    found = read(
        "Episode ID;seat;annotator;Believability;financial_and_material_benefits;GOAL;SEC;"
        "goal_reason;Duration\nx;2;r1;8,5;-1;7;;got it;40\n"
    )
    assert [one for _, one in found.ratings] == [
        Rating("x", "2", "r1", "believability", 8.5),
        Rating("x", "2", "r1", "financial", -1.0),
        Rating("x", "2", "r1", "goal", 7.0, "got it"),
    ]
    assert found.lines == (
        "columns read as: Episode ID = episode, annotator = rater, Believability = believability, "
        "financial_and_material_benefits = financial, GOAL = goal, SEC = secret, "
        "goal_reason = goal.reason",
        "columns left out: Duration",
        "blank cells, which are no ratings: 1",
    )


def test_one_row_may_rate_several_seats() -> None:
    found = read("pk,rater,agent_1 Goal,agent_2 Goal,p2_goal_reason\nx,r1,3,9,won\n")
    assert [one for _, one in found.ratings] == [
        Rating("x", "1", "r1", "goal", 3.0),
        Rating("x", "2", "r1", "goal", 9.0, "won"),
    ]
    assert "found no seat" in only_problem(b"pk,rater,goal\nx,r1,3\n").what


def test_a_column_that_is_left_out_may_be_one_misspelt() -> None:
    found = read("episode,rater,agent_1_gaol,agent_2_goal,p2_goals,Duration\nx,r1,3,9,0,40\n")
    (told,) = (line for line in found.lines if line.startswith("columns left out: "))
    left_out = "agent_1_gaol (did you mean goal?), p2_goals, Duration"
    assert told == f"columns left out: {left_out}", "goal of the second seat is there"


def test_a_map_says_what_a_column_holds() -> None:
    found = read(
        "Q1,Q2,Q2b,who,talk,goal\n4,5,fine,r1,x,7\n",
        "Q1=secret@1", "Q2=Goal completion@2", "Q2b=goal.reason@2", "who=rater", "talk=episode",
        "goal=ignore",
    )  # fmt: skip
    assert [one for _, one in found.ratings] == [
        Rating("x", "1", "r1", "secret", 4.0),
        Rating("x", "2", "r1", "goal", 5.0, "fine"),
    ]
    assert found.lines[1] == "columns left out: goal"


@pytest.mark.parametrize(
    ("mapped", "told"),
    [
        ("Q1=mood", 'found "Q1=mood"'),
        ("Q1", "expected COLUMN=MEANING"),
        ("rater@1=rater@1", "expected COLUMN=MEANING"),
        ("Q9=goal", 'expected a column of the file, found "Q9"; it has "episode", "seat"'),
    ],
)
def test_a_map_that_cannot_be_is_refused(mapped: str, told: str) -> None:
    with pytest.raises(ConfigError, match="--map: ") as refused:
        read(HEAD + "x,ann,r1,goal,7,,\n", mapped)
    assert told in str(refused.value)


def test_ids_of_platforms_are_hashed_alike_in_one_store_and_otherwise_in_another() -> None:
    rows = "{0},ann,{1},goal,7,,\n{0},ann,{2},secret,0,,\n{0},ann,anna,goal,5,,\n"
    text = HEAD + rows.format("x", "5f3e9c0a1b2c3d4e5f607182", "A2B3C4D5E6F7G8")
    first, second, own = (one.rater for _, one in read(text).ratings)
    assert own == "anna"
    assert first != second
    assert {len(first), len(second), first[:2], second[:2]} == {14, "r-"}
    assert [one.rater for _, one in read(text).ratings][:2] == [first, second]
    assert read_ratings(read_table(text.encode()), RUN, (), b"pepper").ratings[0][1].rater != first
    (told,) = read(text).lines
    assert told.endswith("hashed: 2")
    wide = "episode,rater,goal@2,secret@2\nx,5f3e9c0a1b2c3d4e5f607182,7,0\n"
    assert read(wide, "goal@2=goal@2", "secret@2=secret@2").lines[-1].endswith("hashed: 2")
    # A column that a platform names holds such ids, whatever they look like.
    named = read(text.replace("rater", "PROLIFIC_PID"))
    assert all(one.rater.startswith("r-") for _, one in named.ratings)


def test_yes_is_an_answer_to_a_question_and_no_point_of_a_scale() -> None:
    asked = Measure("interrupts", 0, 1, whole=True)
    measures, called = (
        {**RUN.measures, asked.name: asked},
        {**RUN.name_index, asked.name: asked.name},
    )
    run = replace(RUN, measures=measures, name_index=called)
    rows = "x,ann,r1,interrupts,Yes,,\nx,ann,r2,interrupts,cannot tell,,\nx,ann,r1,goal,Yes,,\n"
    rows += "x,ann,r3,interrupts,maybe,,\n"
    found = read_ratings(read_table((HEAD + rows).encode()), run)
    assert [one.score for _, one in found.ratings] == [1.0, "cannot tell"]
    answers = "yes, no, cannot tell or not applicable as interrupts"
    assert found.wrong == [
        WrongLine(4, f'expected {GOAL}, found "Yes"'),
        WrongLine(5, f'expected {answers}, found "maybe"'),
    ]


def test_what_separates_columns_is_seen_below_empty_lines() -> None:
    text = "\n\n" + (HEAD + "x,ann,r1,goal,7,,\n").replace(",", ";")
    assert [one.score for _, one in read(text).ratings] == [7.0]


_CELLS = st.one_of(
    st.text(max_size=8),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.lists(st.integers(), max_size=2),
)
_ROWS = st.dictionaries(st.sampled_from([*FIELDS, "agent", "other", "Goal"]), _CELLS)


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(lambda text: (HEAD + text).encode("utf-8", "surrogatepass")),
        st.lists(_ROWS, max_size=4).map(lambda rows: "\n".join(map(json.dumps, rows)).encode()),
    )
)
def test_whatever_the_file_holds_is_read_or_told_in_one_line(data: bytes) -> None:
    found = read_ratings(read_table(data), RUN)
    for _, rating in found.ratings:
        assert rating.episode
        assert rating.rater
        assert rating.score == rating.score
    for each in found.wrong:
        assert each.line >= 1
        assert len(each.what.splitlines()) == 1
        each.what.encode()
