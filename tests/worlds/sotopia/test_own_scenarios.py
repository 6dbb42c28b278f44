"""The 60 scenarios written by hand, and the 30 made from templates, that ship with the world."""

from __future__ import annotations

import calendar
import hashlib
import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import combinations, product
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest

from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.build import (
    Item,
    TemplateSpec,
    bargains,
    draw_markup,
    friend_searches,
    round_price,
)
from sociolab.worlds.sotopia.scenarios import AskGoal, bargaining_zone, find_misfit

DATA = files("sociolab.worlds.sotopia") / "data"

PAST = {"divorced", "formerly engaged"}

GENDERED = re.compile(
    r"\b(he|she|him|his|her|hers|himself|herself|mr|mrs|ms|miss|sir|madam|man|men|woman|women|boy|"
    r"girl|guy|lady|gentleman|husband|wife|boyfriend|girlfriend|mother|father|mum|dad|brother|"
    r"sister|son|daughter|uncle|aunt|nephew|niece|grandmother|grandfather|king|queen|waiter|"
    r"waitress|actress|salesman)\b",
    re.IGNORECASE,
)
STRATEGY = re.compile(
    r"\b(try to|tries to|hint|by being|you could|you should|you might|polite|politely|tactful|"
    r"tactfully|persuade|convince|strategy|subtly|subtle|gently|make sure|without upsetting|"
    r"compromise|negotiate|be kind|be honest)\b",
    re.IGNORECASE,
)
DAYS = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
PLACES = "Azores Black Sea Caucasus Chile Delhi Florida Portugal Varanasi"
CAPITALISED = {*DAYS, *(f"{day}s" for day in DAYS), *calendar.month_name, *PLACES.split(), "I"}
FIRST_PERSON = re.compile(r"\b(I|me|my|mine|we|us|our|ours|ourselves|myself)\b", re.IGNORECASE)
WORD = re.compile(r"[a-z']+")


def rows(file: str) -> list[Any]:
    return [json.loads(line) for line in (DATA / file).read_text(encoding="utf-8").splitlines()]


@cache
def authored() -> tuple[sotopia.Scenario, ...]:
    return tuple(sotopia.Scenario.model_validate(row) for row in rows("authored.jsonl"))


@cache
def spec() -> TemplateSpec:
    return TemplateSpec.model_validate_json((DATA / "templates.json").read_text(encoding="utf-8"))


def goals() -> Iterator[tuple[str, sotopia.Goal]]:
    return ((s.id, goal) for s in authored() for goal in s.goals)


def cards(goal: sotopia.Goal) -> tuple[str, ...]:
    facts = goal.facts
    return (facts.ask, *facts.reasons, facts.middle) if isinstance(facts, AskGoal) else ()


def texts() -> Iterator[tuple[str, str]]:
    for s in authored():
        yield s.id, s.context
    for key, goal in goals():
        yield key, goal.text
        yield from ((key, card) for card in cards(goal))


def divisions() -> list[tuple[sotopia.Scenario, sotopia.DivisionGoal, sotopia.DivisionGoal]]:
    found = []
    for s in authored():
        first, second = (goal.facts for goal in s.goals)
        if isinstance(first, sotopia.DivisionGoal) and isinstance(second, sotopia.DivisionGoal):
            found.append((s, first, second))
    return found


def options() -> list[tuple[sotopia.Scenario, sotopia.OptionGoal, sotopia.OptionGoal]]:
    found = []
    for s in authored():
        first, second = (goal.facts for goal in s.goals)
        if isinstance(first, sotopia.OptionGoal) and isinstance(second, sotopia.OptionGoal):
            found.append((s, first, second))
    return found


def number_after(what: str, text: str) -> float | None:
    """The first number behind the last mention of something."""
    start = text.lower().rfind(what.lower())
    match = re.search(r"\d+", text[start + len(what) :]) if start >= 0 else None
    return float(match[0]) if match else None


def prices(scenario: sotopia.Scenario) -> tuple[sotopia.PriceGoal, sotopia.PriceGoal]:
    """The facts of a bargain, seller first."""
    found = [goal.facts for goal in scenario.goals if isinstance(goal.facts, sotopia.PriceGoal)]
    seller, buyer = sorted(found, key=lambda facts: facts.role, reverse=True)
    assert (seller.role, buyer.role) == ("seller", "buyer")
    return seller, buyer


