"""Mock replies name what their prompt lists: ids, characters, skills, and words of turns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from sociolab.prompting.made_up import Draw, reply_to

KEY_POINTS = """Compare two sets of key points: the first (p1, p2, ...), the second (a1, a2, ...).

- pairs: `known` is the id of one in the first set and `known_text` its text, copied; `learned` is
the id of the one in the second set and `learned_text` its text, copied."""
LISTS = """# To be learned
p1: The bridge has three arches.
p2: The toll is a penny.
p3: Nobody crosses at night.

# Learned
a1: A penny a head.
a2: There are fish."""
FACTS = """You are shown the facts (f1, f2, ...) and falsehoods (l1, l2, ...).

- facts: an entry for every fact. `fact` is its id. `quote` is the words that tell it, copied word
for word from one turn.
- lies: an entry of the same form for every falsehood.
- small_talk: the numbers of the turns that do nothing."""
TURNS = """# The facts
f1: The bridge has three arches.
f2: The toll is a penny.

# The falsehoods
l1: The bridge is of glass.

# What was said and done
1. Ann (to Cy): Good morning to all of you.
2. Ben (to Ann): It has three arches, they say.
3. Ann: Yes.
4. Cy: And fish."""
LINE = {
    "type": "object",
    "properties": {"fact": {"type": "string"}, "stated": {"type": "boolean"},
                   "quote": {"type": "string"}},
    "required": ["fact", "stated", "quote"],
}  # fmt: skip


def replies(texts: Sequence[str], properties: dict[str, Any]) -> list[Any]:
    """Thirty replies to the same prompt."""
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    made = (reply_to(texts, json.dumps(schema), Draw(Random(seed))) for seed in range(30))
    return [json.loads(text) for text in made]


def lines(count: int) -> dict[str, Any]:
    return {"type": "array", "items": LINE, "minItems": count, "maxItems": count}


def test_pairs_are_of_ids_of_both_lists_each_once_with_their_texts() -> None:
    fields = ("known", "known_text", "learned", "learned_text")
    pair = {"type": "object", "properties": {name: {"type": "string"} for name in fields}}
    made = replies([KEY_POINTS, LISTS], {"pairs": {"type": "array", "items": pair}})
    known = {"p1": "The bridge has three arches.", "p2": "The toll is a penny.",
             "p3": "Nobody crosses at night."}  # fmt: skip
    learned = {"a1": "A penny a head.", "a2": "There are fish."}
    for reply in made:
        pairs = reply["pairs"]
        assert 1 <= len(pairs) <= 2, "no longer than the shorter list"
        assert len({pair["known"] for pair in pairs}) == len(pairs)
        assert len({pair["learned"] for pair in pairs}) == len(pairs)
        assert all(known[pair["known"]] == pair["known_text"] for pair in pairs)
        assert all(learned[pair["learned"]] == pair["learned_text"] for pair in pairs)
    assert {pair["known"] for reply in made for pair in reply["pairs"]} == {*known}


@pytest.mark.parametrize("complaint", [(), ('{"facts": []}', "Your reply could not be used.")])
def test_every_entry_has_its_id_and_a_quote_where_it_says_so(complaint: tuple[str, ...]) -> None:
    """Also where the prompt ends with a complaint about a reply."""
    quotable = {"Good morning to all of you.", "It has three arches, they say."}
    made = replies([FACTS, TURNS, *complaint], {"facts": lines(2), "lies": lines(1)})
    for reply in made:
        assert [line["fact"] for line in reply["facts"]] == ["f1", "f2"]
        assert [line["fact"] for line in reply["lies"]] == ["l1"]
        entries = [*reply["facts"], *reply["lies"]]
        quotes = [line["quote"] for line in entries if line["stated"]]
        assert {*quotes} <= quotable, "a turn of fewer than three words proves nothing"
        assert len({*quotes}) == len(quotes)
        assert all(line["quote"] == "" for line in entries if not line["stated"])
    assert {line["stated"] for reply in made for line in reply["facts"]} == {True, False}


def test_numbers_of_turns_are_those_of_the_prompt_each_once() -> None:
    numbers = {"type": "array", "items": {"type": "integer"}}
    for reply in replies([FACTS, TURNS], {"small_talk": numbers}):
        assert len({*reply["small_talk"]}) == len(reply["small_talk"]) == 2
        assert {*reply["small_talk"]} <= {1, 2, 3, 4}


def test_a_quote_is_from_a_turn_of_whom_the_prompt_names_or_of_the_others() -> None:
    head = """Say how Ann told the facts (f1, f2, ...).

- facts: `fact` is its id. `quote` is the words, copied word for word from one turn of Ann.
- trust: `stated` is true if one of the others won it. `quote` is copied word for word from one
turn."""
    trust = {key: LINE["properties"][key] for key in ("stated", "quote")}  # type: ignore[index]
    made = replies(
        [head, TURNS],
        {"facts": lines(2), "trust": {"type": "object", "properties": trust}},
    )
    told = {line["quote"] for reply in made for line in reply["facts"]}
    won = {reply["trust"]["quote"] for reply in made}
    assert told == {"", "Good morning to all of you."}
    assert won == {"", "It has three arches, they say."}


def test_without_turns_the_sentences_of_the_last_section_are_quoted_each_once() -> None:
    """The last one is a part of another, and would be quoted along with it."""
    head = "- beside: an entry for each statement. `quote` is its words, copied word for word."
    body = "# The answer\nThe toll is a penny. Fish. I saw three arches there. Three arches there."
    entry = {"type": "object", "properties": {"quote": {"type": "string"}}}
    made = replies([head, body], {"beside": {"type": "array", "items": entry, "minItems": 3}})
    for reply in made:
        quotes = [entry["quote"] for entry in reply["beside"]]
        assert sorted(quotes) == ["I saw three arches there.", "The toll is a penny."]


def test_names_are_taken_from_where_the_form_of_the_reply_points() -> None:
    head = """The skills are: arcana, sleight of hand, stealth.

Reply with one JSON object:
{"checks":[{"character":"a name of those given","skill":"one of the skills"}]}"""
    body = "At the table: Ann, Ben\n\nAnn: I sneak in.\n\nWho makes which check?"
    check = {"character": {"type": "string"}, "skill": {"type": "string"}}
    item = {"type": "object", "properties": check}
    made = replies([head, body], {"checks": {"type": "array", "items": item}})
    checks = [check for reply in made for check in reply["checks"]]
    assert {check["character"] for check in checks} == {"Ann", "Ben"}
    assert {check["skill"] for check in checks} == {"arcana", "sleight of hand", "stealth"}
