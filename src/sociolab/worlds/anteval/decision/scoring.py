"""Scores of a decision: who was right, by the answers alone; and what was said, by record or by a
judge that quotes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial
from typing import Literal, TypeAlias

from pydantic import create_model

from sociolab.core.episode import Answered, Episode, Moved, Unusable
from sociolab.core.errors import ReplyError
from sociolab.core.ports import ChatModel
from sociolab.core.score import JudgeId, Measure, Score, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.quoting import QUOTE_RULE, SpokenLine, flat, lines_with
from sociolab.judging.reader import (
    CannotTell,
    MissingValue,
    NoValue,
    Strict,
    TranscriptReader,
    join_problems,
)
from sociolab.prompting.sets import PromptSet
from sociolab.worlds.anteval.decision.case import Clue, DecisionCase, case_from
from sociolab.worlds.anteval.decision.world import DECIDE, FULL_INFORMATION, ChosenOption
from sociolab.worlds.anteval.scene import TELL, UNRECORDED, is_recorded, party_moved

DECISION = Measure("decision", 0, 1, whole=True)
PARTY_DECISION = Measure("party_decision", 0, 1, whole=True, title="party's decision")
NO_TALK = Measure("no_talk", 0, 1, whole=True, title="no conversation")
FULL = Measure("full_information", 0, 1, whole=True, title="full information")
MISLED = Measure("misled", 0, 1, whole=True)
POOLED = Measure("pooled", 0, 1)
DISCLOSED = Measure("disclosed", 0, 1)
CRITICAL = Measure("critical_known", 0, 1, title="critical known")

_NO_TURN = MissingValue("incomplete", "expected a turn of a player, found none: nothing to judge")
_NO_ANSWER = MissingValue("incomplete", "expected an answer of this seat, found none on record")
_UNTYPED = "the task does not say what its clues speak for"

Answer: TypeAlias = str | MissingValue


# ------------------------------------------------------------------ who was right


class ChoiceJudge:
    """Scores the answers: right is 1, any other option 0; one that is missing has no score.

    The party's answer is the option that more players chose than any other; where two lead, it is
    none, and not right. It fails where missing answers could change it. `misled` is 1 for a wrong
    option to which the shared clues point, or a falsehood.
    """

    def __init__(self, controls: bool = True) -> None:
        self._controls = controls
        self.id = JudgeId("choices", "formula", digest("choices", controls))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        case, answers = case_from(episode.trial.task.content), _read_answers(episode)
        end = episode.ended.turn + 1 if episode.ended and party_moved(episode) else None
        seats = [player.id for player in case.players]
        last = {seat: answers.get((seat, DECIDE, end), _NO_ANSWER) for seat in seats}
        last = last if end else dict.fromkeys(seats, _NO_TURN)
        verdicts = [_score_party(case, last)]
        for seat, answer in last.items():
            verdicts += [_score_choice(DECISION, seat, case, answer), _misled(seat, case, answer)]
            if self._controls:
                before = answers.get((seat, DECIDE, 0), _NO_ANSWER)
                verdicts.append(_score_choice(NO_TALK, seat, case, before))
        if self._controls:
            informed = answers.get((seats[0], FULL_INFORMATION, 0), _NO_ANSWER)
            verdicts.append(_score_choice(FULL, seats[0], case, informed))
        return tuple(verdicts)


def _read_answers(episode: Episode) -> Mapping[tuple[str, str, int | None], Answer]:
    """By seat, question and turn: the option that was chosen, or why there is none."""
    answers: dict[tuple[str, str, int | None], Answer] = {}
    for e in episode.events:
        if isinstance(e, Answered):
            answers[e.seat, e.question, e.turn] = ChosenOption.model_validate(e.value).answer
        elif isinstance(e, Unusable) and e.final:
            problem = f"the answer failed: {e.problem}"
            answers[e.seat, e.name, e.turn] = MissingValue(e.cause, problem, e.raw, e.attempt)
    return answers


def _score_choice(measure: Measure, seat: str, case: DecisionCase, answer: Answer) -> Verdict:
    if isinstance(answer, MissingValue):
        return answer.as_verdicts((measure,), (seat,))[0]
    right = answer == case.answer
    reason = f"chose {answer}, which is right" if right else f"chose {answer}, not {case.answer}"
    return Score(measure, seat, float(right), reason)


def _misled(seat: str, case: DecisionCase, answer: Answer) -> Verdict:
    if isinstance(answer, MissingValue):
        return answer.as_verdicts((MISLED,), (seat,))[0]
    if not case.is_typed:
        return Unscored(MISLED, seat, _UNTYPED)
    why = case.lures().get(answer, "")
    return Score(MISLED, seat, float(bool(why)), f"chose {answer}{why and f', as by {why}'}")


def _score_party(case: DecisionCase, answers: Mapping[str, Answer]) -> Verdict:
    votes = Counter(answer for answer in answers.values() if isinstance(answer, str)).most_common()
    missing = [case.names[seat] for seat, one in answers.items() if not isinstance(one, str)]
    (first, most), (_, second) = [*votes, ("", 0), ("", 0)][:2]
    if missing and most - second <= len(missing):
        why = f"the party's answer may hang on {', '.join(missing)}, of whom there is none"
        return MissingValue("incomplete", why).as_verdicts((PARTY_DECISION,))[0]
    leads = most > second
    count = ", ".join(f"{option} {number}" for option, number in votes)
    reason = f"the party chose {first} ({count})" if leads else f"no option leads ({count})"
    return Score(PARTY_DECISION, None, float(leads and first == case.answer), reason)


# ------------------------------------------------------------------ what was said

Mentions: TypeAlias = Sequence[tuple[str, Moved]]
"""Clues, by id, with the turns in which they were said, in the order of turns."""


def talk_verdicts(case: DecisionCase, mentions: Mentions | NoValue) -> tuple[Verdict, ...]:
    """Of all private clues the share that was said; of each seat's own the share that it said; and
    of the clues that the answer needs the share that each player knew in the end."""
    seats, players = ([person.id for person in people] for people in (case.people, case.players))
    if isinstance(mentions, NoValue):
        return (
            *mentions.as_verdicts((POOLED,)),
            *mentions.as_verdicts((DISCLOSED,), seats),
            *mentions.as_verdicts((CRITICAL,), players),
        )
    share = partial(_share, case)
    verdicts = [share(POOLED, None, case.private, mentions, (), "no clue is private")]
    for seat in seats:
        own = [clue for clue in case.private if clue.id in case.knows[seat]]
        by_seat = [(id_, move) for id_, move in mentions if move.seat == seat]
        verdicts.append(share(DISCLOSED, seat, own, by_seat, (), "it has no private clue"))
    why = "the clues do not single out the answer" if case.is_typed else _UNTYPED
    for seat in players:
        heard = [(id_, move) for id_, move in mentions if _hears(seat, move)]
        verdicts.append(share(CRITICAL, seat, case.critical(), heard, case.knows[seat], why))
    return tuple(verdicts)


def _hears(seat: str, move: Moved) -> bool:
    named = {name for action in move.actions for name in action.to}
    return not named or seat in {*named, move.seat}


def _share(
    case: DecisionCase,
    measure: Measure,
    seat: str | None,
    clues: Sequence[Clue],
    mentions: Mentions,
    known: Collection[str],
    without: str,
) -> Verdict:
    """The share of these clues that were known or said, each with its first mention."""
    if not clues:
        return Unscored(measure, seat, without)
    first = {id_: f"{case.names[m.seat]}, turn {m.turn + 1}" for id_, m in reversed(mentions)}
    places = {clue.id: "" if clue.id in known else first.get(clue.id) for clue in clues}
    found = [
        f"{id_} ({place})" if place else id_ for id_, place in places.items() if place is not None
    ]
    reason = f"{len(found)} of {len(clues)}: {', '.join(found) or 'none'}"
    return Score(measure, seat, len(found) / len(clues), reason)


class PoolingRecordJudge:
    """Goes by the acts of scripted players; of any other agent's words it cannot tell anything."""

    def __init__(self) -> None:
        self.id = JudgeId("record", "scripted", digest("record"))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        case = case_from(episode.trial.task.content)
        mentions: Mentions | NoValue = [
            (str(act.what["id"]), move)
            for move in episode.moves
            for action in move.actions
            for act in action.acts
            if act.kind == TELL and isinstance(act.what, dict)
        ]
        if not is_recorded(episode):
            mentions = CannotTell(UNRECORDED) if party_moved(episode) else _NO_TURN
        return talk_verdicts(case, mentions)


