"""A chat model as the judge of information exchange, by the paper's procedure.

The NPC's knowledge is summarised into k key points, and so is each player's answer, by a call that
is shown the answer and nothing else; a further call says which key points are the same (AntEval
section 4.1). Beside it the whole answer is held against the atomic facts. Calls a session: one for
the knowledge, one for the transcript, three for each answer at the end, one for each other answer
(before the first turn, snapshots), with controls two more, and one for an NPC with a reserve; an
empty answer takes none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, create_model

from sociolab.core.episode import Action, Episode, Json
from sociolab.core.errors import ReplyError
from sociolab.core.ports import ChatModel, Labelled, LabelledPoint, PointAnswer
from sociolab.core.score import JudgeId, Score, Verdict
from sociolab.core.seeding import digest, stream
from sociolab.judging.quoting import flat, match_quote
from sociolab.judging.reader import MissingValue, NoValue, Strict, TranscriptReader
from sociolab.prompting.sets import PromptSet
from sociolab.worlds.anteval.information.reserve import FirstTold, ReserveReading
from sociolab.worlds.anteval.information.scoring import (
    RECALL,
    FactReading,
    FactResult,
    InformationPlan,
    KeyPointOverlap,
    Learned,
    SessionEvidence,
    find_answer,
    nothing,
    substantial,
    verdicts,
)
from sociolab.worlds.anteval.prompt_sets import paper_prompts
from sociolab.worlds.anteval.scene import SPEAK, describe_self, line_of, party_moved
from sociolab.worlds.anteval.session import (
    NPC,
    Asked,
    Fact,
    FactKind,
    Session,
    passer_by,
    session_from,
)
from sociolab.worlds.anteval.sessions import session_episode

_PROMPTS = (
    *("judge_knowledge", "judge_summary", "judge_match", "judge_facts", "judge_transcript"),
    "judge_reserve",
)

Sheet = TypeVar("Sheet", bound=BaseModel)


# ------------------------------------------------------------------ what a judge fills in


class KeyPoints(Strict):
    """A summary, one sentence a key point."""

    points: list[str]


class Pair(Strict):
    """Two key points that say the same, by id and with their texts."""

    known: str
    known_text: str
    learned: str
    learned_text: str


class Pairs(Strict):
    """The overlap of two summaries."""

    pairs: list[Pair]


class FactLine(Strict):
    """Whether a fact is stated, and in which words."""

    fact: str
    stated: bool
    quote: str


class Beside(Strict):
    """A statement that is none of the facts."""

    quote: str
    kind: Literal["other", "hallucinated"]


class AnswerSheet(Strict):
    """A whole answer: each fact, and what else it states."""

    facts: list[FactLine]
    beside: list[Beside]


class TranscriptSheet(Strict):
    """A whole transcript: each fact, and the numbers of the turns that are small talk."""

    facts: list[FactLine]
    small_talk: list[int]


class MisledSheet(AnswerSheet):
    """The same of a session with falsehoods: which of them the answer states."""

    misled: list[FactLine]


class ToldLine(FactLine):
    """Whether the NPC told a fact, in which words, and what it had been asked for."""

    asked: Literal["nothing", "anything", "kind", "name"]


class WonLine(Strict):
    """Whether a player did what wins the NPC's trust, and in which words."""

    won: bool
    quote: str


class ReserveSheet(Strict):
    """How the NPC told what it knows."""

    facts: list[ToldLine]
    falsehoods: list[ToldLine]
    trust: WonLine


@lru_cache(maxsize=64)  # a pydantic class takes a millisecond to make
def points_type(least: int, most: int) -> type[KeyPoints]:
    """The reply type of a summary: `least` to `most` key points."""
    points = Annotated[list[str], Field(min_length=least, max_length=most)]
    return create_model("KeyPoints", __base__=KeyPoints, points=(points, ...))


