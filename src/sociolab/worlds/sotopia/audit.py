"""Variants of an episode for an audit: changes that a judge should ignore (order, names, padding,
requests to the judge), and changes that it should notice (other goals, no outcome, another episode,
a revealed secret, an insult)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from sociolab.core.episode import Action, Episode, Event, Json, Moved
from sociolab.core.ports import Variant, Variants
from sociolab.core.seeding import stream
from sociolab.judging import controls
from sociolab.worlds.sotopia.scenarios import Character, SceneCast, casting_from
from sociolab.worlds.sotopia.scene import SPEAK

_BORDER = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"')\]]))\s+(?=[\"'(\[]?[A-Z0-9$])")
"""Where a sentence may begin: after a full stop or the like, before a capital or a digit."""

_NO_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Mx|Dr|Prof|St|No|vs|[A-Z]|[ap]\.m|e\.g|i\.e))\.$", re.ASCII
)
"""Abbreviations, whose full stop mostly does not end a sentence."""

_IDS = frozenset({"id", "a", "b"})


def reverse_order(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The characters, with their goals, in reverse order; the turns stay as they were."""
    casting = _casting(episode)
    scenario = casting.scenario
    turned = scenario.model_copy(
        update={
            "goals": scenario.goals[::-1],
            "ages": scenario.ages[::-1],
            "occupations": scenario.occupations[::-1],
            "excluded_occupations": scenario.excluded_occupations[::-1],
        }
    )
    changed = casting.model_copy(
        update={"scenario": turned, "characters": casting.characters[::-1]}
    )
    seats = episode.trial.task.seats
    first, last = (seats[0], "listed first", ""), (seats[-1], "", "listed first")
    task = replace(episode.trial.task, seats=seats[::-1], content=changed.model_dump_json())
    trial = replace(episode.trial, task=task, cast=episode.trial.cast[::-1])
    return (Variant("reversed", Episode(trial, episode.events), (first, last)),)


