"""Import SOTOPIA's public episodes, so that they can be judged here.

The prompt of their judge contains the whole episode and is parsed. Scenario, task and characters
come from the profile files if these are at hand, and are else rebuilt from the prompt.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from sociolab.core.episode import (
    HUMAN,
    Action,
    Agent,
    CastMember,
    Ended,
    Episode,
    Event,
    Moved,
    Task,
    Trial,
)
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.reading import ForeignRecord, read_text, record
from sociolab.core.score import JudgeId, ScoreFailure, Verdict
from sociolab.core.seeding import digest
from sociolab.plugin.world import ImportedJudging
from sociolab.report.words import plural
from sociolab.worlds.sotopia.dataset import DataSet, TaskRow
from sociolab.worlds.sotopia.evaluation import (
    DIMENSIONS,
    PUBLIC_NAMES,
    compute_overall,
    read_verdict,
)
from sociolab.worlds.sotopia.importing.goals import (
    compose_goal,
    family_of,
    make_sentence,
    read_facts,
    repair_text,
    split_untagged,
    strip_tags,
)
from sociolab.worlds.sotopia.importing.public_data import (
    AGENTS,
    PUBLIC_HARD,
    PublicData,
    normalize_gender,
    read_public_data,
)
from sociolab.worlds.sotopia.importing.reading import (
    PlacedRow,
    Quirk,
    Quirks,
    quirk_lines,
    read_rows,
)
from sociolab.worlds.sotopia.scenarios import Character, RelationshipType, Scenario
from sociolab.worlds.sotopia.scene import LEAVE, NON_VERBAL, NONE, PHYSICAL, SPEAK, TURN_LIMIT


class RawEpisode(ForeignRecord):
    """A line of an episode file, as the public package logs it.

    The prompt of its judge contains the whole episode; newer versions have `messages` instead (by
    turn: from, to, text). (`parsed`, another field, has lost empty turns and, in some lines, the
    conversation.) `rewards` are each agent's overall score and scores by dimension, `reasoning` is
    the judge's text on all.
    """

    pk: str
    environment: str = ""
    tag: str = ""
    models: tuple[str, ...] = ()
    setting: str = Field("", alias="_setting")
    rewards_prompt: str = ""
    messages: tuple[tuple[tuple[str, str, str], ...], ...] = ()
    rewards: tuple[tuple[float, dict[str, Any]] | float, ...] = ()
    reasoning: str = ""

    @property
    def judge_prompt(self) -> str:
        """The prompt of the judge; rebuilt from the messages if it is not stored."""
        stored = self.rewards_prompt
        return stored if "Turn #" in stored else _rebuild_prompt(self.messages)


@dataclass(frozen=True, slots=True)
class ImportedEpisodes:
    """Episodes ready to be judged, and how often each quirk occurred."""

    episodes: tuple[Episode, ...]
    quirks: tuple[tuple[Quirk, int], ...]
    lines: tuple[str, ...]
    """The report to print: a summary, then a line for each quirk."""
    judgings: tuple[ImportedJudging, ...] = ()


def import_episodes(source: Path) -> ImportedEpisodes:
    """Read the episode files in `source` or `source/episodes`, or the single file `source`.

    Characters, scenarios and tasks come from the profile files if these are at hand (in `source`,
    or in a folder `profiles` in it or beside it), and else from the episodes. ConfigError with file
    and line for whatever cannot be read.
    """
    quirks = Quirks()
    folder = _find_profiles(source)
    public = None if folder is None else read_public_data(folder, Quirks())
    files = _find_episode_files(source)
    raw = [item for file in files for item in read_rows(file, RawEpisode)]
    episodes = tuple(read_episodes(raw, public, quirks))
    judgings = tuple(_read_judgings(raw, episodes, quirks))
    agents = {member.agent for episode in episodes for member in episode.trial.cast}
    tasks = {episode.trial.task.id for episode in episodes}
    counts = f"{plural(len(episodes), 'episode')} of {plural(len(tasks), 'task')}"
    first = f"{counts}, played by {', '.join(sorted(agents))}"
    judges = sorted({judging.judge.label for judging in judgings})
    stored = (
        (f"{plural(len(judgings), 'stored judging')} by {', '.join(judges)}",) if judges else ()
    )
    occurred = tuple((quirk, quirks[quirk]) for quirk in Quirk if quirks[quirk])
    return ImportedEpisodes(episodes, occurred, (first, *stored, *quirk_lines(quirks)), judgings)


def read_episodes(
    raw: Sequence[PlacedRow[RawEpisode]], public: PublicData | None, quirks: Quirks
) -> Iterator[Episode]:
    """The episodes of these rows, in order. A trial's id is the episode's own (`pk`)."""
    scenes = [parse_judge_prompt(item.row.judge_prompt, item.place, quirks) for item in raw]
    episodes = [
        EpisodeText(item.place, item.row.environment, scene)
        for item, scene in zip(raw, scenes, strict=True)
    ]
    backgrounds = (
        (episode.place, name, background)
        for episode in episodes
        for name, background in zip(episode.scene.names, episode.scene.backgrounds, strict=True)
    )
    characters = collect_characters(backgrounds, public.characters if public else {}, quirks)
    tasks = find_tasks(episodes, characters, public, quirks)
    repeats: Counter[tuple[str, ...]] = Counter()
    ids: set[str] = set()
    for item, scene, task in zip(raw, scenes, tasks, strict=True):
        if item.row.pk in ids:
            raise ConfigError(f"{item.place}: the episode {item.row.pk} comes a second time")
        ids.add(item.row.pk)
        raw_row = item.row
        labels = model_labels(raw_row.models, raw_row.setting, raw_row.tag, len(task.seats), quirks)
        cast = tuple(
            CastMember(seat, _agent_called(label))
            for seat, label in zip(task.seats, labels, strict=True)
        )
        key = (task.id, *(member.agent for member in cast))
        trial = Trial(item.row.pk, "sotopia", task, cast, repeats[key], 0)
        repeats[key] += 1
        yield Episode(trial, _make_events(scene, task.seats, quirks))


def _agent_called(label: str) -> Agent:
    """The agent of a label; the files name models without an endpoint, and people "human"."""
    if label == UNKNOWN:
        return Agent(label, "imported")
    settings = digest("imported", label)
    return Agent(label, "person" if label == HUMAN else "model", label, settings=settings)


def _make_events(scene: PlayedEpisode, seats: tuple[str, ...], quirks: Quirks) -> tuple[Event, ...]:
    moves = tuple(
        Moved(number, seats[turn.who], (turn.action,)) for number, turn in enumerate(scene.turns)
    )
    last = moves[-1]
    quirks[Quirk.PAST_LIMIT] += len(moves) > TURN_LIMIT
    if last.actions[0].kind == LEAVE:
        return (*moves, Ended("left", last.turn, last.seat))
    if last.actions[0].kind == NONE and len(moves) < TURN_LIMIT:
        quirks[Quirk.SILENT_END] += 1
        return (*moves, Ended("silence", last.turn, last.seat))
    # An episode that stops in mid-conversation met its own limit.
    return (*moves, Ended("turn limit", last.turn))


def _read_judgings(
    raw: Sequence[PlacedRow[RawEpisode]], episodes: Sequence[Episode], quirks: Quirks
) -> Iterator[ImportedJudging]:
    """The scores stored with the episodes, by the judge that the file names."""
    for item, episode in zip(raw, episodes, strict=True):
        rewards, seats = item.row.rewards, episode.trial.task.seats
        by_dimension = [entry[1] for entry in rewards if isinstance(entry, tuple)]
        quirks[Quirk.EMPTY_SCORES] += bool(rewards) and not by_dimension
        if not by_dimension:
            continue
        # Bare numbers stand for agents only where some agent has no scores by dimension.
        entries = [
            entry for entry in rewards if isinstance(entry, tuple) or len(by_dimension) < len(seats)
        ]
        if len(entries) != len(seats):
            raise ConfigError(
                f"{item.place}: expected rewards of {len(seats)} agents, found {len(entries)}"
            )
        reasons = _split_reasoning(item.row.reasoning, len(seats))
        verdicts: list[Verdict] = []
        for seat, reward, why in zip(seats, entries, reasons, strict=True):
            if not isinstance(reward, tuple):
                quirks[Quirk.BARE_SCORE] += 1
                continue
            _, scores = reward
            by_name = {PUBLIC_NAMES.get(name, name): (name, v) for name, v in scores.items()}
            quirks[Quirk.OTHER_SCORE] += len(set(by_name) - _NAMES)
            for dimension in DIMENSIONS:
                name, value = by_name.get(dimension.name, ("", None))
                cell = {"reason": why.get(name, ""), "score": value}
                verdicts.append(read_verdict(dimension, seat, seat, {dimension.name: cell}))
                quirks[Quirk.NO_SCORE] += isinstance(verdicts[-1], ScoreFailure)
            verdicts.append(compute_overall(tuple(verdicts), seat))
        judge = item.row.models[0] if item.row.models else UNKNOWN
        yield ImportedJudging(episode.trial.id, JudgeId(judge, "model", STORED), tuple(verdicts))


STORED = "stored with the episodes"
"""The settings of a judge whose settings are not known."""
_NAMES = {"overall_score", *(d.name for d in DIMENSIONS)}
_COMMENTS = re.compile(r"^Agent (?P<number>\d+) comments:[ \t]*\n", re.MULTILINE)
_REASON = re.compile(
    rf"^(?P<name>{'|'.join((*PUBLIC_NAMES, *(d.name for d in DIMENSIONS)))}): ", re.MULTILINE
)


def _split_reasoning(text: str, seats: int) -> list[dict[str, str]]:
    """The judge's reasoning on each agent, by the file's names of dimensions."""
    reasons: list[dict[str, str]] = [{} for _ in range(seats)]
    _, *comments = _COMMENTS.split(text)
    for number, comment in zip(comments[::2], comments[1::2], strict=True):
        _, *parts = _REASON.split(comment)
        if 1 <= int(number) <= seats:
            reasons[int(number) - 1] |= {
                name: why.strip() for name, why in zip(parts[::2], parts[1::2], strict=True)
            }
    return reasons


def _rebuild_prompt(messages: Sequence[Sequence[tuple[str, str, str]]]) -> str:
    """A judge's prompt from a log of messages; "" if it holds no scene.

    Each agent's own background and goal, then the actions one by one, even simultaneous ones.
    """
    scenes = [
        (to, text) for turn in messages[:1] for sender, to, text in turn if sender == _STAGE_HAND
    ]
    if not scenes or (stage := _STAGE.search(scenes[0][1])) is None:
        return ""
    lines = [stage[0]]
    for what in ("background", "goal"):
        for name, text in scenes:
            part = re.search(
                rf"^{re.escape(name)}'s {what}:.*?"
                r"(?=^[^\n]+'s (?:background|goal):|^Conversation|\Z)",
                text,
                re.MULTILINE | re.DOTALL,
            )
            lines.append(part[0].strip() if part else "")
    acts = list[str]()
    for turn in messages[1:]:
        done = [(who, text) for who, to, text in turn if to == _STAGE_HAND and who != to]
        acts += [f"{who} {text}" for who, text in done if text.strip() != "did nothing"] or [""]
    return "\n".join([*lines, *(f"Turn #{i}\n{act}" for i, act in enumerate(acts, 1))])


_EPISODE = re.compile(r'\s*[^\n]*"(rewards_prompt|messages)"')
_STAGE_HAND = "Environment"


def _find_episode_files(source: Path) -> tuple[Path, ...]:
    """The files with episodes, by name; ConfigError if there are none."""
    if source.is_file():
        return (source,)
    for folder in (source / "episodes", source):
        paths = [path for path in sorted(folder.glob("*.jsonl")) if _EPISODE.match(read_text(path))]
        if paths:
            return tuple(paths)
    raise ConfigError(
        f"expected JSON-lines files with episodes (rows with a rewards_prompt) in {source} "
        f"or in {source / 'episodes'}, and there is none"
    )


def _find_profiles(source: Path) -> Path | None:
    folder = source.parent if source.is_file() else source
    for place in (folder, folder / "profiles", folder.parent / "profiles"):
        if (place / AGENTS).is_file():
            return place
    return None


_HEADER = re.compile(r"^Turn #(?P<number>\d+)(?P<colon>:?)", re.MULTILINE)
_STAGE = re.compile(r"^Scenario: (?P<scenario>.*?)\nParticipants: (?P<names>[^\n]+)", re.S | re.M)
_KINDS = {
    "non-verbal communication": NON_VERBAL,
    "action": PHYSICAL,
    "physical action": PHYSICAL,
}
_GESTURE = re.compile(rf"\[({'|'.join(_KINDS)})\]\s*")


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn: the participant's position, and the action."""

    who: int
    action: Action


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    """An episode as in the judge's prompt; backgrounds and goals in the order of `names`."""

    scenario: str
    names: tuple[str, ...]
    backgrounds: tuple[str, ...]
    goals: tuple[str, ...]
    turns: tuple[PlayedTurn, ...]


