"""Intention expression: who means to use which skill, and whether a reader of the play can tell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from sociolab.core.episode import Episode, Moved
from sociolab.core.errors import ConfigError
from sociolab.core.ports import ChatModel
from sociolab.core.score import JudgeId, Measure, Score, Unscored, Verdict
from sociolab.core.seeding import digest, stream
from sociolab.judging.reader import CannotTell, MissingValue, TranscriptReader
from sociolab.prompting.sets import PromptSet
from sociolab.worlds.anteval.information.scoring import NOTHING
from sociolab.worlds.anteval.prompt_sets import paper_prompts
from sociolab.worlds.anteval.real_play import load_examples, skill_shares
from sociolab.worlds.anteval.scene import PASS, UNRECORDED, USE, is_recorded, party_moved
from sociolab.worlds.anteval.session import NPC, SKILLS, Intention, Session, session_from
from sociolab.worlds.anteval.virtual_dm.chat import (
    NEEDS,
    Answer,
    labels_in,
    prompt_body,
    prompt_head,
)
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label, Turn, names_skill

UNIFORM = "uniform"

FEWEST_SESSIONS = 600
"""G of fewer sessions, or of fewer labels, does not tell agents from each other, nor people from
controls: the paper's number, too (section 5.1)."""

_PURPOSES = {
    "acrobatics": "keep your balance, tumble or land on your feet where others would fall",
    "animal handling": "win over, calm or lead an animal, or read what it is about to do",
    "arcana": "work out what a spell, a rune or an enchanted thing is",
    "athletics": "climb, jump, swim, lift or break something by the strength of your body",
    "deception": "make somebody believe what is not true",
    "history": "remember what happened here long ago, or whose arms and customs these are",
    "insight": "find out what somebody really feels or means, and whether they are honest",
    "intimidation": "frighten somebody into giving way",
    "investigation": "search a thing closely and piece together what the traces mean",
    "medicine": "tend a wound or an illness, or tell what somebody suffers or died of",
    "nature": "tell what a plant, a beast, the weather or the ground is, by what you were taught",
    "perception": "notice with eyes and ears what others miss",
    "performance": "hold an audience with a song, a dance, a tale or a part that you play",
    "persuasion": "bring somebody round with tact, good reasons and good faith",
    "religion": "tell what a rite, a prayer or a holy sign means and whom it serves",
    "sleight of hand": "take, palm, plant or hide something small with quick fingers",
    "stealth": "move or hide so that nobody notices you",
    "survival": "follow tracks, find the way, food or shelter, or foresee what the wilds hold",
}


@dataclass(frozen=True, slots=True)
class Assigned:
    """How skills are assigned to players.

    `weights` is the prior over skills, `none` the probability that a player gets none; the others
    get `per_player` different ones.
    """

    weights: tuple[tuple[str, float], ...]
    none: float
    per_player: int

    def draw(self, seed: int, session: str, players: Sequence[str]) -> tuple[Intention, ...]:
        """The intentions of a session's players; alike for the same seed and session."""
        intentions = []
        for seat in players:
            chance = stream(seed, session, seat, "intention")
            if chance.random() < self.none:
                continue
            remaining = dict(self.weights)
            for _ in range(min(self.per_player, len(remaining))):
                skill = chance.choices(list(remaining), list(remaining.values()))[0]
                del remaining[skill]
                intentions.append(Intention(seat=seat, skill=skill, text=describe_intention(skill)))
        return tuple(intentions)


def describe_intention(skill: str) -> str:
    """The sentence in the player's prompt."""
    return f"You mean to use your {skill} here: to {_PURPOSES[skill]}."


def read_prior(prior: str) -> tuple[tuple[str, float], ...]:
    """The weights of a prior: "uniform", a path to a JSON object from skill to weight, or real play
    (an import, a file or the sample), for its shares.

    ConfigError for a file that cannot be read, an unknown skill, a negative weight, or no weight.
    """
    if prior == UNIFORM:
        return tuple((skill, 1.0) for skill in SKILLS)
    if not prior.endswith(".json"):
        expected = f'prior: expected "{UNIFORM}" or a path to a JSON object (.json), or real play'
        shares = skill_shares(load_examples(prior, expected))
        return tuple((skill, shares[skill]) for skill in SKILLS if skill in shares)
    try:
        content = json.loads(Path(prior).read_bytes())
        weights = TypeAdapter(dict[str, float]).validate_python(content)
    except OSError as error:
        raise ConfigError(
            f'the prior "{Path(prior)}" cannot be read ({error.strerror}); expected "{UNIFORM}", '
            "real play, or a path to a JSON object from skill to weight"
        ) from error
    except (ValueError, ValidationError) as error:
        raise ConfigError(f"{Path(prior)}: expected a JSON object from skill to weight") from error
    for skill, weight in weights.items():
        if skill not in SKILLS:
            raise ConfigError(f'{prior}: expected one of the 18 skills, found "{skill}"')
        if not 0 <= weight < float("inf"):
            raise ConfigError(f"{prior}: {skill}: expected a weight of 0 or more, found {weight}")
    if not any(weights.values()):
        raise ConfigError(f"{prior}: expected a weight above 0 for at least one skill, found none")
    return tuple((skill, weights[skill]) for skill in SKILLS if weights.get(skill))


