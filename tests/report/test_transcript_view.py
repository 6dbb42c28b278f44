"""Episodes to read: in the terminal, as plain text, as Markdown."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from sociolab.core import (
    Action,
    Declared,
    Ended,
    EndReason,
    Episode,
    Line,
    Measure,
    Metric,
    Note,
    Score,
    ScoreFailure,
    Transcript,
    Unscored,
    Unusable,
)
from sociolab.report import TranscriptView, play_text, transcript_view, views_of
from sociolab.report.export import play_markdown
from sociolab.report.terminal import play
from sociolab.report.transcript_views import Remark, evenly_chosen, with_retries
from sociolab.report.words import person_name, sanitize, spelled
from sociolab.store import JudgingRow, Store

from .small_run import BELIEVABILITY, CHECK, CHECKED, GOAL, HEURISTIC, RUN, SOCIAL, plan

NAMES = {"ann": "Ann", "bob": "Bob"}


def transcript(episode: Episode) -> Transcript:
    """As a world would show it."""
    lines = tuple(
        Line(
            move.turn, NAMES[move.seat], False, move.actions, _text(NAMES[move.seat], move.actions)
        )
        for move in episode.moves
    )
    notes = tuple(
        Note(
            event.turn, f"turn {event.turn + 1}, {event.seat}: failed ({event.cause})", trouble=True
        )
        for event in episode.failed_turns
    )
    scene = (
        (
            "Scene",
            "A yard sale on a Saturday. Between two people stands a lamp without a shade. " * 2,
        ),
        ("Ann", "Ann Lee, 34, a nurse.\nSecret: the lamp is broken.\nGoal: sell it for $30."),
        ("Bob", "Bob May, 41, a cook.\nGoal: buy it for $15."),
    )
    return Transcript(
        f"{episode.trial.task.id}: Ann and Bob", scene, lines, (*notes, Note(None, "all well"))
    )


def _text(name: str, actions: tuple[Action, ...]) -> str:
    action = actions[0]
    return f"{name} leaves." if action.kind == "leave" else f"{name}: {action.text}"


def one(store: Store, trial: str) -> TranscriptView:
    episode = store.episode(RUN, trial)
    return transcript_view(episode, transcript(episode), store.verdicts.judgings(RUN))


def hostile(text: str) -> TranscriptView:
    return TranscriptView(
        "t",
        "title " + text,
        (("Scene", text),),
        (Line(0, "Ann", False, (Action("speak", text),), f"Ann: {text}"), Note(None, text)),
        (),
        "left",
        (),
    )


def test_plain_text_reads_like_a_play(store: Store, snapshot: SnapshotAssertion) -> None:
    assert play_text(one(store, "lamp-AS")) == snapshot


def test_markdown(store: Store, snapshot: SnapshotAssertion) -> None:
    assert play_markdown(one(store, "lamp-AS")) == snapshot


@pytest.mark.parametrize("width", [40, 80, 120])
def test_lines_are_wrapped_at_the_terminals_width(store: Store, width: int) -> None:
    text = play_text(one(store, "lamp-AA"), width)
    assert max(len(line) for line in text.splitlines()) <= width


def test_speakers_have_colours_where_there_are_any(store: Store) -> None:
    file = io.StringIO()
    Console(file=file, force_terminal=True, color_system="standard").print(
        play(one(store, "lamp-AA"))
    )
    assert "\x1b[1;36mAnn" in file.getvalue()
    assert "\x1b[1;35mBob" in file.getvalue()


def test_a_note_stands_where_its_turn_would(store: Store) -> None:
    course = one(store, "lamp-AS").course
    told = [item.text if isinstance(item, Note) else item.turn + 1 for item in course]
    assert told == [1, "turn 2, bob: failed (unreadable)", 3, "all well"]


def test_a_note_on_an_earlier_attempt_stands_before_the_line() -> None:
    lines = tuple(Line(turn, "Ann", False, (), "Ann: hm") for turn in (0, 1, 10))
    notes = tuple(Note(turn, f"{turn}: failed", trouble=True) for turn in (0, 9, 10))
    made = transcript_view(_episode(), Transcript("t", (), lines, notes))
    assert made.course == (notes[0], *lines[:2], *notes[1:], lines[2])


def test_a_note_of_no_trouble_stands_behind_the_line_of_its_turn() -> None:
    lines = tuple(Line(turn, "Ann", False, (), "Ann: hm") for turn in (0, 1))
    notes = (Note(None, "at the end"), Note(1, "last"), Note(0, "first"))
    made = transcript_view(_episode(), Transcript("t", (), lines, notes))
    assert made.course == (lines[0], notes[2], lines[1], notes[1], notes[0])


def _episode() -> Episode:
    return Episode(plan()[0], ())


def test_seats_are_called_as_in_the_transcript(store: Store) -> None:
    assert [(s.id, s.name) for s in one(store, "lamp-AA").seats] == [("ann", "Ann"), ("bob", "Bob")]
    # lamp-AS: bob never had a turn, so nothing tells his name.
    assert [(s.id, s.name) for s in one(store, "lamp-AS").seats] == [("ann", "Ann"), ("bob", "bob")]


def test_the_end_is_told(store: Store) -> None:
    assert one(store, "lamp-AA").ended == "left (Ann), after 3 turns"
    assert one(store, "noise-SS").ended == "turn limit, after 3 turns"


@pytest.mark.parametrize("reason", ["silence", "failed turn"])
@pytest.mark.parametrize(("turn", "taken"), [(0, "0 turns"), (1, "1 turn"), (2, "2 turns")])
def test_the_turn_that_failed_is_not_counted_among_those_taken(
    store: Store, reason: EndReason, turn: int, taken: str
) -> None:
    whole = store.episode(RUN, "lamp-AA")
    moves = whole.moves[:turn]
    broken = Episode(whole.trial, (*moves, Ended(reason, turn, "ann")))
    assert transcript_view(broken, transcript(broken), ()).ended.endswith(f", after {taken}")
    assert one(store, "bike-SS").ended == "not finished"


def test_scores_stand_by_seat_with_their_reasons() -> None:
    verdicts = (
        Score(GOAL, "ann", 7, "sold it"),
        ScoreFailure(GOAL, "bob", "timeout", "no reply in 120 s"),
        Score(CHECKED, "bob", 2.5, ""),
        Unscored(CHECKED, "ann", "no price"),
        Score(Measure("harmony", 0, 1), None, 1 / 3, "calm"),
    )
    row = JudgingRow("lamp-AA", None, HEURISTIC, 0, verdicts)
    (sheet,) = transcript_view(_episode(), Transcript("t", (), ()), [row]).sheets
    assert sheet.judge == "heuristic (offline baseline)"
    assert sheet.columns == ("ann", "bob", "the episode")
    assert sheet.rows == (
        (
            "GOAL",
            (Remark("7", "sold it"), Remark("missing (timeout)", "no reply in 120 s", False), None),
        ),
        (
            "goal (checked)",
            (Remark("cannot tell", "no price", scored=False), Remark("2.50", ""), None),
        ),
        ("harmony", (None, None, Remark("0.33", "calm"))),
    )


def test_a_value_has_the_sign_and_the_decimals_of_a_report_and_titles_are_spelt_out() -> None:
    """Whole numbers of a measure that has no others, two decimals of any other, yes or no."""
    rules = Measure("social_rules", -10, 0, whole=True, title="SOC")
    verdicts = (
        Score(rules, "ann", -2),
        Score(Measure("overall", -3, 7), "ann", -3.0),
        Score(Measure("overall", -3, 7), "bob", -0.5),
        Score(Measure("held", 0, 1, whole=True), "bob", 1),
    )
    declared = Declared(metrics=(Metric("social_rules", label="social rules"),))
    row = JudgingRow("lamp-AA", None, HEURISTIC, 0, verdicts)
    shown = transcript_view(_episode(), Transcript("t", (), ()), [row], declared)
    cells = {remark.value for _, row in shown.sheets[0].rows for remark in row if remark}
    minus = "\N{MINUS SIGN}"
    assert cells == {f"{minus}2", f"{minus}0.50", f"{minus}3.00", "yes"}
    assert shown.legend == f"SOC = social rules ({minus}10 to 0)"
    assert play_text(shown).rstrip().endswith(shown.legend)


def test_a_reason_that_metrics_share_is_said_once() -> None:
    lost = "the judge's reply is no JSON"
    verdicts: tuple[Score | ScoreFailure, ...] = (
        ScoreFailure(GOAL, "ann", "unreadable", lost),
        ScoreFailure(GOAL, "bob", "unreadable", lost),
        ScoreFailure(SOCIAL, "ann", "unreadable", lost),
        Score(CHECKED, "ann", 2.5, "sold it"),
        Score(BELIEVABILITY, "ann", 9, "sold it"),
        Score(BELIEVABILITY, "bob", 8, "sold it"),
    )
    row = JudgingRow("lamp-AA", None, HEURISTIC, 0, verdicts)
    text = play_text(transcript_view(_episode(), Transcript("t", (), ()), [row]))
    assert text.count(lost) == 1
    assert f"GOAL, SOC: {lost}" in text
    assert "goal (checked), BEL, ann: sold it" in text
    assert "BEL, bob: sold it" in text


def test_what_was_asked_again_in_no_turn_is_told_behind_them() -> None:
    aside = Unusable(3, "ann", "closing", 1, "unreadable", "no outcome", "{}", False, optional=True)
    turn = Unusable(1, "bob", "act", 1, "unreadable", "no action", "{}", False)
    whole = _episode()
    episode = Episode(whole.trial, (turn, aside, *whole.events))
    told = with_retries(Transcript("t", (), ()), episode, {"openai/j": 1, "openai/k": 2})
    assert [note.text for note in told.notes] == [
        "ann, question closing, attempt 1: asked again (unreadable: no outcome)",
        "judge openai/j: asked again",
        "judge openai/k: asked again 2 times",
    ]
    assert all(note.trouble for note in told.notes)


def test_a_judge_that_said_nothing_is_not_shown() -> None:
    silent = JudgingRow("lamp-AA", None, CHECK, 0, ())
    assert transcript_view(_episode(), Transcript("t", (), ()), [silent]).sheets == ()


def test_repeated_judgings_are_numbered(store: Store) -> None:
    store.verdicts.add(RUN, CHECK, [Score(CHECKED, "ann", 5)], trial="lamp-AA", judging=1)
    assert [sheet.judge for sheet in one(store, "lamp-AA").sheets] == [
        "goal check (formula), judging 1",
        "goal check (formula), judging 2",
        "heuristic (offline baseline)",
    ]


def test_episodes_are_chosen_evenly_among_those_played(store: Store) -> None:
    def trials(count: int) -> list[str]:
        return list(evenly_chosen(store, RUN, count))

    assert trials(3) == ["lamp-AA", "bike-AS", "noise-SS"]
    assert len(trials(20)) == 11
    assert "bike-SS" not in trials(20)
    assert (trials(1), trials(0)) == (["lamp-AA"], [])
    assert [
        len(e.sheets) for e in views_of(store, RUN, transcript, evenly_chosen(store, RUN, 3))
    ] == [2, 2, 2]


@pytest.mark.parametrize("text", ["\x1b[2Jgone\x07", "a\x00b", "\x9b31m", "half \ud83d pair"])
def test_nothing_steers_the_terminal(text: str) -> None:
    shown_text = play_text(hostile(text)) + play_markdown(hostile(text))
    assert not {"\x1b", "\x07", "\x00", "\x9b", "\ud83d"} & set(shown_text)
    assert "\N{REPLACEMENT CHARACTER}" in shown_text
    shown_text.encode()


def test_legible_keeps_what_is_text() -> None:
    text = "tab\tnew\nline, naïve 東京 🙂 \N{RIGHT-TO-LEFT MARK}שלום"
    assert sanitize(text) == text


def test_markup_is_text() -> None:
    assert "[bold]x[/bold]" in play_text(hostile("[bold]x[/bold]"))
    assert r"\[a\](b) \*c\* &lt;i&gt; d\|e" in play_markdown(hostile("[a](b) *c* <i>\nd|e"))


def test_a_very_long_word_is_folded() -> None:
    text = play_text(hostile("x" * 100_000))
    assert max(len(line) for line in text.splitlines()) <= 80
    assert text.count("x") >= 400_000


@pytest.mark.parametrize(
    ("task", "title"),
    [
        ("norms-01-late-rent.idris-benkirane.ann", "Late rent: Idris Benkirane, ann"),
        ("mutual-friend-01-launderette.ann-bo.cy", "Launderette: Ann Bo, cy"),
        ("seed-swap", "Seed swap"),
        ("market", "Market"),
        ("01H7VFHNV13MHN97GAH73E3KM8", "01H7VFHNV13MHN97GAH73E3KM8"),
        ("information-0-0007", "information-0-0007"),
    ],
)
def test_an_id_of_words_reads_as_a_title_and_any_other_stays(task: str, title: str) -> None:
    assert spelled(task) == title


def test_an_id_of_names_reads_as_a_name() -> None:
    assert (person_name("suresh-menon"), person_name("agent_1")) == ("Suresh Menon", "agent_1")