def parse_judge_prompt(prompt: str, place: str, quirks: Quirks) -> PlayedEpisode:
    """Parse a judge's prompt; ConfigError for a missing part, or a turn of unknown form."""
    first = _HEADER.search(prompt)
    if first is None:
        raise ConfigError(f'{place}: rewards_prompt holds no "Turn #"; expected the whole episode')
    head = prompt[: first.start()]
    stage = _STAGE.search(head)
    if stage is None:
        raise ConfigError(f'{place}: rewards_prompt holds no "Scenario:" and "Participants:"')
    names = tuple(re.split(r", (?:and )?| and ", stage["names"].strip()))
    if len(names) < 2 or len(set(names)) != len(names):
        raise ConfigError(f"{place}: expected two or more participants, found {stage['names']!r}")
    markers = [f"{name}'s {what}:" for what in ("background", "goal") for name in names]
    sections = _split_sections(head[stage.end() :], markers, place)
    contents = _split_turns(prompt, first, place)
    turns = tuple(
        _read_turn(content, number, names, place, quirks) for number, content in enumerate(contents)
    )
    return PlayedEpisode(
        scenario=stage["scenario"].strip(),
        names=names,
        backgrounds=sections[: len(names)],
        goals=sections[len(names) :],
        turns=turns,
    )


