"""The 40 characters and 150 relationships of our own that ship with the world."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import combinations, permutations
from typing import Any

from sociolab.worlds import sotopia

DATA = files("sociolab.worlds.sotopia") / "data"

FAMILY, ROMANTIC = sotopia.RelationshipType.FAMILY, sotopia.RelationshipType.ROMANTIC
ACQUAINTANCE, STRANGER = sotopia.RelationshipType.ACQUAINTANCE, sotopia.RelationshipType.STRANGER

PRONOUNS = {"man": "he/him", "woman": "she/her", "nonbinary": "they/them"}
MORAL = {"care", "fairness", "loyalty", "authority", "purity"}
SCHWARTZ = {
    "self-direction",
    "stimulation",
    "hedonism",
    "achievement",
    "power",
    "security",
    "conformity",
    "tradition",
    "benevolence",
    "universalism",
}
STYLES = {"directive", "analytical", "conceptual", "behavioral"}

# Ties that name two roles name that of `a` first.
GENDER_OF = {
    "mother": "woman",
    "grandmother": "woman",
    "aunt": "woman",
    "daughter": "woman",
    "granddaughter": "woman",
    "niece": "woman",
    "father": "man",
    "uncle": "man",
    "son": "man",
    "grandson": "man",
    "nephew": "man",
}
SIBLINGS, TWINS, COUSINS = "siblings", "twins", "cousins"
MARRIED, ENGAGED, OPEN = "married", "engaged", "in an open relationship"
AFFAIR = "having an affair"
EXCLUSIVE = {MARRIED, ENGAGED, "dating", "secretly dating"}
PAST = {"divorced", "formerly engaged"}

Pairs = set[tuple[str, str]]


def rows(file: str) -> list[Any]:
    return [json.loads(line) for line in (DATA / file).read_text(encoding="utf-8").splitlines()]


@cache
def characters() -> dict[str, sotopia.Character]:
    return {row["id"]: sotopia.Character.model_validate(row) for row in rows("characters.jsonl")}


@cache
def relationships() -> tuple[sotopia.Relationship, ...]:
    return tuple(sotopia.Relationship.model_validate(row) for row in rows("relationships.jsonl"))


def of_type(kind: sotopia.RelationshipType) -> list[sotopia.Relationship]:
    return [pair for pair in relationships() if pair.type is kind]


def tied(*ties: str) -> list[sotopia.Relationship]:
    return [pair for pair in relationships() if pair.tie in ties]


def both_ways(pairs: Iterable[sotopia.Relationship]) -> Pairs:
    return {way for pair in pairs for way in ((pair.a, pair.b), (pair.b, pair.a))}


def elder_first(*roles: str) -> Pairs:
    """Pairs of family whose first-named role is one of these."""
    return {(p.a, p.b) for p in of_type(FAMILY) if p.tie.split(" and ")[0] in roles}


def parents() -> Pairs:
    return elder_first("mother", "father")


def siblings() -> Pairs:
    return both_ways(tied(SIBLINGS, TWINS))


def flipped(pairs: Pairs) -> Pairs:
    return {(b, a) for a, b in pairs}


def chained(first: Pairs, second: Pairs) -> Pairs:
    """Who reaches whom by one step of the first kind and then one of the second."""
    return {(a, d) for a, b in first for c, d in second if b == c and a != d}


def age(id: str) -> int:
    return characters()[id].age


def relatives(id: str) -> set[str]:
    return {other for one, other in both_ways(of_type(FAMILY)) if one == id}


def families() -> list[set[str]]:
    """Everybody who has family, grouped with them."""
    groups: list[set[str]] = []
    for id in characters():
        if relatives(id) and not any(id in group for group in groups):
            groups.append({id} | relatives(id))
    return groups


def names() -> list[tuple[str, str]]:
    """Every first and last name, in lower case, with the id of its bearer."""
    return [
        (name.lower(), person.id)
        for person in characters().values()
        for name in (person.first_name, person.last_name)
    ]


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower())


def contexts() -> Iterator[str]:
    """The contexts of whatever scenarios lie beside the characters."""
    for path in DATA.iterdir():
        if path.name.endswith(".jsonl"):
            yield from (row["context"] for row in rows(path.name) if "context" in row)


def is_one_sentence(text: str) -> bool:
    return text[0].isupper() and text.endswith(".") and not re.search(r"[.!?]\s", text)


# Characters


def test_there_are_forty_characters_with_ids_made_of_their_names() -> None:
    assert len(rows("characters.jsonl")) == len(characters()) == 40
    for person in characters().values():
        assert person.id == f"{person.first_name}-{person.last_name}".lower()
        assert re.fullmatch(r"[a-z]+-[a-z]+", person.id)


def test_twenty_are_men_eighteen_women_and_two_nonbinary() -> None:
    people = characters().values()
    assert Counter(p.gender for p in people) == {"man": 20, "woman": 18, "nonbinary": 2}
    assert all(p.pronouns == PRONOUNS[p.gender] for p in people)


def test_ages_spread_from_21_to_63() -> None:
    ages = [person.age for person in characters().values()]
    assert (min(ages), max(ages)) == (21, 63)
    decades = Counter(years // 10 for years in ages)
    assert set(decades) == {2, 3, 4, 5, 6}
    assert min(decades.values()) >= 3
    assert max(decades.values()) <= 12


def test_no_two_share_an_occupation() -> None:
    assert len({person.occupation for person in characters().values()}) == 40


def test_first_names_are_unique() -> None:
    assert len({person.first_name for person in characters().values()}) == 40


def test_a_last_name_is_shared_by_family_only() -> None:
    for one, other in combinations(characters().values(), 2):
        if one.last_name == other.last_name:
            assert other.id in relatives(one.id), (one.id, other.id)


def test_no_name_begins_another() -> None:
    for (name, bearer), (longer, other) in permutations(names(), 2):
        assert name == longer or not longer.startswith(name), (bearer, other)


def test_no_first_name_is_somebody_elses_last_name() -> None:
    people = characters().values()
    assert not {p.first_name for p in people} & {p.last_name for p in people}


def test_no_name_is_a_word_in_any_text() -> None:
    texts = [
        text
        for person in characters().values()
        for text in (person.public_info, person.secret, person.occupation)
    ]
    texts += [text for pair in relationships() for text in (pair.tie, pair.story)]
    texts += contexts()
    spoken = {name for name, _ in names()}
    for text in texts:
        assert not spoken & set(words(text)), text


def test_every_big_five_trait_has_every_level_several_times() -> None:
    people = [person.big_five for person in characters().values()]
    assert None not in people
    for trait in sotopia.BigFive.model_fields:
        levels = Counter(getattr(traits, trait) for traits in people)
        assert set(levels) == {"low", "average", "high"}
        assert min(levels.values()) >= 6, trait


def test_hardly_any_two_have_the_same_big_five() -> None:
    assert len({str(person.big_five) for person in characters().values()}) >= 36


def test_everybody_holds_two_moral_values_and_two_or_three_schwartz_values() -> None:
    for person in characters().values():
        assert len(person.moral_values) == len(set(person.moral_values)) == 2
        assert set(person.moral_values) <= MORAL
        assert len(person.schwartz_values) == len(set(person.schwartz_values))
        assert len(person.schwartz_values) in (2, 3)
        assert set(person.schwartz_values) <= SCHWARTZ


def test_every_value_is_held_by_several() -> None:
    people = characters().values()
    held = Counter(v for p in people for v in (*p.moral_values, *p.schwartz_values))
    assert set(held) == MORAL | SCHWARTZ
    assert min(held.values()) >= 5


def test_decision_styles_are_balanced() -> None:
    styles = Counter(person.decision_style for person in characters().values())
    assert set(styles) == STYLES
    assert all(8 <= count <= 12 for count in styles.values())


def test_personality_is_left_to_the_traits() -> None:
    assert not any(person.personality for person in characters().values())


def test_public_info_is_one_or_two_sentences_of_90_to_200_characters() -> None:
    for person in characters().values():
        assert 90 <= len(person.public_info) <= 200, person.id
        sentences = re.split(r"(?<=[.])\s", person.public_info)
        assert 1 <= len(sentences) <= 2, person.id
        assert all(is_one_sentence(sentence) for sentence in sentences), person.id


def test_public_info_and_secrets_begin_with_no_pronoun() -> None:
    banned = {"he", "she", "they", "his", "her", "their", "it", "i", "you"}
    for person in characters().values():
        assert words(person.public_info)[0] not in banned, person.id
        assert words(person.secret)[0] not in banned, person.id


def test_a_secret_is_one_sentence() -> None:
    for person in characters().values():
        assert is_one_sentence(person.secret), person.id
        assert 60 <= len(person.secret) <= 140, person.id


def test_a_secret_has_words_that_no_other_secret_and_no_public_word_of_its_owner_has() -> None:
    people = characters().values()
    holders = Counter(word for person in people for word in set(words(person.secret)))
    for person in people:
        public = {*words(person.public_info), *words(person.occupation)}
        own = {w for w in words(person.secret) if len(w) > 4 and holders[w] == 1} - public
        assert len(own) >= 3, person.id


def test_no_two_texts_are_the_same() -> None:
    people = characters().values()
    texts = [text for person in people for text in (person.public_info, person.secret)]
    texts += [pair.story for pair in relationships() if pair.story]
    assert len(texts) == len(set(texts))


# Relationships


def test_there_are_150_pairs_of_the_five_types() -> None:
    assert Counter(pair.type for pair in relationships()) == {
        sotopia.RelationshipType.FAMILY: 31,
        sotopia.RelationshipType.ROMANTIC: 30,
        sotopia.RelationshipType.FRIEND: 30,
        sotopia.RelationshipType.ACQUAINTANCE: 29,
        sotopia.RelationshipType.STRANGER: 30,
    }


def test_pairs_are_of_two_different_known_characters_and_occur_once() -> None:
    pairs = [frozenset((pair.a, pair.b)) for pair in relationships()]
    assert all(len(pair) == 2 and pair <= set(characters()) for pair in pairs)
    assert len(pairs) == len(set(pairs))


def test_only_strangers_have_neither_tie_nor_story() -> None:
    for pair in relationships():
        if pair.type is STRANGER:
            assert pair.tie == pair.story == ""
        else:
            assert pair.tie
            assert is_one_sentence(pair.story), (pair.a, pair.b)


def test_strangers_know_nobody_in_common() -> None:
    acquainted = both_ways(pair for pair in relationships() if pair.type is not STRANGER)
    for pair in of_type(STRANGER):
        known = [{b for a, b in acquainted if a == id} for id in (pair.a, pair.b)]
        assert not known[0] & known[1], (pair.a, pair.b)


def test_a_tie_is_a_few_words_in_lower_case() -> None:
    for pair in relationships():
        assert pair.tie == pair.tie.lower()
        assert len(pair.tie.split()) <= 4, pair.tie


def test_equals_stand_in_alphabetical_order() -> None:
    for pair in relationships():
        if " and " not in pair.tie:
            assert pair.a < pair.b


def test_everybody_is_in_four_pairs_and_one_with_somebody_distant() -> None:
    for id in characters():
        own = [pair for pair in relationships() if id in (pair.a, pair.b)]
        assert len(own) >= 4, id
        assert any(pair.type in (STRANGER, ACQUAINTANCE) for pair in own), id


# Family


def test_family_is_transitive() -> None:
    for group in families():
        for id in group:
            assert relatives(id) == group - {id}


def test_families_have_three_to_five_members() -> None:
    assert sorted(map(len, families()), reverse=True) == [5, 4, 4, 3, 3, 3]


def test_family_ties_fit_the_genders() -> None:
    for pair in of_type(FAMILY):
        if pair.tie in (SIBLINGS, TWINS, COUSINS):
            continue
        for id, role in zip((pair.a, pair.b), pair.tie.split(" and "), strict=True):
            assert characters()[id].gender == GENDER_OF[role], (id, pair.tie)


def test_family_ages_are_plausible() -> None:
    assert all(age(a) - age(b) >= 18 for a, b in parents())
    assert all(age(a) - age(b) >= 38 for a, b in elder_first("grandmother", "grandfather"))
    assert all(abs(age(a) - age(b)) <= 20 for a, b in siblings())
    assert all(age(pair.a) == age(pair.b) for pair in tied(TWINS))
    assert all(age(pair.a) != age(pair.b) for pair in tied(SIBLINGS))


def test_siblings_share_siblings_parents_cousins_and_last_name() -> None:
    assert chained(siblings(), siblings()) <= siblings()
    assert chained(siblings(), flipped(parents())) <= flipped(parents())
    assert chained(siblings(), both_ways(tied(COUSINS))) <= both_ways(tied(COUSINS))
    for one, other in siblings():
        assert characters()[one].last_name == characters()[other].last_name


def test_nobody_has_two_parents_among_the_listed() -> None:
    assert max(Counter(child for _, child in parents()).values()) == 1


def test_children_of_one_parent_are_siblings() -> None:
    assert chained(flipped(parents()), parents()) <= siblings()


def test_grandparents_are_the_parents_of_parents() -> None:
    assert elder_first("grandmother", "grandfather") == chained(parents(), parents())


def test_aunts_and_uncles_are_the_siblings_of_parents() -> None:
    assert elder_first("aunt", "uncle") == chained(siblings(), parents())


def test_cousins_are_the_children_of_aunts_and_uncles_where_these_are_listed() -> None:
    have_a_parent = {child for _, child in parents()}
    cousins = {way for way in both_ways(tied(COUSINS)) if set(way) <= have_a_parent}
    assert cousins == chained(flipped(parents()), elder_first("aunt", "uncle"))


def test_there_are_enough_siblings_parents_and_cousins_to_cast() -> None:
    assert len(tied(SIBLINGS)) >= 8
    assert len(tied(COUSINS)) >= 2
    assert len(parents()) >= 8
    for tie in ("mother and daughter", "mother and son", "father and daughter", "father and son"):
        assert len(tied(tie)) >= 2, tie


# Romance


def test_romance_has_a_known_tie() -> None:
    assert {pair.tie for pair in of_type(ROMANTIC)} == EXCLUSIVE | PAST | {OPEN, AFFAIR}


def test_at_most_six_romances_are_over() -> None:
    assert len([pair for pair in of_type(ROMANTIC) if pair.tie in PAST]) <= 6


def test_lovers_are_at_most_15_years_apart() -> None:
    assert all(abs(age(pair.a) - age(pair.b)) <= 15 for pair in of_type(ROMANTIC))


def test_there_is_no_romance_inside_a_family() -> None:
    assert not any(pair.b in relatives(pair.a) for pair in of_type(ROMANTIC))


def test_nobody_has_two_exclusive_partners() -> None:
    current = Counter(id for pair in tied(*EXCLUSIVE) for id in (pair.a, pair.b))
    assert max(current.values()) == 1
    assert not {id for pair in tied(OPEN) for id in (pair.a, pair.b)} & set(current)


def test_couples_are_of_all_kinds() -> None:
    kinds = Counter(
        frozenset((characters()[pair.a].gender, characters()[pair.b].gender))
        for pair in of_type(ROMANTIC)
    )
    assert kinds[frozenset({"woman"})] >= 2
    assert kinds[frozenset({"man"})] >= 2
    loved = {id for pair in of_type(ROMANTIC) for id in (pair.a, pair.b)}
    assert {p.id for p in characters().values() if p.gender == "nonbinary"} <= loved


def test_nobody_is_a_stranger_to_the_family_of_a_spouse() -> None:
    strangers = both_ways(of_type(STRANGER))
    in_laws: defaultdict[str, set[str]] = defaultdict(set)
    for one, other in both_ways(tied(MARRIED, ENGAGED)):
        in_laws[one] |= relatives(other)
    assert not any(other in in_laws[one] for one, other in strangers)
