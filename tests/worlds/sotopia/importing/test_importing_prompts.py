"""The authors' prompts as a set, from a package's sources as data; here one of our wording."""

from __future__ import annotations

import asyncio
import json
import os
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from casts import seated
from fake_models import FakeModel
from small_package import PARALLEL, SOURCES
from sociolab.agents import PromptedPlayer
from sociolab.app import Import, import_prompts
from sociolab.core import (
    Action,
    ConfigError,
    Ended,
    Episode,
    Moved,
    NoReply,
    Reply,
    Request,
    Score,
    Task,
    Trial,
)
from sociolab.judging import LlmJudge
from sociolab.prompting import PromptSet, load_set, sets
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.importing import prompts


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "home"))
    for name, text in SOURCES.items():
        file = tmp_path / "package" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path / "package"


def imported(package: Path, name: str = "theirs", variant: str = "") -> PromptSet:
    import_prompts("sotopia", variant, Import(package, name, True, None))
    return load_set(sotopia.PACKAGE, name, sotopia.REQUIRED_TEMPLATES)


def casting(tie: sotopia.RelationshipType) -> sotopia.SceneCast:
    ida, bo = (
        sotopia.Character(
            id=first.lower(), first_name=first, last_name=last, gender="woman", pronouns="she/her",
            age=age, occupation="Cook", public_info=f"{first} likes rain.",
            personality=f"{first} is calm.",
            secret=f"{first} snores.",
        )
        for first, last, age in (("Ida", "Roe", 40), ("Bo", "Lund", 50))
    )  # fmt: skip
    scenario = sotopia.Scenario(
        id="s", family="other", context="Ours.",
        goals=(sotopia.Goal(text="One."), sotopia.Goal(text="Two.")),
        relationships=(tie,),
        published={
            "context": "Two <p viewer='environment'>old </p>cooks wait.",
            "goals": ("Go (<extra_info>Extra: soon</extra_info>)", "Stay"),
        },
    )  # fmt: skip
    pair = sotopia.Relationship(a="ida", b="bo", type=tie)
    return sotopia.SceneCast(scenario=scenario, characters=(ida, bo), relationships=(pair,))


MOVES = (
    Moved(0, "ida", (Action("speak", "Hm."),)),
    Moved(1, "bo", (Action("none"),)),
    Moved(2, "ida", (Action("physical action", "stands"),)),
)


def words(text: str) -> str:
    return " ".join(text.split())


def asked_of_bo(
    texts: PromptSet, tie: sotopia.RelationshipType, reply: str
) -> tuple[str, Reply | NoReply]:
    scene = sotopia.SotopiaScene(casting(tie), texts=texts, named=True)
    witness = scene.witness("bo")
    for move in MOVES:
        witness.see(move)
    model = FakeModel(reply)
    request = Request("t", 0, "bo", 3, 1, scene.space, witness.observe(3))
    found = asyncio.run(PromptedPlayer(model).reply(request, None))
    (message,) = model.calls[0][0].messages
    assert model.calls[0][0].schema is None
    return message.text, found


BO = "Bo Lund is 50, cook. Bo likes rain. Values: Bo is calm. Hides: Bo snores."


@pytest.mark.parametrize(
    ("tie", "ida"),
    [
        (sotopia.RelationshipType.STRANGER, ""),
        (sotopia.RelationshipType.ACQUAINTANCE, "Ida Roe is 40, cook. Ida likes rain."),
        (
            sotopia.RelationshipType.FRIEND,
            "Ida Roe is 40, cook. Ida likes rain. Values: Ida is calm.",
        ),
    ],
)
def test_a_player_reads_what_the_package_shows_in_its_order(
    package: Path, tie: sotopia.RelationshipType, ida: str
) -> None:
    text, _ = asked_of_bo(imported(package), tie, "{}")
    told, _, form = words(text).partition(" Form: ")
    assert told == (
        words(
            f"Be Bo Lund, please. The place: Scene: Two cooks wait. Cast: Ida Roe and Bo Lund "
            f"Ida Roe's story: {ida} Bo Lund's story: {BO} Ida Roe's aim: Not known "
            'Bo Lund\'s aim: Stay It begins: Turn #0: Ida Roe told: "Hm." Turn #1: '
            "Turn #2: Ida Roe [action] stands . Now comes turn 3: "
            "none speak non-verbal communication action leave."
        )
    )
    assert '"argument": {"description": "which words"' in form
    assert "Ida snores" not in text