def friend_lists(
    scenario: sotopia.Scenario,
) -> tuple[tuple[sotopia.Friend, ...], tuple[sotopia.Friend, ...]]:
    found = [
        goal.facts.friends for goal in scenario.goals if isinstance(goal.facts, sotopia.FriendGoal)
    ]
    first, second = found
    return first, second


# Counts and constraints


def test_there_are_sixty_scenarios_of_two_goals_in_four_families() -> None:
    families = Counter(s.family for s in authored())
    assert families == {"norms": 20, "feelings": 20, "division": 10, "place": 10}
    assert {len(s.goals) for s in authored()} == {2}


def test_ids_are_slugs_numbered_within_their_family() -> None:
    assert len({s.id for s in authored()}) == 60
    numbers: Counter[str] = Counter()
    for s in authored():
        numbers[s.family] += 1
        assert re.fullmatch(rf"{s.family}-{numbers[s.family]:02}(-[a-z0-9]+)+", s.id), s.id


def test_every_scenario_has_a_stance_and_none_is_rare() -> None:
    stances = Counter(s.stance for s in authored())
    assert set(stances) == {"cooperative", "competitive", "mixed"}
    assert min(stances.values()) >= 10


def test_relationships_are_constrained_in_a_varied_way() -> None:
    only = Counter(s.relationships[0].value for s in authored() if len(s.relationships) == 1)
    assert set(only) == {"friend", "romantic", "family", "acquaintance", "stranger"}
    assert min(only.values()) >= 4
    assert all(len(set(s.relationships)) == len(s.relationships) for s in authored())


def test_every_scenario_says_whom_it_can_cast_or_that_it_does_not_matter() -> None:
    made = (*authored(), *bargains(spec().bargains, 1), *friend_searches(spec().friend_searches, 1))
    assert [s.id for s in made if s.undeclared] == []


def test_couples_are_of_today_but_for_one_scenario_about_a_past() -> None:
    couples = [s for s in authored() if "romantic" in s.relationships]
    assert all(s.relationships == ("romantic",) and s.ties for s in couples)
    past = [s for s in couples if PAST & set(s.ties)]
    assert [s.id for s in past] == ["feelings-11-shoe-box"]
    assert set(past[0].ties) == PAST


def test_the_sheet_of_the_reading_is_about_these_scenarios_and_zones() -> None:
    sheet = Path(__file__).parents[3] / "docs" / "background" / "sotopia-scenarios.md"
    table = [row.split(" | ") for row in sheet.read_text("utf-8").splitlines()]
    rows = {row[0].removeprefix("| "): row[1:] for row in table if len(row) in (5, 6)}
    marks = ("power", "phone", "stakes", "temptation", "secret")
    for s in authored():
        first, _, second, _, tags = rows[s.id]
        assert {first, re.split("[:;]", second)[0]} <= {"keep", "edit"}, s.id
        assert tags.removesuffix(" |").strip() == ", ".join(t for t in s.tags if t in marks), s.id
    for s in bargains(spec().bargains, 1):
        low, high = (f"${price:,.2f}".removesuffix(".00") for price in s.zone or (0, 0))
        assert rows[s.id][2] == f"{low} to {high}"


def test_scenarios_are_as_broad_as_people_talk() -> None:
    tags = Counter(tag for s in authored() for tag in s.tags)
    assert all(tags[tag] >= 6 for tag in ("power", "phone", "stakes", "temptation", "city"))
    far = ("abroad", "sea", "farm", "army", "prison", "hospital", "industry", "online", "mountains")
    assert sum(bool(set(s.tags) & set(far)) for s in authored()) >= 15
    assert all(tags[tag] for tag in far)
    topics = ("flirting", "revenge", "donation", "addiction", "confession")
    assert all(tags[tag] for tag in topics)


def test_at_most_thirty_goals_hide_a_reason() -> None:
    """The tag stands on scenarios of which a goal hides its reason; each has two goals."""
    assert 2 * sum("secret" in s.tags for s in authored()) <= 30


