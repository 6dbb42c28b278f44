"""Audits of judges whose bias is known: each must be found, and nothing where there is none."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from biased_judges import AT_JUDGING, FAVOURITE, GOAL, OVERALL, spoken
from own_code import writer
from sociolab import JudgeConfig, RunConfig, judge_run, run
from sociolab.analysis.audit import CHANGE, DIFFERENCE, EQUAL, MOVED, SD
from sociolab.app import AuditConfig, Import, import_anything, load_world
from sociolab.app.audit import AuditResult, audit
from sociolab.core import ConfigError, JudgeId, Score
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process, start_in_thread
from sociolab.store import Store
from sociolab.worlds.sotopia.audit import pad_sentences
from worlds.sotopia.importing.conftest import public

__all__ = ["public"]

RUN = "played"
RATED = "sotopia_pi_human_eval_episodes.jsonl"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve episodes of twelve scenarios, among them two of Mateo Quispe's."""
    path = tmp_path_factory.mktemp("audits") / "s.db"
    run(RunConfig(tasks="bargain", limit=12, name=RUN, store=path))
    return path


def audited(stored: Path, judge: str, *kinds: str, **more: object) -> AuditResult:
    given = {"run": RUN, "store": stored, "judge": judge, "kinds": kinds}
    return audit(AuditConfig.model_validate(given | more))


def effects(result: AuditResult, kind: str) -> list[Any]:
    """The findings of a kind; those of "controls" and "family" stand apart."""
    if kind == "controls":
        return [*result.controls]
    if kind == "family" and result.families:
        return [finding for pair in result.families.pairs for finding in pair.findings]
    return [*result.effects[kind]]


def by(result: AuditResult, kind: str, measure: str = "goal") -> Mapping[str, Any]:
    return {
        e.about["figure"]: e for e in result.effects[kind] if e.metric and e.metric.name == measure
    }


def biased(name: str) -> str:
    return f"python:biased_judges:{name}"


def test_a_fair_judge_is_moved_by_nothing(stored: Path) -> None:
    found = audited(stored, biased("Fair"))
    assert set(found.effects) == {
        "repeat", "order", "names", "padding", "judge-note", "goals", "outcome", "other", "secret",
        "insult", "forged", "mentions",
    }  # fmt: skip
    for kind in ("order", "names", "padding"):
        assert {effect.estimate.value for effect in effects(found, kind)} == {0}
        assert {effect.more["missing"] for effect in effects(found, kind)} == {0}
    again = by(found, "repeat")
    assert [again[what].estimate.value for what in (SD, EQUAL, DIFFERENCE)] == [0, 1, 0]


def test_a_judge_that_favours_the_first_by_two_is_found_out_by_order_and_by_nothing_else(
    stored: Path,
) -> None:
    found = audited(stored, biased("FavoursFirst"))
    order = by(found, "order")
    assert order["listed first"].estimate.value == 2
    assert (order[CHANGE].estimate.value, order[MOVED].estimate.value) == (0, 2)
    assert (order[MOVED].estimate.n, order[MOVED].estimate.clusters) == (24, 12)
    for kind in ("names", "padding"):
        assert {effect.estimate.value for effect in effects(found, kind)} == {0}


def test_a_judge_that_favours_a_name_is_found_out_by_names_and_by_nothing_else(
    stored: Path,
) -> None:
    found = audited(stored, biased("FavoursName"))
    names = by(found, "names")
    assert names[FAVOURITE].estimate.value == 2
    assert names[FAVOURITE].estimate.n == 4, "two episodes, both seats of each"
    assert names[CHANGE].estimate.value == 0
    assert names[MOVED].estimate.value == pytest.approx(2 * 4 / 24)
    for kind in ("order", "padding"):
        assert {effect.estimate.value for effect in effects(found, kind)} == {0}
    (table,) = [
        table
        for section in found.sections
        for table in section.tables
        if table.heading == "GOAL by condition"
    ]
    assert table.rows[0][:2] == (FAVOURITE, "+2.00")


def test_a_judge_that_counts_words_is_found_out_by_padding_and_by_nothing_else(
    stored: Path,
) -> None:
    found = audited(stored, biased("CountsWords"))
    with Store.open(stored, create=False) as store:
        added = [
            spoken(variant.episode, seat) - spoken(episode, seat)
            for episode in store.episodes(RUN, "played")
            for variant in pad_sentences(episode, 0)
            for seat in [variant.label]
        ]
    padding = by(found, "padding", "words")
    assert padding["padded"].estimate.value == pytest.approx(sum(added) / len(added))
    assert padding["padded"].estimate.n == len(added) == 24
    assert padding["other padded"].estimate.value == 0
    for kind in ("order", "repeat"):
        assert by(found, kind, "words")[MOVED if kind == "order" else SD].estimate.value == 0
    assert any("times as many words" in one for s in found.sections for one in s.sentences)