def _split_sections(text: str, markers: list[str], place: str) -> tuple[str, ...]:
    """The text after each marker, up to the next one."""
    starts = []
    for marker in markers:
        match = re.search(rf"^{re.escape(marker)}", text, re.MULTILINE)
        if match is None:
            raise ConfigError(f'{place}: rewards_prompt holds no "{marker}"')
        starts.append(match)
    ends = [start.start() for start in starts[1:]]
    over = re.search(r"^Conversation Starts:", text, re.MULTILINE)
    ends.append(over.start() if over else len(text))
    return tuple(text[a.end() : b].strip() for a, b in zip(starts, ends, strict=True))


def _split_turns(prompt: str, first: re.Match[str], place: str) -> tuple[str, ...]:
    """The text of each turn. Two layouts occur: "Turn #1" on its own line, and "Turn #0: ".

    Models quote such headers in what they say, so that only the next number in the layout of the
    first header begins a turn.
    """
    after = r": ?" if first["colon"] else r"(?=,?[ \t]*$)"
    number = int(first["number"])
    contents = []
    start = re.compile(rf"^Turn #{number}{after}", re.MULTILINE).match(prompt, first.start())
    while start is not None:
        number += 1
        following = re.compile(rf"^Turn #{number}{after}", re.MULTILINE).search(prompt, start.end())
        contents.append(prompt[start.end() : following.start() if following else len(prompt)])
        start = following
    if not contents:
        raise ConfigError(f"{place}: the first turn of rewards_prompt has no known form")
    # The prompt goes on after the last turn with a comma.
    return (*(c.strip() for c in contents[:-1]), contents[-1].strip().removesuffix(",").strip())


