"""The scripted player of SOTOPIA: plays any seat by rules, from what that seat may observe."""

from __future__ import annotations

from sociolab.core.episode import Action, Json
from sociolab.core.errors import WorldError
from sociolab.core.ports import NoReply, Question, Reply, Request
from sociolab.worlds.sotopia.scene import SotopiaView
from sociolab.worlds.sotopia.scripted.answers import smallest
from sociolab.worlds.sotopia.scripted.bargain import bargain
from sociolab.worlds.sotopia.scripted.division import divide
from sociolab.worlds.sotopia.scripted.friends import find_friend
from sociolab.worlds.sotopia.scripted.moment import Moment, moment
from sociolab.worlds.sotopia.scripted.options import choose
from sociolab.worlds.sotopia.scripted.persuade import converse, persuade


class ScriptedPlayer:
    """Rules for every kind of goal; how firmly and in what words depends on the character.

    A pure step function of the observation, the seed, the trial, the seat and the turn: it keeps
    no memory, and reads neither the partner's goal nor anybody's secret.
    """

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Act on the observation; a question aside gets the smallest answer that its type allows.

        WorldError where the observation is not SOTOPIA's.
        """
        if isinstance(request.wanted, Question):
            answer = smallest(request.wanted.reply)
            if answer is None:
                problem = f"rules have no answer to the question {request.name}"
                return NoReply("gave up", problem, again=False)
            return Reply(answer)
        if not isinstance(request.observation.view, SotopiaView):
            raise WorldError(
                "the scripted player of sotopia plays SotopiaView observations; "
                f"found a {type(request.observation.view).__name__}"
            )
        return Reply((_act(moment(request)),))


def _act(now: Moment) -> Action:
    # By kind and not by class: an isinstance check of a pydantic class costs 5 microseconds.
    goal = now.view.goal.facts
    if goal is None:
        return converse(now)
    if goal.kind == "ask":
        return persuade(now, goal)
    if goal.kind == "price":
        return bargain(now, goal)
    if goal.kind == "option":
        return choose(now, goal)
    if goal.kind == "friend":
        return find_friend(now, goal)
    return divide(now, goal) if goal.counts else converse(now)
