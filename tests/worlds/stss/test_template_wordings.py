"""What a mind may write for each of our own tasks: three wordings that count, two that do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sociolab.worlds.stss.scoring.keywords import Keywords
from sociolab.worlds.stss.templates import Template, own_templates

# By template: what counts, and what does not.
WORDINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "kite-evening": (
        ("flying a kite", "join the kite evening", "help beginners with their kites"),
        ("getting ready for the kite evening", "watch the sky"),
    ),
    "valley-quiz": (
        ("take part in the quiz", "answering quiz questions", "play in Gwen\u2019s pub-quiz"),
        ("skipping the quiz", "waiting for the quiz to begin"),
    ),
    "seed-swap": (
        ("swapping seeds with neighbours", "attend the seed-swap", "exchange seeds"),
        ("not going to the seed swap", "sowing seeds"),
    ),
    "lantern-walk": (
        ("walk with lanterns along the pond", "join the lantern\u2010walk", "carrying a lantern"),
        ("dreaming of the lantern walk", "walk to the Lantern Cafe"),
    ),
    "folk-dance": (
        ("dance a folk dance", "enjoying the folk-dancing", "dancing to folk music"),
        ("cleaning up after the folk dance", "listening to the band"),
    ),
    "bread-tasting": (
        ("tasting the breads", "taste bread blindfold", "go to the bread-tasting"),
        ("reading about the bread tasting", "baking bread"),
    ),
    "pond-clean-up": (
        ("clean up the pond", "cleaning up the pond", "join the pond cleanup"),
        ("clean up the kitchen", "avoiding the clean-up of the pond"),
    ),
    "slide-show": (
        ("watch the slideshow", "watching the slide-show", "looking at old photos"),
        ("leaving the slide show", "think about the slideshow"),
    ),
    "paper-bridges": (
        ("building paper bridges", "fold a bridge out of paper", "join the bridge-contest"),
        ("preparing the paper bridge contest", "read a paper on bridges"),
    ),
    "first-aid": (
        ("learn first aid", "attending the first\u2011aid course", "practising bandaging"),
        ("missing the first-aid evening", "see the first patient"),
    ),
    "railway-interview": (
        ("interview about the railway", "interviewing Bela", "share memories of the railway"),
        ("skip the railway interview", "wait for the train"),
    ),
    "duet-rehearsal": (
        ("rehearse the duet", "playing duets", "discuss the duet with Jonah"),
        ("leaving the duet rehearsal", "rehearse alone"),
    ),
    "club-ledger": (
        ("review the ledger", "going through the club\u2019s ledger", "auditing the ledger"),
        ("avoid the club ledger", "go to the club"),
    ),
    "portrait-sitting": (
        ("sit for a portrait", "drawing Hana's portrait in charcoal", "portrait-sitting"),
        ("waiting for the portrait sitting", "sitting in the garden"),
    ),
    "mock-examination": (
        ("hold the mock exam", "taking a mock-examination", "discuss the practice exam"),
        ("resting after the mock exam", "examine the samples"),
    ),
    "five-a-side": (
        ("play five-a-side", "playing five a side football", "a game of 5\u2010a\u2010side"),
        ("cancel the five-a-side match", "play football"),
    ),
    "strawberry-tea": (
        ("have strawberry tea", "eating strawberries", "enjoying the strawberry-tea"),
        ("inviting Tom to the strawberry tea", "drink tea"),
    ),
    "jam-session": (
        ("jamming on guitar", "play in the jam-session", "jam together"),
        ("setting up for the jam session", "spread jam on toast"),
    ),
    "dumplings": (
        ("fold dumplings", "preparing dumplings with Linh", "enjoy the dumpling supper"),
        ("shop for the dumpling supper", "looking forward to the dumplings"),
    ),
    "mosaic": (
        ("lay a mosaic", "work on the mosaics", "arranging mosaic tiles"),
        ("wondering about the mosaic", "sweep up broken tiles"),
    ),
    "online-chess": (
        ("play online chess", "playing chess on\u2010line", "play in the chess tournament"),
        ("reading about online chess", "play chess"),
    ),
    "online-cooking": (
        ("follow the online cooking class", "cooking along online", "take a cooking-class"),
        ("getting ready for the cooking class", "cook supper"),
    ),
    "online-book-circle": (
        ("join the online book-circle", "discussing the book online", "attend the book circle"),
        ("instead of the book circle read alone", "read a book"),
    ),
    "online-languages": (
        ("exchange languages", "joining the on-line language exchange", "language-exchange"),
        ("tell Pilar about the language exchange", "study a language"),
    ),
    "online-stretching": (
        ("stretch online", "doing online stretches", "follow the stretching-class"),
        ("not attending the stretching class", "stretch in bed"),
    ),
    "picture-wire": (
        ("collect the picture wire", "picking up the picture-wire", "fetch wire for the pictures"),
        ("forgetting the picture wire", "hang a picture"),
    ),
    "honey": (
        ("buy honey", "buying six honey-jars", "handing over the jars of honey"),
        ("ask Suresh about the honey", "tell Nkechi of the honey"),
    ),
    "dressings": (
        ("pick up the dressings", "fetching the parcel of dressings", "deliver dressings"),
        ("waiting for the dressings", "dress in the morning"),
    ),
    "soldering-iron": (
        ("fetch the soldering-iron", "bringing back the soldering iron", "collect soldering irons"),
        ("talk to Huw about the soldering iron", "mend the iron"),
    ),
    "flood-charts": (
        (
            "fetch the flood chart",
            "handing in the flood-charts",
            "collect the charts of the floods",
        ),
        ("reading about the flood charts", "draw a chart"),
    ),
}

every_template = pytest.mark.parametrize(
    "template", own_templates().template, ids=lambda template: template.id
)


def counting(template: Template) -> list[Callable[[str], bool]]:
    """The filter of the task, or of each errand."""
    if template.errands:
        return [Keywords(one.keywords).done for one in template.errands]
    keywords = Keywords(template.keywords)
    return [keywords.met_for if template.type == "appointment" else keywords.done]


@every_template
def test_natural_wordings_of_the_action_count(template: Template) -> None:
    for counts in counting(template):
        for text in WORDINGS[template.id][0]:
            assert counts(text), text


@every_template
def test_what_is_no_taking_part_in_it_does_not_count(template: Template) -> None:
    for counts in counting(template):
        for text in WORDINGS[template.id][1]:
            assert not counts(text), text
