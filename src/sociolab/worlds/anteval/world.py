"""AntEval as two worlds, information and intention: tasks, play and transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from sociolab.core.episode import Answered, Episode, Moved, Task, Unusable
from sociolab.core.ports import DataId, Line, Note, Play, Transcript
from sociolab.core.seeding import digest
from sociolab.engine.episode_loop import DEFAULT_POLICY, play
from sociolab.engine.scene import FailurePolicy
from sociolab.engine.visibility import visible_moves
from sociolab.plugin.shown import FactMention
from sociolab.prompting.sets import PromptSet, prompt
from sociolab.report.words import join_names
from sociolab.worlds.anteval.information.scoring import LEARNED, Learned, build_polls, list_tellings
from sociolab.worlds.anteval.prompt_sets import PLAYED, paper_prompts
from sociolab.worlds.anteval.scene import LEAVING_ACTIONS, AntScene, describe_self, line_of
from sociolab.worlds.anteval.session import Fact, Form, Reserve, Session, session_from
from sociolab.worlds.anteval.sessions import Sessions

Agent = TypeVar("Agent")


def table_casts(
    agents: Sequence[Agent], partner: Agent | None, seats: Sequence[str]
) -> tuple[tuple[Agent, ...], ...]:
    """The agents of all seats, for each agent.

    Without a partner the agent plays everybody, the NPC too (AntEval Table 1). With a partner the
    agent plays the players, and the partner the NPC, which has the last seat.
    """
    players = len(seats) - 1
    return tuple((*[agent] * players, partner or agent) for agent in dict.fromkeys(agents))


Notes: TypeAlias = Iterator[Note]


@dataclass(frozen=True, slots=True)
class AntEval:
    """One of the two worlds, over one set of sessions.

    Information: with `controls` the players are asked before the first turn too, with `snapshots`
    N after every N turns. Intention: with `marks` players may mark the move that shows theirs.
    """

    form: Form
    sessions: Sessions
    controls: bool = False
    snapshots: int = 0
    policy: FailurePolicy = DEFAULT_POLICY
    texts: PromptSet = field(default_factory=paper_prompts)
    marks: bool = False

    @property
    def name(self) -> str:
        """As in `sociolab run anteval-information`."""
        return f"anteval-{self.form}"

    @property
    def data(self) -> DataId:
        """The sessions; the hash covers them, the prompts and the questions that are put."""
        own, prompts = self.sessions.id, self.texts.hash_of(*PLAYED)
        content_hash = digest(own.hash, prompts, self.controls, self.snapshots)
        if self.marks:  # how models are asked for fields belongs to what is played
            content_hash = digest(content_hash, prompt("sociolab.agents", "fields").hash)
        return DataId(own.name, own.version, content_hash)

    def tasks(self) -> Sequence[Task]:
        return self.sessions.tasks

    def play(self, task: Task, trial: str, seed: int) -> Play:
        """The table, round and round, for as many turns as the session says."""
        return play(self._scene(task), trial=trial, seed=seed, policy=self.policy)

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        """The session with everything private, or only what one seat saw."""
        session = session_from(episode.trial.task.content)
        if seat is None:
            names = join_names([character.first_name for character in session.characters])
            fact_notes = sorted(_note_tellings(session, episode), key=lambda note: note.turn or 0)
            notes = (*_failures(session, episode), *fact_notes, *_answers(session, episode))
            lines = _lines(session, episode.moves)
            return Transcript(f"{session.id}: {names}", tuple(_stage(session)), lines, notes)
        witness = AntScene(session, texts=self.texts, marks=self.marks).witness(seat)
        for move in visible_moves(episode.moves, seat, LEAVING_ACTIONS):
            witness.see(move)
        observation = witness.observe(len(episode.moves))
        title = f"{session.id}, as {observation.you} saw it"
        return Transcript(
            title, (("What this seat was told", observation.head),), observation.history
        )

    def _scene(self, task: Task) -> AntScene:
        session = session_from(task.content)
        if self.form == "intention":
            return AntScene(session, texts=self.texts, marks=self.marks)
        questions = build_polls(session, self.texts, controls=self.controls, every=self.snapshots)
        return AntScene(session, questions, texts=self.texts)


def _stage(session: Session) -> Iterator[tuple[str, str]]:
    yield "The situation", session.situation
    for character in session.characters:
        intentions = [
            intention.text for intention in session.intentions if intention.seat == character.id
        ]
        briefing = describe_self(character, look=False)
        private = "\n".join((briefing, *(f"Intention: {text}" for text in intentions)))
        yield character.name, f"{character.look}\nPrivate: {private}"
    if session.knowledge:
        lines = [_describe_fact(session, fact) for fact in session.knowledge]
        if session.trust:
            lines.append(f"Wants {session.trust.text}.")
        if session.mystery:
            left = session.mystery.left(session.knowledge)
            lines.append(f"{session.mystery.question} By these facts: {join_names(left)}.")
        yield f"What {session.npc.first_name} alone knows", "\n".join(("Private:", *lines))


def _describe_fact(session: Session, fact: Fact) -> str:
    if session.trust is None:
        return f"{fact.id}: {fact.text}"
    lie = f" Says instead: {fact.falsehood}" if fact.falsehood else ""
    return f"{fact.id} (told {_TOLD[fact.reserve]}): {fact.text}{lie}"


_TOLD: Mapping[Reserve, str] = {
    "any question": "at any question",
    "its kind": "when asked for its kind",
    "its name": "when asked by name",
    "trust": "on trust",
    "falsely": "falsely until there is trust",
}


def _lines(session: Session, moves: Sequence[Moved]) -> tuple[Line, ...]:
    names = _names(session)
    return tuple(
        Line(move.turn, names[move.seat], False, move.actions, line_of(session, move), move.seat)
        for move in moves
    )


def _failures(session: Session, episode: Episode) -> Notes:
    names = _names(session)
    for event in episode.events:
        if isinstance(event, Unusable):
            what = "failed" if event.final else "asked again"
            text = (
                f"turn {event.turn + 1}, {names[event.seat]}, {event.name}, attempt "
                f"{event.attempt}: {what} ({event.cause}: {event.problem})"
            )
            yield Note(event.turn, text, trouble=True)


def _note_tellings(session: Session, episode: Episode) -> Notes:
    """Who told each fact and who passed it on; empty where acts are not on record."""
    for fact, tellings in list_tellings(session, episode).items():
        first: dict[str, FactMention] = {}
        for telling in tellings:
            first.setdefault(telling.who, telling)
        for number, telling in enumerate(first.values()):
            does = "passes on" if number else "tells fact"
            everybody = len(telling.to) == len(session.characters) - 1
            to = "to all" if everybody else f"to {join_names(telling.to)} only"
            yield Note(telling.turn, f"{telling.who} {does} {fact} {to}")


def _answers(session: Session, episode: Episode) -> Notes:
    """The answers of players, by time; those who had learned nothing share a note."""
    names = _names(session)
    answers: dict[int, list[tuple[str, str]]] = {}
    for event in episode.events:
        if isinstance(event, Answered) and event.question == LEARNED:
            facts = Learned.model_validate(event.value).facts
            answers.setdefault(event.turn, []).append((names[event.seat], " / ".join(facts)))
    for turn, turn_answers in answers.items():
        when = f"after {turn} turns" if turn else "before the first turn"
        for name, learned in turn_answers:
            if learned:
                yield Note(None, f"{when} {name} had learned: {learned}")
        empty = [name for name, learned in turn_answers if not learned]
        if empty:
            yield Note(None, f"{when} {join_names(empty)} had learned nothing")


def _names(session: Session) -> dict[str, str]:
    return {character.id: character.first_name for character in session.characters}
