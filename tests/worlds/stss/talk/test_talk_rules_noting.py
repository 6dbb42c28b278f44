"""Notes in the first person: what a stranger reads in them."""

from __future__ import annotations

import pytest

from sociolab.worlds.stss.task import SocialTask
from worlds.stss.talk.talk_rule_cases import (
    BOOKS,
    HONEY,
    KITES,
    PORTRAIT,
    QUIZ,
    TEA,
    noted,
)

NOTES = (
    (
        KITES,
        "invited place time",
        "Huw invited me to his kite evening at Heron Park tomorrow at 5 pm.",
    ),
    (
        KITES,
        "invited place",
        "Huw asked if I'd come fly kites in the park. I told him I'd think about it.",
    ),
    (
        KITES,
        "invited place time",
        "I was invited by Huw Pritchard to a kite evening on Tuesday, May 14 at "
        "17:00 at the meadow in Heron Park. I said I would try.",
    ),
    (KITES, "", "Huw is very busy with his kites at the moment."),
    (KITES, "", "Talked with Huw about the weather."),
    (
        KITES,
        "invited time",
        "Kite flying with Huw tomorrow at five, he invited me, by the pond in Heron Park.",
    ),
    (
        KITES,
        "invited place time",
        "Huw told me about a kite evening tomorrow (5pm, Heron Park) and said everyone is welcome.",
    ),
    (
        KITES,
        "invited place time",
        "Agreed to attend Huw's kite evening.\n"
        "Agreed: kite evening, on Tuesday 14 May 2024 at 17:00, at Heron Park: "
        "meadow.",
    ),
    (
        BOOKS,
        "invited time",
        "Hana would be happy if I joined the online book circle tomorrow from 19:30 to 20:30.",
    ),
    (BOOKS, "invited", "Hana would be happy if I joined the online book circle tomorrow evening."),
    (
        TEA,
        "invited time place",
        "Pilar invited me to a strawberry tea at the bandstand tomorrow at four and I accepted.",
    ),
    (
        TEA,
        "invited place",
        "Pilar invited me to a strawberry tea at the bandstand tomorrow at four "
        "but I had to decline.",
    ),
    (
        TEA,
        "invited place",
        "Pilar wants to have a strawberry tea with me at the bandstand tomorrow; "
        "she proposed four, I said I'd get back to her.",
    ),
    (
        TEA,
        "invited time place",
        "Strawberry tea with Pilar at the bandstand, tomorrow at 4. I promised to bring cream.",
    ),
    (
        PORTRAIT,
        "asked time place",
        "I agreed to sit for a portrait for Sefina tomorrow at two in her studio.",
    ),
    (
        PORTRAIT,
        "asked time",
        "Sefina will paint my portrait tomorrow at two. We haven't settled where.",
    ),
    (PORTRAIT, "asked", "Sefina asked me to sit for a portrait. I said no."),
    (
        HONEY,
        "request-1 place-1 request-2 place-2",
        "Nkechi needs my help: I should buy six jars of honey at Greengage Market "
        "and take them to the Lantern Cafe.",
    ),
    (
        HONEY,
        "request-1 place-1 request-2",
        "I promised Nkechi to get honey from the market and deliver it to her.",
    ),
    (HONEY, "", "Nkechi is stressed because she has too many cakes to bake."),
    (
        HONEY,
        "request-1 place-1 request-2 place-2",
        "Nkechi asked me for two favours: collecting six jars of honey from "
        "Greengage Market and dropping them off at Lantern Cafe. I refused.",
    ),
    (
        KITES,
        "invited place time",
        "Huw is organizing a kite evening at Heron Park on Tuesday at 5 PM and he "
        "encouraged me to attend.",
    ),
    (
        KITES,
        "invited place time",
        "I have been asked to Huw's kite evening, 17:00 tomorrow, meadow of Heron "
        "Park. Not sure if I can go.",
    ),
    (
        KITES,
        "invited place",
        "I've been asked to Huw's kite evening in Heron Park tomorrow, not sure when it starts.",
    ),
    (
        KITES,
        "invited time",
        "Huw's kite evening is tomorrow at five, I might go. Place to be announced.",
    ),
    (KITES, "", "Huw and I talked about string. He's organising something with kites."),
    (
        QUIZ,
        "invited place time",
        "Gwen wants our team at the quiz night tomorrow at 7:30 pm at the Copper Kettle Pub.",
    ),
    (QUIZ, "invited place", "Quiz night at the Copper Kettle, I said I'd come. It begins at 7:30."),
    (
        BOOKS,
        "invited time",
        "I said yes to Hana's online book circle, tomorrow, half seven in the evening.",
    ),
    (BOOKS, "invited", "Hana suggested I take part in an online book circle one of these days."),
    (
        TEA,
        "invited time place",
        "I am meeting Pilar for strawberry tea at the bandstand tomorrow at 3:30 pm.",
    ),
    (
        TEA,
        "invited place",
        "Pilar invited me for strawberry tea at the bandstand tomorrow. I "
        "couldn't say when I'd be free.",
    ),
    (
        TEA,
        "invited place",
        "Pilar asked me to strawberry tea at the bandstand tomorrow at four. I "
        "haven't answered yet.",
    ),
    (
        TEA,
        "invited time",
        "Pilar asked me to strawberry tea tomorrow at four, and I'll be there, wherever it is.",
    ),
    (
        PORTRAIT,
        "asked time place",
        "Tomorrow at eleven I'll be at the gallery, where Sefina is going to draw "
        "me for a portrait.",
    ),
    (
        PORTRAIT,
        "asked place",
        "Sefina would like to paint my portrait at the pottery tomorrow; I have "
        "to tell her what time suits me.",
    ),
    (
        PORTRAIT,
        "asked time",
        "Portrait sitting with Sefina tomorrow at eleven; she'll tell me where.",
    ),
    (
        HONEY,
        "request-1 place-1 request-2 place-2",
        "Nkechi wants me to pick up six jars of honey from Greengage Market and "
        "drop them at the Lantern.",
    ),
    (HONEY, "request-1 place-1", "For Nkechi: buy six jars of honey at Greengage Market."),
    (
        HONEY,
        "request-1 request-2 place-2",
        "Nkechi asked if I could buy honey and bring it to the cafe kitchen. I agreed.",
    ),
    (
        HONEY,
        "request-1 place-1 request-2 place-2",
        "I told Nkechi I couldn't help with the honey she wants me to buy at the "
        "market and bring to Lantern Cafe.",
    ),
    (
        KITES,
        "invited place time",
        "Huw is flying kites on the meadow in Heron Park tomorrow at five and I'm invited.",
    ),
    (KITES, "place time", "Huw is flying kites on the meadow in Heron Park tomorrow at five."),
    (KITES, "invited", "Huw invited me to his kite evening but I forgot where and when."),
    (
        KITES,
        "invited place",
        "Huw asked me along to his kite evening in Heron Park tomorrow at six.",
    ),
    (QUIZ, "invited time", "I'm playing in Gwen's quiz tomorrow night at 7.30."),
    (BOOKS, "invited", "Hana's online book circle, I'm to join. She'll send me the time."),
    (
        TEA,
        "invited place",
        "Pilar's strawberry tea is at the bandstand tomorrow. I suggested half "
        "past four and she wants to ask the others.",
    ),
    (
        TEA,
        "invited time place",
        "Pilar and I agreed on half past four for strawberry tea at the bandstand tomorrow.",
    ),
    (
        TEA,
        "invited place",
        "Pilar invited me to strawberry tea at the bandstand tomorrow at three. I "
        "can't make it because of a tutorial.",
    ),
    (
        PORTRAIT,
        "asked place",
        "I'll sit for Sefina's portrait in the painting studio, some time after lunch tomorrow.",
    ),
    (
        PORTRAIT,
        "asked time place",
        "Sefina talked me into a portrait: tomorrow, one o'clock, painting studio.",
    ),
    (PORTRAIT, "", "Sefina has a portrait to finish and the paint won't dry."),
    (
        HONEY,
        "request-1 place-1 request-2 place-2",
        "I said I'd fetch six jars of honey from the market and take them to Nkechi at the cafe.",
    ),
    (
        HONEY,
        "request-1 request-2 place-2",
        "Nkechi needs honey. I'll buy six jars somewhere and carry them to the "
        "kitchen of Lantern Cafe.",
    ),
    (
        HONEY,
        "request-1 place-1",
        "Nkechi wanted six jars of honey bought at Greengage Market, so I said I "
        "would; she'll fetch them herself.",
    ),
)


@pytest.mark.parametrize(("task", "met", "note"), NOTES)
def test_what_a_note_says(task: SocialTask, met: str, note: str) -> None:
    assert noted(task, note) == met