def _read_turn(
    content: str, number: int, names: tuple[str, ...], place: str, quirks: Quirks
) -> PlayedTurn:
    """Parse a turn. An empty one belongs to the seat whose turn it was (section 2.2)."""
    if not content:
        quirks[Quirk.EMPTY_TURN] += 1
        return PlayedTurn(number % len(names), Action(NONE))
    for who, name in enumerate(names):
        if content.startswith(f"{name} "):
            action = _read_action(content[len(name) :].strip(), quirks)
            if action is not None:
                return PlayedTurn(who, action)
    raise ConfigError(
        f"{place}: turn {number + 1} of rewards_prompt has no known form: {content[:80]!r}"
    )


def _read_action(text: str, quirks: Quirks) -> Action | None:
    """Parse the text after the name; None if its form is unknown."""
    if text == "did nothing":
        return Action(NONE)
    if text == "left the conversation":
        return Action(LEAVE)
    if text.startswith("said:"):
        words = text.removeprefix("said:").strip()
        if len(words) >= 2 and words[0] == words[-1] == '"':
            words = words[1:-1].strip()
        return _with_text(SPEAK, words, quirks)
    labels = []
    while label := _GESTURE.match(text):
        labels.append(label[1])
        text = text[label.end() :]
    if not labels:
        return None
    quirks[Quirk.REPEATED_LABEL] += len(labels) > 1
    return _with_text(_KINDS[labels[0]], text.strip(), quirks)