def test_every_scenario_can_be_cast_from_our_own_relationships() -> None:
    ages = {row["id"]: row["age"] for row in rows("characters.jsonl")}
    pairs = [(r["type"], r.get("tie", ""), r["a"], r["b"]) for r in rows("relationships.jsonl")]
    for s in authored():
        found = [
            (x, y)
            for kind, tie, a, b in pairs
            for x, y in ((a, b), (b, a))
            if kind in s.relationships
            and (not s.ties or tie in s.ties)
            and all(low <= ages[z] <= high for z, (low, high) in zip((x, y), s.ages, strict=False))
        ]
        assert len(found) >= 5, s.id


def test_tags_are_short_and_hold_the_family() -> None:
    for s in authored():
        assert s.family in s.tags, s.id
        assert len(set(s.tags)) == len(s.tags) >= 2, s.id
        assert all(re.fullmatch(r"[a-z]{2,12}", tag) for tag in s.tags), s.id
    everywhere = {tag for s in authored() for tag in s.tags}
    assert {"money", "work", "home", "health", "secret"} <= everywhere


# The craft of a scenario


def test_texts_are_of_many_lengths() -> None:
    contexts = [len(s.context.split()) for s in authored()]
    told = [len(goal.text.split()) for _, goal in goals()]
    assert all(15 <= n <= 90 for n in contexts)
    assert all(5 <= n <= 80 for n in told)
    assert quantiles(contexts, n=10)[-1] > 1.5 * quantiles(contexts, n=10)[0]
    assert quantiles(told, n=10)[-1] > 3 * quantiles(told, n=10)[0]
    assert [c for _, goal in goals() for c in cards(goal) if not 20 <= len(c) <= 140] == []


def test_nothing_says_whether_anybody_is_a_man_or_a_woman() -> None:
    assert [(key, GENDERED.findall(text)) for key, text in texts() if GENDERED.search(text)] == []


def test_nobody_is_named() -> None:
    found = []
    for key, text in texts():
        inside = re.findall(r"(?<![.?!:]) ([A-Z]\w*)", text)
        found += [(key, w) for w in inside if w not in CAPITALISED and not w.isupper()]
    assert found == []


def test_goals_hold_no_strategy() -> None:
    assert [(k, STRATEGY.findall(g.text)) for k, g in goals() if STRATEGY.search(g.text)] == []


def test_goals_and_contexts_do_not_all_begin_alike() -> None:
    role = re.compile(r"You are the [^.]*\. ")  # which of the two this is, said alike everywhere
    begin = Counter(" ".join(role.sub("", goal.text, count=1).split()[:3]) for _, goal in goals())
    assert begin.most_common(1)[0][1] <= 12
    assert sum("one of them" in s.context.lower() for s in authored()) <= 6
    assert [s.id for s in authored() if s.goals[0].text == s.goals[1].text] == []


def test_no_goal_counts_points() -> None:
    made = (*authored(), *bargains(spec().bargains, 1))
    assert [s.id for s in made for goal in s.goals if re.search(r"\bpoints?\b", goal.text)] == []


def test_contexts_speak_of_both_and_to_nobody() -> None:
    speaks_to = re.compile(r"\b(you|your|I|my)\b", re.IGNORECASE)
    assert [s.id for s in authored() if speaks_to.search(s.context)] == []


def test_no_two_contexts_resemble_each_other() -> None:
    def words(text: str) -> set[str]:
        return {word for word in WORD.findall(text.lower()) if len(word) > 3}

    for a, b in combinations(authored(), 2):
        first, second = words(a.context), words(b.context)
        assert len(first & second) / len(first | second) < 0.25, (a.id, b.id)


def test_no_sentence_is_used_twice() -> None:
    said = Counter(card for _, goal in goals() for card in cards(goal))
    assert [card for card, n in said.items() if n > 1] == []


# Facts


def test_both_goals_of_a_scenario_carry_facts_of_the_same_kind() -> None:
    kinds: Counter[str] = Counter()
    for s in authored():
        first, second = s.goals
        assert first.facts is not None, s.id
        assert second.facts is not None, s.id
        assert first.facts.kind == second.facts.kind, s.id
        kinds[first.facts.kind] += 1
    assert kinds == {"division": 10, "option": 3, "ask": 47}


