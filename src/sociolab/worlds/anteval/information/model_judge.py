"""A chat model as the judge of information exchange, by the paper's procedure.

The NPC's knowledge is summarised into k key points, and so is each player's answer, by a call that
is shown the answer and nothing else; a further call says which key points are the same (AntEval
section 4.1). Beside it the whole answer is held against the atomic facts. Calls a session: one for
the knowledge, one for the transcript, three for each answer at the end, one for each other answer
(before the first turn, snapshots), and with controls two more; an empty answer takes none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from sociolab.core.episode import Action, Answered, CastMember, Ended, Episode, Json, Moved, Trial
from sociolab.core.errors import ModelError
from sociolab.core.ports import CallKey, ChatModel, Labelled, LabelledPoint, PointAnswer
from sociolab.core.score import JudgeId, Score, Verdict
from sociolab.core.seeding import digest, stream
from sociolab.judging.quoting import quoted
from sociolab.prompting.sets import PromptSet
from sociolab.prompting.structured import ask_model, typed_prompt
from sociolab.worlds.anteval.information.scoring import (
    LEARNED,
    RECALL,
    FactReading,
    Found,
    InformationPlan,
    KeyPointOverlap,
    Learned,
    MissingValue,
    SessionEvidence,
    nothing,
    said,
    snapshot_turns,
    substantial,
    verdicts,
)
from sociolab.worlds.anteval.prompt_sets import paper
from sociolab.worlds.anteval.scene import SPEAK, describe_self, line_of, party_moved
from sociolab.worlds.anteval.session import (
    NPC,
    Fact,
    FactKind,
    PartyMember,
    Session,
    session_from,
)
from sociolab.worlds.anteval.sessions import task_of

ATTEMPTS = 3
_PROMPTS = ("judge_knowledge", "judge_summary", "judge_match", "judge_facts", "judge_transcript")

Sheet = TypeVar("Sheet", bound=BaseModel)


# ------------------------------------------------------------------ what a judge fills in


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class KeyPoints(_Strict):
    """A summary, one sentence a key point."""

    points: list[str]


class Pair(_Strict):
    """Two key points that say the same, by id and with their texts."""

    known: str
    known_text: str
    learned: str
    learned_text: str


class Pairs(_Strict):
    """The overlap of two summaries."""

    pairs: list[Pair]


class FactLine(_Strict):
    """Whether a fact is stated, and in which words."""

    fact: str
    stated: bool
    quote: str


class Beside(_Strict):
    """A statement that is none of the facts."""

    quote: str
    kind: Literal["other", "hallucinated"]


class AnswerSheet(_Strict):
    """A whole answer: each fact, and what else it states."""

    facts: list[FactLine]
    beside: list[Beside]


class TranscriptSheet(_Strict):
    """A whole transcript: each fact, and the numbers of the turns that are small talk."""

    facts: list[FactLine]
    small_talk: list[int]


@lru_cache(maxsize=64)  # a pydantic class takes a millisecond to make
def points_type(least: int, most: int) -> type[KeyPoints]:
    """A summary into `least` to `most` key points."""
    points = Annotated[list[str], Field(min_length=least, max_length=most)]
    return create_model("KeyPoints", __base__=KeyPoints, points=(points, ...))


@lru_cache(maxsize=64)
def facts_type(base: type[Sheet], facts: int) -> type[Sheet]:
    """A sheet with an entry for each of so many facts."""
    lines = Annotated[list[FactLine], Field(min_length=facts, max_length=facts)]
    return create_model(base.__name__, __base__=base, facts=(lines, ...))


def points_problem(sheet: KeyPoints) -> str:
    """What is wrong with a summary; empty if nothing is."""
    if not all(any(map(str.isalnum, point)) for point in sheet.points):
        return "points: expected a sentence in each, found an empty one"
    if len({_flat(point) for point in sheet.points}) < len(sheet.points):
        return "points: expected each key point once, found one twice"
    return ""


def pairs_problem(sheet: Pairs, known: Sequence[str], learned: Sequence[str]) -> str:
    """What is wrong with the pairs of these key points; empty if nothing is."""
    for side, mark, texts, found in (
        ("known", "p", known, [(pair.known, pair.known_text) for pair in sheet.pairs]),
        ("learned", "a", learned, [(pair.learned, pair.learned_text) for pair in sheet.pairs]),
    ):
        by_id = {f"{mark}{number}": text for number, text in enumerate(texts, 1)}
        ids = [id_ for id_, _ in found]
        if problem := _ids_problem(side, ids, by_id):
            return problem
        for id_, text in found:
            if not _alike(text, by_id[id_]):
                return f'{side}_text: expected the text of {id_}, copied, found "{text[:80]}"'
    return ""


def facts_problem(lines: Sequence[FactLine], texts: Sequence[str]) -> str:
    """What is wrong with the entries of all facts, quoted from these texts; empty if nothing is."""
    ids = [f"f{number}" for number in range(1, len(lines) + 1)]
    if problem := _ids_problem("fact", [line.fact for line in lines], ids):
        return problem
    for line in lines:
        if line.stated and quoted(line.quote, texts) is None:
            return _not_there(line.fact, line.quote)
    return ""


def turns_problem(numbers: Sequence[int], taken: Sequence[int]) -> str:
    """What is wrong with a list of turns, of those that were taken; empty if nothing is."""
    wrong = next((n for n in numbers if n not in taken or numbers.count(n) > 1), None)
    if wrong is None:
        return ""
    return f"small_talk: expected numbers of turns, each once, found {wrong} of {list(numbers)}"


def answer_problem(sheet: AnswerSheet, text: str) -> str:
    """What is wrong with the sheet of an answer of this text; empty if nothing is."""
    if problem := facts_problem(sheet.facts, (text,)):
        return problem
    others: list[str] = []
    for entry in sheet.beside:
        if quoted(entry.quote, (text,)) is None:
            return _not_there("beside", entry.quote)
        again = any(quoted(entry.quote, (one,)) or quoted(one, (entry.quote,)) for one in others)
        if again or any(line.stated and _alike(entry.quote, line.quote) for line in sheet.facts):
            return f'beside: expected words that no other entry has, found "{entry.quote[:80]}"'
        others.append(entry.quote)
    return ""


def _ids_problem(where: str, found: Sequence[str], known: Sequence[str] | dict[str, str]) -> str:
    """An id that is unknown, or used twice."""
    for id_ in found:
        if id_ not in known:
            return f'{where}: expected one of the ids that were given, found "{id_[:40]}"'
        if found.count(id_) > 1:
            return f'{where}: expected each id once at most, found "{id_}" {found.count(id_)} times'
    return ""


def _not_there(what: str, quote: str) -> str:
    return (
        f"{what}: expected a quote of at least three words, copied word for word, found "
        f'"{quote[:80]}"'
    )


def _alike(text: str, other: str) -> bool:
    """Whether two texts are the same but for case, spacing, and marks around them."""
    return quoted(text, (other,)) is not None and quoted(other, (text,)) is not None


def _flat(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!?")


# ------------------------------------------------------------------ the judge


class ModelJudge:
    """Judges with a chat model at temperature 0.

    A sheet with an unknown id, an id twice, or a quote that is not in the text is asked for again;
    what cannot be mended is a failure of the scores that the call was for. A fatal error passes
    through and stops the run.
    """

    def __init__(
        self, plan: InformationPlan, model: ChatModel, texts: PromptSet | None = None
    ) -> None:
        self._plan = plan
        self._model = model
        self._texts = texts or paper()
        told = self._texts.instructions(*_PROMPTS)
        self.id = JudgeId(
            model.label, "model", told.marked(digest(model.label, told.hash, plan.key_points))
        )

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts on the answers; failures where no player took a turn."""
        session = session_from(episode.trial.task.content)
        if not party_moved(episode):
            return nothing(episode, self._plan)
        reader = self._reader(session, episode, judging)
        found = SessionEvidence()
        points = await reader.knowledge()
        for player in session.players:
            seat = player.id
            found.overlaps[seat] = await reader.overlap(points, said(episode, seat, None), seat)
            found.answers[seat] = await reader.answer(seat, None)
            if self._plan.controls:
                found.before[seat] = await reader.answer(seat, 0)
            for turn in snapshot_turns(session.turns, self._plan.snapshots):
                found.snapshots[turn, seat] = await reader.answer(seat, turn)
        found.told, found.small_talk = await reader.told()
        if self._plan.controls:
            found.oracle = await reader.overlap(points, reader.recited(), "")
        return verdicts(episode, self._plan, found)

    async def reading(self, episode: Episode, seat: str) -> Found:
        """One player's answer at the end against the facts, and nothing else."""
        session = session_from(episode.trial.task.content)
        reader = self._reader(session, episode, 0)
        return await reader.answer(seat, None)

    def _reader(self, session: Session, episode: Episode, judging: int) -> _Reader:
        k = self._plan.key_points
        return _Reader(self._model, self._texts, k, session, episode, judging)