def test_a_judge_that_scores_by_the_number_of_the_judging_is_found_out_by_repeating(
    stored: Path,
) -> None:
    found = by(audited(stored, biased("ByNumber"), "repeat", repeats=2), "repeat")
    assert AT_JUDGING == (0, 1, 3)
    # 5, 6, 8: sd sqrt(7/3); distances 1, 2, 3.
    assert found[SD].estimate.value == pytest.approx((7 / 3) ** 0.5)
    assert (found[EQUAL].estimate.value, found[DIFFERENCE].estimate.value) == (0, 2)


def test_a_failed_judging_is_counted_and_no_zero(stored: Path) -> None:
    found = audited(stored, biased("FailsOnSecond"), "order", "repeat", repeats=1)
    order = by(found, "order")
    assert (order[MOVED].estimate.value, order[MOVED].estimate.n) == (None, 0)
    assert order[MOVED].more["missing"] == 24
    assert by(found, "repeat")[SD].more["missing"] == 24
    told = found.sections[0].cautions[0]
    assert "36 of 36 judgings lack a score (unreadable 36)" in told
    assert (found.judgings, found.failed, found.in_vain) == (36, {"unreadable": 36}, "")


def test_an_audit_in_which_nothing_was_scored_says_that_it_was_in_vain(stored: Path) -> None:
    found = audited(stored, biased("Fails"), "order", limit=2)
    assert found.in_vain == "all of 4 judgings failed (unreadable 4): the audit found nothing"
    assert audited(stored, biased("Fair"), "order", limit=2).in_vain == ""


def test_nothing_of_an_audit_enters_the_runs_own_scores(stored: Path) -> None:
    def said() -> list[object]:
        with Store.open(stored, create=False) as store:
            return [
                list(store.verdicts.scores(RUN)),
                store.calls.totals(RUN),
                [r.name for r in store.runs()],
            ]

    before = said()
    audited(stored, "heuristic", "repeat", "order")
    assert said() == before


def test_a_larger_limit_adds_to_the_episodes_of_a_smaller_one(stored: Path) -> None:
    found = audited(stored, biased("Fair"), "order", limit=5)
    assert found.episodes == 5
    assert by(found, "order")[MOVED].estimate.n == 10
    assert audited(stored, biased("Fair"), "order", limit=99).episodes == 12


def test_a_judge_that_always_breaks_is_named_and_the_audit_was_in_vain(stored: Path) -> None:
    found = audited(stored, biased("Breaks"), "repeat", repeats=1)
    assert found.in_vain == "all of 24 judgings failed (plugin 24): the audit found nothing"
    assert re.search(
        r"the first: the judge Breaks broke on the episode .*KeyError",
        found.sections[0].cautions[0],
    )


def test_a_judge_that_breaks_once_has_failed_there_and_the_audit_goes_on(stored: Path) -> None:
    found = audited(stored, biased("BreaksOnSecond"), "order", "repeat", repeats=2)
    assert (found.judgings, found.failed) == (48, {"plugin": 12})
    again = by(found, "repeat")
    # 24 plays lack the second of three scores; the two that are left are equal.
    assert (again[SD].more["missing"], again[SD].estimate.value) == (24, 0)
    assert by(found, "order")[MOVED].more["missing"] == 0


def test_a_judge_that_takes_too_long_has_failed(stored: Path) -> None:
    found = audited(stored, biased("Sleeps"), "repeat", repeats=1, limit=2, agent_timeout=0.01)
    assert found.failed == {"timeout": 4}


ASKS = """
from sociolab.core.score import JudgeId, Measure, Score

class Judge:
    id = JudgeId("asks", "model", "1")

    def __init__(self, *, models):
        self.models = models

    async def judge(self, episode, judging=0):
        text = await self.models.chat("openai/m", "How did it go?")
        goal = Measure("goal", 0, 10)
        return [Score(goal, seat, len(text)) for seat in episode.trial.task.seats]
"""


