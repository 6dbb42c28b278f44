"""Offers, answers and counter-offers: what two have agreed on at the end."""

from __future__ import annotations

from datetime import datetime

import pytest

from sociolab.worlds.stss.task import SocialTask
from worlds.stss.talk.talk_rule_cases import DUMPLINGS, EVE, PORTRAIT, SAME_DAY, TEA, talked

POST = "Post Office: counter room"
PUB = "Copper Kettle Pub: bar room"
CAFE = "Lantern Cafe: counter room"

WHAT_IS_AGREED_WITH_COMPANIONS = (
    (
        TEA,
        EVE,
        POST,
        "invited time place",
        "P: Freya, how about a strawberry tea at the bandstand in Heron Park "
        "tomorrow? I was thinking four.\n"
        "O: Four works for me!",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited time place",
        "P: Freya, how about a strawberry tea at the bandstand tomorrow? Would 4 "
        "pm be all right?\n"
        "O: Could we push it to 5? I have a lab until half past four.\n"
        "P: Of course, five then.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: Freya, how about a strawberry tea at the bandstand in Heron Park "
        "tomorrow? Would 4 pm be all right?\n"
        "O: Could we push it to 5? I have a lab until half past four.\n"
        "P: I'm not sure, I'll ask the others.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: Strawberry tea at the bandstand tomorrow at four, will you join us?\n"
        "O: I can't, I'm afraid. I've got an exam.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: Strawberry tea at the bandstand tomorrow at four, will you join us?\n"
        "O: I'll try, but I can't promise anything.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited time place",
        "P: We're having strawberries and cream at the bandstand tomorrow at four "
        "o'clock. Please say you'll come.\n"
        "O: Of course I'll come. What should I bring?\n"
        "P: Only yourself.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: I'd love it if you joined me for strawberry tea by the bandstand "
        "tomorrow.\n"
        "O: With pleasure! What time?\n"
        "P: Whenever you like, we'll be there all afternoon.\n"
        "O: Lovely.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: Strawberry tea at the bandstand tomorrow at four?\n"
        "O: Tomorrow I'm away. Thursday at four?\n"
        "P: Thursday at four is fine with me.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited time",
        "P: Strawberry tea in Heron Park tomorrow, on the meadow, at four. In?\nO: I'm in.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited time place",
        "O: Pilar, I hear you're doing a strawberry tea. Any chance I could "
        "come?\n"
        "P: Naturally! Tomorrow at the bandstand, shall we say three thirty?\n"
        "O: Three thirty is perfect.",
    ),
    (
        DUMPLINGS,
        EVE,
        POST,
        "invited time place",
        "P: I'm making dumplings with some friends at my place tomorrow, in the "
        "kitchen. Want to come over around six?\n"
        "O: Six sounds good. I'll bring soy sauce.",
    ),
    (
        DUMPLINGS,
        EVE,
        POST,
        "invited time",
        "P: I'm making dumplings with some friends tomorrow. Want to come over "
        "around six?\n"
        "O: Yes please! Where?\n"
        "P: We haven't settled on a kitchen yet.",
    ),
    (
        DUMPLINGS,
        EVE,
        POST,
        "invited place",
        "P: Dumpling supper at Student House tomorrow, you have to come.\n"
        "O: I'd love to, but I'm visiting my aunt at seven.\n"
        "P: Oh well, next time.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited time place",
        "P: I've got far too many strawberries, Freya. Help me eat them? Tea at "
        "the bandstand, tomorrow, four o'clock.\n"
        "O: You don't have to ask twice! Four it is.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited time place",
        "P: Strawberry tea tomorrow, Heron Park, by the bandstand. When could you "
        "be there?\n"
        "O: Any time after three.\n"
        "P: Then let's say quarter past three.\n"
        "O: Deal.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: Strawberry tea tomorrow, Heron Park, by the bandstand. When could you "
        "be there?\n"
        "O: Any time after three.\n"
        "P: Good, I'll think of something.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited time place",
        "P: Would you like to come for strawberry tea in Heron Park tomorrow, at "
        "the bandstand? Three o'clock?\n"
        "O: Three's too early for me, half past four?\n"
        "P: Half past four's a bit late for the cream. Four?\n"
        "O: All right, four.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: Would you like to come for strawberry tea in Heron Park tomorrow, at "
        "the bandstand? Three o'clock?\n"
        "O: Three's too early for me, half past four?\n"
        "P: Hmm, that's too late for the others.\n"
        "O: A shame.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: Strawberry tea at the bandstand tomorrow, three o'clock, are you "
        "coming?\n"
        "O: Perhaps. I'd have to finish my essay first.",
    ),
    (
        TEA,
        SAME_DAY,
        POST,
        "invited time place",
        "P: Strawberry tea at the bandstand today, say at four?\nO: I can be there at four.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited time place",
        "P: Do you like strawberries?\n"
        "O: Who doesn't?\n"
        "P: Then be my guest tomorrow at the bandstand. We'll have tea and cake "
        "from three.\n"
        "O: From three, lovely. I wouldn't miss it.",
    ),
    (
        DUMPLINGS,
        EVE,
        POST,
        "invited time place",
        "P: Tomorrow we're folding dumplings in our kitchen at Student House. "
        "Join us at six?\n"
        "O: Make it half past and I'm yours.\n"
        "P: Half past six it is.",
    ),
    (
        DUMPLINGS,
        EVE,
        POST,
        "invited time place",
        "P: Dumpling supper tomorrow night, our place, in the kitchen. You in? We "
        "sit down at seven.\n"
        "O: Absolutely.",
    ),
    (
        DUMPLINGS,
        EVE,
        POST,
        "invited time",
        "P: Dumpling supper tomorrow night in the common room of the Artists' "
        "House. You in? We sit down at seven.\n"
        "O: Absolutely.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited time place",
        "O: What have you got there?\n"
        "P: Strawberries for tomorrow. I'm making a strawberry tea at the "
        "bandstand in Heron Park, and I'd be glad of your company. Does three "
        "o'clock work?\n"
        "O: Three... no, I've a tutorial. Four?\n"
        "P: Four's fine.\n"
        "O: Oh, hold on, four's my dentist. Half past four?\n"
        "P: Half past four, last offer!\n"
        "O: Agreed.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: Care for a strawberry tea at the bandstand in Heron Park tomorrow? At "
        "three?\n"
        "O: Is there cream?\n"
        "P: Buckets of it.\n"
        "O: I do love cream. Oh, there's my bus!",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: Care for a strawberry tea at the bandstand in Heron Park tomorrow? At "
        "three?\n"
        "O: I'll have to see how my shift goes.\n"
        "P: Understood.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited time",
        "P: I'm planning a strawberry tea for tomorrow. Would you be free at "
        "three?\n"
        "O: At three, yes. Where?\n"
        "P: No idea yet, wherever it's dry. I'll tell you.",
    ),
    (
        TEA,
        EVE,
        POST,
        "invited place",
        "P: Strawberry tea at the bandstand in the park tomorrow, will you come? "
        "I thought of three.\n"
        "O: Tomorrow I'm at the lab all day. On Wednesday I could come at three.\n"
        "P: Wednesday at three it is.",
    ),
)


