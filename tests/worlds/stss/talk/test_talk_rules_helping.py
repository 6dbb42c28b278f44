"""Errands: what the other is asked to do, and where."""

from __future__ import annotations

from datetime import datetime

import pytest

from sociolab.worlds.stss.task import SocialTask
from worlds.stss.talk.talk_rule_cases import EVE, HONEY, talked

POST = "Post Office: counter room"
PUB = "Copper Kettle Pub: bar room"
CAFE = "Lantern Cafe: counter room"

WHICH_ERRANDS_ARE_ASKED_AND_WHERE = (
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2 place-2",
        "P: Freya, could you possibly buy six jars of honey at Greengage Market "
        "and bring them to the kitchen of the Lantern Cafe?\n"
        "O: Happy to.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2 place-2",
        "P: I'm swamped. I was hoping you might pick up some honey for me, six "
        "jars, from the market, and then drop them at the cafe.\n"
        "O: I can't today, sorry.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2",
        "P: Could you get six jars of honey from Greengage Market and bring them "
        "to me?\n"
        "O: Where will you be?\n"
        "P: Oh, somewhere. You'll find me.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1",
        "P: Would you mind buying six jars of honey at the market for me?\n"
        "O: No problem at all.\n"
        "P: Great, just keep them until I see you.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1",
        "P: Could you buy six jars of honey at the market and take them to the "
        "Lantern Cafe?\n"
        "O: Sure.\n"
        "P: Actually, don't worry about the second part, Chidi will collect them "
        "from you.\n"
        "O: Even better.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "",
        "P: I've got a huge order of cakes and no honey left at all. Somebody has "
        "to go to the market.\n"
        "O: That sounds stressful.\n"
        "P: It is, but I'll manage.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 request-2 place-2",
        "P: I need you to do two things for me: get six jars of honey, and bring "
        "them over to my cafe.\n"
        "O: Any particular shop?\n"
        "P: Wherever is cheapest.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2 place-2",
        "P: Do me a favour and buy honey, six jars. Take them to the Lantern, "
        "straight into the kitchen.\n"
        "O: Where do I get the honey?\n"
        "P: At Suresh's, Greengage Market.\n"
        "O: Will do.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2",
        "P: Please fetch six jars of honey from Greengage Market and carry them "
        "to the Lantern Cafe.\n"
        "O: So honey from the market, and then to the bakery.\n"
        "P: Exactly, thank you so much!",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2 place-2",
        "P: Freya, I need a hand. There are six jars of honey to be bought at "
        "Greengage Market. Would you do that for me?\n"
        "O: Sure. And then?\n"
        "P: Then just bring them round to the cafe kitchen.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2 place-2",
        "P: If it isn't too much trouble, would you stop at Greengage Market for "
        "six jars of honey? Chidi is waiting for them in the kitchen at the "
        "Lantern, so please leave them with him.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2 place-2",
        "P: I hate to ask, but the honey's gone. Could I send you to the market "
        "for six jars?\n"
        "O: Of course. Where do you want them?\n"
        "P: In the cafe, please.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2 place-2",
        "P: First get six jars of honey at the bakery, no, at the market I mean, "
        "then deliver them to Lantern Cafe. Would you do that for me?\n"
        "O: I would.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 request-2 place-2",
        "P: Could you buy me six jars of honey at the bakery and bring them to "
        "Lantern Cafe?\n"
        "O: Yes.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "place-1 place-2",
        "P: Six jars of honey have to be bought at Greengage Market and brought "
        "to the Lantern Cafe. I've no idea when I'm to do that.\n"
        "O: Poor you.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1",
        "P: Would you go to the market and buy six jars of honey?\n"
        "O: I can. Shall I bring them to the cafe?\n"
        "P: No, no, I'll collect them from you myself.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2 place-2",
        "O: You look stressed. Can I do anything?\n"
        "P: You could, actually! Six jars of honey, from Greengage Market, to the "
        "kitchen of the cafe.\n"
        "O: Consider it done.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2 place-2",
        "P: Could you buy six jars of honey at the Lantern and bring them to "
        "Greengage Market? Oh, what nonsense am I talking. Buy them at the market "
        "and bring them to the Lantern, to the kitchen.\n"
        "O: Market first, then the Lantern.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1",
        "P: Would you buy me six jars of honey at Greengage Market, and then "
        "deliver them at the cafe?\n"
        "O: Fine.\n"
        "P: No, forget the delivering, I'll walk over myself. Just buy them.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 place-1 request-2 place-2",
        "P: Could you get me money... I mean honey, six jars, at Greengage "
        "Market?\n"
        "O: Six cars?\n"
        "P: Jars! And carry them to the kitchen of Lantern Cafe for me, please.\n"
        "O: Jars of honey, to the cafe.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "request-1 request-2 place-2",
        "P: Six jars of honey, Freya, would you buy them for me and bring them to "
        "the Lantern kitchen?\n"
        "O: Where should I buy them?\n"
        "P: I must run, the milk's boiling over!",
    ),
    (
        HONEY,
        EVE,
        CAFE,
        "request-1 place-1 request-2 place-2",
        "O: You look as though you need help.\n"
        "P: I do. Would you fetch something for me?\n"
        "O: What?\n"
        "P: Honey, six jars.\n"
        "O: From where?\n"
        "P: Greengage Market.\n"
        "O: And what do I do with them?\n"
        "P: Bring them here, please, to the kitchen.",
    ),
    (
        HONEY,
        EVE,
        POST,
        "",
        "P: My kitchen is full of orders. I haven't sat down since six.\n"
        "O: You work too much.\n"
        "P: I do, I do.",
    ),
)


@pytest.mark.parametrize(("task", "now", "here", "met", "talk"), WHICH_ERRANDS_ARE_ASKED_AND_WHERE)
def test_which_errands_are_asked_and_where(
    task: SocialTask, now: datetime, here: str, met: str, talk: str
) -> None:
    assert talked(task, talk, now, here) == met