_NEEDS: Mapping[str, int] = {
    "knowledge": 1_000,
    "summary": 1_000,
    "match": 1_500,
    "facts": 2_500,
    "transcript": 2_500,
}
"""Tokens that the reply to each question may take."""


class _Reader:
    """One judging of one episode."""

    def __init__(
        self,
        model: ChatModel,
        texts: PromptSet,
        k: int,
        session: Session,
        episode: Episode,
        judging: int,
    ) -> None:
        self._model, self._texts, self._k, self._session = model, texts, k, session
        self._episode, self._judging = episode, judging
        self._facts = _numbered("f", [fact.text for fact in session.knowledge])
        self._read: dict[tuple[str, int], Found] = {}

    async def knowledge(self) -> tuple[str, ...] | MissingValue:
        """What there was to learn, in k key points."""
        head = self._texts["judge_knowledge"].render({"k": self._k})
        text = Learned(facts=[fact.text for fact in self._session.knowledge]).text
        kind = points_type(self._k, self._k)
        sheet = await self._ask("knowledge", "", 0, kind, head, text, points_problem)
        return sheet if isinstance(sheet, MissingValue) else tuple(sheet.points)

    def recited(self) -> Learned:
        """The answer of somebody who knows all facts, in another order."""
        texts = [fact.text for fact in self._session.knowledge]
        stream(self._episode.trial.seed, self._episode.trial.id, "recited").shuffle(texts)
        return Learned(facts=texts)

    async def overlap(
        self, points: tuple[str, ...] | MissingValue, answer: Learned | MissingValue, seat: str
    ) -> KeyPointOverlap | MissingValue:
        """How many key points of the knowledge are among those of an answer."""
        if isinstance(answer, MissingValue):
            return answer
        if not answer.text:
            return KeyPointOverlap(0, 0)
        if isinstance(points, MissingValue):
            return points
        head = self._texts["judge_summary"].render({"k": self._k})
        kind = points_type(0, self._k)
        made = await self._ask("summary", seat, 0, kind, head, answer.text, points_problem)
        if isinstance(made, MissingValue):
            return made
        learned = made.points
        if not learned:
            return KeyPointOverlap(0, 0)
        lists = ("# To be learned", *_numbered("p", points), "", "# Learned")
        sheet = await self._ask(
            "match",
            seat,
            0,
            Pairs,
            self._texts["judge_match"].render({}),
            "\n".join((*lists, *_numbered("a", learned))),
            lambda s: pairs_problem(s, points, learned),
        )
        if isinstance(sheet, MissingValue):
            return sheet
        shown = "; ".join(f'"{one.known_text}" = "{one.learned_text}"' for one in sheet.pairs)
        return KeyPointOverlap(len(sheet.pairs), len(learned), shown)

    async def answer(self, seat: str, at: int | None) -> Found:
        """An answer after so many turns (None: at the end) against the facts."""
        given = said(self._episode, seat, at)
        if isinstance(given, MissingValue):
            return given
        facts = self._session.knowledge
        if not given.text or not facts:
            return FactReading(len(facts), {})
        ended = self._episode.ended
        turn = at if at is not None else ended.turn + 1 if ended else 0
        if (seat, turn) not in self._read:
            self._read[seat, turn] = await self._answer(seat, turn, given.text)
        return self._read[seat, turn]

    async def _answer(self, seat: str, turn: int, text: str) -> Found:
        npc, facts = self._session.npc, self._session.knowledge
        parts = (
            *("# The facts", *self._facts, "", "# The situation", self._session.situation, ""),
            *(f"# Who {npc.first_name} is", describe_self(npc), ""),
            *("# What was said and done", *(self._lines(turn) or ["Nothing yet."]), ""),
            *(f"# The answer of {self._session.seated(seat).first_name}", text),
        )
        sheet = await self._ask(
            "facts",
            seat,
            turn,
            facts_type(AnswerSheet, len(facts)),
            self._texts["judge_facts"].render({"npc": npc.first_name}),
            "\n".join(parts),
            lambda s: answer_problem(s, text),
        )
        if isinstance(sheet, MissingValue):
            return sheet
        beside = {
            kind: tuple(one.quote for one in sheet.beside if one.kind == kind)
            for kind in ("other", "hallucinated")
        }
        return FactReading(len(facts), _stated(sheet.facts, facts), **beside)

    async def told(self) -> tuple[Found, Collection[int] | MissingValue]:
        """The transcript against the facts, each with the turn that its quote is from; and the
        turns that were small talk."""
        npc, facts = self._session.npc, self._session.knowledge
        lines = self._lines(None)
        if not facts:
            return FactReading(0, {}), ()
        body = "\n".join(("# The facts", *self._facts, "", "# What was said and done", *lines))
        taken = [move.turn + 1 for move in substantial(self._episode)]
        sheet = await self._ask(
            "transcript",
            "",
            0,
            facts_type(TranscriptSheet, len(facts)),
            self._texts["judge_transcript"].render({"npc": npc.first_name}),
            body,
            lambda s: facts_problem(s.facts, lines) or turns_problem(s.small_talk, taken),
        )
        if isinstance(sheet, MissingValue):
            return sheet, sheet
        stated = _stated(sheet.facts, facts)
        for line in sheet.facts:
            number = next((n for n in lines if line.stated and quoted(line.quote, (n,))), "")
            if number:
                fact = facts[_index(line.fact)].id
                stated[fact] = f"turn {number.partition('.')[0]}: {stated[fact]}"
        return FactReading(len(facts), stated), [number - 1 for number in sheet.small_talk]

    def _lines(self, before: int | None) -> list[str]:
        """The turns that were taken before this one, or all; each behind its number."""
        return [
            f"{move.turn + 1}. {line_of(self._session, move)}"
            for move in self._episode.moves
            if before is None or move.turn < before
        ]

    async def _ask(
        self,
        name: str,
        seat: str,
        turn: int,
        kind: type[Sheet],
        head: str,
        body: str,
        complaint: Callable[[Sheet], str],
    ) -> Sheet | MissingValue:
        """A sheet without anything to complain of, or why there is none."""
        key = CallKey(self._episode.trial.id, "judge", seat, turn, name, 1, self._judging)
        temperature = self._texts.manifest.temperature.judge
        try:
            asked = await ask_model(
                self._model,
                typed_prompt(head, body, kind, temperature, _NEEDS[name]),
                kind,
                key,
                attempts=ATTEMPTS,
                complaint=complaint,
            )
        except ModelError as error:
            if error.fatal:
                raise
            return MissingValue(error.cause, str(error), "", error.tries)
        if asked.value is None or asked.problem:
            return MissingValue(asked.cause, asked.problem, asked.raw, asked.attempts)
        return asked.value