@lru_cache(maxsize=64)
def facts_type(base: type[Sheet], **entries: int) -> type[Sheet]:
    """`base`, with exactly so many entries in each of these lists."""
    lists: dict[str, Any] = {
        name: (
            Annotated[
                base.model_fields[name].annotation, Field(min_length=count, max_length=count)
            ],
            ...,
        )
        for name, count in entries.items()
    }
    return create_model(base.__name__, __base__=base, **lists)


# What a sheet says, checked; ReplyError says what is wrong with it.


def _points(sheet: KeyPoints) -> tuple[str, ...]:
    if not all(any(map(str.isalnum, point)) for point in sheet.points):
        raise ReplyError("points: expected a sentence in each, found an empty one")
    if len({flat(point.casefold()).rstrip(".!?") for point in sheet.points}) < len(sheet.points):
        raise ReplyError("points: expected each key point once, found one twice")
    return tuple(sheet.points)


def _overlap(knowledge: Sequence[str], learned: Sequence[str], sheet: Pairs) -> KeyPointOverlap:
    """The number of pairs; ReplyError for ids or texts that are not in the two summaries."""
    for side, mark, texts, pairs in (
        ("known", "p", knowledge, [(pair.known, pair.known_text) for pair in sheet.pairs]),
        ("learned", "a", learned, [(pair.learned, pair.learned_text) for pair in sheet.pairs]),
    ):
        by_id = {f"{mark}{number}": text for number, text in enumerate(texts, 1)}
        _check_ids(side, [id_ for id_, _ in pairs], by_id)
        for id_, text in pairs:
            if not _alike(text, by_id[id_]):
                expected = f"expected the text of {id_}, copied"
                raise ReplyError(f'{side}_text: {expected}, found "{text[:80]}"')
    pairs_text = "; ".join(f'"{pair.known_text}" = "{pair.learned_text}"' for pair in sheet.pairs)
    return KeyPointOverlap(len(sheet.pairs), len(learned), pairs_text)


def _stated(
    lines: Sequence[FactLine], facts: Sequence[Fact], texts: Sequence[str], mark: str = "f"
) -> dict[str, tuple[str, str]]:
    """The facts that are stated, by id: in which of these texts, and in which words."""
    ids = {f"{mark}{number}": fact.id for number, fact in enumerate(facts, 1)}
    _check_ids("fact", [line.fact for line in lines], ids)
    stated = {}
    for line in lines:
        if line.stated:
            text = next((text for text in texts if match_quote(line.quote, (text,))), None)
            if text is None:
                raise _misquoted(line.fact, line.quote)
            stated[ids[line.fact]] = text, f'"{line.quote}"'
    return stated


def _in_answer(facts: Sequence[Fact], text: str, sheet: AnswerSheet) -> FactReading:
    """Checks every quote against the answer, and that no statement is entered twice."""
    stated = _stated(sheet.facts, facts, (text,))
    believed: tuple[str, ...] = ()
    if isinstance(sheet, MisledSheet):
        believed = tuple(_stated(sheet.misled, _told_falsely(facts), (text,), "l"))
    quotes_before: list[str] = []
    for entry in sheet.beside:
        if match_quote(entry.quote, (text,)) is None:
            raise _misquoted("beside", entry.quote)
        again = any(
            match_quote(entry.quote, (quote,)) or match_quote(quote, (entry.quote,))
            for quote in quotes_before
        )
        if again or any(line.stated and _alike(entry.quote, line.quote) for line in sheet.facts):
            expected = "expected words that no other entry has"
            raise ReplyError(f'beside: {expected}, found "{entry.quote[:80]}"')
        quotes_before.append(entry.quote)
    other, hallucinated = (
        tuple(entry.quote for entry in sheet.beside if entry.kind == kind)
        for kind in ("other", "hallucinated")
    )
    quotes = {fact: quote for fact, (_, quote) in stated.items()}
    return FactReading(len(facts), quotes, other, hallucinated, believed)


def _told_falsely(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if fact.falsehood)


