"""A rater's way through the pages: instructions, an episode, drafts, handing in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import impression_runs as tables
from examinees import cases_of
from rater_client import Client
from rating_runs import ADA, BEN, MODEL, RUN, STUDY, build, link, open_study, settings
from sociolab import Rating, RunConfig, run
from sociolab.core import Answered, Json, Score, Unscored, Verdict
from sociolab.store import Store
from sociolab.studies import (
    REVIEW_POINTS,
    create_study,
    hash_secret,
    parse_settings,
    progress_of,
    ratings_in,
    set_open,
    store_ratings,
)
from sociolab.worlds import anteval, sotopia
from web_serving import TOKEN, served

HOME = f"/take/{STUDY}/r1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


@pytest.fixture
def address(store: Store) -> Iterator[str]:
    with served(store.path) as found:
        yield found


def begun(address: str, number: int = 1) -> tuple[Client, str]:
    """A rater in front of the first episode, and its address."""
    client = Client(address)
    client.join(link(STUDY, number))
    page = client.form(f"/take/{STUDY}/r{number}/rate/instructions")
    return client, page.url.removeprefix(address)


def fill(client: Client, place: str, seat: str, dimension: str, score: int) -> None:
    client.send(
        f"{place}/draft",
        {
            "seat": seat,
            "dimension": dimension,
            "score": score,
            "reason": "they haggled kindly",
            "seconds": 3.5,
        },
    )


def test_a_rater_reads_rates_and_hands_in_and_the_run_has_the_ratings(
    store: Store, address: str
) -> None:
    open_study(store, dimensions=("goal", "secret"))
    client = Client(address)
    assert "How to rate" in client.join(link(STUDY, 1)).text
    page = client.form(f"{HOME}/rate/instructions")
    place = page.url.removeprefix(address)
    assert "/rate/play/" in place
    assert "fair" not in place.rpartition("/")[2]
    assert "Transcript" in page.text
    assert f"of up to {len(store.trials(RUN))},<" in page.text  # fewer than the 10 of the plan
    for seat in (ADA, BEN):
        fill(client, place, seat, "goal", 7)
    answer = client.send(f"{place}/submit", {}).json
    assert [one["dimension"] for one in answer["missing"]] == ["secret"] * 4
    for seat in (ADA, BEN):
        fill(client, place, seat, "secret", -2)
    assert client.send(f"{place}/submit", {}).json == {"next": HOME}
    found = ratings_in(store, RUN, STUDY)
    assert [(r.seat, r.dimension, r.score, r.rater, r.seconds) for r in found] == [
        (ADA, "secret", -2, "r1", 3.5),
        (ADA, "goal", 7, "r1", 3.5),
        (BEN, "secret", -2, "r1", 3.5),
        (BEN, "goal", 7, "r1", 3.5),
    ]
    assert {r.reason for r in found} == {"they haggled kindly"}
    assert client.get(HOME).url != page.url


HOSTILE = '<script>alert(1)</script> \u202eevil "quoted" & <b>bold</b>'


def test_who_is_human_or_a_model_is_nowhere_in_a_raters_pages(store: Store, address: str) -> None:
    open_study(store)
    client, place = begun(address)
    pages = [client.get(place), client.get(f"{HOME}/rate/instructions")]
    pages.append(client.send(f"{place}/submit", {}))
    for page in pages:
        assert page.status == 200
        for word in (MODEL, "openai", 'human"', "played by"):
            assert word not in page.text


def test_no_page_of_a_rater_holds_what_the_seats_said_of_the_outcome_or_what_it_is_worth(
    store: Store, address: str
) -> None:
    answered: Json = {
        "outcome": "something else",
        "in_words": "CANARY-ANSWER",
        "offer": "CANARY-LINE",
    }
    reason = "disputed: CANARY-REASON"
    verdicts: dict[str, Verdict] = {
        ADA: Unscored(sotopia.GOAL_CHECKED, ADA, reason, "disputed", 0.0, 10.0),
        BEN: Score(sotopia.GOAL_CHECKED, BEN, 4.4375, reason),
    }
    for row in store.trials(RUN):
        for seat, verdict in verdicts.items():
            store.append(RUN, row.trial.id, Answered(8, seat, sotopia.CLOSING, answered))
            judge = sotopia.ReportedOutcome().id
            store.verdicts.add(RUN, judge, (verdict,), trial=row.trial.id)
    open_study(store)
    client, place = begun(address)
    for dimension in sotopia.DIMENSIONS:
        for seat in (ADA, BEN):
            fill(client, place, seat, dimension.name, max(0, int(dimension.low)))
    paths = (place, HOME, f"{HOME}/rate", f"{HOME}/rate/instructions")
    pages = [client.get(path) for path in paths]
    pages.append(client.send(f"{place}/submit", {}))
    pages.append(client.get(HOME))  # the next episode
    for page in pages:
        assert "CANARY" not in page.text
        assert "4.4375" not in page.text
    assert "Transcript" in pages[0].text
    assert "Transcript" in pages[-1].text
    assert pages[-1].url != pages[0].url
    assert "CANARY-REASON" in client.get(f"/runs/{RUN}/episodes/fair00").text, "the researcher"


def test_a_reload_shows_what_was_saved_and_every_text_is_escaped(
    store: Store, address: str
) -> None:
    open_study(store)
    client, place = begun(address)
    saved = client.send(
        f"{place}/draft", {"seat": ADA, "dimension": "goal", "score": 3, "reason": HOSTILE}
    )
    assert saved.json == {"complete": 1, "of": 14}
    page = client.get(place).text
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert 'value="3" checked' in page


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"score": 11}, 422),
        ({"score": -1}, 422),
        ({"score": 2.5}, 422),
        ({"seat": "nobody"}, 404),
        ({"dimension": "mood"}, 404),
        ({"reason": "x" * 4001}, 422),
        ({"seconds": -1}, 422),
        ({"seconds": 1e9}, 422),
        ({"more": 1}, 422),
        ({"reason": "\ud800"}, 422),
        ({"reason": "\x00 \u202e \x1b[31m"}, 200),
    ],
)
def test_what_is_no_rating_is_sent_back(
    store: Store, address: str, changes: dict[str, object], status: int
) -> None:
    open_study(store)
    client, place = begun(address)
    rating = {"seat": ADA, "dimension": "goal", "score": 3, "reason": "", "seconds": 1}
    assert client.send(f"{place}/draft", rating | changes).status == status
    assert client.get(place).status == 200


def test_an_episode_that_was_not_given_to_one_cannot_be_rated(store: Store, address: str) -> None:
    open_study(store, raters=1, each=1)
    client, place = begun(address)
    other, theirs = begun(address, 2)
    assert place.rpartition("/")[2] != theirs.rpartition("/")[2]
    strange = place.rpartition("/")[0] + "/" + theirs.rpartition("/")[2]
    rating = {"seat": ADA, "dimension": "goal", "score": 3}
    assert client.send(f"{strange}/draft", rating).status == 409
    assert client.get(f"{HOME}/rate/play/none").url.endswith(place)
    assert other.get(place).status == 404


def test_no_page_of_a_rater_holds_the_id_of_an_episode_and_an_id_opens_none(
    store: Store, address: str
) -> None:
    open_study(store, raters=2, each=1)
    client, place = begun(address)
    (given,) = [row.item for row in store.studies.assignments(STUDY)]
    page = client.get(place)
    assert "Transcript" in page.text
    assert not [row.trial.id for row in store.trials(RUN) if row.trial.id in page.url + page.text]
    assert client.get(f"{HOME}/rate/play/{given}").url.endswith(place), "as any that is none"
    rating = {"seat": ADA, "dimension": "goal", "score": 3}
    assert client.send(f"{HOME}/rate/play/{given}/draft", rating).status == 409
    _, other = begun(address, 2)
    assert other.rpartition("/")[2] != place.rpartition("/")[2], "for each rater another"


def test_a_rater_who_fails_the_test_is_thanked_and_let_go(store: Store, address: str) -> None:
    reference = {"episode": "fair00", "seat": ADA, "scores": {"goal": 9}, "within": 1}
    open_study(store, references=(reference,))
    client, place = begun(address)
    assert place.startswith(f"{HOME}/rate/play/")
    assert "Test episode" in client.get(place).text
    fill(client, place, ADA, "goal", 2)
    answer = client.send(f"{place}/submit", {}).json
    assert answer == {"next": HOME}
    text = client.get(HOME).text
    assert "Your ratings differ from the references" in text
    assert "have my data deleted" in text
    assert "Your completion code" not in text
    assert [one.state for one in progress_of(store, STUDY).dropped] == ["did not qualify"]
    assert client.get(f"{HOME}/rate").status == 403
    assert store.studies.participant(STUDY, "r1").state == "refused"


def test_a_rater_sits_the_exam_and_the_researcher_sees_how_it_went(
    store: Store, address: str
) -> None:
    create_study(store, STUDY, parse_settings(settings(exam=True, dimensions=["goal"]), "a test"))
    set_open(store, STUDY, is_open=True)
    store.studies.add_participant(STUDY, "r1", hash_secret(link(STUDY, 1)))
    client = Client(address)
    assert "The first 20 episodes are a test" in client.join(link(STUDY, 1)).text
    page = client.form(f"{HOME}/rate/instructions")
    cases = cases_of("sotopia")
    for case in cases:
        place = page.url.removeprefix(address)
        assert "Test episode" in page.text
        assert case.id not in page.text
        wrong = case.id == cases[0].id
        for one in case.expected:
            if one.metric == "goal":
                fill(client, place, one.seat or "", "goal", 0 if wrong else int(one.low))
        assert client.send(f"{place}/submit", {}).json == {"next": HOME}
        page = client.get(f"{HOME}/rate")
    assert "Test episode" not in page.text
    assert store.studies.participant(STUDY, "r1").state != "refused"
    assert "exam: 19 of 20 passed" in Client(address).get(f"/studies/{STUDY}/ratings").text


def rated(store: Store, *values: int) -> None:
    """Everybody rates the goal of Ada at the first stall."""
    store_ratings(
        store,
        RUN,
        STUDY,
        [Rating("fair00", ADA, f"r{i}", "goal", v, HOSTILE, 9.0) for i, v in enumerate(values, 1)],
    )


def test_the_researcher_sees_progress_agreement_and_decides(store: Store, address: str) -> None:
    open_study(store)
    client = Client(address)
    base = f"/studies/{STUDY}/ratings"
    assert "Nothing has been submitted yet" in client.get(f"{base}/agreement").text
    rated(store, 1, 9)
    page = client.get(base).text
    assert "<b>1</b> open disagreement" in page
    figures = client.get(f"{base}/agreement").text
    assert "2 people gave 2 ratings" in figures
    page = client.get(f"{base}/disagreements").text
    assert "8 points apart" in page
    assert "<script>alert" not in page
    place = {"trial": "fair00", "seat": ADA, "dimension": "goal", "score": "5"}
    wrong = client.form(f"{base}/settle", reason="", **place)
    assert wrong.status == 400
    assert "say why" in wrong.text.lower()
    done = client.form(f"{base}/settle", reason="between", **place)
    assert "Nothing is in dispute" in done.text
    lines = client.get(f"{base}/ratings.csv").text.splitlines()
    assert len(lines) == 4
    assert lines[-1].startswith("fair00,ada-holm,researcher,goal,5,between,")


def test_the_researcher_reviews_what_agrees_least_and_has_it_rated_again(
    store: Store, address: str
) -> None:
    open_study(store)
    client = Client(address)
    base = f"/studies/{STUDY}/ratings/annotations"
    assert "No two people have rated the same episode" in client.get(base).text
    rated(store, 1, 9)
    assert "2 annotations not drawn yet" in client.get(base).text
    drawn = client.form(f"{base}/draw").text
    assert "80 % of the scale from the others" in drawn
    assert "<script>alert" not in drawn
    which = {"rater": "r1", "episode": "fair00"}
    wrong = client.form(f"{base}/mark", guidelines="fails", why="", **which)
    assert wrong.status == 400
    assert "say why" in wrong.text
    client.form(f"{base}/mark", guidelines="meets", rater="r2", episode="fair00")
    done = client.form(f"{base}/mark", guidelines="fails", why="quotes nothing", **which).text
    assert "1 failed the guidelines: its 1 rating is kept" in done
    assert "quotes nothing" in done
    assert [one.rater for one in ratings_in(store, RUN, STUDY)] == ["r2"]
    figures = client.get(f"/studies/{STUDY}/ratings/agreement").text
    assert "Reviewed annotations" in figures


def test_a_decision_that_cannot_tell_is_shown_as_such(store: Store, address: str) -> None:
    open_study(store, guide="behaviour", dimensions=("stalled",), disagreement=0.5)
    given = [Rating("fair00", ADA, f"r{n}", "stalled", n - 1.0) for n in (1, 2)]
    decided = Rating("fair00", ADA, "researcher", "stalled", "cannot tell", "too short")
    store_ratings(store, RUN, STUDY, [*given, decided])
    page = Client(address).get(f"/studies/{STUDY}/ratings/disagreements")
    assert page.status == 200
    assert "you: cannot tell" in page.text


@pytest.mark.parametrize(
    "path",
    [
        "/studies/none/ratings",
        "/studies/none/ratings/agreement",
        "/studies/none/impressions",
        "/studies/none/impressions/words.csv",
        "/studies/none/reviews/reviews.csv",
        f"/studies/{STUDY}/impressions",
        f"/studies/{STUDY}/reviews",
    ],
)
def test_a_study_that_is_not_there_or_of_another_kind_is_not_found(
    store: Store, address: str, path: str
) -> None:
    open_study(store)
    assert Client(address).get(path).status == 404


def test_ratings_are_for_the_researcher_only(store: Store) -> None:
    open_study(store)
    with served(store.path, token=TOKEN) as guarded:
        client = Client(guarded)
        client.join(link(STUDY, 1))
        for path in ("ratings", "ratings/ratings.csv", "ratings/agreement", "reviews"):
            assert client.get(f"/studies/{STUDY}/{path}").url.startswith(f"{guarded}/login")


def test_people_say_one_word_each_and_the_researcher_sees_the_words(tmp_path: Path) -> None:
    tables.build(tmp_path / "store.db", (0.1, 0.2, 0.9))
    made = {"title": "Tables", "impressions": {"run": tables.RUN, "raters": 2}}
    name = tables.STUDY
    with Store.open(tmp_path / "store.db") as store, served(store.path) as address:
        open_study(store, 2, name, "impressions", tables.RUN, made)
        client = Client(address)
        page = client.join(link(name, 1))
        for word in (*tables.MARK, "openai", "IEP", "iep"):
            assert word not in page.text
        place = page.url.removeprefix(address)
        assert "table" not in place.rpartition("/")[2]
        wrong = client.form(place, word="<b>dull</b>")
        assert (wrong.status, "letters only" in wrong.text) == (422, True)
        assert "&lt;b&gt;dull" in wrong.text
        second = client.form(place, word="Dull")
        assert second.url.removeprefix(address) != place
        last = client.form(second.url.removeprefix(address), word="dull")
        assert "/impression" not in last.url
        base = f"/studies/{name}/impressions"
        page = client.get(base)
        assert "2 of 2 sessions" in page.text
        assert ">dull</span>" in page.text
        lines = sorted(client.get(f"{base}/words.csv").text.splitlines())
        assert lines == ["session,participant,word", "table00,r1,dull", "table01,r1,dull"]


def test_reviewers_keep_edit_or_reject_and_the_researcher_sees_why(tmp_path: Path) -> None:
    name, made = "fit", {"title": "Fit to play?", "review": {"limit": 1}}
    with Store.open(tmp_path / "store.db") as store, served(store.path) as address:
        open_study(store, 2, name, "review", None, made)
        points = dict.fromkeys(REVIEW_POINTS, "yes")
        for number, fields in enumerate(
            ({"decision": "keep"}, {"decision": "reject", "tension": "no"}), 1
        ):
            client = Client(address)
            page = client.join(link(name, number))
            place = page.url.removeprefix(address)
            assert "/review/task/" in place
            assert store.studies.assignments(name)[-1].item not in place + page.text
            assert client.form(place).status == 422
            wrong = client.form(place, decision="reject", **points)
            assert "say why" in wrong.text
            done = client.form(place, **(points | fields), reason="they want the same " + HOSTILE)
            assert "/review" not in done.url
        seen = client.get(f"/studies/{name}/reviews").text
        assert "<b>0 %</b> of pairs decide alike, on 1 scenario" in seen
        assert "Does not hold: Not decided from the start" in seen
        assert "<script>alert" not in seen
        text = client.get(f"/studies/{name}/reviews/reviews.csv").text
        assert [line.split(",")[2] for line in text.splitlines()] == ["decision", "keep", "reject"]


def test_what_a_reviewer_has_typed_is_there_after_a_reload_until_it_is_handed_in(
    tmp_path: Path,
) -> None:
    name, made = "fit", {"title": "Fit to play?", "review": {"limit": 2}}
    with Store.open(tmp_path / "store.db") as store, served(store.path) as address:
        open_study(store, 1, name, "review", None, made)
        client = Client(address)
        place = client.join(link(name, 1)).url.removeprefix(address)
        typed = {"decision": "edit", "clear": "no", "reason": "it is <b>muddled", "texts": []}
        assert client.send(f"{place}/draft", typed).json == {"saved": True}
        page = client.get(place).text
        assert "it is &lt;b&gt;muddled" in page
        assert re.search(r'name="clear" value="no" checked', page)
        assert re.search(r'value="edit" checked', page)
        assert client.send(f"{place}/draft", typed | {"reason": "x" * 9000}).status == 422
        assert client.send(f"{place}x/draft", typed).status == 409
        client.form(place, decision="keep", **dict.fromkeys(REVIEW_POINTS, "yes"))
        assert client.send(f"{place}/draft", typed).status == 409
        seen = client.get(f"/studies/{name}/reviews").text
        assert "muddled" not in seen


def test_raters_of_antevals_sessions_rate_the_players_and_read_the_npc(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    settings = {"sessions": "1", "turns": "8"}
    run(RunConfig(world="anteval-information", settings=settings, name="table", store=path))
    made = {"title": "Told much?", "rate": {"run": "table", "raters": 1}}
    with Store.open(path) as store, served(path) as address:
        open_study(store, 1, "told", "rate", "table", made)
        (row,) = store.trials("table")
        session = anteval.session_from(row.trial.task.content)
        client = Client(address)
        asked = client.join(link("told", 1)).text
        assert "Informativeness" in asked
        assert "1 to 5" in asked
        page = client.form("/take/told/r1/rate/instructions")
        names = re.findall(r'Rate <span class="said">(\w+)<', page.text)
        assert names == [player.first_name for player in session.players]
        assert f'<b class="said">{session.npc.first_name}</b>' in page.text
        assert session.players[0].bond not in page.text
        place = page.url.removeprefix(address)
        for player in session.players:
            fill(client, place, player.id, "informativeness", 4)
        assert client.send(f"{place}/submit", {}).json == {"next": "/take/told/r1"}
        assert [one.score for one in ratings_in(store, "table", "told")] == [4, 4, 4]
