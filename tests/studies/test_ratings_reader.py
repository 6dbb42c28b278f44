"""A file of ratings, line by line: what is read, and that nothing in it ends in a traceback."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.studies.ratings import (
    IGNORED,
    OPTIONAL,
    REQUIRED,
    Rating,
    WrongLine,
    read_lines,
)

HEAD = "episode,seat,rater,dimension,score,reason,seconds\n"
ROW = '{"episode": "x", "seat": "ann", "rater": "r1", "dimension": "goal", "score": 7}'


def only_problem(data: bytes) -> WrongLine:
    found, (wrong,) = read_lines(data)
    assert found == ()
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
    assert read_lines(csv.encode()) == (((2, wanted),), ())
    assert read_lines(json.dumps(row).encode()) == (((1, wanted),), ())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_come_in_any_order_from_any_spreadsheet(separator: str) -> None:
    rows = [("Score", "rater", "agent", "seat", "dimension", "episode")]
    rows.append(("\N{MINUS SIGN}2", "r1", "gpt", "ann", "secret", "x"))
    text = "\ufeff" + "\r\n".join(separator.join(row) for row in rows)
    ((_, rating),), wrong = read_lines(text.encode())
    assert wrong == ()
    assert (rating.score, rating.seat, rating.episode) == (-2.0, "ann", "x")


def test_a_reason_may_go_over_several_lines_and_later_lines_keep_their_numbers() -> None:
    text = HEAD + 'x,ann,r1,goal,7,"first\nsecond",\n\nx,bob,r1,goal,eight,,\n'
    found, (wrong,) = read_lines(text.encode())
    assert [number for number, _ in found] == [2]
    assert wrong == WrongLine(5, 'expected a number as score, found "eight"')


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("x,ann,r1,goal", "expected 7 cells, found 4"),
        (",ann,r1,goal,7,,", "expected an episode, found none"),
        ("x,ann,,goal,7,,", "expected a rater, found none"),
        ("x,ann,a@b.org,goal,7,,", "expected a pseudonym as rater"),
        ("x,ann,r1,goal,,,", 'expected a number as score, found ""'),
        ("x,ann,r1,goal,nan,,", 'found "nan"'),
        ("x,ann,r1,goal,1_0,,", 'found "1_0"'),
        ('x,ann,r1,goal,"7,5",,', 'found "7,5"'),
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
        ('[{"episode": "x"}]', "expected a JSON object"),
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


@pytest.mark.parametrize("score", [True, None, [7], "7e400", 1e400, 10**400, "9" * 5000])
def test_a_json_score_is_a_finite_number(score: object) -> None:
    row = {"episode": "x", "seat": "a", "rater": "r", "dimension": "goal", "score": score}
    assert "expected a number as score" in only_problem(json.dumps(row).encode()).what


def test_unknown_missing_and_repeated_columns_are_refused_before_all_lines() -> None:
    for head, told in (
        (HEAD.replace("seconds", "secnods"), 'found "secnods"'),
        (HEAD.replace("rater,", ""), "found no rater among"),
        (HEAD.replace("reason", "seat"), '"seat" twice'),
    ):
        wrong = only_problem((head + "x,ann,r1,goal,7,,\n" * 3).encode())
        assert wrong.line == 1
        assert told in wrong.what


def test_another_encoding_is_told_with_its_line() -> None:
    wrong = only_problem(HEAD.encode() + b"x,ann,r1,goal,7,caf\xe9,\n")
    assert wrong == WrongLine(2, "expected text in UTF-8, found byte 0xe9")


_CELLS = st.one_of(
    st.text(max_size=8),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.lists(st.integers(), max_size=2),
)
_ROWS = st.dictionaries(st.sampled_from([*REQUIRED, *OPTIONAL, *IGNORED, "other"]), _CELLS)


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(lambda text: (HEAD + text).encode("utf-8", "surrogatepass")),
        st.lists(_ROWS, max_size=4).map(lambda rows: "\n".join(map(json.dumps, rows)).encode()),
    )
)
def test_whatever_the_file_holds_is_read_or_told_in_one_line(data: bytes) -> None:
    found, wrong = read_lines(data)
    for _, rating in found:
        assert rating.episode
        assert rating.rater
        assert rating.score == rating.score
    for each in wrong:
        assert each.line >= 1
        assert len(each.what.splitlines()) == 1
        each.what.encode()
