"""Import SOTOPIA's public episodes, so that they can be judged here.

Scenario, task and characters come from the profile files if these are at hand, and are else rebuilt
from the episode's own text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from sociolab.core.episode import (
    ARCHIVED,
    HUMAN,
    Agent,
    CastMember,
    Ended,
    Episode,
    Event,
    Happened,
    Moved,
    Task,
    Trial,
)
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.reading import read_text, record
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
from sociolab.worlds.sotopia.importing.episode_text import PlayedEpisode, RawEpisode, read_episode
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
    EPISODES,
    PUBLIC_HARD,
    PublicData,
    normalize_gender,
    read_public_data,
)
from sociolab.worlds.sotopia.importing.reading import (
    Quirk,
    Quirks,
    quirk_lines,
    read_rows,
)
from sociolab.worlds.sotopia.scenarios import Character, RelationshipType, Scenario, is_id
from sociolab.worlds.sotopia.scene import LEAVE, NONE, TURN_LIMIT
from sociolab.worlds.sotopia.visibility import seen_by


@dataclass(frozen=True, slots=True)
class ImportedEpisodes:
    """Episodes ready to be judged, and how often each quirk occurred."""

    episodes: tuple[Episode, ...]
    quirks: tuple[tuple[Quirk, int], ...]
    lines: tuple[str, ...]
    """The report to print: a summary, then a line for each quirk."""
    judgings: tuple[ImportedJudging, ...] = ()


People: TypeAlias = Mapping[tuple[str, str], Character]
"""Characters by their name and id in an episode."""


@dataclass(frozen=True, slots=True)
class PlayedRow:
    """A row of a file, and what was played."""

    place: str
    row: RawEpisode
    scene: PlayedEpisode

    def ids(self) -> tuple[str, ...]:
        """The ids of the characters, in their order; "" where the row does not say."""
        ids, names = self.row.agents, self.scene.names
        return ids if len(ids) == len(names) else ("",) * len(names)


def import_episodes(source: Path) -> ImportedEpisodes:
    """Read the episode files in `source` or `source/episodes`, the single file `source`, or the
    package's local store.

    Characters, scenarios and tasks come from the profile files if these are at hand (in `source`,
    or in a folder `profiles` in it or beside it), and else from the episodes. ConfigError with file
    and line for whatever cannot be read.
    """
    quirks = Quirks()
    folder = _find_profiles(source)
    public = None if folder is None else read_public_data(folder, Quirks(), whole=False)
    rows = [item for file in _find_episode_files(source) for item in read_rows(file, RawEpisode)]
    every = [PlayedRow(item.place, item.row, read_episode(item, quirks)) for item in rows]
    played = [row for row in every if row.scene.turns]
    if not played:
        found = f"{len(every)} without a turn" if every else "none"
        raise ConfigError(f"{source}: expected episodes, found {found}")
    quirks[Quirk.NOTHING_PLAYED] += len(every) - len(played)
    episodes = tuple(read_episodes(played, public, quirks))
    judgings = tuple(_read_judgings(played, episodes, quirks))
    agents = {member.agent for episode in episodes for member in episode.trial.cast}
    tasks = {episode.trial.task.id for episode in episodes}
    counts = f"{plural(len(episodes), 'episode')} of {plural(len(tasks), 'task')}"
    lines = [f"{counts}, played by {', '.join(sorted(agents))}"]
    if judges := sorted({describe_judge(judging.judge) for judging in judgings}):
        lines.append(f"{plural(len(judgings), 'stored judging')} by {', '.join(judges)}")
    if tags := Counter(row.row.tag for row in played if row.row.tag):
        lines.append(f"tags: {', '.join(f'{tag} ({n})' for tag, n in sorted(tags.items()))}")
    occurred = tuple((quirk, quirks[quirk]) for quirk in Quirk if quirks[quirk])
    return ImportedEpisodes(episodes, occurred, (*lines, *quirk_lines(quirks)), judgings)


def read_episodes(
    played: Sequence[PlayedRow], public: PublicData | None, quirks: Quirks
) -> Iterator[Episode]:
    """The episodes of these rows, in order. A trial's id is the episode's own (`pk`)."""
    characters = collect_characters(
        (
            (row.place, name, background, id_)
            for row in played
            for name, background, id_ in zip(
                row.scene.names, row.scene.backgrounds, row.ids(), strict=True
            )
        ),
        public.characters if public else {},
        quirks,
    )
    tasks = find_tasks(played, characters, public, quirks)
    repeats: Counter[tuple[str, ...]] = Counter()
    ids: set[str] = set()
    for item, task in zip(played, tasks, strict=True):
        raw = item.row
        if raw.pk in ids:
            raise ConfigError(f"{item.place}: the episode {raw.pk} comes a second time")
        ids.add(raw.pk)
        labels = model_labels(raw.models, raw.setting, raw.tag, len(task.seats), quirks)
        cast = tuple(
            CastMember(seat, _agent_called(label))
            for seat, label in zip(task.seats, labels, strict=True)
        )
        key = (task.id, *(member.agent for member in cast))
        trial = Trial(raw.pk, "sotopia", task, cast, repeats[key], 0)
        repeats[key] += 1
        yield Episode(trial, _make_events(item, task.seats, quirks))


def _agent_called(label: str) -> Agent:
    """The agent of a label; the files name models without an endpoint, and people "human"."""
    if label == UNKNOWN:
        return Agent(label, "imported")
    settings = digest("imported", label)
    return Agent(label, "person" if label == HUMAN else "model", label, settings=settings)


def _make_events(item: PlayedRow, seats: tuple[str, ...], quirks: Quirks) -> tuple[Event, ...]:
    tag = (Happened(0, "", ARCHIVED, {"tag": item.row.tag}),) if item.row.tag else ()
    moves = tuple(
        Moved(number, seats[turn.who], (turn.action,))
        for number, turn in enumerate(item.scene.turns)
    )
    last = moves[-1]
    quirks[Quirk.PAST_LIMIT] += len(moves) > TURN_LIMIT
    if last.actions[0].kind == LEAVE:
        return (*tag, *moves, Ended("left", last.turn, last.seat))
    if last.actions[0].kind == NONE and len(moves) < TURN_LIMIT:
        quirks[Quirk.SILENT_END] += 1
        return (*tag, *moves, Ended("silence", last.turn, last.seat))
    # An episode that stops in mid-conversation met its own limit.
    return (*tag, *moves, Ended("turn limit", last.turn))


def _read_judgings(
    raw: Sequence[PlayedRow], episodes: Sequence[Episode], quirks: Quirks
) -> Iterator[ImportedJudging]:
    """The scores stored with the episodes, by the judge that the file names."""
    for item, episode in zip(raw, episodes, strict=True):
        rewards, seats = item.row.rewards, episode.trial.task.seats
        by_dimension = [entry[1] for entry in rewards if isinstance(entry, tuple)]
        quirks[Quirk.EMPTY_SCORES] += not by_dimension and any(one is not None for one in rewards)
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
                quirks[Quirk.BARE_SCORE] += reward is not None
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
        version = _VERSION.search(item.row.tag)
        settings = f"{version[0]}, {STORED}" if version else STORED
        yield ImportedJudging(episode.trial.id, JudgeId(judge, "model", settings), tuple(verdicts))


def describe_judge(judge: JudgeId) -> str:
    """The name of a judge that came with episodes, and the version of its experiment."""
    version = judge.settings.removesuffix(STORED).removesuffix(", ")
    return f"{judge.name} ({version})" if version else judge.name


STORED = "stored with the episodes"
"""The settings of a judge whose settings are not known, after the version of the experiment."""
_VERSION = re.compile(r"(?<![^_])v\d+(\.\d+)+\w*$")
"""The end of a tag, such as "gpt-4_gpt-4_v0.0.1_clean"."""
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


_EPISODES = re.compile(r'"(raw_)?(rewards_prompt|messages)"\s*:|\A[^\n]*\braw_messages\b')


def _find_episode_files(source: Path) -> tuple[Path, ...]:
    """The files with episodes, by name, or the folder of a local store; ConfigError if there are
    none."""
    if source.is_file():
        return (source,)
    if not source.exists():
        raise ConfigError(f"{source} cannot be read: there is no such file or folder")
    for folder in (source / "episodes", source):
        if (stored := folder / EPISODES.model).is_dir():
            return (stored,)
        for end in ("jsonl", "json", "csv"):
            files = sorted(folder.glob(f"*.{end}"))
            if paths := tuple(path for path in files if _EPISODES.search(read_text(path))):
                return paths
    raise ConfigError(
        f"expected JSON-lines files with episodes (rows with messages or a rewards_prompt) in "
        f"{source} or in {source / 'episodes'}, or a folder {EPISODES.model}, and there is none"
    )


def _find_profiles(source: Path) -> Path | None:
    folder = source.parent if source.is_file() else source
    places = (folder, folder / "profiles", folder.parent / "profiles", folder.parent)
    return next((place for place in places if AGENTS.find(place)), None)


def find_tasks(
    played: Sequence[PlayedRow],
    people: People,
    public: PublicData | None,
    quirks: Quirks,
) -> tuple[Task, ...]:
    """The task of each episode: the data set's, if it has one of that scenario and cast."""
    empty = PublicData({}, 0, {}, {}, {}, (), frozenset())
    finder = _TaskFinder(played, people, public or empty, quirks)
    task_rows = [finder.row(episode) for episode in played]
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

    played: Sequence[PlayedRow]
    people: People
    public: PublicData
    quirks: Quirks
    own: dict[str, Scenario] = field(default_factory=dict)
    by_text: Mapping[tuple[str, ...], tuple[str, ...]] = field(init=False)
    cast: Mapping[tuple[str, ...], TaskRow] = field(init=False)
    texts: Mapping[str, set[tuple[str, ...]]] = field(init=False)

    def __post_init__(self) -> None:
        # By the text that the judge is shown, who may read all of it, and by that of messages.
        ids: dict[tuple[str, ...], tuple[str, ...]] = defaultdict(tuple)
        for raw in self.public.raw_scenarios.values():
            seats = len(raw.agent_goals)
            goals = [seen_by(seat, goal, seats, "") for seat, goal in enumerate(raw.agent_goals)]
            messages = _text_key(seen_by(0, raw.scenario, seats, ""), goals)
            for key in {_text_key(raw.scenario, raw.agent_goals), messages}:
                ids[key] += (raw.env_id,)
        self.by_text = ids
        self.cast = {(task.scenario, *task.characters): task for task in self.public.tasks}
        self.texts = defaultdict(set)
        for row in self.played:
            self.texts[row.row.environment].add(_text_key(row.scene.scenario, row.scene.goals))

    def row(self, episode: PlayedRow) -> TaskRow:
        scenario = self._find_scenario(episode)
        cast = zip(episode.scene.names, episode.ids(), strict=True)
        characters = tuple(self.people[key].id for key in cast)
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

    def _find_scenario(self, episode: PlayedRow) -> Scenario:
        """The scenario that was played, by its text, since a few lines name another one."""
        ids = self.by_text.get(_text_key(episode.scene.scenario, episode.scene.goals), ())
        if not ids:
            return self._build_scenario(episode)
        if episode.row.environment in ids:
            return self.public.scenarios[episode.row.environment]
        self.quirks[Quirk.OTHER_SCENARIO] += 1
        return self.public.scenarios[ids[0]]

    def _build_scenario(self, episode: PlayedRow) -> Scenario:
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
                "id": self._own_id(episode) or f"scenario-{digest(context, *goals)}",
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

    def _own_id(self, episode: PlayedRow) -> str:
        """The id of the environment; "" if the files have other scenarios by this id, too."""
        key = episode.row.environment
        alone = len(self.texts[key]) == 1 and key not in self.public.scenarios
        return key if alone and is_id(key) else ""


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
    descriptions: Iterable[tuple[str, str, str, str]],
    profiles: Mapping[str, Character],
    quirks: Quirks,
) -> People:
    """Characters by name and id: profiles, and those rebuilt from the (place, name, background, id)
    of episodes.

    Some episodes have lost a part of a background, so that the longest readable one counts.
    ConfigError where none can be read.
    """
    by_name = {profile.name: profile for profile in profiles.values()}
    characters: dict[tuple[str, str], Character] = {}
    backgrounds: dict[tuple[str, str], list[str]] = {}
    places: dict[tuple[str, str], str] = {}
    for place, name, background, id_ in descriptions:
        own = profiles.get(id_)
        profile = own if own and own.name == name else by_name.get(name)
        if profile:
            characters[name, id_] = profile
        else:
            backgrounds.setdefault((name, id_), []).append(background)
            places.setdefault((name, id_), place)
    ids = Counter(id_ for _, id_ in backgrounds)
    for (name, id_), several in backgrounds.items():
        place = places[name, id_]
        readable = [text for text in several if _BACKGROUND.fullmatch(text)]
        if not readable:
            raise ConfigError(
                f"{place}: the background of {name} cannot be read, and there is no "
                f"profile of that name; put the profile files beside the episodes"
            )
        quirks[Quirk.REBUILT_CHARACTER] += 1
        own_id = id_ if is_id(id_) and ids[id_] == 1 and id_ not in profiles else ""
        fullest = max(readable, key=len)
        characters[name, id_] = rebuild_character(place, name, fullest, own_id)
    return characters


def rebuild_character(place: str, name: str, background: str, id_: str = "") -> Character:
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
            "id": id_ or re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-"),
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
