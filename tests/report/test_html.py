"""The page: whole, safe, and by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from sociolab import RunResult, Section
from sociolab.app import world_plugin
from sociolab.core import AgentKind, ConfigError, JudgeId
from sociolab.report import (
    ShownRun,
    TextTable,
    TranscriptView,
    render_page as page_of_runs,
    summary,
    views_of,
)
from sociolab.report.html import chart_scripts, section_page, write_html
from sociolab.report.result import PlayValue, ScoreDistribution
from sociolab.report.run_facts import cautions, command
from sociolab.report.section import Chart, Figure
from sociolab.report.transcript_views import evenly_chosen, private_part
from sociolab.store import Store

from .small_run import ALPHA, RUN, SCRIPTED
from .test_transcript_view import hostile, transcript

VOID = {"meta", "br", "hr", "img", "input", "link", "circle", "line"}


def page(result: RunResult, episodes: Sequence[TranscriptView] = ()) -> str:
    return page_of_runs([ShownRun(result, episodes)])


class Reader(HTMLParser):
    """Checks that tags are balanced; collects text, tags and attributes. Scripts are ours: what
    draws charts, or data of a chart, which hold nothing that could end them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []
        for script in self.scripts:
            assert script.strip() == chart_scripts().strip() or "<" not in script
            assert script.strip() == chart_scripts().strip() or json.loads(script)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        (self.scripts if self.open[-1:] == ["script"] else self.text).append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


@pytest.fixture
def episodes(store: Store) -> tuple[TranscriptView, ...]:
    return views_of(store, RUN, transcript, evenly_chosen(store, RUN, 6))


def test_tags_are_balanced_and_ids_unique(
    result: RunResult, episodes: tuple[TranscriptView, ...]
) -> None:
    found = Reader(page(result, episodes))
    assert len(found.ids) == len(set(found.ids)) > 0
    assert Reader(page(result.model_copy(update={"scores": (), "judges": ()}))).tags


def test_the_page_needs_nothing_else(
    result: RunResult, episodes: tuple[TranscriptView, ...]
) -> None:
    text = page(result, episodes)
    found = Reader(text)
    assert not {"link", "img", "iframe", "object", "embed"} & set(found.tags)
    names = {name for name, _ in found.attributes}
    assert not {"src", "srcset"} & names
    assert all(str(value).startswith("#") for name, value in found.attributes if name == "href")
    assert not any(name.startswith("on") for name in names)
    own = text.replace(chart_scripts(), "")
    assert len(own) == len(text) - len(chart_scripts()), "what draws the charts is in the page"
    assert "http" not in own
    assert "url(" not in own
    assert "@import" not in own


def test_a_page_without_a_chart_holds_no_script(result: RunResult) -> None:
    text = page(result.model_copy(update={"scores": (), "judges": ()}))
    assert "script" not in Reader(text).tags
    assert "script" not in Reader(section_page("Kappa", [Section("Kappa", ("As said.",))])).tags


def test_pages_of_a_site_share_what_draws_their_charts(result: RunResult) -> None:
    text = page_of_runs([ShownRun(result)], home="../index.html", scripts="../charts.js")
    assert text.count('<script src="../charts.js"></script>') == 1
    assert chart_scripts() not in text


def test_the_licence_of_what_draws_the_charts_comes_with_it() -> None:
    assert chart_scripts().startswith("/*\nvega 6.4.0")
    assert "Redistributions in binary form must reproduce" in chart_scripts()


