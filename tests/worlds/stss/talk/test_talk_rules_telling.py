"""Invitations, days, hours and places that are told, denied, corrected or taken back."""

from __future__ import annotations

from datetime import datetime

import pytest

from sociolab.worlds.stss.task import SocialTask
from worlds.stss.talk.talk_rule_cases import BOOKS, EVE, KITES, QUIZ, SAME_DAY, talked

POST = "Post Office: counter room"
PUB = "Copper Kettle Pub: bar room"
CAFE = "Lantern Cafe: counter room"

WHAT_IS_TOLD_OF_A_PUBLIC_ACTIVITY = (
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: Freya, are you busy tomorrow at 5 pm? We're putting kites up over the "
        "meadow in Heron Park.\n"
        "O: Oh nice, I might be.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: I'd be over the moon if you showed up at my kite evening, Tuesday, "
        "17:00, the meadow at Heron Park.\n"
        "O: Let me see what I can do.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "O: What's all that string for?\n"
        "P: Kites! We're flying them tomorrow on the Heron Park meadow.\n"
        "O: What time?\n"
        "P: Five in the afternoon. You'll be there?\n"
        "O: If I can.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place",
        "P: Come fly kites with us in the park tomorrow evening!\n"
        "O: When exactly?\n"
        "P: Oh, after work sometime.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited time",
        "P: There's a kite evening tomorrow at five and I'd like you to come.\n"
        "O: Where?\n"
        "P: I'll tell you once I've asked for permission.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: We fly kites in Heron Park on the 14th. It kicks off at six, and "
        "everyone's invited.\n"
        "O: Six, great.\n"
        "P: Sorry, did I say six? I meant five.\n"
        "O: Five then.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place",
        "P: Kite flying tomorrow at 5 in Heron Park, do come.\n"
        "O: Sure.\n"
        "P: Oh wait, actually make that six, the wind's better.\n"
        "O: Six it is.",
    ),
    (
        KITES,
        EVE,
        POST,
        "place time",
        "P: I'm up to my ears in kite paper, the kite evening is tomorrow at five "
        "on the meadow.\n"
        "O: Poor you. Good luck with it!\n"
        "P: Thanks, I'll need it.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: You should drop by the meadow at Heron Park tomorrow around five. A "
        "bunch of us will be flying kites.\n"
        "O: I have a seminar at four, but I should be out by then.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited time",
        "P: Would you like to come to my kite evening tomorrow at 5? It's down by "
        "the pond in Heron Park.\n"
        "O: Love to!",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place",
        "P: Would you like to come to the kite evening on Wednesday at five, "
        "Heron Park, the meadow?\n"
        "O: Love to!",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "O: Bela says there's kite flying on the meadow in the park tomorrow at "
        "five. Is that you?\n"
        "P: That's me! Please come, there's a spare kite for you.\n"
        "O: I will.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited",
        "O: I heard about some kites on the meadow in the park tomorrow at five.\n"
        "P: Are those new boots? Very smart. By the way, you are warmly invited "
        "to my kite evening.\n"
        "O: Thanks!",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: I'm hosting a little kite-flying get-together and would love for you "
        "to be part of it. It's tomorrow, Tuesday May 14th, starting at 5:00 PM, "
        "at the meadow in Heron Park.\n"
        "O: That sounds wonderful, Huw! I'll be there.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: Do you remember how we used to fly kites? Tomorrow from 5 to 7 I'm "
        "holding a kite evening on the meadow of Heron Park. The shop closes at "
        "four so I'll be early. Hope to see you.\n"
        "O: See you there.",
    ),
    (
        KITES,
        SAME_DAY,
        POST,
        "invited place time",
        "P: Could I tempt you with some kite flying? Today at five, Heron Park.\nO: Tempting.",
    ),
    (
        KITES,
        SAME_DAY,
        POST,
        "invited place time",
        "P: Could I tempt you with some kite flying? At five, Heron Park.\nO: Tempting.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place",
        "P: Could I tempt you with some kite flying? At five, Heron Park.\nO: Tempting.",
    ),
    (
        KITES,
        EVE,
        POST,
        "",
        "P: Would you come and fly kites tomorrow at five on the meadow in Heron "
        "Park?\n"
        "O: Gladly.\n"
        "P: Oh, scrap that, the whole thing is cancelled, I've just remembered "
        "the storm.\n"
        "O: Pity.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: We've got a kite evening planned. It's not on Wednesday but tomorrow, "
        "and not at six but at five, on the meadow at Heron Park. Are you "
        "coming?\n"
        "O: Yes.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: Fancy joining the kite evening? It's Tuesday the 14th, 5pm sharp, "
        "over in Heron Park.\n"
        "O: I work at the lab until six on Tuesday, I'm afraid.\n"
        "P: Ah, too bad.",
    ),
    (
        QUIZ,
        EVE,
        PUB,
        "invited place time",
        "P: Freya, there's a quiz on here tomorrow night, half seven, in the back "
        "room. Bring your friends.\n"
        "O: Count us in!",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place time",
        "P: We're running a quiz night at my pub tomorrow, 7:30. Why don't you "
        "put together a team?\n"
        "O: Maybe.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place",
        "P: We're running a quiz night at the Copper Kettle tomorrow, and you're "
        "more than welcome.\n"
        "O: When does it start?\n"
        "P: It ends at nine, so you'll be home early.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited time",
        "P: Quiz tomorrow, 19:30, in the beer garden of the Copper Kettle. You in?\nO: Yep.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place time",
        "P: Quiz night at the Kettle tomorrow! I could use your brain. Seven "
        "thirty.\n"
        "O: Ooh, nice.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "O: Winston says you're flying kites tomorrow at six, on the meadow at "
        "Heron Park.\n"
        "P: Almost! It's at five, the rest is right. Will you come along?\n"
        "O: Five, then. Sure.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place",
        "P: Kite evening tomorrow, the meadow in Heron Park, you'd be very "
        "welcome.\n"
        "O: At four, right?\n"
        "P: Exactly. Bring a scarf.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: What are you up to tomorrow, late afternoon? I'm getting a few folks "
        "together in the park to fly kites, 5-ish.\n"
        "O: Count me in.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited time",
        "P: Come to the kite evening tomorrow at five! It'll be at the bandstand "
        "in the park.\n"
        "O: Nice.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: Come to the kite evening tomorrow at five! It'll be at the bandstand "
        "in the park.\n"
        "O: The bandstand?\n"
        "P: Sorry, the meadow. I always mix those two up.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: My kite evening's on tomorrow. The council gave us the big meadow, "
        "and we launch at five o'clock. It would mean a lot if you were there.\n"
        "O: I'd hate to miss it.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place",
        "P: Do drop in on the kite evening, Tuesday, Heron Park. We start as soon "
        "as school's out.\n"
        "O: OK!",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: I still haven't heard from you about the kites.\n"
        "O: What kites?\n"
        "P: Tomorrow's kite evening in Heron Park, five p.m. I put up posters "
        "everywhere.\n"
        "O: Oh! Count me in.",
    ),
    (
        KITES,
        EVE,
        POST,
        "place time",
        "P: Tomorrow is the kite evening, five o'clock at the meadow in Heron "
        "Park, and my printer has broken down.\n"
        "O: Oh no. Have you tried turning it off and on?\n"
        "P: Twice.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: Ever flown a kite, Freya?\n"
        "O: Not since I was ten.\n"
        "P: High time, then! Tomorrow, five in the afternoon, Heron Park. No "
        "experience needed.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited",
        "P: Ever flown a kite, Freya? You'd be welcome at our kite evening.\n"
        "O: When and where?\n"
        "P: I'll put a leaflet through your door.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: Please spread the word: kite evening, tomorrow, 17.00, Heron Park. "
        "And come yourself, of course.\n"
        "O: I'll tell everyone.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited time",
        "P: Come and fly kites tomorrow at five at Heron Park.\n"
        "O: OK.\n"
        "P: Actually, the place might change, the park may be closed for mowing. "
        "I'll tell you.\n"
        "O: Fine.",
    ),
    (
        QUIZ,
        EVE,
        PUB,
        "invited place time",
        "O: Gwen, is it true there's a quiz tomorrow?\n"
        "P: True as I stand here. Half past seven in the back room, right here in "
        "the pub. Are you any good at history?\n"
        "O: Hopeless. But I'll come.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place time",
        "P: Tomorrow's quiz night at the Copper Kettle and your team's a player "
        "short, isn't it? Half seven.\n"
        "O: We'll manage. See you there!",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place",
        "P: Quiz night tomorrow at the pub! Doors at seven.\nO: I'll be there.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place time",
        "P: Freya! We do a quiz night tomorrow, half past seven, in the back room "
        "at the Kettle. Come and bring that clever flatmate of yours.\n"
        "O: A quid's night? How much does it cost?\n"
        "P: A quiz, not a quid! It's free.\n"
        "O: Oh, a quiz! I'll be there at half past seven.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place time",
        "P: There's a quiz night tomorrow at the Copper Kettle at half past "
        "seven. Will you play?\n"
        "O: Half past six at the Copper Kettle, lovely.\n"
        "P: Seven, Freya, half past seven!\n"
        "O: Half past seven, right.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place",
        "P: There's a quiz night tomorrow at the Copper Kettle at half past "
        "seven. Will you play?\n"
        "O: Half past six at the Copper Kettle, lovely.\n"
        "P: Lovely. Bring a pencil.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place",
        "P: You like quizzes, don't you? We're having one at the pub.\n"
        "O: I do! When?\n"
        "P: Some evening soon.\n"
        "O: I'm curious.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place time",
        "P: Yes, hello. Quiz. Tomorrow. Half seven. Kettle, back room. Coming?\nO: Probably.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited place",
        "P: Would you join us for a quiz night at the pub on Wednesday at half "
        "past seven?\n"
        "O: Wednesday at half past seven is good.",
    ),
    (
        QUIZ,
        EVE,
        POST,
        "invited time",
        "P: I'd love to see you at the quiz tomorrow night at half past seven, in "
        "the foyer of the Town Hall.\n"
        "O: I'll come.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: Tell me, is your old kite still in one piece? Because tomorrow at "
        "five we're all meeting on the meadow in Heron Park to fly ours, and "
        "yours shouldn't be missing.\n"
        "O: It has a hole, but I can mend it.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "O: Where are you off to with that huge parcel?\n"
        "P: Kite sticks. For tomorrow.\n"
        "O: What's tomorrow?\n"
        "P: The kite evening. On the meadow, in Heron Park. You ought to come.\n"
        "O: What time would that be?\n"
        "P: Five.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place",
        "O: Where are you off to with that huge parcel?\n"
        "P: Kite sticks. For the kite evening on the meadow in Heron Park. You "
        "ought to come.\n"
        "O: When is it?\n"
        "P: Tomorrow.\n"
        "O: And at what time?\n"
        "P: Mind the step there!",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place time",
        "P: I'm inviting you to my kite evening, on the meadow in Heron Park, at "
        "five tomorrow.\n"
        "O: Tomorrow at five I've got choir in Alder Hall, sorry.\n"
        "P: Then another time.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited time",
        "P: Kite evening, tomorrow at five, Heron Park, on the meadow. Please "
        "come!\n"
        "O: Gladly.\n"
        "P: One thing, though: the farmer may put his sheep on the meadow, so we "
        "might have to go somewhere else. I'll let you know.\n"
        "O: Alright.",
    ),
    (
        KITES,
        EVE,
        POST,
        "invited place",
        "P: Kite evening, tomorrow at five, Heron Park, on the meadow. Please "
        "come!\n"
        "O: Gladly.\n"
        "P: Only don't count on five, it hangs on the wind. I'll send you a "
        "message with the hour.\n"
        "O: Alright.",
    ),
)


