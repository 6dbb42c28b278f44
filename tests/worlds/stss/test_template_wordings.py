"""What an agent may write for each of our own tasks: three wordings that its filter finds."""

from __future__ import annotations

import pytest

from sociolab.worlds import stss

# By template: what an agent may write.
WORDINGS: dict[str, tuple[str, ...]] = {
    "kite-evening": ("flying a kite", "join the kite evening", "help beginners with their kites"),
    "valley-quiz": (
        "take part in the quiz",
        "answering quiz questions",
        "play in Gwen\u2019s pub-quiz",
    ),
    "seed-swap": ("swapping seeds with neighbours", "attend the seed-swap", "exchange seeds"),
    "lantern-walk": (
        "walk with lanterns along the pond",
        "join the lantern\u2010walk",
        "carrying a lantern",
    ),
    "folk-dance": ("dance a folk dance", "enjoying the folk-dancing", "dancing to folk music"),
    "bread-tasting": ("tasting the breads", "taste bread blindfold", "go to the bread-tasting"),
    "pond-clean-up": ("clean up the pond", "cleaning up the pond", "join the pond cleanup"),
    "slide-show": ("watch the slideshow", "watching the slide-show", "looking at old photos"),
    "paper-bridges": (
        "building paper bridges",
        "fold a bridge out of paper",
        "join the bridge-contest",
    ),
    "first-aid": ("learn first aid", "attending the first\u2011aid course", "practising bandaging"),
    "railway-interview": (
        "interview about the railway",
        "interviewing Bela",
        "share memories of the railway",
    ),
    "duet-rehearsal": ("rehearse the duet", "playing duets", "discuss the duet with Jonah"),
    "club-ledger": (
        "review the ledger",
        "going through the club\u2019s ledger",
        "auditing the ledger",
    ),
    "portrait-sitting": (
        "sit for a portrait",
        "drawing Hana's portrait in charcoal",
        "portrait-sitting",
    ),
    "mock-examination": (
        "hold the mock exam",
        "taking a mock-examination",
        "discuss the practice exam",
    ),
    "five-a-side": (
        "play five-a-side",
        "playing five a side football",
        "a game of 5\u2010a\u2010side",
    ),
    "strawberry-tea": ("have strawberry tea", "eating strawberries", "enjoying the strawberry-tea"),
    "jam-session": ("jamming on guitar", "play in the jam-session", "jam together"),
    "dumplings": ("fold dumplings", "preparing dumplings with Linh", "enjoy the dumpling supper"),
    "mosaic": ("lay a mosaic", "work on the mosaics", "arranging mosaic tiles"),
    "online-chess": (
        "play online chess",
        "playing chess on\u2010line",
        "play in the chess tournament",
    ),
    "online-cooking": (
        "follow the online cooking class",
        "cooking along online",
        "take a cooking-class",
    ),
    "online-book-circle": (
        "join the online book-circle",
        "discussing the book online",
        "attend the book circle",
    ),
    "online-languages": (
        "exchange languages",
        "joining the on-line language exchange",
        "language-exchange",
    ),
    "online-stretching": (
        "stretch online",
        "doing online stretches",
        "follow the stretching-class",
    ),
    "picture-wire": (
        "collect the picture wire",
        "picking up the picture-wire",
        "fetch wire for the pictures",
    ),
    "honey": ("buy honey", "buying six honey-jars", "handing over the jars of honey"),
    "dressings": ("pick up the dressings", "fetching the parcel of dressings", "deliver dressings"),
    "soldering-iron": (
        "fetch the soldering-iron",
        "bringing back the soldering iron",
        "collect soldering irons",
    ),
    "flood-charts": (
        "fetch the flood chart",
        "handing in the flood-charts",
        "collect the charts of the floods",
    ),
}

every_template = pytest.mark.parametrize(
    "template", stss.own_templates().template, ids=lambda template: template.id
)


@every_template
def test_natural_wordings_of_the_action_count(template: stss.Template) -> None:
    for keywords in [one.keywords for one in template.errands] or [template.keywords]:
        for text in WORDINGS[template.id]:
            assert stss.Keywords(keywords).matches(text), text