def test_the_page_tells_figures_failures_and_what_they_do_not_show(
    result: RunResult, episodes: tuple[TranscriptView, ...]
) -> None:
    words = Reader(page(result, episodes)).words
    for said in (
        "1 of 12 episodes failed: plugin 1",
        "sotopia (by-hand 1): 11 of 12 episodes completed",
        "scripted is rule-based",
        "The heuristic judge scores only what scripted players put on record",
        "offline judge: scores only what is on record; not comparable with an LLM judge",
        "7.33 [2.93, 10.00] n 12",
        "skew-corrected t; truncated at the ends of the scale",
        "3.78 [0.00, 8.02] n 9 3 failed",
        "openai/alpha 5.00 4 33 % [1.67, 7.67] 4 0 scripted 5.00 4 40 % [1.67, 8.00] 2 2 2",
        "Outcomes that could not be established do not count as zero",
        "openai/alpha 4 0 4 4 0 33 % scripted 4 2 2 2 2 40 %",
        "sociolab list episodes --run small --score goal_checked=disputed",
        "Gaffke's where clusters crowd at one end of the scale",
        "GOAL: agent (row) by partner (column)",
        "0.00217",
        "6 episodes in full, spaced evenly over the plan",
        "ann got 4",
        "sociolab run sotopia --agent openai/alpha --agent scripted --judge heuristic --limit 3 "
        "--seed 7 --name small",
        "by-hand 1 (hash 0123abcd)",
        "2026-11-20 09:30 UTC",
    ):
        assert said in words, said


def test_goals_and_secrets_are_folded(
    result: RunResult, episodes: tuple[TranscriptView, ...]
) -> None:
    text = page(result, episodes)
    folded = re.findall(r"<details><summary>Private.*?</details>", text, re.DOTALL)
    assert len(folded) == 2 * 6
    assert "Secret: the lamp is broken.\nGoal: sell it for $30." in folded[0]
    rest = re.sub(r"<details><summary>Private.*?</details>", "", text, flags=re.DOTALL)
    assert "the lamp is broken" not in rest


def test_the_public_part_ends_where_a_secret_or_goal_begins() -> None:
    assert private_part("a\nb") == ("a\nb", "")
    assert private_part("a\nGoal: b\nc") == ("a", "Goal: b\nc")
    assert private_part("Secret: b") == ("", "Secret: b")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "</details></main>\"'><img src=x onerror=alert(1)>",
        "{{ 7 * 7 }} {% raw %}",
        "\N{RIGHT-TO-LEFT OVERRIDE}abc\N{RIGHT-TO-LEFT MARK}",
        "]]><!-- -->&amp;&lt;",
        "word " * 20_000,
    ],
)
def test_hostile_text_stays_text(result: RunResult, text: str) -> None:
    labelled = result.model_copy(
        update={
            "run": text,
            "stopped": text,
            "agents": (text, SCRIPTED),
            "settings": {"note": text},
            "scores": tuple(
                e.model_copy(update={"agent": text}) if e.agent == ALPHA else e
                for e in result.scores
            ),
        }
    )
    found = Reader(page(labelled, [hostile(text)]))
    assert "img" not in found.tags
    assert not any(name.startswith("on") for name, _ in found.attributes)
    assert " ".join(text.split()) in found.words


def test_a_line_of_a_megabyte_is_shown(result: RunResult) -> None:
    assert "x" * 1_000_000 in page(result, [hostile("x" * 1_000_000)])


def test_texts_of_either_direction_are_kept_apart(result: RunResult) -> None:
    text = page(result, [hostile("\N{RIGHT-TO-LEFT OVERRIDE}abc")])
    assert re.search(r'<li value="1" dir="auto"><b>Ann</b>: \u202eabc</li>', text)
    assert "unicode-bidi: isolate" in text


def test_a_name_cannot_turn_our_sentences_around(result: RunResult) -> None:
    turned = "\N{RIGHT-TO-LEFT OVERRIDE}abc"
    text = page(result.model_copy(update={"agents": (turned, SCRIPTED), "stopped": turned}))
    sentences = re.findall(r"<(?:p|li|figcaption)(?: [^>]*)?>(.*?)</", text)
    assert any("abc (unknown kind) and scripted" in sentence for sentence in sentences)
    assert not any("\N{RIGHT-TO-LEFT OVERRIDE}" in sentence for sentence in sentences)


