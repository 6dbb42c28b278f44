"""Write episodes as SOTOPIA's package stores them: the folders of its local store (0.1.5), with a
JSON file for each episode, character, scenario, relationship and combination."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sociolab.core.episode import ARCHIVED, Action, Episode, Happened
from sociolab.core.errors import ConfigError
from sociolab.core.score import Score
from sociolab.core.seeding import digest
from sociolab.plugin.world import ImportedJudging
from sociolab.worlds.sotopia.closing_form import deed_of
from sociolab.worlds.sotopia.evaluation import DIMENSIONS, PUBLIC_NAMES
from sociolab.worlds.sotopia.importing.episode_text import ENVIRONMENT
from sociolab.worlds.sotopia.importing.public_data import (
    AGENTS,
    COMBINATIONS,
    DIGITS,
    ENVIRONMENTS,
    EPISODES,
    FAMILIES,
    RELATIONSHIPS,
)
from sociolab.worlds.sotopia.scenarios import (
    Character,
    Relationship,
    SceneCast,
    casting_from,
    is_id,
)
from sociolab.worlds.sotopia.scene import LEAVE, NONE, PHYSICAL, SPEAK
from sociolab.worlds.sotopia.visibility import (
    describe_inner_life,
    format_line,
    published_scene,
)

_DIGITS = {relationship: int(digit) for digit, relationship in DIGITS.items()}
_SOURCES = {family: source for source, family in FAMILIES.items()}
_NAMES = {own: public for public, own in PUBLIC_NAMES.items()}


def archive(
    run: str, episodes: Sequence[Episode], judgings: Mapping[str, ImportedJudging]
) -> Mapping[str, str]:
    """Files by path, such as "EpisodeLog/ID.json", with scores from `judgings` (by trial).

    A score that is missing is NaN, or left out among an agent's scores: the package needs a number.
    ConfigError for an action that was meant for some only, which its log cannot hold.
    """
    files: dict[str, str] = {}
    for episode in episodes:
        for model, key, fields in _records(run, episode, judgings.get(episode.trial.id)):
            pk = key if is_id(key) else digest(key)
            record = {"pk": pk, **fields}
            files[f"{model}/{pk}.json"] = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    return files


def _records(
    run: str, episode: Episode, judging: ImportedJudging | None
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The package's records of an episode: folder, key and fields."""
    trial, cast = episode.trial, casting_from(episode.trial.task.content)
    pair = cast.between(*trial.task.seats[:2])
    several = len(cast.scenario.relationships) > 1
    environment = f"{cast.scenario.id}.{pair.type}" if several else cast.scenario.id
    tags = [
        event.value["tag"]
        for event in episode.events
        if isinstance(event, Happened) and event.what == ARCHIVED
        if isinstance(event.value, dict) and "tag" in event.value
    ]
    rewards, reasoning = _rewards(trial.task.seats, judging)
    yield (
        EPISODES.model,
        trial.id,
        {
            "environment": environment,
            "agents": trial.task.seats,
            "tag": tags[0] if tags else run,
            "models": [judging.judge.name if judging else "", *(m.agent for m in trial.cast)],
            "messages": _messages(episode, cast),
            "reasoning": reasoning,
            "rewards": rewards,
            "rewards_prompt": "",
        },
    )
    yield ENVIRONMENTS.model, environment, _environment(cast, pair)
    yield COMBINATIONS.model, trial.task.id, {"env_id": environment, "agent_ids": trial.task.seats}
    for character in cast.characters:
        yield AGENTS.model, character.id, _profile(character)
    for tie in cast.relationships:
        yield (
            RELATIONSHIPS.model,
            f"{tie.a}.{tie.b}",
            {
                "agent_1_id": tie.a,
                "agent_2_id": tie.b,
                "relationship": _DIGITS[tie.type],
                "background_story": tie.story,
            },
        )


def _environment(cast: SceneCast, pair: Relationship) -> dict[str, Any]:
    scenario, published = cast.scenario, cast.scenario.published
    judges_only = f" <p viewer='environment'>{scenario.environment}</p>"
    own = scenario.context + (judges_only if scenario.environment else "")
    ages = f"[{', '.join(map(str, scenario.ages))}]" if scenario.ages else None
    return {
        "codename": scenario.id,
        "source": _SOURCES.get(scenario.family, ""),
        "scenario": published.context if published else own,
        "agent_goals": published.goals if published else [goal.text for goal in scenario.goals],
        "relationship": _DIGITS[pair.type],
        "age_constraint": ages,
    }