def test_a_stranger_has_no_name_in_their_text_where_names_are_hidden(package: Path) -> None:
    scene = sotopia.SotopiaScene(
        casting(sotopia.RelationshipType.STRANGER), texts=imported(package)
    )
    told = words(scene.witness("bo").observe(0).head)
    assert f"Cast: {sotopia.STRANGER_LABEL} and Bo Lund" in told
    assert "Ida" not in told


def test_a_package_that_withholds_profiles_withholds_them(package: Path) -> None:
    file = package / "sotopia/envs/parallel.py"
    hides = '        b = [render_text_for_agent(bg, i) if j == i else "Withheld" for j, bg in a]\n'
    file.write_text(PARALLEL.replace("    def step", f"{hides}    def step"), "utf-8")
    text, _ = asked_of_bo(imported(package), sotopia.RelationshipType.FRIEND, "{}")
    assert f"Ida Roe's story: Withheld Bo Lund's story: {BO}" in words(text)


def test_a_reply_in_the_packages_form_is_read(package: Path) -> None:
    texts = imported(package)
    for reply, action in (
        ('{"action_type": "action", "argument": "sits"}', Action("physical action", "sits")),
        ('{"action_type": "leave", "argument": "bye"}', Action("leave")),
    ):
        _, found = asked_of_bo(texts, sotopia.RelationshipType.FRIEND, reply)
        assert isinstance(found, Reply)
        assert found.value == (action,)
    _, found = asked_of_bo(
        texts, sotopia.RelationshipType.FRIEND, '{"action": "speak", "text": "Hi."}'
    )
    assert isinstance(found, NoReply)


def played() -> Episode:
    task = Task(
        "t", ("ida", "bo"), "s", casting(sotopia.RelationshipType.STRANGER).model_dump_json(), ()
    )
    trial = Trial("e", "sotopia", task, (seated("ida", "m"), seated("bo", "m")), 0, 0)
    return Episode(trial, (*MOVES, Ended("turn limit", 2)))


SHEET = ", ".join(
    f'"{name}": ["why {name}", {score}]'
    for name, score in (
        ("believability", 9), ("relationship", -2), ("knowledge", 3), ("secret", 0),
        ("social_rules", -1), ("financial_and_material_benefits", 1), ("goal", 4),
    )
)  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        f'{{"agent_1_evaluation": {{{SHEET}}}, "agent_2_evaluation": {{{SHEET}}}}}',
        f'{{"evaluations": {{"agent_1": {{{SHEET}}}, "agent_2": {{{SHEET}}}}}}}',
    ],
)
def test_the_judge_reads_everything_and_its_reply_is_read(package: Path, reply: str) -> None:
    texts, model = imported(package), FakeModel(reply)
    verdicts = asyncio.run(LlmJudge(sotopia.SotopiaRubric(texts), model, 0.2).judge(played()))
    (message,) = model.calls[0][0].messages
    ida = "Ida Roe is 40, cook. Ida likes rain. Values: Ida is calm. Hides: Ida snores."
    assert words(message.text).startswith(
        "The place: Scene: Two old cooks wait. Cast: Ida Roe and Bo Lund "
        f"Ida Roe's story: {ida} Bo Lund's story: {BO} Ida Roe's aim: Go (Extra: soon) "
        'Bo Lund\'s aim: Stay Turn #1 Ida Roe told: "Hm." Turn #2 Turn #3 Ida Roe [action] '
        "stands, Now judge. {"
    )
    assert message.text.count("Look at goal. Then score.") == 1
    scores = {(v.seat, v.measure.name): v for v in verdicts if isinstance(v, Score)}
    assert len(scores) == 16
    assert (scores["bo", "financial"].value, scores["bo", "overall"].value) == (1, 2.0)
    assert scores["ida", "goal"].reason == "why goal"


