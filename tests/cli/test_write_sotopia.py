"""`sociolab write sotopia`: a model writes characters, relationships, scenarios (appendix B.2)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Done, Sociolab
from rating_runs import open_study
from sociolab.endpoint import ChatBody, EndpointServer, EndpointSettings, start_in_thread
from sociolab.store import Store
from sociolab.studies import (
    REVIEW_POINTS,
    Review,
    assign_next,
    review_study,
    submit_review,
    task_pool,
)

Record = dict[str, Any]
THINGS = ("violin", "ladder", "kettle", "parcel", "lantern", "blanket", "bicycle", "ticket")


def scenario(number: int, **changed: Any) -> Record:
    """A draft that is in order, unlike that of any other number up to 8."""
    return {
        "context": f"{THINGS[number]} " + " ".join(f"{THINGS[number]}{i}" for i in range(16)),
        "one": {"goal": "You are the one who found it and you want to keep it.", "private": ""},
        "other": {"goal": "You lost it, want it back today, and pay nothing.", "private": ""},
        "relationships": ["stranger", "friend"],
        "stance": "mixed",
        "limits": None,
        **changed,
    }


Replying = Callable[[ChatBody], Record | None]


@contextmanager
def serving(replying: Replying, usage: str = "") -> Iterator[EndpointServer]:
    """An endpoint of this responder; what it leaves open (None) passes the check of D.2."""

    def respond(chat: ChatBody) -> str:
        return json.dumps(replying(chat) or {"reason": "nothing", "holds": True})

    with start_in_thread(EndpointSettings(responder=respond, usage=usage)) as served:
        yield served


def drafts(*found: Record) -> tuple[Replying, list[str]]:
    """Replies to requests for drafts, one after the other, and the last message of each request."""
    asked: list[str] = []

    def replying(chat: ChatBody) -> Record | None:
        if '"stance"' not in chat.schema:
            return None
        asked.append(chat.messages[-1].text)
        return found[len(asked) - 1]

    return replying, asked


def inspiring(message: str) -> str:
    """The inspirational prompt in a request."""
    return message.rpartition("Inspirational prompt: ")[2]


def write(sociolab: Sociolab, url: str, what: str, *more: object) -> Done:
    return sociolab(
        "write", "sotopia", what, "--writer", "openai/w", "--base-url", url, "--to", "d",
        "--store", "s.db", *more,
    )  # fmt: skip


def records(folder: Path, name: str) -> list[Record]:
    text = (folder / "d" / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointServer]:
    """The local endpoint, as `sociolab endpoint` serves it: made-up replies of the right form."""
    with start_in_thread(EndpointSettings()) as served:
        yield served


# ------------------------------------------------------------------ characters, relationships


def test_forty_characters_are_like_the_papers_in_gender_and_age(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    done = write(sociolab, endpoint.url, "characters", "--n", 40)
    assert done.code == 0, done.err
    found = records(tmp_path, "characters")
    assert Counter((one["gender"], one["pronouns"]) for one in found) == {
        ("man", "he/him"): 20, ("woman", "she/her"): 18, ("nonbinary", "they/them"): 2,
    }  # fmt: skip
    assert all(21 <= one["age"] <= 63 for one in found)
    assert len({one["id"] for one in found}) == 40
    assert all(one["public_info"] and one["secret"] and one["big_five"] for one in found)
    (made,) = found[0]["provenance"]
    assert (made["step"], made["by"]) == ("written", ["openai/w"])
    assert re.fullmatch(r"paper [0-9a-f]{16}", made["prompts"])


def test_what_is_written_stays_and_a_second_call_goes_on(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    assert write(sociolab, endpoint.url, "characters", "--n", 3).code == 0
    path = tmp_path / "d/characters.jsonl"
    before = path.read_text("utf-8").rstrip("\n")
    path.write_text(before, "utf-8")  # as an editor may leave it
    assert write(sociolab, endpoint.url, "characters", "--n", 5).code == 0
    after = (tmp_path / "d/characters.jsonl").read_text("utf-8")
    assert after.startswith(before)
    assert len(after.splitlines()) == 5
    asked = endpoint.counters.requests
    done = write(sociolab, endpoint.url, "characters", "--n", 5)
    assert (done.code, endpoint.counters.requests) == (0, asked)
    assert "nothing is left to write in d" in done.out


def person(number: int) -> Record:
    """Attributes that fit, unlike those of any other number."""
    return {
        "first_name": f"First{number}", "last_name": "Last", "occupation": f"job {number}",
        "big_five": dict.fromkeys(
            ("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism"), "low"
        ),
        "moral_values": ["care", "care"], "schwartz_values": ["power"],
        "decision_style": "directive",
    }  # fmt: skip


def test_what_was_broken_off_is_resumed_without_paying_for_a_reply_twice(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    prices = '[prices."openai/w"]\ninput = 0\noutput = 1000\n'
    (tmp_path / "models.toml").write_text(prices, "utf-8")
    asked: list[str] = []

    def replying(chat: ChatBody) -> Record:
        asked.append(chat.messages[-1].text)
        if '"characters"' in chat.schema:
            return {"characters": [person(number) for number in range(5)]}
        number = asked[-1].partition("First")[2][0]
        words = [f"{THINGS[int(number)]}{place}" for place in range(16)]
        return {"public_info": " ".join(words[:8]), "secret": " ".join(words[8:])}

    usage = '{"prompt_tokens": 900, "completion_tokens": 1000}'  # a dollar each
    with serving(replying, usage) as served:
        flags = ("--n", 5, "--models", "models.toml", "--in-flight", 1)
        short = write(sociolab, served.url, "characters", *flags, "--budget", 3.0)
        assert (short.code, len(asked) > 1) == (1, True)
        assert "resume with a larger --budget" in short.err
        done = write(sociolab, served.url, "characters", *flags)
    assert done.code == 0, done.err
    assert "5 characters written" in done.out
    assert len(asked) == len(set(asked)) == 6
    assert records(tmp_path, "characters")[0]["moral_values"] == ["care"]


def test_whoever_has_a_name_that_is_taken_is_asked_for_again(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    lists = iter([[0, 0, 1], [2]])

    def replying(chat: ChatBody) -> Record:
        if '"characters"' in chat.schema:
            return {"characters": [person(number) for number in next(lists)]}
        number = chat.messages[-1].text.partition("First")[2][0]
        words = [f"{THINGS[int(number)]}{place}" for place in range(16)]
        return {"public_info": " ".join(words[:8]), "secret": " ".join(words[8:])}

    with serving(replying) as served:
        assert write(sociolab, served.url, "characters", "--n", 3).code == 0
    names = [one["first_name"] for one in records(tmp_path, "characters")]
    assert names == ["First0", "First1", "First2"]


def test_pairs_are_sampled_and_strangers_need_no_model(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    assert write(sociolab, endpoint.url, "characters", "--n", 6).code == 0
    done = write(sociolab, endpoint.url, "relationships", "--n", 6, "--set", "strangers=3")
    assert done.code == 0, done.err
    found = records(tmp_path, "relationships")
    strangers = [one for one in found if one["type"] == "stranger"]
    assert (len(found), len(strangers)) == (9, 3)
    assert len({frozenset((one["a"], one["b"])) for one in found}) == 9
    assert all(one["tie"] and one["story"] for one in found if one not in strangers)
    assert strangers[0]["provenance"][0]["step"] == "sampled"
    assert "6 relationships written by openai/w" in done.out
    assert "3 pairs of strangers sampled" in done.out
    more = write(sociolab, endpoint.url, "relationships", "--n", 20, "--set", "strangers=3")
    assert more.code == 0, more.err
    told = "expected 20 relationships and 3 pairs of strangers, there are 12 and 3"
    assert told in more.out  # six people make fifteen pairs


def test_types_are_proposed_in_turn_and_ties_so_far_are_told(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    assert write(sociolab, endpoint.url, "characters", "--n", 4).code == 0
    asked: list[str] = []

    def replying(chat: ChatBody) -> Record:
        asked.append(chat.messages[-1].text)
        kind = asked[-1].rpartition("Proposed type: ")[2]
        return {"type": kind, "tie": f"tie of {kind}", "story": "They met."}

    with serving(replying) as served:
        assert write(sociolab, served.url, "relationships", "--n", 4).code == 0
    types = [one["type"] for one in records(tmp_path, "relationships")][:4]
    assert sorted(types) == ["acquaintance", "family", "friend", "romantic"]
    assert sum("Their ties to others:\nnone" in text for text in asked) == 2
    assert "tie of family" in asked[2] + asked[3]
    assert not any("Secret:" in text for text in asked)  # ties are told to others


def test_relationships_need_characters(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    done = write(sociolab, endpoint.url, "relationships")
    assert done.code == 2
    assert not (tmp_path / "d").exists()
    assert "d: expected two characters or more, found 0; write some first" in done.sentence
    assert write(sociolab, endpoint.url, "relationships", "--dry-run").sentence == done.sentence


def test_scenarios_need_pairs_that_can_be_cast_before_a_call_is_paid_for(
    sociolab: Sociolab, endpoint: EndpointServer
) -> None:
    assert write(sociolab, endpoint.url, "characters", "--n", 4).code == 0
    asked = endpoint.counters.requests
    done = write(sociolab, endpoint.url, "scenarios")
    assert done.code == 2
    assert "expected at least 5 pairs of characters to cast, found 0; write them" in done.sentence
    assert write(sociolab, endpoint.url, "characters", "--n", 5).code == 0
    assert (
        write(sociolab, endpoint.url, "relationships", "--n", 5, "--set", "strangers=0").code == 0
    )
    asked = endpoint.counters.requests
    done = write(sociolab, endpoint.url, "scenarios", "--n", 3, "--set", "method=templates")
    assert done.code == 2
    assert "no template can be cast (relationships and limits: expected at least" in done.sentence
    assert endpoint.counters.requests == asked


# ------------------------------------------------------------------ scenarios from vignettes


def test_scenarios_of_both_methods_can_be_cast_and_played(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    for more in (("--n", 3), ("--n", 4, "--set", "method=templates")):
        done = write(sociolab, endpoint.url, "scenarios", *more)
        assert done.code == 0, done.err
    assert len(records(tmp_path, "characters")) == 40  # those of the package
    assert sociolab("data", "cast", "d").code == 0
    done = sociolab("data", "check", "d")
    assert done.code == 0, done.err
    assert "35 tasks in 7 scenarios" in done.out
    assert "formula: 4 (friend 2, price 2)" in done.out
    assert "leave open whom" not in done.out  # what is not constrained is declared so
    played = sociolab("run", "sotopia", "--data", "d", "--limit", 7, "--store", "s.db", "--json")
    assert played.document["trials"] == 7


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"context": "They meet."}, "context: expected 15 to 90 words, found 2"),
        (
            {"one": {"goal": "You owe 750 and want to pay later.", "private": "a debt of 750"}},
            "found 750, which a goal keeps private",
        ),
        (
            {"one": {"goal": "You want it.", "private": ""}},
            "goal: expected 5 to 80 words, found 3",
        ),
        (
            {"other": {"goal": "You want Adwoa to leave it to you.", "private": ""}},
            'expected no names, found "Adwoa"',
        ),
        (
            {"other": {"goal": "You want violin3 violin4 violin5 violin6.", "private": ""}},
            "found most of the words of a goal",
        ),
        ({"relationships": ["romantic"], "limits": {
            "ties": ["twins"],
            "one": {"youngest": 0, "oldest": 130, "only_occupations": [],
                    "excluded_occupations": []},
            "other": {"youngest": 0, "oldest": 130, "only_occupations": [],
                      "excluded_occupations": []}}},
         "expected at least 5 pairs of characters that fit, found 0; widen them"),
    ],
)  # fmt: skip
def test_a_draft_that_will_not_do_is_sent_back(
    sociolab: Sociolab, tmp_path: Path, changed: Record, problem: str
) -> None:
    text = scenario(0)["context"] + ", for 750 in all"
    replying, asked = drafts(scenario(0, **{"context": text, **changed}), scenario(0))
    with serving(replying) as served:
        done = write(sociolab, served.url, "scenarios", "--n", 1)
    assert done.code == 0, done.err
    assert problem in asked[1]
    (kept,) = records(tmp_path, "scenarios")
    assert kept["context"] == scenario(0)["context"]
    assert kept["provenance"][0]["attempts"] == 2


def test_a_near_double_is_left_out_and_another_prompt_takes_its_place(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    same = scenario(0)
    again = scenario(0, context=same["context"] + " and one more")
    (first, before), (second, after) = drafts(same), drafts(again, again, again, scenario(1))
    with serving(first) as served:
        assert write(sociolab, served.url, "scenarios", "--n", 1).code == 0
    with serving(second) as served:
        done = write(sociolab, served.url, "scenarios", "--n", 2)
    assert inspiring(before[0]) not in map(inspiring, after)  # it has its scenario
    assert done.code == 0, done.err
    assert 'context: expected a new one, found nearly that of "violin violin0' in done.out
    assert "another --seed asks again for what was left out" in done.out
    assert [one["context"][:6] for one in records(tmp_path, "scenarios")] == ["violin", "ladder"]


def test_a_draft_that_fails_the_check_of_d2_is_written_anew_with_the_reason(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    replying, asked = drafts(scenario(0), scenario(1))
    checks = iter([{"reason": "the goals agree from the start", "holds": False}])

    def strict(chat: ChatBody) -> Record | None:
        return replying(chat) or next(checks, None)

    with serving(strict) as served:
        assert write(sociolab, served.url, "scenarios", "--n", 1).code == 0
    assert "The reason: the goals agree from the start" in asked[1]
    assert "context: violin violin0" in asked[1]  # as it was returned
    assert records(tmp_path, "scenarios")[0]["context"].startswith("ladder")


def test_limits_become_constraints_and_the_rest_is_declared_open(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    seat: Record = {"youngest": 18, "oldest": 70, "only_occupations": []}
    limits = {
        "ties": [],
        "one": {**seat, "excluded_occupations": ["midwife"]},
        "other": {**seat, "excluded_occupations": []},
    }
    with serving(drafts(scenario(0, limits=limits))[0]) as served:
        assert write(sociolab, served.url, "scenarios", "--n", 1).code == 0
    (found,) = records(tmp_path, "scenarios")
    assert found["ages"] == [[18, 70], [18, 70]]
    assert found["excluded_occupations"] == [["midwife"], []]
    assert found["unconstrained"] == ["ties"]


def test_prompts_are_read_in_the_public_format_and_mixed_as_in_the_paper(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    sources = ("social_chem", "social_iqa", "deal-or-no-deal", "normbank")
    rows = [f"m|{source}|{source}{n}|{source} prompt {n}" for source in sources for n in range(6)]
    (tmp_path / "seeds.csv").write_text("\n".join(["model|source|pk|prompt", *rows]), "utf-8")
    numbers = iter(range(8))

    def replying(chat: ChatBody) -> Record | None:
        return scenario(next(numbers)) if '"stance"' in chat.schema else None

    with serving(replying) as served:
        done = write(sociolab, served.url, "scenarios", "--n", 6, "--set", "inspire=seeds.csv")
    assert done.code == 0, done.err
    found = records(tmp_path, "scenarios")
    made = [one["provenance"][0]["inspiration"].split(":")[0] for one in found]
    assert Counter(made) == dict(zip(sources, (2, 2, 1, 1), strict=True))
    assert Counter(one["family"] for one in found) == {
        "norms": 2, "feelings": 2, "division": 1, "place": 1,
    }  # fmt: skip


# ------------------------------------------------------------------ scenarios from templates


def given(chat: ChatBody) -> Record:
    """The three texts of a template, as the prompt has them."""
    found: Record = json.loads(chat.messages[1].text.split("```json")[1].split("```")[0])
    return found


def test_a_template_is_reworded_and_keeps_its_facts(sociolab: Sociolab, tmp_path: Path) -> None:
    def replying(chat: ChatBody) -> Record:
        return {**given(chat), "context": f"On a wet day. {given(chat)['context']}"}

    with serving(replying) as served:
        done = write(sociolab, served.url, "scenarios", "--n", 2, "--set", "method=templates")
    assert done.code == 0, done.err
    bargain, friends = records(tmp_path, "scenarios")
    assert bargain["context"].startswith("On a wet day. ")
    prices = [goal["facts"] for goal in bargain["goals"]]
    assert {one["role"] for one in prices} == {"seller", "buyer"}
    for goal, facts in zip(bargain["goals"], prices, strict=True):
        assert f"{facts['target']:,.0f}" in goal["text"]
    assert friends["goals"][0]["facts"]["kind"] == "friend"
    assert bargain["provenance"][0]["inspiration"] == f"template:{bargain['id']}"


def test_a_reworded_template_that_loses_or_gives_away_a_fact_is_sent_back(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    told: list[str] = []

    def replying(chat: ChatBody) -> Record:
        texts = given(chat)
        if len(chat.messages) == 2 and "$" in texts["goal_1"]:
            (target, *_) = re.findall(r"\$([\d,]+)", texts["goal_1"])
            return {**texts, "context": f"{texts['context']} One of them hopes for ${target}."}
        if len(chat.messages) == 2:
            name = re.findall(r"(?m)^(\w+):", texts["goal_1"])[0]
            return {**texts, "goal_1": texts["goal_1"].replace(name, "somebody")}
        told.append(chat.messages[-1].text)
        return texts

    with serving(replying) as served:
        done = write(sociolab, served.url, "scenarios", "--n", 2, "--set", "method=templates")
    assert done.code == 0, done.err
    assert any(re.search(r"context: expected the same numbers, found \d+ added", t) for t in told)
    assert any("goal_1: expected every friend and fact" in text for text in told)


# ------------------------------------------------------------------ costs and bad input


def test_a_dry_run_counts_both_calls_of_a_scenario_and_writes_nothing(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    done = sociolab(
        "write", "sotopia", "scenarios", "--writer", "openai/w", "--to", "d", "--n", 3, "--dry-run"
    )
    assert done.code == 0, done.err
    assert "3 scenarios by openai/w: about 6 calls" in done.out
    assert 'no price is known for "openai/w"' in done.out
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize(
    ("content", "more", "problem"),
    [
        ("text,source\na,b\n", ("--set", "inspire=seeds.csv"), 'a table with a column "prompt"'),
        ("prompt\n\n", ("--set", "inspire=seeds.csv"), "expected inspirational prompts, found"),
        ("", ("--set", "inspire=none.csv"), "none.csv cannot be read: there is no such file"),
        ("", ("--set", "method=magic"), "expected 'vignettes' or 'templates', found"),
        ("", ("--to", "seeds.csv"), "--to: expected a folder, found the file seeds.csv"),
    ],
)
def test_bad_input_is_named_in_a_sentence(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path, content: str,
    more: tuple[str, str], problem: str,
) -> None:  # fmt: skip
    (tmp_path / "seeds.csv").write_text(content, "utf-8")
    done = write(sociolab, endpoint.url, "scenarios", *more)
    assert done.code == 2
    assert problem in done.sentence
    assert not (tmp_path / "d").exists()


def test_what_reviewers_reject_is_not_in_the_next_version(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    done = write(sociolab, endpoint.url, "scenarios", "--n", 2, "--set", "method=templates")
    assert done.code == 0, done.err
    assert sociolab("data", "cast", "d", "--per-scenario", 1).code == 0
    first, second = (one["id"] for one in records(tmp_path, "scenarios"))
    with Store.open(tmp_path / "s.db") as store:
        made = {"title": "Checks", "review": {"data": str(tmp_path / "d"), "raters": 1}}
        (who,) = open_study(store, 1, "checks", "review", None, made)
        study = review_study(store.studies.get("checks"))
        while (task := assign_next(store, "checks", who.pk, task_pool(study))) is not None:
            bad = study.tasks[task].cluster == first
            points = {**dict.fromkeys(REVIEW_POINTS, True), "tension": not bad}
            review = Review("reject" if bad else "keep", points, "nothing to decide" if bad else "")
            assert submit_review(store, study, who, task, review) == ()
    done = sociolab("data", "revise", "checks", "--to", "d2", "--store", "s.db")
    assert done.code == 0, done.err
    assert f"rejected (1): {first}" in done.out
    assert "d 1 becomes 2: 1 scenario, 1 task" in done.out
    (kept,) = map(json.loads, (tmp_path / "d2/scenarios.jsonl").read_text("utf-8").splitlines())
    assert kept["id"] == second
    assert [(made["step"], made["by"]) for made in kept["provenance"]] == [
        ("written", ["openai/w"]), ("kept", ["r1"]),
    ]  # fmt: skip
    assert sociolab("data", "check", "d2").code == 0