def _numbered(mark: str, texts: Sequence[str]) -> list[str]:
    """Lines such as "f1: ..."; line ends in a text become spaces."""
    return [f"{mark}{index}: {' '.join(text.split())}" for index, text in enumerate(texts, 1)]


def _stated(lines: Sequence[FactLine], facts: Sequence[Fact]) -> dict[str, str]:
    return {facts[_index(line.fact)].id: f'"{line.quote}"' for line in lines if line.stated}


def _index(id_: str) -> int:
    return int(id_[1:]) - 1


STATED, NOT_STATED = "stated", "not stated"
_PLAYER = "player-1"


class _Known(BaseModel):
    kind: FactKind
    text: str = Field(min_length=1)


class LabelledStatement(BaseModel):
    """A statement and a fact, as a line of a set; further fields of the fact are passed over."""

    id: str | None = None
    statement: str = Field(min_length=1)
    fact: _Known
    label: Literal["same", "not"]


def labelled(row: Json, id: str) -> Labelled:
    """A row of a set as an item that a judge can be tested with.

    The statement is a player's whole answer in a session whose NPC knows this fact alone.
    """
    read = LabelledStatement.model_validate(row)
    same, episode = read.label == "same", _episode(read.id or id, read)

    async def ask(model: ChatModel) -> tuple[PointAnswer, ...]:
        found = await ModelJudge(InformationPlan(1, controls=False), model).reading(
            episode, _PLAYER
        )
        if not isinstance(found, FactReading):
            return (PointAnswer(None, getattr(found, "problem", "")),)
        return tuple(PointAnswer(STATED, quote) for quote in found.stated.values()) or (
            PointAnswer(NOT_STATED, ", ".join((*found.other, *found.hallucinated))),
        )

    return Labelled(
        id=read.id or id,
        kind=read.fact.kind,
        text=(f"Fact: {read.fact.text}", f"Statement: {read.statement}"),
        points=(
            LabelledPoint(read.fact.kind, "", (STATED if same else NOT_STATED,), (NOT_STATED,)),
        ),
        ask=ask,
        episode=episode,
        expected=((Score(RECALL, _PLAYER, float(same)),),),
    )


def _episode(id: str, row: LabelledStatement) -> Episode:
    session = Session(
        id=id,
        form="information",
        turns=1,
        situation="A traveller has met somebody who knows the place.",
        characters=(_somebody(_PLAYER, "Traveller"), _somebody(NPC, "Teller")),
        knowledge=(Fact(id="F1", kind=row.fact.kind, text=row.fact.text),),
    )
    task = task_of(session)
    cast = tuple(CastMember(seat) for seat in task.seats)
    answer = Learned(facts=[row.statement]).model_dump(mode="json")
    events = (
        Moved(0, _PLAYER, (Action(SPEAK, "What can you tell me?"),)),
        Answered(1, _PLAYER, LEARNED, answer),
        Ended("turn limit", 0),
    )
    return Episode(Trial(id, "anteval-information", task, cast, 0, 0), events)


def _somebody(seat: str, name: str) -> PartyMember:
    return PartyMember(
        id=seat,
        name=name,
        pronouns="they/them",
        race="Human",
        class_name="commoner",
        background="none",
        alignment="neutral",
        abilities={},
        personality=(),
        ideal="",
        bond="",
        flaw="",
        goal="",
        look="",
        description="",
    )