def test_a_judge_of_ones_own_that_asks_models_is_audited_and_its_replies_are_kept(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    spec = writer(tmp_path)("asking_audited_judge", ASKS)
    store = Path(shutil.copy(stored, tmp_path / "s.db"))
    with start_in_thread(EndpointSettings(responder=lambda chat: "well")) as running:
        for _ in range(2):
            given = {"base_url": running.url, "limit": 2, "repeats": 1}
            found = audited(store, f"{spec}:Judge", "repeat", **given)
            assert by(found, "repeat")[SD].estimate.value == 0
            assert running.counters.requests == 4


def test_a_kind_that_there_is_not_is_told_in_a_sentence(stored: Path) -> None:
    with pytest.raises(ConfigError, match="--kind shouting: sotopia has no such variant"):
        audited(stored, "heuristic", "shouting")


def test_without_a_judge_only_stored_scores_can_be_audited(stored: Path) -> None:
    for kinds in ((), ("repeat",), ("family", "order")):
        with pytest.raises(ConfigError, match="--judge: expected the judge to audit"):
            audit(AuditConfig(run=RUN, store=stored, kinds=kinds))
    found = audit(AuditConfig(run=RUN, store=stored, kinds=("family",)))
    assert found.families is not None
    assert 'no model judged "played"' in found.families.why
    (section,) = found.sections
    assert section.sentences[0].startswith("Verdict: cannot tell. It cannot be computed: ")


def judged_by_two(source: Path, path: Path, own: str, favoured: str) -> None:
    """Episodes of other programs, judged by two models: `own` gives the `favoured` agents 2 more
    than the others, "lovestuned" gives all the same."""
    import_anything("sotopia-episodes", Import(source, "pub", False, path))
    with Store.open(path, create=False) as store:
        for row in store.trials("pub"):
            for judge in (own, "lovestuned"):
                scores = [
                    Score(GOAL, one.seat, 5 + 2 * (judge == own and favoured in one.agent))
                    for one in row.trial.cast
                ]
                store.verdicts.add("pub", JudgeId(judge, "model"), scores, trial=row.trial.id)


def test_judges_of_imported_episodes_are_audited_for_their_own_family(tmp_path: Path) -> None:
    fixtures = Path(__file__).parents[1] / "worlds" / "sotopia" / "importing" / "fixtures"
    judged_by_two(fixtures, tmp_path / "s.db", "small-judge", "small")
    found = audit(AuditConfig(run="pub", store=tmp_path / "s.db", kinds=("family",)))
    assert found.families is not None
    (pair,) = found.families.pairs
    assert (pair.judge, pair.family) == ("small-judge", "small")
    assert effects(found, "family")[0].estimate.value == 2


def test_judges_of_the_public_episodes_are_audited_for_their_own_family(
    public: Path, tmp_path: Path
) -> None:
    judged_by_two(public / "episodes" / RATED, tmp_path / "s.db", "openai/gpt-4o", "gpt-")
    rules = (("gpt", "*gpt*"),)
    found = audit(
        AuditConfig(run="pub", store=tmp_path / "s.db", kinds=("family",), families=rules)
    )
    assert found.families is not None
    (pair,) = found.families.pairs
    goal = effects(found, "family")[0]
    assert (pair.family, goal.estimate.value) == ("gpt", 2)
    # gpt-4 sat in 28 of the 308 seats, gpt-3.5-turbo in 168.
    assert (goal.more["own"].n, goal.more["others"].n) == (196, 112)
    (section,) = found.sections
    assert "gpt (gpt-3.5-turbo, gpt-4, openai/gpt-4o)" in " ".join(section.sentences)


def test_a_panel_is_shown_without_asking_anybody(stored: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(stored, tmp_path))
    judge_run(
        RUN, JudgeConfig(judges=(biased("Fair"), biased("FavoursFirst")), store=path), repeats=1
    )
    given = {"run": RUN, "store": path, "panel": ("Fair", "FavoursFirst"), "apart": 1}
    found = audit(AuditConfig.model_validate(given))
    assert found.panel is not None
    assert found.panel.judges == ("Fair", "FavoursFirst")
    assert found.episodes == 0


def judgements(found: AuditResult) -> dict[tuple[str, str], str]:
    return {
        (one.about["control"], one.metric.name): one.more["verdict"]
        for one in found.controls
        if one.metric
    }


def test_a_judge_that_always_says_seven_fails_every_control_that_it_should_notice(
    stored: Path,
) -> None:
    found = audited(stored, biased("Constant"))
    assert {key for key, told in judgements(found).items() if told == "fails"} == {
        ("goals", "goal"), ("outcome", "goal"), ("other", "goal"), ("secret", "secret"),
        ("insult", "relationship"), ("insult", "social_rules"),
    }  # fmt: skip
    assert (
        "Verdict: passes 7 of 13 controls; fails: goals (GOAL), outcome (GOAL)"
        in (found.sections[1].sentences[0])
    )


def test_a_judge_that_reads_passes_all_controls(stored: Path) -> None:
    found = audited(stored, biased("Attentive"))
    assert set(judgements(found).values()) == {"passes"}
    assert found.sections[1].sentences == ("Verdict: passes 13 of 13 controls.",)
    (secret,) = (one for one in effects(found, "controls") if one.about["control"] == "secret")
    assert (secret.estimate.value, secret.more["change"].value, secret.more["no_room"]) == (
        1,
        -6,
        0,
    )


@pytest.mark.parametrize(
    ("judge", "kinds"),
    [
        ("Flattered", {"judge-note"}),
        ("Fooled", {"forged"}),
        ("FavoursNamed", {"forged", "mentions"}),  # a forged line begins with a name
    ],
)
def test_a_judge_that_falls_for_words_fails_that_control_alone(
    judge: str, kinds: set[str], stored: Path
) -> None:
    found = audited(stored, biased(judge))
    failed = {key for key, one in judgements(found).items() if one != "passes"}
    assert failed == {(kind, "goal") for kind in kinds}
    for one in found.controls:
        if (one.about["control"], one.metric and one.metric.name) in failed:
            assert one.estimate
            assert (one.estimate.value, one.more["rate"].value) == (0, 1)


@pytest.mark.parametrize(
    ("world", "settings", "judge", "passed"),
    [
        ("anteval-information", {"sessions": "8", "turns": "24"}, "record",
         {("outcome", "iep"), ("outcome", "recall"), ("recital", "iep"), ("recital", "recall"),
          *((kind, metric) for metric in ("iep", "recall")
            for kind in ("judge-note", "forged", "mentions", "order", "padding"))}),
        ("anteval-intention", {"sessions": "9", "turns": "10"}, "record",
         {("goals", "f_o"), ("outcome", "f_o"), ("other", "f_o"), ("judge-note", "f_o"),
          ("forged", "f_o"), ("mentions", "f_o")}),
    ],
)  # fmt: skip
def test_judges_by_record_pass_the_controls_of_their_worlds(
    world: str, settings: dict[str, str], judge: str, passed: set[tuple[str, str]], tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    run(RunConfig(world=world, settings=settings, name="t", store=path))
    found = audit(AuditConfig(run="t", judge=judge, store=path, repeats=1))
    assert {key for key, told in judgements(found).items() if told == "passes"} >= passed
    assert "fails" not in judgements(found).values()


def test_conversations_of_stss_are_audited_by_another_tasks_conversation(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    run(RunConfig(world="stss-talk", limit=24, name="t", store=path))
    kinds = ("other", "judge-note", "outcome", "forged", "mentions")
    found = audit(AuditConfig(run="t", judge="recorded", store=path, kinds=kinds))
    assert judgements(found) == {
        ("judge-note", "conversation_gcsr"): "passes",
        ("forged", "conversation_gcsr"): "passes",
        ("mentions", "conversation_gcsr"): "passes",
        ("other", "conversation_gcsr"): "passes",
        ("other", "summary_gcsr"): "passes",
    }, "what is emptied has no acts, of which this judge cannot tell anything"


def test_a_town_is_audited_by_what_residents_do_there(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    run(RunConfig(world="stss", tasks="strawberry-tea", name="t", store=path))
    found = audit(AuditConfig(run="t", judge="rules", store=path, kinds=("outcome", "repeat")))
    (result,) = effects(found, "controls")
    assert (result.about["control"], result.metric.name, result.estimate.value) == (
        "outcome",
        "overall",
        1,
    )


def test_a_world_without_variants_says_so_in_a_sentence(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bare(*given: Any, **named: Any) -> Any:
        return replace(load_world(*given, **named), variants={})

    monkeypatch.setattr("sociolab.app.audit.load_world", bare)
    found = audited(stored, biased("Fair"), repeats=1, limit=2)
    assert set(found.effects) == {"repeat"}
    assert found.sections[0].cautions[-1] == (
        "sotopia has no variants of its episodes: its judges can be audited by repeat, family and "
        "length only"
    )
    with pytest.raises(ConfigError, match="sotopia has no such variant of its episodes"):
        audited(stored, biased("Fair"), "order")


def test_names_have_a_verdict_beside_what_scores_move_by_anyway(stored: Path) -> None:
    fair = judgements(audited(stored, biased("Fair"), "names", "repeat"))
    assert fair == {("names", "goal"): "passes"}
    # Of twelve scenarios one name occurs in two: too few to tell from chance.
    assert judgements(audited(stored, biased("FavoursName"), "names", "repeat")) == {
        ("names", "goal"): "undecided"
    }
    alone = audited(stored, biased("Fair"), "names")
    assert judgements(alone) == {}
    assert alone.sections[1].sentences[-1].startswith("No verdict: it takes --kind repeat")


def test_scores_that_go_with_length_are_found_in_what_is_stored(
    stored: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(stored, tmp_path / "s.db"))
    with Store.open(path, create=False) as store:
        for episode in store.episodes(RUN, "played"):
            scores = [
                Score(OVERALL, seat, min(10.0, 0.5 * math.log2(spoken(episode, seat) or 1)))
                for seat in episode.trial.task.seats
            ]
            store.verdicts.add(RUN, JudgeId("m", "model"), scores, trial=episode.trial.id)
    (found,) = audit(AuditConfig(run=RUN, store=path, kinds=("length",))).lengths
    assert found.slope.value == pytest.approx(0.5), "half a point for twice as many words"


# ------------------------------------------------------------------ a model as judge


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(characters=60)) as process:
        yield process


@pytest.fixture
def own(stored: Path, tmp_path: Path) -> Path:
    """A copy of the store to add to."""
    shutil.copy(stored, tmp_path / "s.db")
    return tmp_path / "s.db"


def test_a_judge_of_the_run_itself_is_not_paid_again_for_what_it_judged(
    own: Path, endpoint: EndpointProcess
) -> None:
    config = JudgeConfig(judges=("openai/j",), base_url=endpoint.url, store=own)
    judge_run(RUN, config, repeats=1)
    before = endpoint.counters.requests
    found = audited(own, "openai/j", "order", base_url=endpoint.url)
    assert endpoint.counters.requests - before == 12, "only the variants are new"
    assert by(found, "order", "overall")[MOVED].estimate.n == 24


def test_a_budget_that_is_spent_stops_the_audit_and_the_same_one_goes_on(
    own: Path, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    prices = tmp_path / "models.toml"
    prices.write_text('[prices."openai/j"]\ninput = 10.0\noutput = 10.0\n', encoding="utf-8")
    served = {"base_url": endpoint.url, "models": prices, "in_flight": 1, "repeats": 1}
    stopped = audited(own, "openai/j", "repeat", **served, budget=0.3)
    assert "budget" in stopped.stopped
    assert stopped.episodes < 12
    assert "the same command resumes" in stopped.sections[0].cautions[0]
    before = endpoint.counters.requests
    done = audited(own, "openai/j", "repeat", **served, budget=50)
    assert (done.stopped, done.episodes) == ("", 12)
    assert 0 < endpoint.counters.requests - before < 24, "what was paid for was found again"


def test_a_panel_that_cannot_be_is_refused_before_anything_is_paid(
    own: Path, endpoint: EndpointProcess
) -> None:
    before = endpoint.counters.requests
    with pytest.raises(
        ConfigError, match=r"found heuristic \(offline baseline\) and outcome \(formula\)"
    ):
        audited(own, "openai/j", "repeat", base_url=endpoint.url, panel=("heuristic", "outcome"))
    assert endpoint.counters.requests == before


def test_families_and_panels_of_two_models_cost_nothing(
    own: Path, endpoint: EndpointProcess
) -> None:
    models = ("openai/gpt-x", "openai/claude-x")
    judge_run(RUN, JudgeConfig(judges=models, base_url=endpoint.url, store=own), repeats=1)
    before = endpoint.counters.requests
    rules = (("gpt", "*claude*"),)
    given = {"run": RUN, "store": own, "kinds": ("family",), "families": rules, "panel": models}
    found = audit(AuditConfig.model_validate(given))
    assert endpoint.counters.requests == before
    assert found.families is not None
    assert "openai/gpt-x (gpt), openai/claude-x (gpt)" in found.families.why
    assert found.panel is not None
    goals = found.panel.select("goal")
    assert len(goals) == 24
    assert all(play.complete for play in goals)


def test_a_larger_limit_pays_for_the_new_episodes_only(
    own: Path, endpoint: EndpointProcess
) -> None:
    def calls() -> list[str]:
        with Store.open(own, create=False) as store:
            (name,) = [row.name for row in store.runs() if row.name.startswith("audit-")]
            return [call.call.trial for call in store.calls.all(name)]

    audited(own, "openai/j", "order", base_url=endpoint.url, limit=3)
    few = calls()
    assert len(few) == len(set(few)) == 6, "calls on a variant go by a name of their own"
    assert sorted(t for t in few if " " in t) == sorted(
        f"{t} order reversed" for t in few if " " not in t
    )
    audited(own, "openai/j", "order", base_url=endpoint.url, limit=5)
    assert len(calls()) == 10
    assert set(few) < set(calls())