class ClueMention(Strict):
    """A turn, from 1, that states a fact, and in which words."""

    fact: str
    turn: int
    quote: str


class ClueMentions(Strict):
    """Every turn that states a fact."""

    mentions: list[ClueMention]


@lru_cache(maxsize=64)
def mentions_type(ids: tuple[str, ...]) -> type[ClueMentions]:
    """The reply type for facts with these ids."""
    id_type = Literal[ids]  # type: ignore[valid-type]
    entry = create_model("ClueMention", __base__=ClueMention, fact=(id_type, ...))
    return create_model("ClueMentions", __base__=ClueMentions, mentions=(list[entry], ...))


class PoolingModelJudge:
    """A chat model reads in one call which private clues were said, and quotes every turn.

    A sheet with a quote that is not in its turn is asked for again; one that cannot be mended is a
    failure of the scores.
    """

    def __init__(self, model: ChatModel, texts: PromptSet) -> None:
        self._model, self._texts = model, texts
        instructions = texts.instructions("judge_clues")
        settings = digest(model.label, instructions.hash)
        self.id = JudgeId(model.label, "model", settings, prompts=instructions.prompts)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        case = case_from(episode.trial.task.content)
        if not party_moved(episode):
            return talk_verdicts(case, _NO_TURN)
        if not case.private:
            return talk_verdicts(case, ())
        moves = {move.turn + 1: move for move in episode.moves if move.actions[0].text}
        lines = {
            n: SpokenLine(n, case.names[m.seat], (m.actions[0].text,)) for n, m in moves.items()
        }
        facts = [f"{clue.id}: {flat(clue.text)}" for clue in case.private]
        said = [f"{n}. {line.speaker}: {flat(line.texts[0])}" for n, line in lines.items()]

        def check(sheet: ClueMentions) -> Mentions:
            wrong = [
                one
                for one in sheet.mentions
                if not lines_with(one.quote, [lines[one.turn]] if one.turn in lines else [])
            ]
            if wrong:
                raise ReplyError(
                    join_problems(
                        f'quote: expected {QUOTE_RULE} of turn {one.turn}, found "{one.quote[:80]}"'
                        for one in wrong
                    )
                )
            return sorted(
                ((one.fact, moves[one.turn]) for one in sheet.mentions),
                key=lambda pair: pair[1].turn,
            )

        temperature = self._texts.manifest.temperature.judge
        found = await TranscriptReader(self._model, episode.trial.id, judging, temperature).ask(
            "clues",
            self._texts["judge_clues"].render({}),
            "\n".join(("# The facts", *facts, "", "# What was said", *said)),
            mentions_type(tuple(clue.id for clue in case.private)),
            check,
            2_000,
        )
        return talk_verdicts(case, found)
