"""A key is looked for everywhere: in the store's bytes, on the screen, in pages and exports."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from bundles import text_of
from cli.conftest import Done, Sociolab
from sociolab.store import Store

CANARY = "Canary/7f3a+91c2d5e8b604=Zq"
VARIABLE = "LAB_CANARY"
"""Its name does not look like that of a key."""

FORMS = (CANARY, quote(CANARY, safe=""), CANARY.replace("/", "\\/"), CANARY[:12])

PLUGIN = """
import os
from sociolab.core.episode import Action
from sociolab.core.ports import Reply
from sociolab.core.score import JudgeId, Measure, Score

KEY = os.environ["LAB_CANARY"]

class Raises:
    async def reply(self, request, memory):
        raise ValueError(f"401 for {KEY}")

class Tells:
    async def reply(self, request, memory):
        return Reply((Action("speak", f"My key is {KEY}, friend."),), memory={"key": KEY})

class Prints:
    async def reply(self, request, memory):
        print("asked with", KEY)
        return Reply((Action("leave", ""),))

class Takes:
    def __init__(self, api_key="", api_key_env=""):
        self.key = api_key or os.environ[api_key_env]
    async def reply(self, request, memory):
        raise ValueError(f"401 for {self.key}")

class Judge:
    id = JudgeId("canary", "rules")
    async def judge(self, episode, judging=0):
        return (Score(Measure("x", 0, 1), None, 1, f"by {KEY}"),)

class Fails(Judge):
    async def judge(self, episode, judging=0):
        raise OSError(f"no access with {KEY}")
"""


class Echo(BaseHTTPRequestHandler):
    """Repeats the key that it is sent, in the way that the first part of the path names."""

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        sent = self.rfile.read(length).decode()
        key = self.headers.get("authorization", "").removeprefix("Bearer ")
        way = self.path.split("/")[1]
        key = key or self.headers.get("x-lab", "") or self.headers.get("x-api-key", "")
        status, body = WAYS_OF_SERVERS[way](key, sent)
        if self.path.endswith("/messages"):
            body = as_message(body)
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def as_message(body: bytes) -> bytes:
    """A completion as Anthropic's Messages have it; anything else as it is."""
    try:
        said = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, KeyError):
        return body
    return json.dumps({"content": [{"type": "text", "text": said}], "usage": {}}).encode()


def says(text: str) -> tuple[int, bytes]:
    reply = {"choices": [{"message": {"content": f"speak: {text}"}, "finish_reason": "stop"}],
             "usage": {"prompt_tokens": 10, "completion_tokens": 5}}  # fmt: skip
    return 200, json.dumps(reply).encode()


def refuses(status: int, text: str) -> tuple[int, bytes]:
    return status, json.dumps({"error": {"message": f"bad key {text}"}}).encode()