@pytest.mark.parametrize(("task", "now", "here", "met", "talk"), WHAT_IS_AGREED_WITH_COMPANIONS)
def test_what_is_agreed_with_companions(
    task: SocialTask, now: datetime, here: str, met: str, talk: str
) -> None:
    assert talked(task, talk, now, here) == met


WHAT_IS_AGREED_FOR_AN_APPOINTMENT = (
    (
        PORTRAIT,
        EVE,
        POST,
        "asked time place",
        "P: Would you sit for a portrait tomorrow at 2 pm, at Old Mill Studios?\n"
        "O: Sure, 2 pm at the studios. See you then.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked time place",
        "P: I'd like to paint your portrait. Are you free tomorrow?\n"
        "O: I am after three.\n"
        "P: How about half past three in the painting studio?\n"
        "O: That works.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked time",
        "P: I'd like to paint your portrait. Could we do it tomorrow at three?\n"
        "O: Three is fine. Where?\n"
        "P: Let me get back to you about that.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked place",
        "P: May I do your portrait tomorrow? My studio at Old Mill Studios would "
        "be best.\n"
        "O: Your studio is great. I need to check my timetable for the hour "
        "though.\n"
        "P: No hurry.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked",
        "P: I was hoping you'd sit for a portrait tomorrow at three in the "
        "gallery.\n"
        "O: Sorry, I really don't like being painted. I'll have to say no.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked time place",
        "O: Sefina, would you do a portrait of me? Tomorrow at ten, in your "
        "studio?\n"
        "P: With the greatest pleasure, ten it is.\n"
        "O: Wonderful.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "",
        "P: I spent the whole morning on a portrait of Winston.\n"
        "O: How did it turn out?\n"
        "P: His nose is too big, but so it is in life.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked time place",
        "P: You'd make a marvellous portrait, Freya. Would tomorrow suit you, "
        "around eleven, at the gallery?\n"
        "O: Eleven at the gallery. I'll be there.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked time place",
        "P: Let me draw you! A portrait, tomorrow, at your place, so you don't "
        "have to go anywhere. Does ten suit?\n"
        "O: Ten suits me fine.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked place",
        "P: Would you sit for a portrait on Tuesday? At the pottery, say.\n"
        "O: At the pottery, sure. But I only have time on Thursday at five.\n"
        "P: Thursday at five, then.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked time",
        "P: Would you sit for a portrait tomorrow at four?\n"
        "O: Four, yes. At your studio?\n"
        "P: No, my studio's full of plaster. I'll think of something else.\n"
        "O: Okay.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked",
        "P: Will you model for my next portrait?\n"
        "O: Sounds exciting. When?\n"
        "P: Some time this week. We'll talk.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked time place",
        "O: I've been told you're looking for someone for a portrait tomorrow at "
        "noon in the painting studio.\n"
        "P: You've been told right! Would you do it?\n"
        "O: I'd be honoured.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked time place",
        "P: I need a sitter for a portrait tomorrow, and you've got the right "
        "face. Ten o'clock?\n"
        "O: Can't do ten. Noon?\n"
        "P: Noon's when the light is harsh. One?\n"
        "O: One is fine. At the studio?\n"
        "P: At the painting studio, yes.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked place",
        "P: Would you sit for me tomorrow, for a portrait, in the painting "
        "studio?\n"
        "O: Happy to. What time?\n"
        "P: Whenever you've finished your lunch.\n"
        "O: Fine, after lunch.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "asked time place",
        "P: A portrait of you is what I need. Tomorrow at nine, in the gallery?\n"
        "O: Nine at the Larkfield Bakery?\n"
        "P: Not at the bakery, in the gallery!\n"
        "O: Ah, the gallery. Nine. Good.",
    ),
    (
        PORTRAIT,
        EVE,
        POST,
        "",
        "P: I've got a portrait to finish by tomorrow and the paint won't dry.\n"
        "O: Use a hairdryer.\n"
        "P: I might have to.",
    ),
)


@pytest.mark.parametrize(("task", "now", "here", "met", "talk"), WHAT_IS_AGREED_FOR_AN_APPOINTMENT)
def test_what_is_agreed_for_an_appointment(
    task: SocialTask, now: datetime, here: str, met: str, talk: str
) -> None:
    assert talked(task, talk, now, here) == met