def _with_text(kind: str, text: str, quirks: Quirks) -> Action:
    if text:
        return Action(kind, text)
    quirks[Quirk.EMPTY_ACT] += 1
    return Action(NONE)


@dataclass(frozen=True, slots=True)
class EpisodeText:
    """An episode's place in the files, the scenario that it names, and its parsed prompt."""

    place: str
    environment: str
    scene: PlayedEpisode


def find_tasks(
    episodes: Sequence[EpisodeText],
    people: Mapping[str, Character],
    public: PublicData | None,
    quirks: Quirks,
) -> tuple[Task, ...]:
    """The task of each episode: the data set's, if it has one of that scenario and cast."""
    finder = _TaskFinder(people, public or PublicData({}, 0, {}, {}, {}, (), frozenset()), quirks)
    task_rows = [finder.row(episode) for episode in episodes]
    data = DataSet(
        DataId("episodes", "", ""),
        {who.id: who for who in people.values()},
        dict(finder.public.relationships),
        {**finder.public.scenarios, **finder.own},
        tuple({row.id: row for row in task_rows}.values()),
    )
    by_id = {task.id: task for task in data.tasks()}
    return tuple(by_id[row.id] for row in task_rows)


@dataclass(slots=True)
class _TaskFinder:
    """Finds or makes the task row of one episode after another."""

    people: Mapping[str, Character]
    public: PublicData
    quirks: Quirks
    own: dict[str, Scenario] = field(default_factory=dict)
    by_text: Mapping[tuple[str, ...], tuple[str, ...]] = field(init=False)
    cast: Mapping[tuple[str, ...], TaskRow] = field(init=False)

    def __post_init__(self) -> None:
        # By the text that the judge, who may read all of it, is shown.
        ids: dict[tuple[str, ...], tuple[str, ...]] = defaultdict(tuple)
        for raw in self.public.raw_scenarios.values():
            ids[_text_key(raw.scenario, raw.agent_goals)] += (raw.env_id,)
        self.by_text = ids
        self.cast = {(task.scenario, *task.characters): task for task in self.public.tasks}

    def row(self, episode: EpisodeText) -> TaskRow:
        scenario = self._find_scenario(episode)
        characters = tuple(self.people[name].id for name in episode.scene.names)
        task = self.cast.get((scenario.id, *characters))
        if task is not None:
            return task
        self.quirks[Quirk.NO_TASK] += bool(self.public.tasks)
        pair = self.public.relationships.get(frozenset(characters))
        expected = scenario.relationships[0]
        return TaskRow(
            id=f"task-{digest(scenario.id, *characters)}",
            scenario=scenario.id,
            characters=characters,
            tags=(PUBLIC_HARD,) if scenario.id in self.public.hard else (),
            relationship=None if pair is not None and pair.type is expected else expected,
        )

    def _find_scenario(self, episode: EpisodeText) -> Scenario:
        """The scenario that was played, by its text, since a few lines name another one."""
        ids = self.by_text.get(_text_key(episode.scene.scenario, episode.scene.goals), ())
        if not ids:
            return self._build_scenario(episode)
        if episode.environment in ids:
            return self.public.scenarios[episode.environment]
        self.quirks[Quirk.OTHER_SCENARIO] += 1
        return self.public.scenarios[ids[0]]

    def _build_scenario(self, episode: EpisodeText) -> Scenario:
        """A scenario from the episode's own text, which does not say the relationship."""
        self.quirks[Quirk.OWN_TEXT] += 1
        self.quirks[Quirk.UNKNOWN_TIE] += 1
        context = make_sentence(repair_text(episode.scene.scenario, self.quirks))
        goals = tuple(
            compose_goal(split_untagged(repair_text(goal, self.quirks)))
            for goal in episode.scene.goals
        )
        family = family_of(context, goals)
        facts = read_facts(family, context, goals)
        scenario = record(
            episode.place,
            Scenario,
            {
                "id": f"scenario-{digest(context, *goals)}",
                "family": family,
                "context": context,
                "goals": [
                    {"text": text, "facts": facts[seat] if facts else None}
                    for seat, text in enumerate(goals)
                ],
                "relationships": [RelationshipType.ACQUAINTANCE],
                "published": {"context": episode.scene.scenario, "goals": episode.scene.goals},
            },
        )
        self.own[scenario.id] = scenario
        return scenario


