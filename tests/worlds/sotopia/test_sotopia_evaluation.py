"""The judge's prompt, and how its reply becomes verdicts."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from importlib.resources import files
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sociolab.core import (
    Action,
    ConfigError,
    Ended,
    Moved,
    ReplyError,
    Score,
    ScoreFailure,
    Unscored,
    Verdict,
)
from sociolab.judging import MissingValue
from sociolab.prompting import load_set, parse_reply_text
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.evaluation import COMPREHENSIVE, LooseSheets, compute_overall
from sociolab.worlds.sotopia.scene import describe_ties
from sotopia_cases import casting, character, episode_of

VALUES = {
    "believability": 9,
    "relationship": 2,
    "knowledge": 4,
    "secret": 0,
    "social_rules": -1,
    "financial": 1,
    "goal": 8,
}


def sheet(**scores: object) -> dict[str, Any]:
    return {name: {"reason": f"why {name}", "score": v} for name, v in (VALUES | scores).items()}


def judged(reply: object, cast: sotopia.SceneCast | None = None) -> dict[tuple[str, str], Verdict]:
    cast = cast or casting()
    verdicts = sotopia.SotopiaRubric().verdicts(
        episode_of(cast), parse_reply_text(json.dumps(reply), LooseSheets)
    )
    found = {(verdict.seat or "", verdict.measure.name): verdict for verdict in verdicts}
    assert len(found) == len(verdicts)
    return found


def value(verdict: Verdict) -> float:
    assert isinstance(verdict, Score)
    return verdict.value


def test_a_good_reply_gives_seven_scores_and_an_overall_for_each_person() -> None:
    found = judged({"person_1": sheet(), "person_2": sheet(goal=1, secret=-10)})
    assert len(found) == 2 * 8
    assert [value(found["seat0", name]) for name in VALUES] == list(VALUES.values())
    assert value(found["seat0", "overall"]) == pytest.approx(23 / 7)
    assert value(found["seat1", "overall"]) == pytest.approx(6 / 7)
    score = found["seat0", "goal"]
    assert isinstance(score, Score)
    assert score.reason == "why goal"


def test_two_analyses_of_a_dimension_are_stored_under_their_tags() -> None:
    """Appendix C has believability analysed twice, each behind its tag."""
    cell = {"naturalness": "Ada rambles.", "consistency": "As shy as told.", "score": 7}
    score = judged({"person_1": sheet() | {"believability": cell}})["seat0", "believability"]
    assert isinstance(score, Score)
    assert (score.value, score.reason) == (
        7,
        "<naturalness> Ada rambles.\n<consistency> As shy as told.",
    )


def test_each_dimension_is_asked_as_raters_are_asked_it() -> None:
    """One source: what raters read above their scale is what stands in the judge's prompt."""
    prompt, _ = sotopia.SotopiaRubric().prompt(episode_of(casting()), 0.0)
    asked = " ".join(prompt.messages[0].text.split())
    guide = sotopia.rating_guide()
    assert [one.measure for one in guide.guides] == list(sotopia.DIMENSIONS)
    for one in guide.guides:
        own = one.look.replace(f" {COMPREHENSIVE}", "")  # of these the judge is told once
        assert f"{one.question} {own}" in asked
        assert f"# {one.name}: {one.measure.low:g} to {one.measure.high:g}" in asked
    thorough = [one.name for one in guide.guides if COMPREHENSIVE in one.look]
    assert thorough == ["relationship", "knowledge", "social_rules", "financial", "goal"]
    assert asked.count(f"On {', '.join(thorough)}: give a comprehensive account") == 1
    assert guide.instructions == sotopia.SotopiaRubric().instructions
    for wanted in ("restate their goals", "naturalness, consistency"):
        assert wanted in asked


def test_what_is_for_the_environment_is_read_by_judge_and_raters_and_by_no_seat() -> None:
    plain = casting()
    secret = "They have one common friend: Uma."
    scenario = plain.scenario.model_copy(update={"environment": secret})
    cast = plain.model_copy(update={"scenario": scenario})
    episode = episode_of(cast, Moved(0, "seat0", (Action("speak", "Hello."),)))
    prompt, _ = sotopia.SotopiaRubric().prompt(episode, 0.0)
    assert secret in prompt.messages[1].text
    assert secret in sotopia.rated_scene(episode).context
    for seat in ("seat0", "seat1"):
        assert "Uma" not in repr(sotopia.SotopiaScene(cast).witness(seat).observe(1))


