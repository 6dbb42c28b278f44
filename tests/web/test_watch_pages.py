"""Watching over HTTP: runs, episodes, transcripts, calls, search, and the same as JSON."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections import OrderedDict
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
import requests

from declared_worlds import declared
from play_clients import lay_out
from sociolab.core import Action, Json, Message, Moved, Prompt
from sociolab.store import Store, lock_run
from watched_stores import HALF, LONG, RUN, SCRIPT, trial, watched_store
from web_serving import TOKEN, served

PLAIN, HOSTILE_ONE, TROUBLED, FAILED, PLANNED = (f"{number:016x}" for number in range(5))
EPISODES = f"/runs/{RUN}/episodes"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("watched") / "store.db"
    watched_store(path)
    return path


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with served(store) as found:
        yield found


def text_of(page: requests.Response) -> str:
    """What a page says, without its tags and in one line."""
    assert page.status_code == 200, page.text[:500]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.text)).split())


def get(address: str, path: str) -> str:
    return text_of(requests.get(f"{address}{path}", timeout=20))


# ------------------------------------------------------------------ runs


def test_runs_show_how_far_they_are_and_hide_those_that_only_keep_replies(address: str) -> None:
    page = get(address, "/runs")
    assert f"{RUN} sotopia" in page
    assert "3 of 5 played, 1 failed unfinished" in page.replace(" ,", ",")
    assert "audited" not in page
    assert "1 internal run hidden" in page
    assert "4 1 failed $0.0300" in page  # calls, failed calls, cost


def test_progress_asks_for_itself_again_only_while_somebody_plays_the_run(
    address: str, store: Path
) -> None:
    path = f"{address}/runs/{RUN}/progress?in=run"
    over = requests.get(path, timeout=20)
    assert "hx-get" not in over.text
    assert over.headers["HX-Refresh"] == "true"
    with lock_run(store, RUN):
        live = requests.get(path, timeout=20)
    assert f'hx-get="/runs/{RUN}/progress?in=run" hx-trigger="every 2s"' in live.text
    assert "HX-Refresh" not in live.headers


def test_what_people_play_in_a_study_is_no_run_that_stopped(tmp_path: Path) -> None:
    lay_out(tmp_path / "store.db", limit=1)
    with Store.open(tmp_path / "store.db") as store:
        store.studies.change("chat", open=False)
    with served(tmp_path / "store.db") as address:
        runs, page = get(address, "/runs"), get(address, "/runs/chat")
    assert re.search(r"0 of \d+ played closed study", runs)
    assert "set up a study like this one" in page
    assert "unfinished" not in runs + page


def test_the_lock_of_a_process_that_died_is_no_sign_of_life(address: str, store: Path) -> None:
    file = store.with_name(f"{store.name}-locks") / f"{RUN}.lock"
    file.parent.mkdir(exist_ok=True)
    for text in ("4194305", "", "no number", "9" * 30):
        file.write_text(text)
        assert "being played" not in get(address, "/runs"), text
    file.write_text(str(os.getpid()))
    assert "being played" in get(address, "/runs")
    file.unlink()


def test_a_run_tells_its_scores_with_n_and_failures_and_leads_to_its_extremes(address: str) -> None:
    page = requests.get(f"{address}/runs/{RUN}", timeout=20)
    told = text_of(page)
    assert "3 of 5 episodes completed, 1 failed." in told
    assert "1 of 5 episodes failed: timeout" in told
    assert "Mean score per agent (all partners) · judge: lab/judge" in told
    assert "scripted 3.00" in told.replace(" ±", " ±")
    assert "1 failed" in told
    lowest = f'<a href="{EPISODES}/{PLAIN}">2.00</a>'
    assert lowest in page.text
    assert "sociolab run sotopia --agent lab/one --agent scripted" in told
    assert "agent 4 0" in told  # calls by role


def test_whose_scores_the_lowest_and_highest_are_is_told(address: str) -> None:
    assert "Lowest and highest in GOAL, by lab/judge" in get(address, f"/runs/{RUN}")


def test_a_run_that_stopped_says_how_to_go_on_and_one_being_played_does_not(
    address: str, store: Path
) -> None:
    stopped = get(address, f"/runs/{RUN}")
    assert "1 of 5 episodes not played yet" in stopped
    assert "To resume this run, repeat the command under" in stopped
    with lock_run(store, RUN):
        played = get(address, f"/runs/{RUN}")
    assert "not played yet" not in played.partition("Mean score per agent")[0]
    assert "To resume this run" not in played


def test_a_command_of_a_page_finds_the_store_of_the_page(address: str, store: Path) -> None:
    assert f"--name {RUN} --store {store}" in get(address, f"/runs/{RUN}")


def test_many_agents_are_named_in_a_few_lines(store: Path, address: str) -> None:
    labels: list[Json] = [[f"lab/{number}", "h"] for number in range(12)]
    with Store.open(store) as opened:
        opened.create_run(
            "crowded", "sotopia", {"agents": labels}, [trial(50)], declared("sotopia", [trial(50)])
        )
        page = get(address, "/runs")
        opened.delete_run("crowded")
    assert "lab/3 and 8 more" in page
    assert "lab/4" not in page


def test_charts_come_with_the_same_figures_as_the_tables(address: str) -> None:
    page = requests.get(f"{address}/runs/{RUN}", timeout=20).text
    data = re.findall(r'<script type="application/json">(.*?)</script>', page)
    rows = json.loads(data[0])["data"]["values"]
    shown = {row["who"]: (row["value"], row["low"], row["high"]) for row in rows}
    result = requests.get(f"{address}/api/runs/{RUN}", timeout=20).json()
    wanted = {
        one["agent"]: (one["value"], one["low"], one["high"])
        for one in result["scores"]
        if one["judge"] == "lab/judge" and not one["by"] and one["value"] is not None
    }
    assert {who: figures for who, figures in shown.items() if who in wanted} == wanted
    assert len(re.findall(r"data-chart ", page)) == len(data)


def test_a_large_run_is_worked_out_once_while_its_page_says_so(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.web.watch.runs.QUICK", 2)
    monkeypatch.setattr("sociolab.web.watch.runs.RUN_CACHE._entries", OrderedDict())
    waiting = requests.get(f"{address}/runs/{RUN}", timeout=20)
    assert f'hx-get="/runs/{RUN}/figures"' in waiting.text
    told = text_of(waiting)
    assert "3 of 5 episodes completed" in told
    assert "sociolab run sotopia --agent lab/one --agent scripted" in told
    assert "Calls by role" in told
    # Nothing is said of what is not known yet.
    assert not any(
        word in told for word in ("Mean score per agent", "Failures</h2>", "Nothing was")
    )
    ready = requests.get(f"{address}/runs/{RUN}/figures", timeout=20)
    assert (ready.status_code, ready.headers["HX-Redirect"]) == (204, f"/runs/{RUN}")
    assert "Mean score per agent" in get(address, f"/runs/{RUN}")


def test_the_report_is_a_download_that_needs_nothing_else(address: str) -> None:
    answer = requests.get(f"{address}/runs/{RUN}/report.html", timeout=20)
    assert answer.headers["content-disposition"] == f'attachment; filename="{RUN}.html"'
    assert "<title>" in answer.text
    assert SCRIPT not in answer.text


# ------------------------------------------------------------------ episodes


def found(address: str, query: str) -> list[str]:
    """The ids of the episodes on a page of the list."""
    page = requests.get(f"{address}{EPISODES}?{query}", timeout=20)
    assert page.status_code == 200, page.text[:400]
    return re.findall(rf'<th scope="row"[^>]*><a href="{EPISODES}/(\w+)"', page.text)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("agent=lab/one&partner=scripted", [0, 2, 3, 4]),
        ("agent=scripted&partner=scripted", []),
        ("tag=conflict", [1, 3]),
        ("scenario=market&status=played", [0, 1, 2]),
        ("scenario=elsewhere", []),
        ("status=failed", [3]),
        ("status=planned", [4]),
        ("ended=failed+turn", [2]),
        ("failed=1", [2]),
        ("low=5", [0, 1]),
        ("low=&high=2", [0]),
        ("low=3&high=6.5", [2]),
        ("order=lowest", [2, 0, 1, 3, 4]),
        ("order=highest", [1, 0, 2, 3, 4]),
        ("order=failed", [2, 0, 1, 3, 4]),
        ("order=turns", [1, 0, 2, 3, 4]),
        ("page=999", [0, 1, 2, 3, 4]),
    ],
)
def test_episodes_are_filtered_and_sorted(address: str, query: str, wanted: list[int]) -> None:
    assert [int(one, 16) for one in found(address, query)] == wanted
    record = requests.get(f"{address}/api{EPISODES}?{query}", timeout=20).json()
    assert [int(one["trial"], 16) for one in record["episodes"]] == wanted


def test_what_is_no_number_is_told(address: str) -> None:
    answer = requests.get(f"{address}{EPISODES}?low=tea", timeout=20)
    assert answer.status_code == 400
    assert "Expected a number" in answer.text
    assert "tea" in answer.text


# ------------------------------------------------------------------ one episode


def test_an_episode_reads_like_a_play_with_reasons_beside_it(address: str) -> None:
    page = requests.get(f"{address}{EPISODES}/{PLAIN}", timeout=20)
    told = text_of(page)
    assert "Mia said: " in told or "Mia: " in told
    assert "Good morning, teapot." in told
    assert "Mia: the teapot was sold" in told
    assert "Noah: nothing was won" in told
    assert f'rel="next" href="{EPISODES}/{HOSTILE_ONE}"' in page.text
    assert 'rel="prev"' not in page.text
    private = re.findall(r'<details class="private">.*?</details>', page.text, re.S)
    assert len(private) == 2
    assert all("secretmark" in part or "goalmark" in part for part in private)
    assert "goalmark" in re.sub(
        r'<details class="private">.*?</details>', "", page.text, flags=re.S
    )
    assert "secretmark" not in re.sub(
        r'<details class="private">.*?</details>', "", page.text, flags=re.S
    )


def test_a_line_leads_to_its_exact_prompt_and_reply(address: str) -> None:
    page = requests.get(f"{address}{EPISODES}/{PLAIN}", timeout=20).text
    links = re.findall(r'class="source" href="([^"]+)"', page)
    assert len(links) == 2
    path, anchor = unescape(links[1]).split("#")
    calls = requests.get(f"{address}{path}", timeout=20).text
    place = calls.index(f'id="{anchor}"')
    assert "reply two" in calls[place : calls.index("</article>", place)]


def test_credit_stands_under_the_line_that_got_it(address: str) -> None:
    page = requests.get(f"{address}{EPISODES}/{PLAIN}", timeout=20).text
    line = unescape(page[page.index('id="line-1"') : page.index('id="line-2"')])
    assert 'goal of Mia +2: "teapot" (it was offered) [lab/judge]' in line
    assert page.index("Credit by lab/judge: goal of Mia +2 in 1 turn") > page.index("line-2")


def test_as_seen_by_a_seat_shows_nothing_that_it_did_not_see(address: str, store: Path) -> None:
    with Store.open(store) as opened:
        seat = opened.episode(RUN, PLAIN).trial.task.seats[0]
    page = requests.get(f"{address}{EPISODES}/{PLAIN}?seat={seat}", timeout=20).text
    assert "secretmark0" in page
    assert "goalmark0" in page
    for hidden in ("secretmark1", "goalmark1", "the teapot was sold", "prompt and reply"):
        assert hidden not in page, hidden
    missing = requests.get(f"{address}{EPISODES}/{PLAIN}?seat=nobody", timeout=20)
    assert missing.status_code == 404


def test_failed_turns_stand_in_their_place_with_the_reply(address: str) -> None:
    told = get(address, f"{EPISODES}/{TROUBLED}")
    asked, spoken = told.index("asked again"), told.index("At the second attempt.")
    given_up = told.index("turn failed")
    assert asked < spoken < given_up
    assert "{broken" in told[given_up:]


def test_a_failed_trial_says_why(address: str) -> None:
    assert "This trial failed (timeout): no reply in time" in get(address, f"{EPISODES}/{FAILED}")


def test_an_episode_renews_itself_while_it_is_played(address: str, store: Path) -> None:
    course = f"{address}{EPISODES}/{PLANNED}/course"
    assert requests.get(course, timeout=20).headers["HX-Refresh"] == "true"
    with lock_run(store, RUN):
        page = requests.get(f"{address}{EPISODES}/{PLANNED}", timeout=20).text
        assert "/course?since=0" in page
        assert requests.get(f"{course}?since=0", timeout=20).status_code == 204
        with Store.open(store) as opened:
            seat = trial(4).task.seats[0]
            opened.append(RUN, PLANNED, Moved(0, seat, (Action("speak", "Just now."),)))
        part = requests.get(f"{course}?since=0", timeout=20).text
    assert "Just now." in part
    assert "/course?since=1" in part


def test_downloads_hold_all_of_an_episode(address: str) -> None:
    markdown = requests.get(f"{address}{EPISODES}/{HOSTILE_ONE}/transcript.md", timeout=20)
    assert LONG in markdown.text
    assert "<" not in markdown.text, "whoever renders it gets no elements"
    assert "attachment" in markdown.headers["content-disposition"]
    record = requests.get(f"{address}/api{EPISODES}/{HOSTILE_ONE}", timeout=20).json()
    assert LONG in record["transcript"]["lines"][1]["text"]
    assert HALF in record["events"][0][3][0][1]
    assert record["scores"][0]["verdicts"][1]["failure"]["cause"] == "unreadable"


# ------------------------------------------------------------------ calls


def test_calls_are_shown_word_for_word_with_what_repeats_folded(address: str, store: Path) -> None:
    page = requests.get(f"{address}{EPISODES}/{PLAIN}/calls", timeout=20).text
    with Store.open(store) as opened:
        prompts: list[Prompt] = [opened.calls.prompt(call) for call in opened.calls.all(RUN, PLAIN)]
    shown = [unescape(text) for text in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.S)]
    assert prompts[0].messages[0].text in shown
    message: Message = prompts[2].messages[1]
    together = [a + b for a, b in itertools.pairwise(shown)]
    assert message.text in together, "what is folded and what is not make the whole message"
    assert "All of it is word for word as in call 1" in " ".join(page.split())
    assert "Failed for good (connection): the line was cut" in page
    assert "300 tokens read (120 cached), 30 written" in page


def test_tokens_and_cost_that_are_estimated_say_so_wherever_they_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    watched_store(path)
    with Store.open(path) as opened:
        opened.write("UPDATE calls SET estimated = 1, fault = 'found -5 <as> prompt tokens'")
    with served(path) as address:
        assert "4 1 failed ~$0.0300" in get(address, "/runs")
        page = get(address, f"/runs/{RUN}")
        calls = get(address, f"{EPISODES}/{PLAIN}/calls")
    assert "calls came without a usable token count" in page
    assert "Cost ~$0.0300" in page
    assert "agent 4 0 ~300 120 ~30 1.5 ~$0.0300 judge 0 1 0 0 0 2.0 no price" in page
    assert "Impossible token counts malformed reply 4" in page
    assert "~300 tokens read (120 cached), ~30 written" in calls
    assert "3 of 4 calls came without a usable token count" in calls
    assert calls.count("found -5 <as> prompt tokens") == 3


def test_an_episode_without_calls_says_so(address: str) -> None:
    assert "No model was called" in get(address, f"{EPISODES}/{FAILED}/calls")
    assert "Model calls" in get(address, f"{EPISODES}/{PLAIN}")
    assert "Model calls" not in get(address, f"{EPISODES}/{FAILED}")  # nothing is behind it


# ------------------------------------------------------------------ search


def test_a_search_finds_the_line_and_leads_to_it(address: str) -> None:
    page = requests.get(f"{address}/search?q=TEAPOT+fine", timeout=20).text
    link = re.search(rf'href="({EPISODES}/{PLAIN}\?q=[^"]+#found)"', page)
    assert link is not None
    assert "<mark>teapot</mark>" in page
    assert "All 3 played episodes of the store are searched." in page
    episode = requests.get(f"{address}{unescape(link.group(1))}", timeout=20).text
    marked = episode[episode.index('id="found"') :]
    assert "teapot" in marked[: marked.index("</li>")]
    assert episode.count('id="found"') == 1


def test_an_index_that_is_not_complete_is_told_and_gone_on_with(
    address: str, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    with Store.open(store) as opened:
        opened.execute("DELETE FROM episode_words")
        opened.commit()
    monkeypatch.setattr("sociolab.web.watch.search.index_step.__defaults__", (0.0, None))
    page = requests.get(f"{address}/search?q=teapot", timeout=20).text
    assert "The index is not complete: 0 of 3" in " ".join(page.split())
    assert 'hx-get="/search/index"' in page
    monkeypatch.undo()
    part = requests.get(f"{address}/search/index", timeout=20)
    assert part.headers["HX-Refresh"] == "true"
    assert "teapot" in get(address, "/search?q=teapot")


@pytest.mark.parametrize(
    "words", ["%00", "%22%27(*", "AND+OR", "\u202e", "a" * 300, "%F0%9F%98%80"]
)
def test_any_words_may_be_searched_for(address: str, words: str) -> None:
    assert requests.get(f"{address}/search?q={words}", timeout=20).status_code == 200
    assert requests.get(f"{address}/search?q={words}&run={RUN}", timeout=20).status_code == 200


# ------------------------------------------------------------------ what is not there, and who asks


@pytest.mark.parametrize(
    "path",
    [
        "/runs/none",
        "/runs/audited",
        "/runs/none/episodes",
        f"{EPISODES}/none",
        f"{EPISODES}/none/calls",
        f"{EPISODES}/none/course",
        "/search?q=a&run=none",
        "/api/runs/none",
        f"/api{EPISODES}/none",
    ],
)
def test_what_is_not_there_is_missing(address: str, path: str) -> None:
    assert requests.get(f"{address}{path}", timeout=20).status_code == 404


def test_only_the_researcher_watches(store: Path) -> None:
    with served(store, token=TOKEN) as guarded:
        for path in ("/runs", f"/runs/{RUN}", EPISODES, f"{EPISODES}/{PLAIN}/calls", "/search?q=a"):
            answer = requests.get(f"{guarded}{path}", timeout=20, allow_redirects=False)
            assert answer.status_code == 303, path
        for path in ("/api/runs", f"/api{EPISODES}/{PLAIN}"):
            assert requests.get(f"{guarded}{path}", timeout=20).status_code == 401, path