def _text_key(context: str, goals: Sequence[str]) -> tuple[str, ...]:
    """Letters and digits alone, since tags, spaces and brackets differ between the files."""
    return tuple(
        "".join(letter for letter in strip_tags(text).lower() if letter.isalnum())
        for text in (context, *goals)
    )


_BACKGROUND = re.compile(
    r".+? is an? (?P<age>\d+)-year-old (?P<gender>[\w-]+) (?P<occupation>.+?)\. "
    r"(?P<pronouns>\w+/\w+) pronouns\.(?P<rest>.*)",
    re.DOTALL,
)
"""A background in a judge's prompt: "Ada Finch is a 34-year-old female nurse. She/her pronouns.",
then public information, the personality and the secret, which `_REST` separates."""
_REST = re.compile(r"Personality and values description:|\b[\w'\u2019-]+'s secrets:")


def collect_characters(
    descriptions: Iterable[tuple[str, str, str]], profiles: Mapping[str, Character], quirks: Quirks
) -> dict[str, Character]:
    """Characters by name: profiles, and those rebuilt from (place, name, background) of episodes.

    Some episodes have lost a part of a background, so that the longest readable one counts.
    ConfigError where none can be read.
    """
    characters = {profile.name: profile for profile in profiles.values()}
    backgrounds: dict[str, list[str]] = {}
    places: dict[str, str] = {}
    for place, name, background in descriptions:
        if name not in characters:
            backgrounds.setdefault(name, []).append(background)
            places.setdefault(name, place)
    for name, several in backgrounds.items():
        readable = [text for text in several if _BACKGROUND.fullmatch(text)]
        if not readable:
            raise ConfigError(
                f"{places[name]}: the background of {name} cannot be read, and there is no "
                f"profile of that name; put the profile files beside the episodes"
            )
        quirks[Quirk.REBUILT_CHARACTER] += 1
        characters[name] = rebuild_character(places[name], name, max(readable, key=len))
    return characters


def rebuild_character(place: str, name: str, background: str) -> Character:
    """A character from its background in a judge's prompt; ConfigError if that is unreadable."""
    match = _BACKGROUND.fullmatch(background)
    if match is None:
        raise ConfigError(f"{place}: the background of {name} cannot be read: {background[:80]!r}")
    labels = [label.split()[0] for label in _REST.findall(match["rest"])]
    public, *private = (part.strip() for part in _REST.split(match["rest"]))
    about = {
        ("personality" if label == "Personality" else "secret"): text
        for label, text in zip(labels, private, strict=True)
    }
    first, _, last = name.partition(" ")
    return record(
        place,
        Character,
        {
            "id": re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-"),
            "first_name": first,
            "last_name": last,
            "gender": normalize_gender(match["gender"]),
            "pronouns": match["pronouns"].lower(),
            "age": int(match["age"]),
            "occupation": match["occupation"],
            "public_info": public,
            **about,
        },
    )


UNKNOWN = "unknown model"
CUSTOM = "custom_model"


def model_labels(
    models: tuple[str, ...], setting: str, tag: str, seats: int, quirks: Quirks
) -> tuple[str, ...]:
    """The label of the model in each seat.

    `models` names the judge first and then the seats in order. That this is the order shows in the
    public episodes: of gpt-4 and gpt-3.5-turbo only the latter ever leaves, in either seat, and the
    utterances of "custom_model" have their own length in either seat. Such a model is named by the
    rest of the setting ("GPT3.5-BC" beside gpt-3.5-turbo: "BC") or of the tag.
    """
    if len(models) != seats + 1:
        quirks[Quirk.UNKNOWN_MODEL] += seats
        return (UNKNOWN,) * seats
    labels = []
    for seat, model in enumerate(models[1:], start=1):
        if model == CUSTOM:
            quirks[Quirk.CUSTOM_MODEL] += 1
            partners = [name for index, name in enumerate(models) if index not in (0, seat)]
            model = _custom_model_label(partners, setting, tag)
        labels.append(model)
    return tuple(labels)


def _custom_model_label(partners: list[str], setting: str, tag: str) -> str:
    for partner in partners:
        prefix, _, rest = setting.partition("-")
        start = _alphanumeric(prefix)
        if rest and start and _alphanumeric(partner).startswith(start):
            return rest
        name, separator, _ = tag.partition(f"_{partner}")
        if separator and name:
            return name
    return tag or CUSTOM


def _alphanumeric(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