def example_of(episode: Episode) -> Example:
    """The whole session as one example, labelled with all that was assigned (AntEval section 4.2).

    The id is the trial's, the group the session's, so that plays of one session by different
    agents stay together. Speakers go by first names, the NPC is the DM; turns in which nobody said
    or did anything are left out. `strict`: no assigned skill is named in the play.
    """
    session = session_from(episode.trial.task.content)
    intentions = [(intention.seat, intention.skill) for intention in session.intentions]
    return _example(episode.trial.id, session, episode.moves, intentions)


def _example(
    id: str, session: Session, moves: Sequence[Moved], intentions: Iterable[tuple[str, str]]
) -> Example:
    labels = frozenset(Label(session.seated(who).first_name, skill) for who, skill in intentions)
    turns = tuple(_turns(session, moves))
    strict = not names_skill(turns, {label.skill for label in labels})
    players = tuple(player.first_name for player in session.players)
    return Example(id, session.id, turns, players, labels, strict)


def cut_examples(episode: Episode) -> tuple[Example, ...]:
    """An example for each move that shows an intention, ending there as real examples do.

    Of scripted players the move is on record; others mark it in a private field, with
    `--set marks=true`. Of each intention the first mark counts; what marks none of the player's own
    is passed over. Empty where nothing is marked.
    """
    session = session_from(episode.trial.task.content)
    remaining = {(intention.seat, intention.skill) for intention in session.intentions}
    examples = []
    for number, move in enumerate(episode.moves, 1):
        marked = {(move.seat, skill) for skill in _marks(move)} & remaining
        remaining -= marked
        if marked:
            id_ = f"{episode.trial.id}/{move.turn}"
            examples.append(_example(id_, session, episode.moves[:number], marked))
    return tuple(examples)


def _marks(move: Moved) -> Iterator[str]:
    """The skills that a move uses, by its acts or by the player's own mark."""
    for action in move.actions:
        yield from (str(act.what) for act in action.acts if act.kind == USE)
        if uses := action.fields.get("uses"):
            yield str(uses)


def _turns(session: Session, moves: Sequence[Moved]) -> Iterator[Turn]:
    names = {
        character.id: DM if character.id == NPC else character.first_name
        for character in session.characters
    }
    for move in moves:
        texts = (" ".join(a.text.split()) for a in move.actions if a.kind != PASS)
        text = " ".join(part if part[-1:] in ".!?" else f"{part}." for part in texts if part)
        if text:
            yield Turn(names[move.seat], text)


F_C = Measure("f_c", 0, 1, title="F_c")
"""2 |P and G| / (|P| + |G|) over characters: predicted P, assigned G."""
F_O = Measure("f_o", 0, 1, title="F_o")
"""The same over (character, skill) tuples."""
MEASURES = (F_C, F_O)


class IntentionRecordJudge:
    """The guesses of somebody who knows the acts: all skills that scripted players used.

    They are as good as guesses can be, and say only whether the intentions were acted on. Of an
    episode that is not on record it cannot tell anything.
    """

    def __init__(self) -> None:
        self.id = JudgeId("record", "formula", digest("record", "sets"))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """F_c and F_o of the episode; unscored where it is not on record."""
        if not party_moved(episode):
            return NOTHING.as_verdicts(MEASURES)
        if not is_recorded(episode):
            return CannotTell(UNRECORDED).as_verdicts(MEASURES)
        session = session_from(episode.trial.task.content)
        used = {
            Label(session.seated(move.seat).first_name, skill)
            for move in episode.moves
            for skill in _marks(move)
        }
        return agreement(used, example_of(episode).labels)


class ChatIntentionJudge:
    """The guesses of an untuned chat model as virtual DM (the paper's f0), on one session."""

    def __init__(self, model: ChatModel, texts: PromptSet | None = None) -> None:
        texts = texts or paper_prompts()
        self._model, self._head = model, prompt_head(texts)
        self._temperature = texts.manifest.temperature.judge
        settings = digest(self._head, model.label, "sets")
        instructions = texts.instructions("virtual_dm")
        self.id = JudgeId(model.label, "model", settings, prompts=instructions.prompts)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """F_c and F_o of the episode; failures where the model gave no usable reply.

        A fatal ModelError (credentials, budget) passes through.
        """
        if not party_moved(episode):
            return NOTHING.as_verdicts(MEASURES)
        example = example_of(episode)
        reader = TranscriptReader(self._model, episode.trial.id, judging, self._temperature)
        labels = await reader.ask(
            "virtual-dm",
            self._head,
            prompt_body(example),
            Answer,
            lambda answer: labels_in(answer, example),
            needs=NEEDS,
        )
        if isinstance(labels, MissingValue):
            return labels.as_verdicts(MEASURES)
        return agreement(labels, example.labels)


def agreement(predicted: Set[Label], assigned: Set[Label]) -> tuple[Verdict, ...]:
    """F_c and F_o of one session: F1 of the set of guesses against the set of what was assigned."""
    guessed = f"guessed {_list_labels(predicted)}; assigned {_list_labels(assigned)}"
    characters = {label.character for label in predicted}, {label.character for label in assigned}
    return (_f(F_C, *characters, guessed), _f(F_O, predicted, assigned, guessed))


def _f(measure: Measure, predicted: Set[object], assigned: Set[object], reason: str) -> Verdict:
    total = len(predicted) + len(assigned)
    if not total:
        return Unscored(measure, None, "no skill was assigned, and none guessed")
    return Score(measure, None, 2 * len(predicted & assigned) / total, reason)


def _list_labels(labels: Iterable[Label]) -> str:
    return ", ".join(f"{who}: {skill}" for who, skill in sorted(labels)) or "nothing"
