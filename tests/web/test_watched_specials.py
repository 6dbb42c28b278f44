"""What only some worlds show: facts and who learned them, conditions and the words for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sociolab import RunConfig, run
from sociolab.app import world_plugin
from sociolab.core import Act, Action, Answered, Episode, Measure, Moved, Score
from sociolab.plugin.api import FactWay
from sociolab.store import Store
from sociolab.web.watch.episode import (
    SaidLine,
    facts_by_turn,
    find_quote,
    read_episode,
    sidebar,
)
from sociolab.worlds import anteval
from sociolab.worlds.stss.talk.verdicts import findings_of


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path = tmp_path_factory.mktemp("special") / "store.db"
    for world, limit in (("anteval-information", 1), ("stss-talk", 3), ("sotopia", 1)):
        run(RunConfig(world=world, limit=limit, store=path, name=world))
    with Store.open(path) as opened:
        yield opened


def facts_of(episode: Episode) -> tuple[FactWay, ...]:
    shown = world_plugin(episode.trial.world).sidebar
    return shown(episode, ()).facts if shown else ()


def first(store: Store, name: str) -> Episode:
    return next(store.episodes(name))


def session_with(
    episode: Episode, *moves: tuple[str, anteval.Fact | None, tuple[str, ...]]
) -> Episode:
    """The session in which only these facts were told, or nothing was said: seat, fact, to whom."""
    events = (
        Moved(
            turn,
            seat,
            (
                Action(
                    "speak", fact.text, to, (Act(anteval.TELL, {"id": fact.id, "text": fact.text}),)
                )
                if fact
                else Action("speak", "Good day.", to, (Act(anteval.CHAT),)),
            ),
        )
        for turn, (seat, fact, to) in enumerate(moves)
    )
    return replace(episode, events=tuple(events))


def test_each_fact_tells_when_it_was_said_by_whom_and_who_heard(store: Store) -> None:
    episode = first(store, "anteval-information")
    session = anteval.session_from(episode.trial.task.content)
    known, other = session.knowledge[0], session.knowledge[1]
    one, two, *_ = (player.id for player in session.players)
    ways = facts_of(
        session_with(
            episode,
            (one, None, ()),
            ("npc", known, (one,)),
            (one, known, ()),
        )
    )
    way = {found.fact: found for found in ways}[known.id]
    assert [(told.turn, told.who) for told in way.mentions] == [
        (1, session.npc.first_name),
        (2, session.seated(one).first_name),
    ]
    heard = {found.player: found for found in way.receipts}
    at_once, later = heard[session.seated(one).first_name], heard[session.seated(two).first_name]
    assert (at_once.turn, at_once.source) == (1, session.npc.first_name)
    assert (later.turn, later.source) == (2, session.seated(one).first_name)
    assert at_once.stated is None, "nobody was asked"
    silent = {found.fact: found for found in ways}[other.id]
    assert silent.mentions == ()
    assert all(found.turn is None for found in silent.receipts)
    assert facts_by_turn(ways) == {
        (2, session.npc.first_name): (known.id,),
        (3, session.seated(one).first_name): (known.id,),
    }


def test_what_is_stated_at_the_end_is_what_the_judge_counts(store: Store) -> None:
    """The reasons of the recall measure name the same facts."""
    episode = first(store, "anteval-information")
    rows = store.verdicts.judgings("anteval-information", trial=episode.trial.id)
    reasons = {
        verdict.seat: verdict.reason
        for row in rows
        for verdict in row.verdicts
        if isinstance(verdict, Score) and verdict.measure.name == "recall"
    }
    session = anteval.session_from(episode.trial.task.content)
    for player in session.players:
        stated = {
            way.fact
            for way in facts_of(episode)
            for heard in way.receipts
            if heard.player == player.first_name and heard.stated
        }
        named = {fact.id for fact in session.knowledge if f"{fact.id} (" in reasons[player.id]}
        assert stated == named


def test_worlds_without_facts_or_conditions_show_none(store: Store) -> None:
    read = read_episode(store, "sotopia", first(store, "sotopia").trial.id)
    assert facts_of(read.episode) == ()
    assert sidebar(store, "sotopia", read).conditions == ()


def test_conditions_come_with_their_quotes_and_the_turns_that_hold_them(store: Store) -> None:
    for episode in store.episodes("stss-talk"):
        read = read_episode(store, "stss-talk", episode.trial.id)
        talk, note = sidebar(store, "stss-talk", read).conditions
        lines = {item.number: item.text.text for item in read.course if isinstance(item, SaidLine)}
        scores = {
            verdict.measure.name: verdict.value
            for row in store.verdicts.judgings("stss-talk", trial=episode.trial.id)
            for verdict in row.verdicts
            if isinstance(verdict, Score)
        }
        for found, measure in ((talk, "conversation_gcsr"), (note, "summary_gcsr")):
            met = sum(one.met for one in found.decisions)
            assert met / len(found.decisions) == pytest.approx(scores[measure])
        assert (talk.in_talk, note.in_talk) == (True, False)
        for one in talk.decisions:
            line = find_quote(read, one.quote)
            assert (line is not None) == bool(one.quote)
            if line is not None:
                assert one.quote in lines[line]


GCSR = Measure("conversation_gcsr", 0, 1)


@pytest.mark.parametrize(
    ("reason", "wanted"),
    [
        (
            'invited: yes ("Come; place: is it?"); place: no; time: yes ("at 5")',
            [True, False, True],
        ),
        ("invited: no; place: no; time: no", [False, False, False]),
        ("somebody else's words", None),
        ("invited: maybe; place: no; time: no", None),
        ("", None),
    ],
)
def test_only_reasons_of_the_worlds_own_form_are_read_back(
    store: Store, reason: str, wanted: list[bool] | None
) -> None:
    episode = first(store, "stss-talk")
    found = findings_of(episode, Score(GCSR, None, 0.5, reason))
    assert [one.met for one in found] == (wanted or [])
    if wanted and wanted[0]:
        assert found[0].quote == "Come; place: is it?"


def test_a_measure_that_quotes_nothing_has_no_findings(store: Store) -> None:
    episode = first(store, "stss-talk")
    score = Score(Measure("conversation_sr", 0, 1), None, 1, "invited: no; place: no; time: no")
    assert findings_of(episode, score) == ()


def test_an_answer_at_the_end_counts_only_where_it_states_the_fact(store: Store) -> None:
    episode = first(store, "anteval-information")
    answers = [event for event in episode.events if isinstance(event, Answered)]
    seat = answers[-1].seat
    session = anteval.session_from(episode.trial.task.content)
    changed = tuple(
        replace(event, value={"facts": ["I learned nothing at all."], "ids": [""]})
        if isinstance(event, Answered) and event.seat == seat
        else event
        for event in episode.events
    )
    name = session.seated(seat).first_name
    for way in facts_of(replace(episode, events=changed)):
        assert [heard.stated for heard in way.receipts if heard.player == name] == [False]


def test_where_a_turn_is_not_on_record_no_fact_has_a_way(store: Store) -> None:
    episode = first(store, "anteval-information")
    assert facts_of(episode)
    free = Moved(99, "npc", (Action("speak", "Something else."),))
    assert facts_of(replace(episode, events=(*episode.events[:-1], free))) == ()
