"""A whole episode from one seat's view: what it was told turn by turn, and what it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sociolab.app.training.choosing import Source, episodes, of_interest
from sociolab.app.training.examples import Example, about, example
from sociolab.app.training.left_out import LeftOut
from sociolab.app.training.replaying import Key
from sociolab.app.training.turn import ChatMessage, Turn, assistant
from sociolab.core.episode import ACT
from sociolab.core.ports import Line, Observation, Request

_OF_ONE_TURN = ("turn", "asked", "attempt", "model")


def whole_examples(source: Source, left: LeftOut) -> Iterator[Example]:
    """A chat for each seat of each episode: its head, then what is new and its reply, in turn.

    A reply that could not be used, and what was said of it, is left out.
    """
    for played in episodes(source, left):
        requests: Mapping[Key, Request] | None = None
        for all_turns in _by_seat(of_interest(played.turns, source.wanted)):
            turns = [turn for turn in all_turns if turn.asked == ACT and turn.usable]
            why = source.missing(all_turns[0])
            if not why and not turns:
                why = "without a usable act"
            if not why:
                requests = played.requests() if requests is None else requests
                messages = conversation(turns, requests)
                if messages:
                    known = about(source, turns[0])
                    metadata = {k: v for k, v in known.items() if k not in _OF_ONE_TURN}
                    metadata["turns"] = len(turns)
                    yield example({"messages": messages, "metadata": metadata}, turns[0])
                    continue
                why = "whose prompts are not told turn by turn"
            left.add("seat of an episode", why)


def _by_seat(turns: Iterator[Turn]) -> list[list[Turn]]:
    found: dict[str, list[Turn]] = {}
    for turn in turns:
        found.setdefault(turn.seat, []).append(turn)
    return list(found.values())


def conversation(turns: Sequence[Turn], requests: Mapping[Key, Request]) -> list[ChatMessage]:
    """The turns of a seat as one chat; empty where what was sent is not what the seat saw.

    That is so for episodes whose play cannot be repeated, and in worlds that show their players no
    history.
    """
    messages: list[ChatMessage] = []
    seen = 0
    for turn in turns:
        request = requests.get((turn.seat, turn.turn, turn.asked, turn.attempt))
        if request is None or not _was_sent(turn, request.observation):
            return []
        shown = request.observation
        head = turn.prompt.messages[0].text
        if not messages:
            messages.append({"role": "system", "content": head})
        elif head != messages[0]["content"]:
            return []
        new = [line for line in shown.history[seen:] if not line.you]
        seen = len(shown.history)
        messages += [{"role": "user", "content": _told(new, shown.tail)}, assistant(turn.reply)]
    return messages


def _was_sent(turn: Turn, shown: Observation) -> bool:
    """Whether the prompt is this observation: its head, its history and tail, and at most a remark
    on the reply before."""
    sent = turn.prompt.messages
    if [message.role for message in sent] != ["system", "user"] or not shown.head:
        return False
    body = _told(shown.history, shown.tail)
    asked = sent[1].text
    return sent[0].text.endswith(shown.head) and (asked == body or asked.startswith(f"{body}\n"))


def _told(lines: Sequence[Line], tail: str) -> str:
    history = "\n".join(line.text for line in lines)
    return f"{history}\n\n{tail}" if history else tail