def test_temperatures_names_and_the_closing_question_are_the_packages(package: Path) -> None:
    manifest = imported(package).manifest
    assert (manifest.temperature.agent, manifest.temperature.judge) == (0.4, 0.2)
    assert manifest.settings == {"names": "shown", "closing_question": False}


def test_a_wheel_and_an_sdist_are_the_same_set_as_the_folder(package: Path, tmp_path: Path) -> None:
    wheel, sdist = tmp_path / "sotopia.whl", tmp_path / "sotopia.tar.gz"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in SOURCES.items():
            archive.writestr(name, text)
    with tarfile.open(sdist, "w:gz") as packed:
        packed.add(package, "sotopia-9.9")
    assert len({imported(one).hash for one in (package, wheel, sdist)}) == 1
    assert sotopia.read_package(sdist).version == "9.9"


def test_the_plus_variant_has_its_own_dimensions(package: Path) -> None:
    assert "in bands" in imported(package, "p", "plus")["judge_body"].source
    assert "in bands" not in imported(package)["judge_body"].source


def standing(name: str = "theirs") -> str:
    return load_set(sotopia.PACKAGE, name, sotopia.REQUIRED_TEMPLATES).instructions().standing


def test_only_the_hash_says_that_a_set_is_the_authors(
    package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its own manifest may claim what it likes."""
    whole = imported(package)
    assert standing() == "unverified"
    manifest = tmp_path / "home/data/prompts-sotopia/theirs/manifest.toml"
    claimed = manifest.read_text("utf-8").replace('"unverified"', '"verified original"')
    manifest.write_text(claimed, "utf-8")
    assert standing() == "modified"
    monkeypatch.setattr(sets, "hashes_of_originals", lambda package: {whole.hash: "9.9"})
    assert standing() == "verified original"


def test_a_set_that_is_edited_is_modified(
    package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    known = {imported(package).hash: "9.9"}
    monkeypatch.setattr(sets, "hashes_of_originals", lambda package: known)
    monkeypatch.setattr(prompts, "hashes_of_originals", lambda package: known)
    imported(package)
    assert standing() == "verified original"
    tail = tmp_path / "home/data/prompts-sotopia/theirs/act_tail.md"
    tail.write_text(tail.read_text("utf-8").replace("Now comes", "Here is"), "utf-8")
    assert standing() == "modified"


def test_a_known_version_with_another_text_is_modified(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompts, "hashes_of_originals", lambda package: {"0": "9.8 9.9"})
    imported(package)
    assert standing() == "modified"


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("sotopia/envs/parallel.py", None, "found no sotopia/envs/parallel.py in it"),
        ("sotopia/envs/parallel.py", "def (", "is no Python that can be read"),
        (
            "sotopia/generation_utils/generate.py",
            "x = 1",
            "expected a function or class agenerate_action",
        ),
        ("sotopia/envs/evaluators.py", "x = 1", "expected a judge's template with {history}"),
    ],
)
def test_what_is_no_such_package_is_refused_and_leaves_nothing(
    package: Path, tmp_path: Path, file: str, text: str | None, told: str
) -> None:
    if text is None:
        (package / file).unlink()
    else:
        (package / file).write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=re.escape(told)):
        imported(package)
    assert not (tmp_path / "home/data/prompts-sotopia/theirs").exists()


def test_unknown_variants_worlds_and_names_are_refused(package: Path) -> None:
    for world, name, variant, told in (
        ("sotopia", "x", "minus", 'expected plus, found "minus"'),
        ("anteval-intention", "x", "", 'found "anteval-intention"'),
        ("sotopia", "paper", "", "is a set of this package"),
    ):
        with pytest.raises(ConfigError, match=re.escape(told)):
            import_prompts(world, variant, Import(package, name, False, None))


def stored(name: str, goal: str, *, old: bool = False) -> str:
    """A line of a file of episodes, as its judge was told it."""
    first = name.split()[0]
    told = (
        "Prompt after formatting:\nThe interaction:\nScenario: Two cooks wait.\n"
        f"Participants: {name} and Bo Lund\n"
        f"{name}'s background: {name} is a 40-year-old female cook. She/her pronouns. "
        f"{first} likes rain. Personality and values description: {first} is calm. "
        f"{first}'s secrets: {first} snores.\n"
        "Bo Lund's background: Bo Lund is a 50-year-old female cook. She/her pronouns. "
        "Bo likes rain. Personality and values description: Bo is calm. Bo's secrets: Bo hums.\n"
        f"{name}'s goal: {goal}\nBo Lund's goal: Stay\n"
        f'Turn #1\n{name} said: "Hm {{}}."\nTurn #2\nBo Lund left the conversation,'
    )
    told = told.replace("The interaction", "The other interaction") if old else told
    row = {"pk": name, "models": ["e", "m", "m"], "tag": "t", "rewards_prompt": told}
    return json.dumps(row) + "\n"


def test_the_layout_of_stored_contexts_becomes_a_set(package: Path, tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    people = [("Ida Roe", "Go"), ("Ann Day", "Run"), ("Eve Fox", "Sit")]
    file.write_text("".join(stored(*one) for one in people) + stored("Flo Ray", "Eat", old=True))
    told = import_prompts("sotopia", "", Import(file, "theirs", True, None))
    assert told[0].startswith("the layout of 3 of 4 stored contexts")
    texts = load_set(sotopia.PACKAGE, "theirs", sotopia.REQUIRED_TEMPLATES)
    assert texts.instructions().standing == "unverified"
    first = sotopia.import_episodes(file).episodes[0]
    system, message = sotopia.SotopiaRubric(texts).prompt(first, 0.0)[0].messages
    wanted = json.loads(stored(*people[0]))["rewards_prompt"].partition(":\n")[2].rstrip(",")
    assert message.text == f"{wanted}\n\nperson_1: Ida Roe\nperson_2: Bo Lund"
    assert system.text == sotopia.SotopiaRubric().prompt(first, 0.0)[0].messages[0].text


def test_contexts_without_a_common_template_are_refused(package: Path, tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    file.write_text(stored("Ida Roe", "Go") + stored("Flo Ray", "Eat", old=True))
    with pytest.raises(ConfigError, match="expected contexts of judges with a common template"):
        import_prompts("sotopia", "", Import(file, "theirs", True, None))


REAL = Path(os.environ.get("SOCIOLAB_SOTOPIA_WHEEL", "none"))


def test_the_real_package_tells_public_episodes_as_their_judge_was_told(
    package: Path, public: Path
) -> None:
    if not REAL.is_file():
        pytest.skip("SOCIOLAB_SOTOPIA_WHEEL names no wheel of the public package")
    texts = imported(REAL)
    assert texts.instructions().standing == "verified original"
    rubric, equal = sotopia.SotopiaRubric(texts), 0
    file = public / "episodes" / "sotopia_pi_human_eval_episodes.jsonl"
    told = [json.loads(line)["rewards_prompt"] for line in file.read_text("utf-8").splitlines()]
    for stored, episode in zip(told, sotopia.import_episodes(file).episodes, strict=True):
        (message,) = rubric.prompt(episode, 0)[0].messages
        wanted = words(stored).removeprefix("Prompt after formatting: ")
        equal += words(message.text).startswith(wanted.strip().rstrip(", "))
    # Of 110 in this layout; in the others the importer mended a quirk (a label twice, a blank).
    assert equal >= 93, f"{equal} of {len(told)}"