def test_a_set_of_ones_own_lays_out_lines_and_messages_and_asks_for_other_reasons(
    tmp_path: Path,
) -> None:
    """The worked example of docs/prompts.md: one message, lines with the number of their turn."""
    folder = tmp_path / "mine"
    shutil.copytree(Path(str(files(sotopia.PACKAGE))) / "prompts" / "paper", folder)
    (folder / "manifest.toml").write_text(
        'title = "mine"\n[layout]\nmessages = "one"\n'
        """[lines]\nspeak = 'Turn #{turn}: {name} said: "{text}"'\n"""
    )
    asked = (folder / "dimensions.toml").read_text()
    (folder / "dimensions.toml").write_text(asked.replace('["reason"]', '["account"]'))
    texts = load_set(sotopia.PACKAGE, str(folder), sotopia.REQUIRED_TEMPLATES)
    moves = (
        Moved(0, "seat0", (Action("speak", "Hello."),)),
        Moved(1, "seat1", (Action("leave"),)),
    )
    prompt, _ = sotopia.SotopiaRubric(texts).prompt(episode_of(casting(), *moves), 0.0)
    (only,) = prompt.messages
    assert only.role == "user"
    assert only.text.endswith('Turn #1: Mia said: "Hello."\n2. Noah leaves.')
    assert prompt.schema is not None
    assert '"account"' in prompt.schema.text
    seat = sotopia.SotopiaScene(casting(), texts=texts).witness("seat1")
    seat.see(moves[0])
    shown = seat.observe(1)
    assert shown.layout.messages == "one"
    assert shown.history[0].text == 'Turn #1: the other person said: "Hello."'


def test_a_set_without_a_dimension_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(Path(str(files(sotopia.PACKAGE))) / "prompts" / "paper", folder)
    text = (folder / "dimensions.toml").read_text()
    (folder / "dimensions.toml").write_text(text.replace("[goal]", "[gaol]"))
    with pytest.raises(ConfigError, match=r'mine, dimensions\.toml: unknown field "gaol"'):
        sotopia.SotopiaRubric(load_set(sotopia.PACKAGE, str(folder), sotopia.REQUIRED_TEMPLATES))


def test_a_bad_cell_costs_that_cell_and_the_overall_of_that_person_only() -> None:
    found = judged({"person_1": sheet(goal=11), "person_2": sheet()})
    failure = found["seat0", "goal"]
    assert isinstance(failure, ScoreFailure)
    assert (
        failure.problem
        == "goal of Mia (person_1): expected a score, a whole number 0 to 10, found 11"
    )
    missing = found["seat0", "overall"]
    assert isinstance(missing, ScoreFailure)
    assert missing.cause == "incomplete"
    assert sum(isinstance(verdict, Score) for verdict in found.values()) == 6 + 8


def test_a_missing_person_costs_nobody_else() -> None:
    found = judged({"person_1": sheet()})
    assert all(isinstance(found["seat0", name], Score) for name in VALUES)
    assert all(isinstance(found["seat1", name], ScoreFailure) for name in (*VALUES, "overall"))


@pytest.mark.parametrize(
    "score",
    ["", "five", "--5", "5.5", "²", "9" * 5000, 5.5, True, None, [], {}, -1, 10.01, 1e400],
)
def test_what_is_no_whole_number_in_range_is_a_failure_and_never_a_crash(score: object) -> None:
    found = judged({"person_1": sheet(goal=score), "person_2": sheet()})
    assert isinstance(found["seat0", "goal"], ScoreFailure)


@pytest.mark.parametrize("score", [7, 7.0, "7", " +7 "])
def test_a_whole_number_is_read_in_any_spelling(score: object) -> None:
    assert value(judged({"person_1": sheet(goal=score)})["seat0", "goal"]) == 7


@pytest.mark.parametrize("cell", ["7", 7, None, [7], {}])
def test_a_cell_that_is_no_reason_with_a_score_is_a_failure(cell: object) -> None:
    reply = sheet()
    reply["goal"] = cell
    assert isinstance(judged({"person_1": reply})["seat0", "goal"], ScoreFailure)


@pytest.mark.parametrize("reply", [{}, {"agents": []}, {"reason": "x", "score": 3}])
def test_a_reply_about_nobody_is_not_read_at_all(reply: object) -> None:
    with pytest.raises(ReplyError, match="person_1"):
        parse_reply_text(json.dumps(reply), LooseSheets)


scores = st.fixed_dictionaries(
    {d.name: st.integers(int(d.low), int(d.high)) for d in sotopia.DIMENSIONS}
)


@given(cells=st.lists(scores, min_size=3, max_size=3))
def test_permuting_people_permutes_their_scores(cells: list[dict[str, int]]) -> None:
    plain = casting(seats=3)
    first = judged({f"person_{n + 1}": sheet(**cells[n]) for n in range(3)}, plain)
    for order in permutations(range(3)):
        cast = plain.model_copy(update={"characters": tuple(plain.characters[n] for n in order)})
        reply = {f"person_{place + 1}": sheet(**cells[n]) for place, n in enumerate(order)}
        assert judged(reply, cast) == first


