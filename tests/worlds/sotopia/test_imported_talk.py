"""A conversation of another program as an episode: what is not known is said to be so."""

from __future__ import annotations

from sociolab.app import load_world, world_plugin
from sociolab.core import Action, Ended, Moved
from sociolab.plugin.api import TwoPartyTalk

TALK = TwoPartyTalk(
    id="t1",
    task="lab/flatmates",
    scene="",
    names=("Ada", "Ben"),
    agents=("", "lab/model"),
    lines=((0, "Could you pay $50 more?"), (1, "No."), (1, "$20 at most.")),
    repeat=2,
)


def test_each_line_is_a_turn_of_its_speaker() -> None:
    talk = world_plugin("sotopia").talk
    assert talk is not None
    episode = talk(TALK)
    ada, ben = episode.trial.task.seats
    assert episode.events[:3] == (
        Moved(0, ada, (Action("speak", "Could you pay $50 more?"),)),
        Moved(1, ben, (Action("speak", "No."),)),
        Moved(2, ben, (Action("speak", "$20 at most."),)),
    )
    assert isinstance(episode.ended, Ended)
    assert (episode.trial.id, episode.trial.repeat) == ("t1", 2)
    assert [m.agent for m in episode.trial.cast] == ["unknown model", "lab/model"]


def test_repeats_are_of_one_task_and_other_talks_are_not() -> None:
    talk = world_plugin("sotopia").talk
    assert talk is not None
    first, again, other = (
        talk(TwoPartyTalk(id, task, "", TALK.names, TALK.agents, TALK.lines)).trial.task
        for id, task in (("a", "one"), ("b", "one"), ("c", "two"))
    )
    assert first == again
    assert first.cluster != other.cluster


def test_a_transcript_says_what_is_not_known() -> None:
    plugin = world_plugin("sotopia")
    assert plugin.talk is not None
    shown = load_world("sotopia").world.transcript(plugin.talk(TALK))
    assert [line.who for line in shown.lines] == ["Ada", "Ben", "Ben"]
    assert "Not known." in dict(shown.scene).values()