def _profile(character: Character) -> dict[str, Any]:
    traits = character.big_five.model_dump() if character.big_five else {}
    return {
        "first_name": character.first_name,
        "last_name": character.last_name,
        "age": character.age,
        "occupation": character.occupation,
        "gender": character.gender.capitalize(),
        "gender_pronoun": character.pronouns.capitalize(),
        "public_info": character.public_info,
        "big_five": "; ".join(f"{name.capitalize()} - {level}" for name, level in traits.items()),
        "moral_values": character.moral_values,
        "schwartz_personal_values": character.schwartz_values,
        "personality_and_values": describe_inner_life(character),
        "decision_making_style": character.decision_style,
        "secret": character.secret,
    }


def _messages(episode: Episode, cast: SceneCast) -> list[list[tuple[str, str, str]]]:
    """By turn: what each agent sees, the scene first, and what it does; at last what it sees."""
    names = {character.id: character.name for character in cast.characters}
    seen = [(ENVIRONMENT, name, _scene(cast, seat)) for seat, name in names.items()]
    turns = []
    for number, move in enumerate(episode.moves):
        text = " ".join(_describe(action, episode.trial.id) for action in move.actions)
        done = {**dict.fromkeys(names, "did nothing"), move.seat: text}
        turns.append(seen + [(names[seat], ENVIRONMENT, act) for seat, act in done.items()])
        line = f"{names[move.seat]} {text}" if text != "did nothing" else ""
        seen = [(ENVIRONMENT, name, f"Turn #{number}: {line}\n") for name in names.values()]
    return [*turns, seen]


def _describe(action: Action, trial: str) -> str:
    if action.to:
        raise ConfigError(
            f"episode {trial}: an action is for {', '.join(action.to)} only, which SOTOPIA's log "
            "cannot hold; export the run without --as"
        )
    labels = {NONE: "did nothing", LEAVE: "left the conversation", SPEAK: f'said: "{action.text}"'}
    kind = "action" if action.kind == PHYSICAL else action.kind
    did = f"[action] {format_line('', action).strip()}" if deed_of(action) else ""
    return labels.get(action.kind) or did or f"[{kind}] {action.text}"


def _scene(cast: SceneCast, seat: str) -> str:
    """What a seat is told before the first turn."""
    scene = published_scene(cast, seat)
    people = scene["people"]
    lines = [f"\nHere is the context of this interaction:\nScenario: {scene['context']}"]
    lines.append(f"Participants: {' and '.join(person['name'] for person in people)}")
    lines += [f"{person['name']}'s background: {_background(person)}" for person in people]
    lines += [f"{person['name']}'s goal: {person['goal'] or 'Unknown'}" for person in people]
    return "\n".join([*lines, "Conversation Starts:\n"])


def _background(person: Mapping[str, Any]) -> str:
    """What a seat knows of a person, by the fields that it sees."""
    if "occupation" not in person:
        return "Unknown"
    who = f"{person['age']}-year-old {person['gender']} {person['occupation']}"
    text = f"{person['name']} is a {' '.join(who.split())}."
    for field, before, after in (
        ("gender_pronoun", "", " pronouns."),
        ("public_info", "", ""),
        ("personality_and_values", "Personality and values description: ", ""),
        ("secret", f"{person['first_name']}'s secrets: ", ""),
    ):
        text += f" {before}{person[field]}{after}" if person.get(field) else ""
    return text


def _rewards(seats: Sequence[str], judging: ImportedJudging | None) -> tuple[list[Any], str]:
    """Each seat's overall score with its scores by dimension, and the judge's reasons."""
    verdicts = judging.verdicts if judging else ()
    scores = {(v.seat, v.measure.name): v for v in verdicts if isinstance(v, Score)}
    rewards: list[Any] = []
    reasoning = ""
    for number, seat in enumerate(seats, 1):
        own = [scores[seat, each.name] for each in DIMENSIONS if (seat, each.name) in scores]
        names = [_NAMES.get(score.measure.name, score.measure.name) for score in own]
        values = {name: score.value for name, score in zip(names, own, strict=True)}
        if overall := scores.get((seat, "overall")):
            values["overall_score"] = overall.value
        rewards.append([values.get("overall_score", math.nan), values] if values else math.nan)
        if own:
            texts = [f"{name}: {score.reason}\n" for name, score in zip(names, own, strict=True)]
            reasoning += f"Agent {number} comments:\n{''.join(texts)}"
    return rewards, reasoning