def test_cue_cards_are_whole_sentences_in_the_first_person() -> None:
    for key, goal in goals():
        if not isinstance(goal.facts, AskGoal):
            continue
        assert 2 <= len(goal.facts.reasons) <= 3, key
        for card in cards(goal):
            assert re.match(r"[A-Z]", card), card
            assert re.search(r"[.?]$", card), card
        assert FIRST_PERSON.search(goal.facts.ask), goal.facts.ask


def test_sums_on_a_cue_card_are_known_from_context_or_goal() -> None:
    """Only the compromise may bring a sum of its own."""
    for s in authored():
        for goal in s.goals:
            if isinstance(goal.facts, AskGoal):
                known = s.context + goal.text
                for card in (goal.facts.ask, *goal.facts.reasons):
                    unknown = [
                        sum_ for sum_ in re.findall(r"[$£€][\d,]*\d", card) if sum_ not in known
                    ]
                    assert unknown == [], (s.id, card)


def test_goods_and_counts_agree_over_the_seats_and_stand_in_the_texts() -> None:
    assert len(divisions()) == 10
    for s, first, second in divisions():
        assert first.counts == second.counts, s.id
        assert 2 <= len(first.counts) <= 4, s.id
        for good, count in first.counts.items():
            assert f"{count} {good}" in s.context, (s.id, good)
            for goal, facts in zip(s.goals, (first, second), strict=True):
                assert number_after(good, goal.text) == facts.values[good], (s.id, good)


def test_a_good_division_exists_and_gives_both_more_than_half() -> None:
    for s, first, second in divisions():
        assert all(v == int(v) > 0 for f in (first, second) for v in f.values.values()), s.id
        whole = worth(first, first.counts), worth(second, second.counts)
        best_for_worse_off, best_sum = 0.0, 0.0
        for taken in product(*(range(n + 1) for n in first.counts.values())):
            share = dict(zip(first.counts, taken, strict=True))
            rest = {good: n - share[good] for good, n in first.counts.items()}
            mine, theirs = worth(first, share) / whole[0], worth(second, rest) / whole[1]
            best_for_worse_off = max(best_for_worse_off, min(mine, theirs))
            best_sum = max(best_sum, mine + theirs)
        assert best_for_worse_off > 0.5, s.id
        assert 1.1 <= best_sum < 1.8, s.id


def worth(facts: sotopia.DivisionGoal, share: dict[str, int]) -> float:
    return sum(facts.values[good] * n for good, n in share.items())


def test_judges_read_what_everything_in_a_division_is_worth_to_each_seat() -> None:
    for s, first, second in divisions():
        totals = [worth(first, first.counts), worth(second, second.counts)]
        told = [float(number) for number in re.findall(r"\d+", s.environment)]
        assert told == totals or (told == totals[:1] and totals[0] == totals[1]), s.id


def test_options_agree_over_the_seats_and_their_worth_stands_in_the_goal() -> None:
    assert len(options()) == 3
    for s, first, second in options():
        assert first.subject == second.subject, s.id
        assert list(first.options) == list(second.options), s.id
        assert 3 <= len(first.options) <= 5, s.id
        for goal, facts in zip(s.goals, (first, second), strict=True):
            for option, points in facts.options.items():
                assert number_after(option, goal.text) == points, (s.id, option)
            assert re.search(r"agree", goal.text), s.id


def test_an_option_is_tolerable_to_both_and_none_is_best_for_both() -> None:
    for s, first, second in options():
        assert max(min(first.options[o], second.options[o]) for o in first.options) >= 5, s.id
        best = [max(f.options, key=f.options.__getitem__) for f in (first, second)]
        assert best[0] != best[1], s.id


def test_no_option_stands_in_another() -> None:
    for s, facts, _ in options():
        for a, b in combinations(map(str.lower, facts.options), 2):
            assert a not in b, (s.id, a, b)
            assert b not in a, (s.id, a, b)


# Templates


def test_the_pools_are_as_large_as_they_should_be() -> None:
    friends, pools = spec().friend_searches, {a.name: a for a in spec().friend_searches.attributes}
    assert len(spec().bargains.items) == 20
    assert len(friends.settings) == 10
    assert len(friends.names) >= 60
    assert len(pools["school"].values) >= 24
    assert len(pools["employer"].values) >= 24
    assert len(pools["hobby"].values) >= 16
    assert len(pools["neighbourhood"].values) >= 16
    for pool in (friends.names, *(a.values for a in friends.attributes)):
        assert len(set(pool)) == len(pool)