@pytest.mark.parametrize(("task", "now", "here", "met", "talk"), WHAT_IS_TOLD_OF_A_PUBLIC_ACTIVITY)
def test_what_is_told_of_a_public_activity(
    task: SocialTask, now: datetime, here: str, met: str, talk: str
) -> None:
    assert talked(task, talk, now, here) == met


WHAT_IS_TOLD_OF_AN_ONLINE_ACTIVITY = (
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: We meet online for our book circle tomorrow at 7.30 in the evening. "
        "It would be wonderful to have you.\n"
        "O: I'd like that.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: I'm looking for one more reader for the online book circle. Tuesday "
        "at half past seven, would that suit you?\n"
        "O: It would.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited",
        "P: I'm looking for one more reader for the online book circle. Tuesday "
        "evening, would that suit you?\n"
        "O: It would.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited",
        "P: Join our online book circle tomorrow, it begins at eight.\nO: Eight, fine.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: Join our online book circle tomorrow, it begins at eight.\n"
        "O: Eight, fine.\n"
        "P: Hang on, I've got that wrong, it's seven thirty.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited",
        "P: Join our online book circle tomorrow at 19:30.\n"
        "O: So on Wednesday at 19:30?\n"
        "P: Right, see you then!",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: Join our online book circle tomorrow at 19:30.\n"
        "O: So on Wednesday at 19:30?\n"
        "P: No, no, tomorrow.\n"
        "O: Got it, tomorrow.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: You know that book circle I run on the internet? Tomorrow's session "
        "is at half seven and I was wondering whether you'd be up for it.\n"
        "O: What are you reading?\n"
        "P: Short stories.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: Could you see yourself in an online book circle? We start tomorrow "
        "evening, seven thirty, for an hour.\n"
        "O: I could.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: We'd be delighted if you'd read with us, it's an online book circle. "
        "Tuesday 14 May, 19:30 to 20:30.\n"
        "O: Thanks, I'll think about it.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited",
        "P: We'd be delighted if you'd read with us in our book circle online. "
        "Seven thirty.\n"
        "O: Nice.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: We'd be delighted if you'd read with us in our book circle online. "
        "Seven thirty.\n"
        "O: Nice. What day?\n"
        "P: Tomorrow.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: The online book circle is on again, and there's a virtual chair "
        "reserved for you. Tomorrow, half past seven in the evening.\n"
        "O: How could I refuse?",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "",
        "P: I've been moderating the online book circle all week, it never ends.\n"
        "O: Sounds tiring.\n"
        "P: It is. Coffee?",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: I've a seat free in my book circle, the one on the web. Tomorrow, "
        "quarter past... no, half past seven. What do you think?\n"
        "O: I think yes.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited",
        "O: Someone told me about your online book circle, tomorrow at half past "
        "seven.\n"
        "P: Did you see the swans this morning? Beautiful. Anyway, do join in, we "
        "need young voices.\n"
        "O: I will.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "O: Someone told me about your online book circle, tomorrow at half past "
        "seven.\n"
        "P: That's correct, half past seven. Do join in, we need young voices.\n"
        "O: I will.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited",
        "P: Would you read with us in the online book circle? It's tomorrow as "
        "soon as the library has closed.\n"
        "O: Ok, after closing then.",
    ),
    (
        BOOKS,
        EVE,
        POST,
        "invited time",
        "P: The library closes at six, and half an hour before eight, I mean at "
        "half past seven, the online book circle begins. That's tomorrow, and "
        "you're invited.\n"
        "O: Thanks.",
    ),
)


@pytest.mark.parametrize(("task", "now", "here", "met", "talk"), WHAT_IS_TOLD_OF_AN_ONLINE_ACTIVITY)
def test_what_is_told_of_an_online_activity(
    task: SocialTask, now: datetime, here: str, met: str, talk: str
) -> None:
    assert talked(task, talk, now, here) == met