def _in_transcript(
    facts: Sequence[Fact], lines: Sequence[str], allowed: Sequence[int], sheet: TranscriptSheet
) -> tuple[FactReading, list[int]]:
    """The facts, each with the turn that states it, and the turns of small talk, from 0.

    `lines` and the sheet count turns from 1; `allowed` are the turns that may be small talk.
    """
    stated, turns = _stated(sheet.facts, facts, lines), sheet.small_talk
    wrong = next((n for n in turns if n not in allowed or turns.count(n) > 1), None)
    if wrong is not None:
        expected = "expected numbers of turns, each once"
        raise ReplyError(f"small_talk: {expected}, found {wrong} of {turns}")
    places = {
        fact: f"turn {line.partition('.')[0]}: {quote}" for fact, (line, quote) in stated.items()
    }
    return FactReading(len(facts), places), [number - 1 for number in turns]


_ASKED: Mapping[str, Asked | None] = {
    "nothing": None,
    "anything": "any question",
    "kind": "its kind",
    "name": "its name",
}


def _in_reserve(
    facts: Sequence[Fact], npc: Sequence[str], party: Sequence[str], sheet: ReserveSheet
) -> ReserveReading:
    """How each fact and falsehood was told; quotes are from the NPC's turns, or the party's."""

    def turn(line: str) -> int:
        return int(line.partition(".")[0]) - 1

    won: int | None = None
    if sheet.trust.won:
        line = next((text for text in party if match_quote(sheet.trust.quote, (text,))), None)
        if line is None:
            raise _misquoted("trust", sheet.trust.quote)
        won = turn(line)

    def first(lines: Sequence[ToldLine], some: Sequence[Fact], mark: str) -> dict[str, FirstTold]:
        stated = _stated(lines, some, npc, mark)
        asked = {some[int(line.fact[1:]) - 1].id: _ASKED[line.asked] for line in lines}
        at = {fact: turn(words) for fact, (words, _) in stated.items()}
        return {
            fact: FirstTold(at[fact], asked[fact], won is not None and won < at[fact])
            for fact in stated
        }

    return ReserveReading(
        first(sheet.facts, facts, "f"), first(sheet.falsehoods, _told_falsely(facts), "l")
    )


def _check_ids(where: str, ids: Sequence[str], allowed: Collection[str]) -> None:
    """ReplyError for an id that is unknown, or used twice."""
    for id_ in ids:
        if id_ not in allowed:
            expected = f"expected one of {', '.join(allowed)}"
            raise ReplyError(f'{where}: {expected}, found "{id_[:40]}"')
        if (times := ids.count(id_)) > 1:
            expected = "expected each id once at most"
            raise ReplyError(f'{where}: {expected}, found "{id_}" {times} times')


def _misquoted(what: str, quote: str) -> ReplyError:
    expected = "expected a quote of at least three words, copied word for word"
    return ReplyError(f'{what}: {expected}, found "{quote[:80]}"')


def _alike(text: str, other: str) -> bool:
    """Whether two texts are the same but for case, spacing, and marks around them."""
    return match_quote(text, (other,)) is not None and match_quote(other, (text,)) is not None


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
        self._texts = texts or paper_prompts()
        instructions = self._texts.instructions(*_PROMPTS)
        settings = digest(model.label, instructions.hash, plan.key_points)
        self.id = JudgeId(model.label, "model", settings, prompts=instructions.prompts)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts on the answers; failures where no player took a turn."""
        session = session_from(episode.trial.task.content)
        plan = self._plan.within(session)
        if not party_moved(episode):
            return nothing(episode, plan)
        reader = self._reader(plan, session, episode, judging)
        answers = dict[tuple[str, int | None], FactResult]()
        overlaps = dict[str, KeyPointOverlap | NoValue]()
        points = await reader.knowledge()
        for seat, at in plan.answers(session):
            if at is None:
                overlaps[seat] = await reader.overlap(
                    points, find_answer(episode, seat, None), seat
                )
            answers[seat, at] = await reader.answer(seat, at)
        transcript, small_talk = await reader.transcript()
        if plan.controls:
            overlaps[""] = await reader.overlap(points, reader.recite_facts(), "")
        reserve = await reader.reserve() if session.trust else None
        evidence = SessionEvidence(answers, overlaps, transcript, small_talk, reserve)
        return verdicts(episode, plan, evidence)

    async def reading(self, episode: Episode, seat: str) -> FactResult:
        """The facts in one player's answer at the end; asks nothing else."""
        session = session_from(episode.trial.task.content)
        reader = self._reader(self._plan, session, episode, 0)
        return await reader.answer(seat, None)

    def _reader(
        self, plan: InformationPlan, session: Session, episode: Episode, judging: int
    ) -> _SessionReader:
        temperature = self._texts.manifest.temperature.judge
        reader = TranscriptReader(self._model, episode.trial.id, judging, temperature)
        return _SessionReader(reader, self._texts, plan.key_points, session, episode)


