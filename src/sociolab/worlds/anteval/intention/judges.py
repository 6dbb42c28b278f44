"""How well the assigned skills can be told from one session: by a model, or by what is on record.

A quick look at each episode, at one guess a session; the intention gap itself needs a virtual DM
that was trained, and many sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from sociolab.core.episode import Episode
from sociolab.core.errors import ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel
from sociolab.core.score import JudgeId, Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.prompting.ask import Asked, ask_model, typed_prompt
from sociolab.worlds.anteval.intention.examples import example_of
from sociolab.worlds.anteval.scene import UNRECORDED, USE, recorded
from sociolab.worlds.anteval.session import session_from
from sociolab.worlds.anteval.virtual_dm.example import Example, Label
from sociolab.worlds.anteval.virtual_dm.prompting import Answer, body_of, head, labels_in
from sociolab.worlds.anteval.visibility import party_moved

F_C = Measure("f_c", 0, 1, title="F_c")
"""2 |P and G| / (|P| + |G|) over characters: predicted P, assigned G."""
F_O = Measure("f_o", 0, 1, title="F_o")
"""The same over (character, skill) tuples."""
MEASURES = (F_C, F_O)

GUESSES = 1
"""Top-1, as everywhere unless said otherwise: a judge that may name everybody is right of most.

So where several skills are assigned F stays below 1; each reason says how high it could be.
"""

_ATTEMPTS = 3


class IntentionRecordJudge:
    """The guess of somebody who knows the acts: the first skills that scripted players used.

    It is as good as a guess can be, and says only whether the intentions were acted on. Of an
    episode that is not on record it cannot tell anything.
    """

    def __init__(self) -> None:
        self.id = JudgeId("record", "formula", digest("record", GUESSES))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """F_c and F_o of the episode; unscored where it is not on record."""
        if not party_moved(episode):
            return _nothing()
        if not recorded(episode):
            return tuple(Unscored(measure, None, UNRECORDED) for measure in MEASURES)
        session = session_from(episode.trial.task.content)
        used = [
            Label(session.seated(move.seat).first_name, str(act.what))
            for move in episode.moves
            for action in move.actions
            for act in action.acts
            if act.kind == USE
        ]
        return agreement(set(used[:GUESSES]), example_of(episode).labels)


class ChatIntentionJudge:
    """The guess of an untuned chat model as virtual DM (the paper's f0), on one session."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.id = JudgeId(model.label, "model", digest(head(), model.label, GUESSES))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """F_c and F_o of the episode; failures where the model gave no usable reply.

        A fatal ModelError (credentials, budget) passes through.
        """
        if not party_moved(episode):
            return _nothing()
        example = example_of(episode)
        key = CallKey(episode.trial.id, "judge", "", 0, "virtual-dm", 1, judging)
        try:
            asked = await self._ask(example, key)
        except ModelError as error:
            if error.fatal:
                raise
            return tuple(
                ScoreFailure(m, None, error.cause, str(error), "", error.tries) for m in MEASURES
            )
        if asked.value is None or asked.problem:
            return tuple(
                ScoreFailure(m, None, asked.cause, asked.problem, asked.raw, asked.attempts)
                for m in MEASURES
            )
        return agreement(labels_in(asked.value, example, GUESSES), example.labels)

    async def _ask(self, example: Example, key: CallKey) -> Asked[Answer]:
        def complaint(answer: Answer) -> str:
            try:
                labels_in(answer, example, GUESSES)
            except ReplyError as error:
                return str(error)
            return ""

        prompt = typed_prompt(head(), body_of(example), Answer, 0.0)
        return await ask_model(
            self._model, prompt, Answer, key, attempts=_ATTEMPTS, complaint=complaint
        )


def agreement(predicted: Set[Label], assigned: Set[Label]) -> tuple[Verdict, ...]:
    """F_c and F_o of one session."""
    guessed = f"guessed {_told(predicted)}; assigned {_told(assigned)}"
    characters = {label.character for label in predicted}, {label.character for label in assigned}
    return (_f(F_C, *characters, guessed), _f(F_O, predicted, assigned, guessed))


def _f(measure: Measure, predicted: Set[object], assigned: Set[object], reason: str) -> Verdict:
    total = len(predicted) + len(assigned)
    if not total:
        return Unscored(measure, None, "no skill was assigned, and none guessed")
    most = 2 * min(len(predicted), len(assigned)) / total
    told = f"{reason}; {len(predicted)} against {len(assigned)}: at most {most:.2f}"
    return Score(measure, None, 2 * len(predicted & assigned) / total, told if most < 1 else reason)


def _told(labels: Iterable[Label]) -> str:
    return ", ".join(f"{who}: {skill}" for who, skill in sorted(labels)) or "nothing"


def _nothing() -> tuple[Verdict, ...]:
    problem = "expected turns of the players, found none: there is nothing to judge"
    return tuple(ScoreFailure(measure, None, "incomplete", problem) for measure in MEASURES)