def test_no_name_occurs_in_another_word_of_a_friend_search() -> None:
    friends = spec().friend_searches
    cast = {word for row in rows("characters.jsonl") for word in row["first_name"].split()}
    assert cast & set(friends.names) == set()
    said = " ".join([value for a in friends.attributes for value in a.values] + list(friends.goals))
    said = " ".join([said, *(s.context for s in friends.settings)]).lower()
    assert [name for name in friends.names if name.lower() in said] == []
    assert [(a, b) for a in friends.names for b in friends.names if a != b and a in b] == []


def test_templates_keep_the_craft_rules() -> None:
    items = spec().bargains.items
    assert len({item.slug for item in items}) == len({item.listed for item in items}) == 20
    assert (min(i.listed for i in items), max(i.listed for i in items)) == (60, 9000)
    for item in items:
        assert 80 <= len(item.description) <= 220, item.slug
        assert round_price(item.listed) == item.listed, item.slug
        assert re.match(r"an? ", item.item), item.slug
        assert item.short.startswith("the "), item.slug
        assert not GENDERED.search(item.description), item.slug
    for setting in spec().friend_searches.settings:
        assert 100 <= len(setting.context) <= 250, setting.slug
        assert not re.search(r"mutual|in common", setting.context), setting.slug
        assert not re.search(r"\b(he|she|his|her)\b", setting.context), setting.slug
    bargain = spec().bargains
    assert min(len(set(w)) for w in (bargain.seller_goals, bargain.buyer_goals)) >= 4


def test_same_seed_makes_the_same_scenarios_and_another_seed_others() -> None:
    assert bargains(spec().bargains, 7) == bargains(spec().bargains, 7)
    assert friend_searches(spec().friend_searches, 7) == friend_searches(spec().friend_searches, 7)
    for a, b in zip(bargains(spec().bargains, 7), bargains(spec().bargains, 8), strict=True):
        assert (a.id, prices(a)[0].item) == (b.id, prices(b)[0].item)
        assert a != b
    pairs = zip(
        friend_searches(spec().friend_searches, 7),
        friend_searches(spec().friend_searches, 8),
        strict=True,
    )
    assert all(friend_lists(a) != friend_lists(b) for a, b in pairs)


def test_an_item_added_at_the_end_changes_no_other_scenario() -> None:
    one = Item(
        slug="anvil", item="an anvil", short="the anvil", description="It is old.", listed=50
    )
    more = spec().bargains.model_copy(update={"items": (*spec().bargains.items, one)})
    assert bargains(more, 3)[:20] == bargains(spec().bargains, 3)
    assert bargains(more, 3)[20].id == "bargain-21-anvil"


def test_global_random_numbers_play_no_part() -> None:
    random.seed(1)
    state = random.getstate()
    before = bargains(spec().bargains, 5), friend_searches(spec().friend_searches, 5)
    assert random.getstate() == state
    random.seed(2)
    assert (bargains(spec().bargains, 5), friend_searches(spec().friend_searches, 5)) == before


@pytest.mark.parametrize("seed", [0, 1, 2024])
def test_bargains_say_the_listed_price_to_both_and_the_target_to_one(seed: int) -> None:
    for index, s in enumerate(bargains(spec().bargains, seed)):
        item = spec().bargains.items[index]
        first, second = (goal.facts for goal in s.goals)
        assert isinstance(first, sotopia.PriceGoal)
        assert isinstance(second, sotopia.PriceGoal)
        even = index % 2 == 0
        assert (first.role, second.role) == (("seller", "buyer") if even else ("buyer", "seller"))
        assert item.item.lower() in s.context.lower()
        assert item.description in s.context
        assert f"${item.listed:,}" in s.context
        assert first.item == second.item == item.item
        assert first.listed == second.listed == item.listed
        for goal, facts in zip(s.goals, (first, second), strict=True):
            nothing, best = {"seller": (0.7, 1.2), "buyer": (1.3, 0.8)}[facts.role]
            for price in (facts.target, nothing * facts.target, best * facts.target):
                shown = f"{price:,.2f}".removesuffix(".00")
                assert re.search(rf"\${re.escape(shown)}(?![\d,]*\d)", goal.text), s.id
            assert re.search(r"\bsell" if facts.role == "seller" else r"\bbuy", goal.text, re.I), (
                s.id
            )
        assert (s.family, s.stance) == ("bargain", "competitive")
        strangers = ("stranger",) if index % 5 < 2 else ()
        assert s.relationships == (*strangers, "acquaintance")
        assert "bargain" in s.tags
        assert "{" not in s.context + first.item