def test_control_characters_and_broken_text_can_be_written(
    result: RunResult, tmp_path: Path
) -> None:
    run = ShownRun(result, [hostile("a\x00\x1b[2Jb \ud800")])
    write_html(tmp_path / "r.html", [run])
    assert "a\ufffd\ufffd[2Jb \ufffd" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_writing_leaves_the_page_and_nothing_else(result: RunResult, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text("old", encoding="utf-8")
    reader = tmp_path / "opened before"
    reader.hardlink_to(path)
    write_html(path, [ShownRun(result)])
    assert reader.read_text(encoding="utf-8") == "old"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [found.name for found in tmp_path.iterdir() if "html" in found.name] == ["r.html"]


def test_a_folder_that_is_not_there_is_refused(result: RunResult, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be written to .*none/r\.html"):
        write_html(tmp_path / "none" / "r.html", [ShownRun(result)])


def test_the_same_result_gives_the_same_page(
    result: RunResult, episodes: tuple[TranscriptView, ...]
) -> None:
    assert page(result, episodes) == page(result, episodes)


def test_an_only_agent_is_charted_by_type(result: RunResult) -> None:
    alone = result.model_copy(update={"agents": (SCRIPTED,)})
    text = page(alone.model_copy(update={
        "scores": tuple(e for e in result.scores if e.agent == SCRIPTED)}))  # fmt: skip
    assert "all types: 3.78, 95 % interval 0.00 to 8.02; bargain: 3.00" in text
    assert "Agent-partner matrix" not in text


def test_a_partner_is_told_of(result: RunResult) -> None:
    told = summary(result.model_copy(update={"partner": SCRIPTED}))
    assert "each with the partner scripted (rule-based, no model), in every seat." in told
    only = summary(result.model_copy(update={"agents": (SCRIPTED,)}))
    assert "Self-play: scripted (rule-based, no model) in every seat." in only


def test_where_the_partner_has_one_part_it_is_named(result: RunResult) -> None:
    declared = replace(result.declared, partner="the NPC")
    party = result.model_copy(update={"declared": declared})
    told = summary(party.model_copy(update={"partner": SCRIPTED}))
    assert "with the partner scripted (rule-based, no model), as the NPC." in told
    assert "each in every seat, the NPC included." in summary(party)


@pytest.mark.parametrize("world", ["stss", "stss-talk"])
def test_the_partner_of_a_performer_is_the_background(result: RunResult, world: str) -> None:
    town = result.model_copy(update={"declared": world_plugin(world).declared, "partner": SCRIPTED})
    assert "as the background agents." in summary(town)


@pytest.mark.parametrize(
    ("settings", "agents", "sentence"),
    [
        ({"people": 1}, ("human", SCRIPTED),
         "Each episode had 1 person with scripted (rule-based, no model) in the other seats, as"),
        ({"people": 2}, ("human",), "Each episode had 2 people, as the study specifies."),
        ({"people": 2, "stand_in": [SCRIPTED, ""]}, ("human", SCRIPTED), "had up to 2 people"),
    ],
)  # fmt: skip
def test_of_a_study_nobody_is_told_to_have_met_whom_they_did_not(
    result: RunResult, settings: dict[str, Any], agents: tuple[str, ...], sentence: str
) -> None:
    kinds: dict[str, AgentKind] = {"human": "person", SCRIPTED: "rules"}
    of_people = result.model_copy(
        update={
            "settings": settings,
            "agents": agents,
            "declared": replace(result.declared, agents=kinds),
        }
    )
    assert sentence in summary(of_people)
    assert command(of_people) == "sociolab study create small.toml"


def test_a_model_judge_is_no_oracle(result: RunResult) -> None:
    judges = tuple(j.model_copy(update={"method": "model"}) for j in result.judges)
    told = " ".join(cautions(result.model_copy(update={"judges": judges})))
    assert "An LLM judge is not a person" in told
    assert "heuristic" not in told
    assert "Failures do not count as zero" in told


def test_the_command_repeats_the_run(result: RunResult) -> None:
    settings = {"agents": [[ALPHA, "a"]], "tasks": "bargain,a b", "repeats": 2, "attempts": 3}
    asked = result.model_copy(update={"partner": SCRIPTED, "settings": settings, "judges": ()})
    assert command(asked) == (
        "sociolab run sotopia --agent openai/alpha --partner scripted --judge none "
        "--tasks 'bargain,a b' --repeats 2 --seed 7 --name small"
    )


def test_the_command_names_the_settings_of_the_world_a_judge_by_rules_and_a_reader(
    result: RunResult,
) -> None:
    settings = {
        "agents": [[ALPHA, "a"]],
        "judges": [
            JudgeId("goal check", "formula", "1").as_row(),
            JudgeId("rules", "rules", "2").as_row(),
            JudgeId("openai/r", "model", "3", "reader").as_row(),
        ],
        "world_settings": {"tdp": "true"},
    }
    changed = {"settings": settings, "partner": None, "agents": (ALPHA,)}
    assert command(result.model_copy(update=changed)) == (
        "sociolab run sotopia --agent openai/alpha --judge rules --reader openai/r "
        "--set tdp=true --seed 7 --name small"
    )


def test_a_page_of_several_runs_links_to_each_and_repeats_no_id(result: RunResult) -> None:
    other = result.model_copy(update={"run": "another", "world": "elsewhere"})
    text = page_of_runs([ShownRun(result), ShownRun(other)])
    found = Reader(text)
    ids = [value for name, value in found.attributes if name == "id"]
    links = [value for name, value in found.attributes if name == "href"]
    assert [link for link in links if link in ("#run-1", "#run-2")] == ["#run-1", "#run-2"]
    assert len(set(ids)) == len(ids)
    assert {"run-1", "run-2"} <= set(ids)
    assert found.tags.count("h1") == 2


def test_every_link_leads_to_something_on_the_page(
    result: RunResult, episodes: tuple[TranscriptView, ...]
) -> None:
    other = result.model_copy(update={"run": "another"})
    sections = [Section("Agreement", ("They agree.",))]
    runs = [ShownRun(result, episodes, SPREADS, sections), ShownRun(other)]
    found = Reader(page_of_runs(runs, sections))
    links = {str(value) for name, value in found.attributes if name == "href"}
    assert {link.removeprefix("#") for link in links} <= set(found.ids)
    assert {"#contents", "#part-1", "#run-1-part-1", "#run-1-scores", "#run-2-repeat"} <= links
    assert len(found.ids) == len(set(found.ids))


def test_the_list_of_episodes_leads_into_the_transcripts_with_their_scores(
    result: RunResult, episodes: tuple[TranscriptView, ...]
) -> None:
    text = page_of_runs([ShownRun(result, episodes, SPREADS)])
    table = text[text.index('aria-label="Episodes of this page"') :]
    table = table[: table.index("</table>")]
    first = table.split("</tr>")[1]
    assert 'href="#run-1-episode-1">lamp: Ann and Bob</a>' in first
    assert "<b>4</b> Ann" in first
    assert "<b>6</b> Bob" in first
    assert "lowest of openai/alpha" in first
    # The anchor is inside what is folded, so that browsers open it.
    folded = text[text.index('<details class="episode">') :]
    assert folded.index("</summary>") < folded.index('id="run-1-episode-1"')


def test_distributions_are_drawn_and_even_ones_named(result: RunResult) -> None:
    even = ScoreDistribution(ALPHA, "heuristic", "social_rules", (PlayValue(0, "lamp-AA", "ann"),))
    words = Reader(page_of_runs([ShownRun(result, (), (*SPREADS, even))])).words
    assert "openai/alpha: 2 episodes, 4 to 6, median 5" in words
    assert "Not drawn, as all values are equal: SOC 0.00." in words


def test_sections_of_the_caller_are_shown_whole(result: RunResult) -> None:
    table = TextTable("Kappa", ("pair", "kappa", "why"), (("a, b", "0.41", "few"),), ("k",), (2,))
    figure = Figure("fig", Chart("drawn", "a: 1", {"mark": "bar"}))
    part = Section("Agreement", ("They agree.",), ("Few raters.",), (table,), (figure,))
    text = page_of_runs([ShownRun(result)], [part])
    assert '<td class="num"><span>0.41</span></td>' in text
    assert '<td dir="auto">few</td>' in text
    assert '<script type="application/json">{"mark": "bar"}</script>' in text
    assert 'aria-label="drawn: a: 1"' in text
    assert "Limitations Few raters." in " ".join(Reader(text).words.split())


@pytest.mark.parametrize("text", ["</table><script>alert(1)</script>", "x" * 100_000])
def test_hostile_sections_and_spreads_stay_text(result: RunResult, text: str) -> None:
    table = TextTable(text, (text,) * 3, ((text,) * 3,), (text,), words=(2,))
    part = Section(text, (text,), (text,), (table,))
    points = (PlayValue(1, "t", "ann"), PlayValue(2, "t", "bob"))
    spread = ScoreDistribution(text, "heuristic", "goal", points)
    plain = Reader(page_of_runs([ShownRun(result)])).scripts
    found = Reader(page_of_runs([ShownRun(result, [hostile(text)], [spread], [part])], [part]))
    assert len(found.scripts) == len(plain) + 1, "the data of one more chart, and nothing else"


def test_a_measure_of_one_type_has_one_bar(result: RunResult) -> None:
    mine = [entry for entry in result.scores if entry.agent == SCRIPTED]
    assert (
        sum(e.measure == "goal_checked" and "type" in e.by for e in mine) == 2
    )  # one says nothing
    text = page(result.model_copy(update={"agents": (SCRIPTED,), "scores": tuple(mine)}))
    assert 'aria-label="0 to 10 by goal check: goal (checked): 5.00, no interval"' in text


def test_measures_of_one_dot_each_share_a_chart(result: RunResult) -> None:
    scores = tuple(e for e in result.scores if e.agent == SCRIPTED and not e.by)
    text = page(result.model_copy(update={"agents": (SCRIPTED,), "scores": scores}))
    assert "GOAL: 3.78, 95 % interval 0.00 to 8.02" in text
    assert "0 to 10 by heuristic" in text


def test_hashes_tell_what_was_played_and_judged(result: RunResult) -> None:
    words = Reader(page(result)).words
    for said in ("Data by-hand 1 0123abcd", "Agent openai/alpha a1", "Judge heuristic h1"):
        assert said in words


def test_few_scenarios_and_single_plays_are_cautioned_against(result: RunResult) -> None:
    told = " ".join(cautions(result))
    assert "Scores come from at most 3 scenarios" in told
    assert "Each cast played each task once" in told
    assert "sociolab compare" in told


def test_of_one_scenario_no_interval_is_spoken_of(result: RunResult) -> None:
    alone = tuple(entry.model_copy(update={"clusters": 1}) for entry in result.scores)
    told = " ".join(cautions(result.model_copy(update={"scores": alone})))
    assert "All scores come from one scenario, so there is no interval" in told
    assert "too narrow" not in told
    assert "Intervals reflect" not in told


def test_a_table_can_be_scrolled_by_keyboard_and_printed_whole(result: RunResult) -> None:
    text = page(result)
    assert text.count('<div class="wide" tabindex="0" role="region" aria-label=') >= 4
    for rule in (
        "@media print",
        "details::details-content",
        "prefers-reduced-motion",
        ":focus-visible",
        "prefers-color-scheme: dark",
        "no-repeat local",
    ):
        assert rule in text


SPREADS = (
    ScoreDistribution(
        ALPHA, "heuristic", "goal", (PlayValue(4, "lamp-AA", "ann"), PlayValue(6, "lamp-AA", "bob"))
    ),
    ScoreDistribution(SCRIPTED, "heuristic", "goal", (PlayValue(2, "lamp-SS", "ann"),)),
)


def test_a_verdict_is_followed_by_data_and_a_note_stands_once() -> None:
    one, two = (
        TextTable(heading, ("agent", "mean"), (("a", "1.0"),), notes=("by scenario", heading))
        for heading in ("first", "second")
    )
    part = Section("Who", ("It is so.",), ("Mind this.",), (one, two), verdict="A is better.")
    page = section_page("Who", [part])
    order = ["A is better.", "<table", "It is so.", "Mind this.", "<li>second</li>"]
    places = [page.index(text) for text in order]
    assert places == sorted(places)
    assert page.count("<li>by scenario</li>") == 1