class _SessionReader:
    """Asks the judge's questions about one episode."""

    def __init__(
        self, reader: TranscriptReader, texts: PromptSet, k: int, session: Session, episode: Episode
    ) -> None:
        self._reader, self._texts, self._k = reader, texts, k
        self._session, self._episode = session, episode
        self._facts = _numbered("f", [fact.text for fact in session.knowledge])
        self._falsehoods = _numbered("l", [f.falsehood for f in _told_falsely(session.knowledge)])
        self._readings: dict[tuple[str, int], FactResult] = {}

    @property
    def _needs_of_sheet(self) -> int:
        """Tokens of a reply with an entry for each fact and falsehood."""
        return max(2_500, 125 * (len(self._facts) + len(self._falsehoods)))

    async def knowledge(self) -> tuple[str, ...] | MissingValue:
        """What there was to learn, in k key points."""
        text = Learned(facts=[fact.text for fact in self._session.knowledge]).text
        return await self._summary("knowledge", text, self._k)

    async def _summary(
        self, name: str, text: str, least: int, seat: str = ""
    ) -> tuple[str, ...] | MissingValue:
        head = self._texts[f"judge_{name}"].render({"k": self._k})
        kind = points_type(least, self._k)
        needs = max(1_000, 100 * self._k)
        return await self._reader.at(seat).ask(name, head, text, kind, _points, needs)

    def recite_facts(self) -> Learned:
        """An answer that states all facts, in a random order, for the oracle."""
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
        learned = await self._summary("summary", answer.text, 0, seat)
        if isinstance(learned, MissingValue):
            return learned
        if not learned:
            return KeyPointOverlap(0, 0)
        lists = ("# To be learned", *_numbered("p", points), "", "# Learned")
        return await self._reader.at(seat).ask(
            "match",
            self._texts["judge_match"].render({}),
            "\n".join((*lists, *_numbered("a", learned))),
            Pairs,
            partial(_overlap, points, learned),
            needs=max(1_500, 150 * self._k),
        )

    async def answer(self, seat: str, at: int | None) -> FactResult:
        """An answer after so many turns (None: at the end) against the facts."""
        answer = find_answer(self._episode, seat, at)
        if isinstance(answer, MissingValue):
            return answer
        facts = self._session.knowledge
        if not answer.text or not facts:
            return FactReading(len(facts), {})
        ended = self._episode.ended
        turn = at if at is not None else ended.turn + 1 if ended else 0
        if (seat, turn) not in self._readings:
            self._readings[seat, turn] = await self._answer(seat, turn, answer.text)
        return self._readings[seat, turn]

    async def _answer(self, seat: str, turn: int, text: str) -> FactResult:
        npc, facts = self._session.npc, self._session.knowledge
        lies = self._falsehoods
        parts = (
            *("# The facts", *self._facts, "", "# The situation", self._session.situation, ""),
            *(("# The falsehoods", *lies, "") if lies else ()),
            *(f"# Who {npc.first_name} is", describe_self(npc), ""),
            *("# What was said and done", *(self._lines(turn) or ["Nothing yet."]), ""),
            *(f"# The answer of {self._session.seated(seat).first_name}", text),
        )
        return await self._reader.at(seat, turn).ask(
            "facts",
            self._texts["judge_facts"].render({"npc": npc.first_name, "falsehoods": bool(lies)}),
            "\n".join(parts),
            facts_type(MisledSheet, facts=len(facts), misled=len(lies))
            if lies
            else facts_type(AnswerSheet, facts=len(facts)),
            partial(_in_answer, facts, text),
            needs=self._needs_of_sheet,
        )

    async def transcript(self) -> tuple[FactResult, Collection[int] | MissingValue]:
        """The transcript against the facts, each with the turn that its quote is from; and the
        turns that were small talk."""
        facts = self._session.knowledge
        if not facts:
            return FactReading(0, {}), ()
        lines = self._lines(None)
        allowed = [move.turn + 1 for move in substantial(self._episode)]
        reading = await self._reader.ask(
            "transcript",
            self._texts["judge_transcript"].render({"npc": self._session.npc.first_name}),
            "\n".join(("# The facts", *self._facts, "", "# What was said and done", *lines)),
            facts_type(TranscriptSheet, facts=len(facts)),
            partial(_in_transcript, facts, lines, allowed),
            needs=self._needs_of_sheet,
        )
        return (reading, reading) if isinstance(reading, MissingValue) else reading

    async def reserve(self) -> ReserveReading | MissingValue:
        """How the NPC told its facts and falsehoods, and whether its trust was won before."""
        session, npc = self._session, self._session.npc.first_name
        lines = [
            (move.seat, f"{move.turn + 1}. {line_of(session, move)}")
            for move in self._episode.moves
        ]
        wants = session.trust.text if session.trust else ""
        parts = (
            *("# The facts", *self._facts, "", "# The falsehoods", *self._falsehoods, ""),
            *(f"# What {npc} wants", f"{npc} wants {wants}.", ""),
            *("# What was said and done", *(line for _, line in lines)),
        )
        return await self._reader.ask(
            "reserve",
            self._texts["judge_reserve"].render({"npc": npc}),
            "\n".join(parts),
            facts_type(ReserveSheet, facts=len(self._facts), falsehoods=len(self._falsehoods)),
            partial(
                _in_reserve,
                session.knowledge,
                [line for seat, line in lines if seat == NPC],
                [line for seat, line in lines if seat != NPC],
            ),
            needs=self._needs_of_sheet,
        )

    def _lines(self, before: int | None) -> list[str]:
        """The turns that were taken before this one, or all; each behind its number."""
        return [
            f"{move.turn + 1}. {line_of(self._session, move)}"
            for move in self._episode.moves
            if before is None or move.turn < before
        ]