@pytest.mark.parametrize("seed", range(20))
def test_in_every_bargain_some_price_gives_both_two_of_ten_and_none_gives_both_their_target(
    seed: int,
) -> None:
    for s in bargains(spec().bargains, seed):
        seller, buyer = prices(s)
        low, high = s.zone or (0, 0)
        assert low == pytest.approx(0.7 * seller.target, abs=0.01)
        assert high == pytest.approx(1.3 * buyer.target, abs=0.01)
        assert 0.8 * seller.target <= 1.2 * buyer.target
        assert buyer.target < seller.target
        assert high < seller.listed
        beyond = [
            sotopia.price_value(g, p)[0] for g in (seller, buyer) for p in (low - 1, high + 1)
        ]
        assert beyond.count(0) >= 2
        assert min(sotopia.price_value(g, (low + high) / 2)[0] for g in (seller, buyer)) > 0


def test_a_zone_that_the_targets_do_not_make_is_refused() -> None:
    found = bargains(spec().bargains, 1)[0]
    assert found.zone == (161.0, 234.0)  # 0.7 x 230 and 1.3 x 180
    assert find_misfit(found) is None
    wrong = find_misfit(found.model_copy(update={"zone": (200.0, 234.0)}))
    assert wrong == "zone: expected what the targets make, [161.0, 234.0], found [200.0, 234.0]"


def test_targets_too_far_apart_have_no_zone_and_one_point_apart_have_a_narrow_one() -> None:
    def zone(seller: float, buyer: float) -> tuple[float, float] | None:
        return bargaining_zone(
            (
                sotopia.PriceGoal(role="seller", item="a hat", listed=100, target=seller),
                sotopia.PriceGoal(role="buyer", item="a hat", listed=100, target=buyer),
            )
        )

    assert zone(100, 50) is None  # 70 is more than 65
    assert zone(100, 54) == (70, 70.2)


def test_both_roles_hear_every_wording_sooner_or_later() -> None:
    heard = {
        (facts.role, re.sub(r"\$[\d,.]*\d", "$", goal.text))
        for seed in range(40)
        for goal in bargains(spec().bargains, seed)[0].goals
        if isinstance(facts := goal.facts, sotopia.PriceGoal)
    }
    assert Counter(role for role, _ in heard) == {"seller": 4, "buyer": 4}


def truncated_mean(mean: float, most: float) -> float:
    """The mean of an exponential variable that is redrawn above `most`."""
    beyond = math.exp(-most / mean)
    return mean - most * beyond / (1 - beyond)


def test_markup_is_exponential_with_mean_one_half_and_cut_at_35_percent() -> None:
    rng = random.Random(11)
    drawn = [draw_markup(rng) for _ in range(4000)]
    most = 1 / 0.35 - 1
    assert truncated_mean(0.5, most) == pytest.approx(0.4536, abs=1e-4)
    assert sum(drawn) / 4000 == pytest.approx(0.4536, abs=0.02)
    assert max(drawn) <= most
    kept = 1 - math.exp(-2 * most)
    below = sum(x < 0.25 for x in drawn) / 4000
    assert below == pytest.approx((1 - math.exp(-0.5)) / kept, abs=0.02)


def test_the_targets_of_4000_bargains_follow_the_rule() -> None:
    markups, shares = [], []
    for seed in range(200):
        for s in bargains(spec().bargains, seed):
            seller, buyer = prices(s)
            assert 0.35 * seller.listed <= seller.target
            assert 1.2 * seller.target <= seller.listed + 1e-9
            assert 2 / 3 <= buyer.target / seller.target <= 0.9
            assert round_price(seller.target) == seller.target
            assert round_price(buyer.target) == buyer.target
            markups.append(seller.listed / seller.target - 1)
            shares.append(buyer.target / seller.target)
    assert len(markups) == 4000
    # an exponential has no memory: beyond 0.2 it starts again
    above = 0.2 + truncated_mean(0.5, 1 / 0.35 - 1.2)
    assert sum(markups) / 4000 == pytest.approx(above, abs=0.02)
    # 0.783 if none were rounded, or drawn again for reaching the listed price
    assert sum(shares) / 4000 == pytest.approx(0.78, abs=0.02)