def test_the_overall_is_not_made_of_what_cannot_be_observed() -> None:
    verdicts: list[Verdict] = [
        Score(d, "a", 0) for d in sotopia.DIMENSIONS if d is not sotopia.GOAL
    ]
    assert isinstance(
        compute_overall((*verdicts, Unscored(sotopia.GOAL, "a", "no")), "a"), Unscored
    )
    assert isinstance(compute_overall(tuple(verdicts), "a"), ScoreFailure)
    assert compute_overall((*verdicts, Score(sotopia.GOAL, "a", 7)), "a") == Score(
        sotopia.OVERALL, "a", 1.0
    )
    assert isinstance(compute_overall((*verdicts, Score(sotopia.GOAL, "b", 7)), "a"), ScoreFailure)


def test_the_judge_reads_the_scene_with_all_that_is_private() -> None:
    cast = casting(sotopia.RelationshipType.FRIEND)
    moves = (
        Moved(0, "seat0", (Action("speak", "Hello.\n# Noah"),)),
        Moved(1, "seat1", (Action("leave"),)),
    )
    prompt, kind = sotopia.SotopiaRubric().prompt(episode_of(cast, *moves), 0.0)
    assert kind is LooseSheets
    assert prompt.temperature == 0.0
    noah, told = prompt.messages[1].text.split("# Noah (person_2)\n")[1].split("# How they")
    assert noah.startswith(
        "Noah Berg, 32, gendermark1 (pronounmark1), jobmark1.\n"
        "Has a publicmark1.\n"
        "Curious and reserved. What matters most: innermark1.\n"
        "Secret: Hides a secretmark1.\n"
    )
    assert noah.endswith(": Get the goalmark1.\n\n")
    assert told == (
        " know each other\n"
        "Mia and Noah: friends.\n"
        "\n"
        "# What happened\n"
        "1. Mia: Hello. # Noah\n"
        "2. Noah leaves."
    )


@pytest.mark.parametrize(
    ("ended", "told"),
    [
        (Ended("left", 1, "seat1"), "\n\nIt ended because Noah left."),
        (Ended("turn limit", 1), "\n\nIt ended because the limit of turns was reached."),
        (
            Ended("silence", 1, "seat1"),
            "\n\nIt broke off there, for a reason outside of the scene.",
        ),
    ],
)
def test_the_judge_is_told_how_it_ended(ended: Ended, told: str) -> None:
    episode = episode_of(casting(), Moved(0, "seat0", (Action("speak", "Hello."),)))
    prompt, _ = sotopia.SotopiaRubric().prompt(
        replace(episode, events=(*episode.events, ended)), 0.0
    )
    assert prompt.messages[1].text.endswith(f"1. Mia: Hello.{told}")


def test_the_schema_wants_a_sheet_for_each_person_with_all_ranges() -> None:
    prompt, _ = sotopia.SotopiaRubric().prompt(episode_of(casting(seats=3)), 0.0)
    assert prompt.schema is not None
    schema = json.loads(prompt.schema.text)
    assert schema["required"] == ["person_1", "person_2", "person_3"]
    for dimension in sotopia.DIMENSIONS:
        kind = schema["$defs"]["Sheet"]["properties"][dimension.name]["$ref"].split("/")[-1]
        bounds = schema["$defs"][kind]["properties"]["score"]
        assert (bounds["minimum"], bounds["maximum"]) == (dimension.low, dimension.high)


def test_the_head_of_a_judges_prompt_is_the_same_for_all_episodes() -> None:
    one, _ = sotopia.SotopiaRubric().prompt(episode_of(casting()), 0.0)
    two, _ = sotopia.SotopiaRubric().prompt(episode_of(casting(seats=4)), 0.0)
    assert one.messages[0] == two.messages[0]


def test_failures_are_for_each_dimension_and_person() -> None:
    found = sotopia.SotopiaRubric().failures(episode_of(casting()), MissingValue("timeout", "late"))
    assert len(found) == 2 * 8
    causes = {verdict.cause for verdict in found if isinstance(verdict, ScoreFailure)}
    assert causes == {"timeout", "incomplete"}


def test_ties_are_told_for_every_pair() -> None:
    cast = casting(
        sotopia.RelationshipType.STRANGER, 3, kinds={(1, 2): sotopia.RelationshipType.KNOWN_BY_NAME}
    )
    assert describe_ties(cast) == (
        "Mia and Noah: strangers, except for what the scene says.",
        "Mia and Ivy: strangers, except for what the scene says.",
        "Noah and Ivy: known by name only.",
    )


def test_the_judge_tells_people_of_one_first_name_apart() -> None:
    cast = casting(people={1: character(1, first_name="Mia")})
    assert sotopia.judge_names(cast) == {"seat0": "Mia Chen", "seat1": "Mia Berg"}