def _numbered(mark: str, texts: Sequence[str]) -> list[str]:
    return [f"{mark}{index}: {flat(text)}" for index, text in enumerate(texts, 1)]


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
    item = LabelledStatement.model_validate(row)
    same, episode = item.label == "same", _episode(item.id or id, item)

    async def ask(model: ChatModel) -> tuple[PointAnswer, ...]:
        judge = ModelJudge(InformationPlan(1, controls=False), model)
        reading = await judge.reading(episode, _PLAYER)
        if not isinstance(reading, FactReading):
            return (PointAnswer(None, getattr(reading, "problem", "")),)
        return tuple(PointAnswer(STATED, quote) for quote in reading.stated.values()) or (
            PointAnswer(NOT_STATED, ", ".join((*reading.other, *reading.hallucinated))),
        )

    return Labelled(
        id=item.id or id,
        kind=item.fact.kind,
        text=(f"Fact: {item.fact.text}", f"Statement: {item.statement}"),
        points=(
            LabelledPoint(item.fact.kind, "", (STATED if same else NOT_STATED,), (NOT_STATED,)),
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
        characters=(passer_by(_PLAYER, "Traveller"), passer_by(NPC, "Teller")),
        knowledge=(Fact(id="F1", kind=row.fact.kind, text=row.fact.text),),
    )
    asks = (_PLAYER, (Action(SPEAK, "What can you tell me?"),))
    return session_episode(session, (asks,), {_PLAYER: [row.statement]})