WAYS_OF_SERVERS: Mapping[str, Callable[[str, str], tuple[int, bytes]]] = {
    "good-reply": lambda key, _: says(f"you sent {key}"),
    "other-case": lambda key, _: says(f"you sent {key.upper()}"),
    "prefix": lambda key, _: says(f"you sent {key[:14]}..."),
    "percent": lambda key, _: says(f"you sent {quote(key, safe='')}"),
    "escaped": lambda key, _: (200, says(key)[1].replace(b"/", b"\\/")),
    "401": lambda key, _: refuses(401, key),
    "400": lambda key, _: (400, refuses(400, key)[1].replace(b"/", b"\\/")),
    "no-json": lambda key, _: (500, f"<p>{key}</p>".encode()),
    "whole-request": lambda _, sent: says(f"you sent {json.loads(sent).get('api_key')}"),
    "names-option": lambda _, sent: refuses(400, f"`api_key` {json.loads(sent).get('api_key')}"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as found:
        thread = threading.Thread(target=found.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{found.server_port}"
        found.shutdown()
        thread.join()


@dataclass(frozen=True)
class Lab:
    """A folder with what the ways need: a plugin, and a models.toml."""

    folder: Path
    server: str
    sociolab: Sociolab

    def run(self, *words: object) -> Done:
        return self.sociolab(
            "run", "sotopia", "--limit", 1, "--set", "turns=4", "--partner", "scripted",
            "--name", "r", "--store", "s.db", *words, **{VARIABLE: CANARY},
        )  # fmt: skip

    def models(self, text: str) -> None:
        (self.folder / "models.toml").write_text(text, "utf-8")


Way = Callable[[Lab], Done]
WAYS: dict[str, Way] = {}


def way(made: Way) -> Way:
    WAYS[made.__name__] = made
    return made


for _name in ("good-reply", "other-case", "prefix", "percent", "escaped", "401", "400", "no-json"):

    def _served(lab: Lab, name: str = _name) -> Done:
        lab.models("[endpoints.openai]\ntries = 2\n")
        return lab.run(
            "--agent", "openai/m?dialect=plain", "--judge", "heuristic", "--attempts", 1,
            "--base-url", f"{lab.server}/{name}/v1", "--key-env", VARIABLE,
        )  # fmt: skip

    WAYS[f"a server repeats the key: {_name}"] = _served

for _name in ("good-reply", "escaped", "401", "no-json"):

    def _message(lab: Lab, name: str = _name) -> Done:
        lab.models(f"""
            [endpoints.anthropic]
            base_url = "{lab.server}/{name}/v1"
            key_env = "{VARIABLE}"
            tries = 2
            """)
        spec = "anthropic/m?dialect=plain"
        return lab.run("--agent", spec, "--judge", "heuristic", "--attempts", 1)

    WAYS[f"a server of Messages repeats the key: {_name}"] = _message

for _name in ("whole-request", "names-option"):

    def _with_option(lab: Lab, name: str = _name) -> Done:
        lab.models(f"""
            [endpoints.lab]
            base_url = "{lab.server}/{name}/v1"
            [options."lab/m"]
            extra = {{api_key = "{CANARY}", nested = {{token = "{CANARY}"}}}}
            """)
        return lab.run("--agent", "lab/m?dialect=plain", "--judge", "heuristic")

    WAYS[f"an option of models.toml: {_name}"] = _with_option


@way
def a_header_of_models_toml(lab: Lab) -> Done:
    lab.models(f"""
        [endpoints.lab]
        base_url = "{lab.server}/good-reply/v1"
        headers = {{x-lab = "${{{VARIABLE}}}"}}
        """)
    return lab.run("--agent", "lab/m?dialect=plain", "--judge", "heuristic")


for _name in ("Raises", "Tells", "Prints"):

    def _player(lab: Lab, name: str = _name) -> Done:
        spec = f"python:canary:{name}"
        done = lab.run("--agent", spec, "--judge", "heuristic", "--key-env", VARIABLE)
        assert done.code in (0, 1), done.err
        return done

    WAYS[f"a player of one's own: {_name}"] = _player

for _name in ("Judge", "Fails"):

    def _judge(lab: Lab, name: str = _name) -> Done:
        done = lab.run("--judge", f"python:canary:{name}", "--key-env", VARIABLE)
        assert done.code in (0, 1), done.err
        return done

    WAYS[f"a judge of one's own: {_name}"] = _judge


SECRET_OPTIONS = {
    "python:canary:Takes": "the name of an environment variable, such as api_key_env=LAB_KEY",
    "openai/m": "its environment variable with --key-env",
    "scripted": "its environment variable with --key-env",
}

for _name, _advice in SECRET_OPTIONS.items():

    def _in_spec(lab: Lab, name: str = _name, advice: str = _advice) -> Done:
        done = lab.run("--agent", f"{name}?api_key={quote(CANARY, safe='')}", "--judge", "none")
        assert f'--agent {name}: "api_key" holds a secret, which does not' in done.sentence
        assert advice in done.sentence
        assert not (lab.folder / "s.db").exists()
        return done

    WAYS[f"an argument in a spec: {_name}"] = _in_spec


@way
def an_argument_that_names_the_variable(lab: Lab) -> Done:
    done = lab.run("--agent", f"python:canary:Takes?api_key_env={VARIABLE}", "--judge", "heuristic")
    assert done.code == 1, done.err
    return done


@way
def an_unknown_field_of_a_secret_name_in_models_toml(lab: Lab) -> Done:
    lab.models(f'[endpoints.lab]\nbase_url = "{lab.server}/401/v1"\napi_key = "{CANARY}"\n')
    return lab.run("--agent", "lab/m", "--judge", "none")


@way
def a_key_that_would_leave_in_clear(lab: Lab) -> Done:
    lab.models(f'[endpoints.lab]\nbase_url = "http://h.example/v1"\nkey_env = "{VARIABLE}"\n')
    done = lab.run("--agent", "lab/m", "--judge", "none")
    assert f"from the environment variable {VARIABLE}, and would send it unencrypted" in done.err
    return done


@way
def an_option_that_would_leave_in_clear(lab: Lab) -> Done:
    lab.models(f"""
        [endpoints.lab]
        base_url = "http://h.example/v1"
        [options."lab/m"]
        extra = {{api_key = "{CANARY}"}}
        """)
    done = lab.run("--agent", "lab/m", "--judge", "none")
    assert "a secret from its options in models.toml, and would send it" in done.sentence
    return done


@way
def a_password_in_the_address(lab: Lab) -> Done:
    done = lab.run(
        "--agent", "openai/m", "--judge", "none", "--base-url", f"http://me:{CANARY}@h/v1"
    )
    assert "an address holds no password or key" in done.sentence
    return done


@way
def a_user_in_the_address(lab: Lab) -> Done:
    plain = CANARY.replace("/", "-")
    done = lab.run("--agent", "openai/m", "--judge", "none", "--base-url", f"http://{plain}@h/v1")
    assert plain not in done.err
    return done


@way
def a_key_in_the_query_of_the_address(lab: Lab) -> Done:
    url = f"http://h/v1?api_key={CANARY}"
    return lab.run("--agent", "openai/m", "--judge", "none", "--base-url", url)


@way
def an_address_of_models_toml(lab: Lab) -> Done:
    plain = CANARY.replace("/", "-")
    lab.models(f'[endpoints.lab]\nbase_url = "http://me:{plain}@h/v1"\n')
    done = lab.run("--agent", "lab/m", "--judge", "none")
    assert plain not in done.err
    return done


@way
def a_key_in_the_place_of_its_variable(lab: Lab) -> Done:
    done = lab.run("--agent", "openai/m", "--judge", "none", "--key-env", CANARY)
    assert "to name the environment variable" in done.sentence
    return done


@way
def a_key_in_the_place_of_its_variable_in_models_toml(lab: Lab) -> Done:
    lab.models(f'[endpoints.lab]\nbase_url = "{lab.server}/401/v1"\nkey_env = "{CANARY}"\n')
    return lab.run("--agent", "lab/m", "--judge", "none")


@way
def a_field_of_the_wrong_kind(lab: Lab) -> Done:
    lab.models(f'[endpoints.lab]\nkey_env = "{VARIABLE}"\ntries = "sk-7f3a91c2d5e8"\n')
    done = lab.run("--agent", "lab/m", "--judge", "none")
    assert "tries" in done.sentence
    assert "sk-7f" not in done.err
    return done


@contextmanager
def nothing_found(what: str, data: bytes) -> Iterator[None]:
    low = data.lower()
    found = [form for form in FORMS if form.lower().encode() in low]
    assert not found, (what, found, low[max(0, low.find(found[0].lower().encode()) - 200) :][:300])
    yield


@pytest.mark.parametrize("name", WAYS)
def test_no_key_is_stored_shown_or_written(
    name: str, sociolab: Sociolab, server: str, tmp_path: Path
) -> None:
    (tmp_path / "canary.py").write_text(PLUGIN, "utf-8")
    done = WAYS[name](Lab(tmp_path, server, sociolab))
    found: dict[str, bytes] = {"out": done.out.encode(), "err": done.err.encode()}
    store = tmp_path / "s.db"
    if store.exists():
        found |= {one.name: one.read_bytes() for one in tmp_path.glob("s.db*") if one.is_file()}
        with Store.open(store) as opened:
            trials = opened.trial_ids("r")
        for words in (
            ("report", "r", "--html", "r.html"), ("report", "r", "--json"),
            ("export", "r", "r.zip"), ("show", trials[0]), ("list", "runs", "--json"),
        ):  # fmt: skip
            told = sociolab(*words, "--store", "s.db")
            assert told.code in (0, 1), told.err
            found[f"{words} out"], found[f"{words} err"] = told.out.encode(), told.err.encode()
        found |= {file: (tmp_path / file).read_bytes() for file in ("r.html", "r.zip")}
        found["what is in r.zip"] = text_of(tmp_path / "r.zip").encode()
    for what, data in found.items():
        with nothing_found(what, data):
            pass
    if done.code == 2:
        assert done.sentence
    else:
        assert any(b"[secret]" in data for data in found.values()), "the key was met with"


def test_a_key_among_the_options_is_sent_and_a_run_goes_on_with_it(
    sociolab: Sociolab, server: str, tmp_path: Path
) -> None:
    """It is no part of who the model is: neither a resumed run nor a new key makes it another."""
    lab = Lab(tmp_path, server, sociolab)
    done = WAYS["an option of models.toml: whole-request"](lab)
    assert done.code == 0, done.err
    with Store.open(tmp_path / "s.db") as store:
        assert "you sent [secret]" in str(store.events("r", store.trial_ids("r")[0]))
    models = (tmp_path / "models.toml").read_text("utf-8")
    lab.models(models.replace(CANARY, "another-key-0123456789"))
    again = lab.run("--agent", "lab/m?dialect=plain", "--judge", "heuristic", "--json")
    assert again.code == 0, again.err
    assert again.document["played"] == 2


RAISED = """
from sociolab.core.errors import ModelError, ReplyError, WorldError
from sociolab.core.score import JudgeId

KEY = "sk-canary7f3a91c2d5e8b604Zq"  # in the code itself, in no variable
ERRORS = {
    "ValueError": lambda text: ValueError(text),
    "ModelError": lambda text: ModelError(text, cause="refused"),
    "ReplyError": lambda text: ReplyError(text, raw=text),
    "WorldError": lambda text: WorldError(text),
}

class Player:
    def __init__(self, error):
        self.error = ERRORS[error]
    async def reply(self, request, memory):
        raise self.error(f"401 for {KEY} at the lab")

class Judge(Player):
    id = JudgeId("canary", "rules")
    async def judge(self, episode, judging=0):
        raise self.error(f"401 for {KEY} at the lab")
"""


@pytest.mark.parametrize("error", ["ValueError", "ModelError", "ReplyError", "WorldError"])
@pytest.mark.parametrize("role", ["agent", "judge"])
def test_a_key_in_an_error_of_own_code_is_neither_stored_nor_shown(
    role: str, error: str, sociolab: Sociolab, tmp_path: Path
) -> None:
    (tmp_path / "canary.py").write_text(RAISED, "utf-8")
    spec = f"python:canary:{'Player' if role == 'agent' else 'Judge'}?error={error}"
    other = ("--judge", "heuristic") if role == "agent" else ()
    done = Lab(tmp_path, "", sociolab).run(f"--{role}", spec, *other)
    assert done.code == 1, done.err
    found = {one.name: one.read_bytes() for one in tmp_path.glob("s.db*") if one.is_file()}
    for what, data in {**found, "out": done.out.encode(), "err": done.err.encode()}.items():
        assert b"sk-canary" not in data, what
    assert "401 for [secret] at the lab" in done.out


# ------------------------------------------------------------------ where keys go


def notes(done: Done) -> list[str]:
    return [line for line in done.err.splitlines() if line.startswith("key")]


def test_a_run_names_the_file_and_the_address_that_get_a_key(
    sociolab: Sociolab, server: str, tmp_path: Path
) -> None:
    lab = Lab(tmp_path, server, sociolab)
    lab.models(f"""
        [endpoints.lab]
        base_url = "{server}/good-reply/v1"
        key_env = "{VARIABLE}"
        [endpoints.other]
        base_url = "{server}/good-reply/v1"
        headers = {{x-lab = "${{{VARIABLE}}}", x-more = "${{MORE}}"}}
        [endpoints.free]
        base_url = "{server}/good-reply/v1"
        """)
    agents = [
        word for name in ("lab", "other", "free") for word in ("--agent", f"{name}/m?dialect=plain")
    ]
    more = "another-key-0123456789"
    done = sociolab(
        "run", "sotopia", "--limit", 1, "--set", "turns=2", "--partner", "scripted", "--judge",
        "none", "--store", "s.db", *agents, **{VARIABLE: CANARY, "MORE": more},
    )  # fmt: skip
    assert done.code == 0, done.err
    where = f"to {server}/good-reply/v1 (models.toml in this folder)"
    assert notes(done) == [f"key {VARIABLE} goes {where}", f"keys {VARIABLE}, MORE go {where}"]


def test_a_key_for_openai_that_goes_elsewhere_is_named_with_what_says_so(
    sociolab: Sociolab, server: str, tmp_path: Path
) -> None:
    lab, url = Lab(tmp_path, server, sociolab), f"{server}/good-reply/v1"
    agent = ("--agent", "openai/m?dialect=plain", "--judge", "heuristic")
    by_flag = lab.run(*agent, "--base-url", url, "--key-env", VARIABLE)
    assert notes(by_flag) == [f"key {VARIABLE} goes to {url} (--base-url)"]
    assert notes(lab.run(*agent, "--base-url", url, "--name", "no-key")) == []

    def by_environment(name: str, key: str) -> list[str]:
        return notes(
            sociolab(
                "run", "sotopia", "--limit", 1, "--set", "turns=2", "--partner", "scripted",
                "--store", "s.db", "--name", name, *agent, OPENAI_BASE_URL=url, OPENAI_API_KEY=key,
            )
        )  # fmt: skip

    assert by_environment("e", CANARY) == [f"key OPENAI_API_KEY goes to {url} (OPENAI_BASE_URL)"]
    assert by_environment("none", "none") == []