def test_prices_are_rounded_to_what_people_would_name() -> None:
    assert [round_price(x) for x in (57.6, 203.0, 498.0, 531.0, 1980.0, 2040.0)] == [
        60,
        200,
        500,
        550,
        2000,
        2000,
    ]


def test_one_bargain_checked_by_hand() -> None:
    """The bicycle, $340, seed 1: 340 / 1.0721 = 317.1, so 320, which is worth all to the seller
    only at $384; drawn again, 340 / 1.4561 = 233.5, so 230. The buyer's lies between 153.33 and
    207: 153.33 + 0.5382 x 53.67 = 182.2, so 180."""
    stream = random.Random(int.from_bytes(hashlib.sha256(b"bargain/1/0").digest(), "big"))
    over = [-math.log(1 - stream.random()) / 2 for _ in range(2)]
    assert [round(drawn, 4) for drawn in (*over, stream.random())] == [0.0721, 0.4561, 0.5382]
    bicycle = bargains(spec().bargains, 1)[0]
    seller, buyer = prices(bicycle)
    assert (seller.listed, seller.target) == (340, 230)
    assert (buyer.listed, buyer.target) == (340, 180)
    assert bicycle.id == "bargain-01-touring-bicycle"
    assert bicycle.context.startswith("A steel touring bicycle is listed at $340. ")
    assert bicycle.goals[0].text == (
        "Sell the bicycle. Your target is $230. Anything above $276 is no better than $276, and at "
        "$161 or less you'd walk away; in between, every dollar counts."
    )


def test_exactly_one_friend_is_on_both_lists_and_alike_on_both() -> None:
    for seed in range(60):
        for s in friend_searches(spec().friend_searches, seed):
            first, second = friend_lists(s)
            shared = {friend.name for friend in first} & {friend.name for friend in second}
            assert len(shared) == 1, s.id
            both = [friend for friend in (*first, *second) if friend.name in shared]
            assert both[0] == both[1]
            about = {tuple(friend.about.items()) for friend in (*first, *second)}
            assert len(about) == len(first) + len(second) - 1


def test_other_friends_share_attributes_over_the_lists() -> None:
    for seed in range(60):
        for s in friend_searches(spec().friend_searches, seed):
            first, second = friend_lists(s)
            for attribute in first[0].about:
                known = {friend.about[attribute] for friend in first}
                alike = [f for f in second if f.about[attribute] in known and f not in first]
                assert alike, (s.id, attribute)
            mutual = next(friend for friend in first if friend in second)
            for friends in (first, second):
                near = [f for f in friends if differences(f, mutual) == 1]
                assert len(near) >= 2, s.id


def differences(a: sotopia.Friend, b: sotopia.Friend) -> int:
    return sum(a.about[key] != b.about[key] for key in a.about)


def test_friend_searches_list_eight_to_ten_friends_in_few_characters() -> None:
    sizes = set()
    for seed in range(60):
        for s in friend_searches(spec().friend_searches, seed):
            attributes = set()
            for goal, friends in zip(s.goals, friend_lists(s), strict=True):
                assert len(goal.text) < 1200, s.id
                assert re.search(r"list (aloud|from top)|out your (whole )?list", goal.text)
                assert re.search(r"in common|mutual friend", goal.text)
                lines = goal.text.split("\n")[1:]
                assert [line.split(":")[0] for line in lines] == [f.name for f in friends]
                for line, friend in zip(lines, friends, strict=True):
                    assert all(value in line for value in friend.about.values())
                    attributes.add(tuple(friend.about))
                sizes.add(len(friends))
            assert len(attributes) == 1
            assert len(attributes.pop()) in {3, 4}
            assert (s.family, s.relationships) == ("mutual-friend", ("stranger",))
            assert "mutual-friend" in s.tags
    assert sizes == {8, 9, 10}
