"""What a model writes: sessions, their characters, their knowledge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from anteval_cases import KNOWN
from fake_models import FakeModel
from sociolab.core import CallKey, ConfigError, ModelError, ReplyError
from sociolab.engine import WorldSetup
from sociolab.plugin.api import Author
from sociolab.prompting import PromptSet
from sociolab.worlds import anteval
from sociolab.worlds.anteval import writing
from sociolab.worlds.anteval.session import Reserve
from sociolab.worlds.anteval.writing import write_character, write_knowledge, write_sessions

# ---------- sessions that a model writes: what changes, what stays, what is left out, the folder


SMALL = anteval.InformationSettings(sessions=3, facts=3, players=2)


class Writers:
    """Stands in for the two writers of the model; fails where it is told to."""

    def __init__(self, *, fails: dict[str, Exception] | None = None) -> None:
        self.keys: list[CallKey] = []
        self.taken: list[Sequence[str]] = []
        self._fails = fails or {}

    async def character(
        self,
        author: Author,
        texts: PromptSet,
        drawn: anteval.PartyMember,
        key: CallKey,
        taken: Sequence[str],
    ) -> anteval.PartyMember:
        self.keys.append(key)
        self.taken.append(tuple(taken))
        if key.trial in self._fails:
            raise self._fails[key.trial]
        name = f"{'ABCD'[len(taken)]}a {key.trial}"
        return drawn.model_copy(update={"name": name, "description": "Written."})

    async def knowledge(
        self,
        author: Author,
        texts: PromptSet,
        situation: str,
        npc: str,
        count: int,
        key: CallKey,
        reserves: Sequence[str],
    ) -> tuple[anteval.Fact, ...]:
        assert not reserves
        self.keys.append(key)
        assert npc.startswith("Ca")  # as the model called it
        assert npc in situation
        return tuple(
            fact.model_copy(update={"text": f"{fact.text} {key.trial}"}) for fact in KNOWN[:count]
        )


@pytest.fixture
def writers(monkeypatch: pytest.MonkeyPatch) -> Writers:
    return _patched(monkeypatch, Writers())


def _patched(monkeypatch: pytest.MonkeyPatch, writers: Writers) -> Writers:
    monkeypatch.setattr(writing, "write_character", writers.character)
    monkeypatch.setattr(writing, "write_knowledge", writers.knowledge)
    return writers


def test_written_sessions_can_be_played(writers: Writers, tmp_path: Path) -> None:
    drawn = SMALL.draw(4)
    folder = tmp_path / "new"
    told: list[str] = []
    written = asyncio.run(
        write_sessions(Author(FakeModel()), anteval.paper_prompts(), folder, drawn, told.append)
    )
    assert written.failures == ()
    assert told == [f"{done} of 3 sessions are done" for done in (1, 2)]
    for one, before in zip(written.sessions, drawn.all(), strict=True):
        assert one.id == before.id
        assert {character.description for character in one.characters} == {"Written."}
        assert [c.flaw for c in one.characters] == [c.flaw for c in before.characters]
        assert one.npc.name in one.situation
    kit = anteval.load_information(WorldSetup(folder))
    assert [task.id for task in kit.world.tasks()] == [one.id for one in written.sessions]


def test_the_decoys_are_the_knowledge_of_the_next_session_round_and_round(
    writers: Writers, tmp_path: Path
) -> None:
    found = asyncio.run(
        write_sessions(Author(FakeModel()), anteval.paper_prompts(), tmp_path, SMALL.draw(4), print)
    ).sessions
    assert [one.decoys for one in found] == [
        found[1].knowledge,
        found[2].knowledge,
        found[0].knowledge,
    ]


def test_each_call_has_a_key_of_its_own_and_names_are_told_apart(
    writers: Writers, tmp_path: Path
) -> None:
    asyncio.run(
        write_sessions(Author(FakeModel()), anteval.paper_prompts(), tmp_path, SMALL.draw(4), print)
    )
    assert len(set(writers.keys)) == len(writers.keys) == 3 * 4
    assert {key.role for key in writers.keys} == {"writer"}
    assert {len(taken) for taken in writers.taken} == {0, 1, 2}


def test_sessions_about_intentions_have_no_knowledge_to_write(
    writers: Writers, tmp_path: Path
) -> None:
    drawn = anteval.IntentionSettings(sessions=2, players=2, none=0).draw(4)
    found = asyncio.run(
        write_sessions(Author(FakeModel()), anteval.paper_prompts(), tmp_path, drawn, print)
    ).sessions
    assert {key.name for key in writers.keys} == {"character"}
    assert [one.intentions for one in found] == [one.intentions for one in drawn.all()]


def test_a_session_without_a_usable_reply_is_left_out_and_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fails: dict[str, Exception] = {
        "information-4-0000": ReplyError("expected a name, found none", raw=""),
        "information-4-0002": ModelError("no reply in time", cause="timeout"),
    }
    _patched(monkeypatch, Writers(fails=fails))
    written = asyncio.run(
        write_sessions(Author(FakeModel()), anteval.paper_prompts(), tmp_path, SMALL.draw(4), print)
    )
    assert [one.id for one in written.sessions] == ["information-4-0001"]
    assert written.failures == (
        "information-4-0000: expected a name, found none",
        "information-4-0002: no reply in time",
    )
    assert written.sessions[0].decoys == SMALL.draw(4).all()[1].decoys


def test_a_fatal_error_writes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fatal = ModelError("no key", cause="credentials", fatal=True)
    _patched(monkeypatch, Writers(fails={"information-4-0001": fatal}))
    with pytest.raises(ModelError, match="no key"):
        asyncio.run(
            write_sessions(
                Author(FakeModel()), anteval.paper_prompts(), tmp_path, SMALL.draw(4), print
            )
        )
    assert not (tmp_path / "sessions.jsonl").exists()


def test_a_folder_that_holds_sessions_is_not_overwritten(writers: Writers, tmp_path: Path) -> None:
    (tmp_path / "sessions.jsonl").write_text("mine")
    with pytest.raises(ConfigError, match=r"sessions\.jsonl exists already"):
        asyncio.run(
            write_sessions(
                Author(FakeModel()), anteval.paper_prompts(), tmp_path, SMALL.draw(4), print
            )
        )
    assert writers.keys == []


# --- a model writes a character; what it gets wrong it is told, and a hopeless reply is an error


KEY = CallKey("session-1", "writer", "player-1", 0, "write", 1)
DRAWN = anteval.draw_party(0, 0, 1)[0].model_copy(
    update={"race": "Half-Elf", "class_name": "Bard", "pronouns": "she/her"}
)
PROSE = "She is a half-elf bard who once kept a ferry. " + "She hums when it rains at night. " * 6


def writing_of(
    name: str = "Orsel Quay", look: str = "A tall half-elf.", description: str = PROSE
) -> str:
    return json.dumps({"name": name, "look": look, "description": description})


def written(model: FakeModel, *taken: str) -> anteval.PartyMember:
    return asyncio.run(write_character(Author(model), anteval.paper_prompts(), DRAWN, KEY, taken))


def problem_told(model: FakeModel) -> str:
    return model.calls[1][0].messages[-1].text


def test_name_look_and_description_are_the_models_and_the_traits_stay() -> None:
    got = written(FakeModel(writing_of(name=" Orsel\nQuay ")))
    assert (got.name, got.look, got.description) == (
        "Orsel Quay", "A tall half-elf.", PROSE.strip()
    )  # fmt: skip
    changed = {"name", "look", "description"}
    assert got.model_dump(exclude=changed) == DRAWN.model_dump(exclude=changed)


def test_the_model_reads_every_trait_and_who_is_taken_but_not_the_drawn_name() -> None:
    model = FakeModel(writing_of())
    written(model, "Bruldin Ironhand", "Tobkin")
    head, sheet = (message.text for message in model.calls[0][0].messages)
    for trait in (*DRAWN.personality, DRAWN.ideal, DRAWN.bond, DRAWN.flaw, DRAWN.goal):
        assert trait in sheet
    assert "first names that are taken: Bruldin, Tobkin" in sheet
    assert DRAWN.first_name not in head + sheet
    assert "90 to 180 words" in head
    assert model.calls[0][1] == KEY


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (writing_of(name="  "), "name: expected a name, found none"),
        (
            writing_of(name="bruldin of Tarn"),
            'expected a first name that is not taken, found "brul',
        ),
        (writing_of(name="Orsel " * 20), "name: expected at most 60 characters, found 119"),
        (writing_of(look=""), "look: expected one sentence of at most 60 words, found 0"),
        (writing_of(look="A half-elf. " * 31), "at most 60 words, found 62"),
        (writing_of(description="She is a half-elf bard."), "expected 40 to 250 words, found 5"),
        (writing_of(description=PROSE * 6), "expected 40 to 250 words, found 312"),
        (
            writing_of(description=PROSE.replace("half-elf", "elf")),
            'expected it to have "Half-Elf"',
        ),
        (writing_of(description=PROSE.replace("bard", "singer")), 'expected it to have "Bard"'),
        (
            writing_of(description=PROSE.replace("She", "He")),
            "expected it to have the pronouns she/her",
        ),
    ],
)
def test_what_a_reply_lacks_is_told_and_the_next_one_is_taken(reply: str, problem: str) -> None:
    model = FakeModel(reply, writing_of())
    assert written(model, "Bruldin Ironhand").name == "Orsel Quay"
    assert problem in problem_told(model)


def test_pronouns_of_the_character_count_in_any_form() -> None:
    prose = PROSE.replace("She", "Somebody") + " All this was hers."
    assert written(FakeModel(writing_of(description=prose))).description == prose


def test_a_reply_that_never_will_do_is_an_error_that_says_what_it_lacks() -> None:
    model = FakeModel(writing_of(), "no JSON", writing_of(name=""), writing_of())
    with pytest.raises(ReplyError, match="name: expected a name, found none") as caught:
        written(model, "Orsel Other")
    assert len(model.calls) == 3
    assert json.loads(caught.value.raw)["name"] == ""


def test_a_call_that_fails_for_good_passes_through() -> None:
    with pytest.raises(ModelError, match="no key"):
        written(FakeModel(ModelError("no key", cause="credentials", fatal=True)))


# ---------- facts written by a model: our ids, and a complaint for what will not do


KNOWLEDGE_KEY = CallKey("s", "writer", "npc", 0, "knowledge", 1)
AXE: dict[str, object] = {
    "kind": "weapon",
    "subject": "the axe Zorvath",
    "text": "The axe Zorvath was forged by Peldrin.",
}
BELL: dict[str, object] = {
    "kind": "magic item",
    "subject": "the Imrath bell",
    "text": "The Imrath bell is not woken by rain.",
}


def reply(*facts: dict[str, object]) -> str:
    return json.dumps({"facts": facts})


def write(
    model: FakeModel, count: int = 2, reserves: Sequence[Reserve] = ()
) -> tuple[anteval.Fact, ...]:
    given = ("A cellar.", "Wenna Moor", count, KNOWLEDGE_KEY, reserves)
    return asyncio.run(write_knowledge(Author(model), anteval.paper_prompts(), *given))


def test_a_good_reply_becomes_facts_with_our_ids() -> None:
    model = FakeModel(reply(AXE, BELL))
    first, second = write(model)
    assert first == anteval.Fact(
        id="F1",
        kind="weapon",
        text="The axe Zorvath was forged by Peldrin.",
        names=("the axe Zorvath",),
    )
    assert (second.id, second.kind) == ("F2", "magic item")
    prompt, _ = model.calls[0]
    assert "A cellar." in prompt.messages[1].text
    assert (
        "what Wenna Moor, a non-player character, knows and nobody else does: 2 facts"
        in prompt.messages[1].text
    )


FALSE_AXE = AXE | {"falsehood": "The axe Zorvath was forged by nobody."}
FALSE_BELL = BELL | {"falsehood": "The Imrath bell is woken by rain."}


def test_for_an_npc_with_a_reserve_falsehoods_are_written_too() -> None:
    model = FakeModel(reply(FALSE_AXE, BELL | {"falsehood": " "}), reply(FALSE_AXE, FALSE_BELL))
    first, second = write(model, reserves=("trust", "falsely"))
    assert (first.reserve, first.falsehood) == ("trust", "")
    assert (second.reserve, second.falsehood) == ("falsely", "The Imrath bell is woken by rain.")
    assert second.names == ("the Imrath bell",)
    assert "falsehood: one sentence" in model.calls[0][0].messages[1].text
    assert "fact 2: expected a falsehood beside the text" in problem_told(model)
    plain = FakeModel(reply(AXE, BELL))
    write(plain)
    assert "falsehood" not in plain.calls[0][0].messages[1].text


def test_a_written_session_with_a_reserve_keeps_what_wins_the_npcs_trust(tmp_path: Path) -> None:
    drawn = anteval.InformationSettings(sessions=1, players=1, facts=2, reserve=True).draw(4)
    people = drawn.all()[0].characters
    characters = [
        json.dumps({"name": f"{name} Quay", "look": "Tall.", "description": f"{who} " * 30})
        for name, who in zip(
            ("Orsel", "Bruna"),
            (f"{c.race} {c.class_name} {c.pronouns.split('/')[0]}" for c in people),
            strict=True,
        )
    ]
    model = FakeModel(*characters, reply(FALSE_AXE, FALSE_BELL))
    write_now = write_sessions(Author(model), anteval.paper_prompts(), tmp_path, drawn, print)
    (written,) = asyncio.run(write_now).sessions
    assert written.trust == drawn.all()[0].trust
    assert written.mystery is None
    assert [fact.text for fact in written.knowledge] == [AXE["text"], BELL["text"]]
    assert anteval.read_sessions(tmp_path, "information").sessions == (written,)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (reply(AXE), "expected 2 facts, found 1"),
        (reply(AXE, AXE), 'expected a subject of its own, found "the axe Zorvath" again'),
        (reply(AXE, {**BELL, "text": " "}), "fact 2: expected a subject and a text"),
        (reply(AXE, {**BELL, "text": "Rain does not wake it."}), "names its subject"),
    ],
)
def test_a_reply_that_will_not_do_is_sent_back(bad: str, problem: str) -> None:
    model = FakeModel(bad, reply(AXE, BELL))
    assert len(write(model)) == 2
    prompt, _ = model.calls[1]
    assert problem in prompt.messages[-1].text


def test_after_three_bad_replies_it_gives_up() -> None:
    with pytest.raises(ReplyError, match="expected 2 facts, found 1"):
        write(FakeModel(reply(AXE), reply(AXE), reply(AXE)))