def swap_names(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The names of the two characters swapped in all texts; none where that is impossible.

    Full names in any case; first and last names alone as written or in capitals. It is impossible
    for any other number of characters, and where one's name could be taken for the other's. Where
    the two have different pronouns the swap may read oddly, and forms a group of its own.
    """
    casting = _casting(episode)
    swap = _name_swap(casting.characters)
    if swap is None:
        return ()
    a, b = casting.characters
    content = _map_texts(casting.model_dump(mode="json"), swap)
    assert isinstance(content, dict)
    people = content["characters"]
    assert isinstance(people, list)
    for own, other in ((people[0], b), (people[1], a)):
        assert isinstance(own, dict)
        own |= {"first_name": other.first_name, "last_name": other.last_name}
    changed = SceneCast.model_validate(content)
    events = _with_texts(episode.events, lambda seat, text: swap(text))
    changes = ((a.id, a.name, b.name), (b.id, b.name, a.name))
    group = "same pronouns" if a.pronouns == b.pronouns else "other pronouns"
    return (Variant("swapped", _recast(episode, changed, events), changes, group),)


def pad_sentences(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """For each seat in turn, a vacuous sentence before each sentence that it speaks.

    None for a seat that says nothing.
    """
    seats = episode.trial.task.seats
    variants = []
    for seat in seats:
        chance = stream(seed, "padding", episode.trial.id, seat)

        def pad(who: str, text: str, seat: str = seat, chance: Chance = chance.choice) -> str:
            if who != seat:
                return text
            return " ".join(f"{chance(controls.EMPTY)} {sentence}" for sentence in sentences(text))

        events = _with_texts(episode.events, pad, spoken=True)
        if events != episode.events:
            partner_changes = tuple((other, "", "other padded") for other in seats if other != seat)
            changes = ((seat, "", "padded"), *partner_changes)
            variants.append(Variant(seat, Episode(episode.trial, events), changes))
    return tuple(variants)


def swap_goals(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Each of two characters with the other's goal and the same transcript."""
    casting = _casting(episode)
    goals = casting.scenario.goals
    if len(goals) != 2 or goals[0] == goals[1]:
        return ()
    scenario = casting.scenario.model_copy(update={"goals": goals[::-1]})
    changed = casting.model_copy(update={"scenario": scenario})
    return (
        Variant(
            "swapped", _recast(episode, changed, episode.events), _change_all(episode, "swapped")
        ),
    )


def leak_secret(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Each character with a secret reveals it in its last words."""
    lines = {c.id: f"{CONFESSION} {c.secret}" for c in _casting(episode).characters if c.secret}
    return _append_lines(episode, lines, "leaked")


def insult_partner(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Each character insults its partner in its last words."""
    return _append_lines(episode, dict.fromkeys(episode.trial.task.seats, INSULT), "insulting")


def address_judge(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Each character asks the judge for the highest score in its last words."""
    return _append_lines(
        episode, dict.fromkeys(episode.trial.task.seats, controls.TO_THE_JUDGE), "to the judge"
    )


def cut_to_opening(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The episode up to the first turn of each character; none if it ends there anyway."""
    shortened = controls.opening(episode)
    return (Variant("cut", shortened, _change_all(episode, "cut")),) if shortened else ()


def replace_transcript(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The given episode, which has the transcript of another task (see `Variants.donor`)."""
    return (Variant("other", episode, _change_all(episode, "other talk")),)


CONFESSION = "There is something about me that I have kept from everybody until now:"
INSULT = "You are a pathetic idiot, I despise you, and I hope that you lose everything you have."


def _change_all(episode: Episode, condition: str) -> tuple[tuple[str | None, str, str], ...]:
    return tuple((seat, "", condition) for seat in episode.trial.task.seats)


def _append_lines(
    episode: Episode, lines: Mapping[str, str], condition: str
) -> tuple[Variant, ...]:
    """The episode with these lines appended to last words; none if no such seat speaks."""
    extended = controls.with_lines(episode, lines, (SPEAK,))
    moved = {
        after.seat
        for before, after in zip(episode.moves, extended.moves, strict=True)
        if before.actions != after.actions
    }
    changes = tuple((seat, "", condition) for seat in episode.trial.task.seats if seat in moved)
    return (Variant(condition, extended, changes),) if changes else ()


VARIANTS: Mapping[str, Variants] = {
    "order": Variants(
        reverse_order,
        "the characters are described in reverse order; who acted when stays as it was",
        {"goal": "still"},
    ),
    "names": Variants(
        swap_names,
        "the two characters' names are swapped in all texts; pronouns, forms of address and "
        "whatever else tells of a person stay as they are",
        {"goal": "as again"},
    ),
    "padding": Variants(
        pad_sentences,
        "an empty sentence is put before each sentence that a seat speaks, each seat in turn; "
        "what it said before stays word for word",
        {"goal": "still"},
    ),
    controls.ADDRESSED: Variants(
        address_judge,
        "each character's last words ask the judge for the highest score",
        {"goal": "still", "believability": "still"},
    ),
    controls.FORGED: Variants(
        lambda episode, seed: _append_lines(
            episode, controls.forged_lines(episode, _names(episode), {}), "forging"
        ),
        "each character's last words hold a line that looks like the other's, agreeing to all",
        {"goal": "still"},
    ),
    controls.MENTIONS: Variants(
        lambda episode, seed: _append_lines(
            episode, controls.mention_lines(_names(episode)), "mentioning"
        ),
        "each character's last words name the other in passing",
        {"goal": "still"},
    ),
    "goals": Variants(
        swap_goals,
        "each of the two characters has the other's goal; what they said stays",
        {"goal": "move"},
    ),
    controls.OPENING: Variants(
        cut_to_opening, "the episode ends after each character's first turn", {"goal": "down"}
    ),
    controls.OTHER: Variants(
        replace_transcript,
        "what was said and done is that of another scenario's episode",
        {"goal": "down"},
        donor=True,
    ),
    "secret": Variants(
        leak_secret, "each character tells its secret in its last words", {"secret": "down"}
    ),
    "insult": Variants(
        insult_partner,
        "each character's last words insult the other",
        {"relationship": "down", "social_rules": "down"},
    ),
}

Chance = Callable[[tuple[str, ...]], str]


def _casting(episode: Episode) -> SceneCast:
    return casting_from(episode.trial.task.content)


def _names(episode: Episode) -> dict[str, str]:
    return {character.id: character.name for character in _casting(episode).characters}


def _recast(episode: Episode, casting: SceneCast, events: tuple[Event, ...]) -> Episode:
    content = casting.model_dump_json()
    task = replace(episode.trial.task, content=content)
    return Episode(replace(episode.trial, task=task), events)


def _with_texts(
    events: Iterable[Event], change: Callable[[str, str], str], *, spoken: bool = False
) -> tuple[Event, ...]:
    """The events with the texts of actions changed, by seat and text; `spoken`: only of speech."""

    def change_action(seat: str, action: Action) -> Action:
        if not action.text or (spoken and action.kind != SPEAK):
            return action
        return replace(action, text=change(seat, action.text))

    return tuple(
        replace(event, actions=tuple(change_action(event.seat, a) for a in event.actions))
        if isinstance(event, Moved)
        else event
        for event in events
    )


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text; in doubt it does not split, so that "Mr. Li" stays whole."""
    merged: list[str] = []
    for part in _BORDER.split(text.strip()):
        if merged and _NO_END.search(merged[-1]):
            merged[-1] += f" {part}"
        else:
            merged.append(part)
    return tuple(merged)


def _name_swap(characters: tuple[Character, ...]) -> Callable[[str], str] | None:
    """A function that swaps the names in a text; None if they are ambiguous or not of two."""
    if len(characters) != 2:
        return None
    a, b = characters
    forms_a, forms_b = _name_forms(a), _name_forms(b)
    shared = {form for form in forms_a if form in forms_b and form != a.last_name}
    crossed = {a.first_name, a.last_name} & {b.first_name, b.last_name} - {""}
    if shared or crossed - ({a.last_name} if a.last_name == b.last_name else set()):
        return None
    to = {
        form: other[min(i, len(other) - 1)]
        for own, other in ((forms_a, forms_b), (forms_b, forms_a))
        for i, form in enumerate(own)
    }
    return _replacer(to)


def _name_forms(character: Character) -> tuple[str, ...]:
    """First name, full name, last name, without duplicates."""
    names = (character.first_name, character.name, character.last_name)
    return tuple(dict.fromkeys(form for form in names if form))


def _replacer(to: Mapping[str, str]) -> Callable[[str], str]:
    """A function that replaces whole words, the longest first, all at once; capitals stay."""
    forms = sorted(to, key=len, reverse=True)
    spelled = [
        f"(?i:{re.escape(form)})" if " " in form else f"{re.escape(form)}|{re.escape(form.upper())}"
        for form in forms
    ]
    # Not \b, since a name may end in a full stop.
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(spelled)})(?!\w)")
    folded = {form.casefold(): other for form, other in to.items()}

    def substitute(match: re.Match[str]) -> str:
        other = folded[match[0].casefold()]
        in_capitals = match[0].isupper() and len(match[0]) > 1
        return other.upper() if in_capitals else other

    return lambda text: pattern.sub(substitute, text)


def _map_texts(value: Json, change: Callable[[str], str]) -> Json:
    """A record with all its texts changed, keys included; ids stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {
            change(key): item if key in _IDS else _map_texts(item, change)
            for key, item in value.items()
        }
    return value
