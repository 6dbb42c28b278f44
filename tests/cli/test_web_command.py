"""`sociolab web`: how one signs in, and what is refused."""

from __future__ import annotations

import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from cli.conftest import Sociolab, environment
from sociolab.core import Action, Moved
from sociolab.store import Store
from sociolab.studies import create_study, set_open
from study_samples import settings
from web_serving import TOKEN, free_port


@contextmanager
def started(folder: Path, *words: str, port: int, **variables: str) -> Iterator[str]:
    """`sociolab web` while it serves; all that it said until it was up."""
    command = [sys.executable, "-m", "sociolab", "web", *words, "--port", str(port)]
    with subprocess.Popen(
        [*command, "--store", str(folder / "store.db")],
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(folder), **variables},
        umask=0o022,
    ) as server:
        assert server.stderr is not None
        said = ""
        try:
            while not re.search(r"\?token=|sign in with|--no-token", said):
                line = server.stderr.readline()
                assert line, said
                said += line
            yield said
        finally:
            server.terminate()


def test_the_link_that_is_printed_signs_in(tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, port=port) as said:
        (link,) = re.findall(rf"http://127\.0\.0\.1:{port}/\?token=[\w-]{{20,}}", said)
        runs = f"http://127.0.0.1:{port}/runs"
        assert "/login" in requests.get(runs, timeout=20).url
        browser = requests.Session()
        assert browser.get(link, timeout=20).url == runs
        assert "/login" in requests.get(f"{link}x", timeout=20, allow_redirects=False).text
        assert (tmp_path / "store.db").stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "store.db-wal").stat().st_mode & 0o777 == 0o600
    with started(tmp_path, port=port) as again:
        assert link not in again
        assert "warning: other users of this machine can read" not in again


def test_a_person_of_a_closed_study_is_forgotten_while_the_app_runs(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    path, words, port = tmp_path / "store.db", b"quetzalcoatl", free_port()
    with Store.open(path) as store:
        create_study(store, "talks", settings(play={"limit": 1, "people": 1}))
        trial = store.trials("talks")[0].trial
        (seat, *_) = (one.seat for one in trial.cast if one.agent == "human")
        one, _ = (store.studies.add_participant("talks", name, None) for name in ("p-1", "p-2"))
        store.studies.set_progress(store.studies.assign(one, trial.id, seat, "open"), "done")
        store.append("talks", trial.id, Moved(0, seat, (Action("speak", words.decode()),)))
        store.set_status("talks", trial.id, "played")
        set_open(store, "talks", is_open=True)
    forget = ("study", "forget", "talks", "p-1", "--yes", "--store", path)
    with started(tmp_path, "--no-token", port=port):
        page = f"http://127.0.0.1:{port}/studies/talks"
        assert "p-1" in requests.get(page, timeout=20).text
        refused = sociolab(*forget)
        assert refused.code == 2
        assert "sociolab study close talks" in refused.sentence
        assert sociolab("study", "close", "talks", "--store", path).code == 0
        done = sociolab(*forget)
        assert done.code == 0, done.err
        shown = requests.get(page, timeout=20).text
        assert "p-2" in shown
        assert "p-1" not in shown
        site = f"http://127.0.0.1:{port}"
        for url in (f"{site}/runs/talks", f"{site}/runs/talks/{trial.id}"):
            assert words.decode() not in requests.get(url, timeout=20).text
        assert trial.id not in requests.get(f"{site}/search?q={words.decode()}", timeout=20).text
        files = (path, path.with_name("store.db-wal"))
        assert not any(words in file.read_bytes() for file in files)
        # The study goes on: who is left plays the trial that is planned again.
        assert sociolab("study", "open", "talks", "--store", path).code == 0
        assert sociolab("study", "close", "talks", "--store", path).code == 0
        assert sociolab("study", "delete", "talks", "--yes", "--store", path).code == 0


def test_a_token_of_ones_own_is_never_printed(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.touch(0o600)
    file.write_text(f"{TOKEN}\n")
    port = free_port()
    for words, variables, where in (
        (("--admin-token-file", str(file)), {}, str(file)),
        ((), {"SOCIOLAB_ADMIN_TOKEN": f" {TOKEN} "}, "SOCIOLAB_ADMIN_TOKEN"),
    ):
        with started(tmp_path, *words, port=port, **variables) as said:
            assert f"sign in with the admin token from {where}" in said
            assert TOKEN not in said
            found = requests.get(f"http://127.0.0.1:{port}/?token={TOKEN}", timeout=20)
            assert found.url.endswith("/runs")


def test_who_is_alone_needs_no_token_and_is_warned(tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, "--no-token", port=port, SOCIOLAB_ADMIN_TOKEN=TOKEN) as said:
        assert len(re.findall("warning: --no-token: .*is the researcher\n", said)) == 1
        assert requests.get(f"http://127.0.0.1:{port}/runs", timeout=20).url.endswith("/runs")


@pytest.mark.parametrize("where", [("--host", "0.0.0.0"), ("--public-url", "https://x.org")])
def test_without_a_token_nobody_else_can_reach_the_app(
    sociolab: Sociolab, where: tuple[str, str]
) -> None:
    refused = sociolab("web", "--no-token", *where)
    assert refused.code == 2
    assert "needs an admin token; leave out --no-token" in refused.sentence


@pytest.mark.parametrize(
    ("content", "mode", "sentence"),
    [
        (TOKEN, 0o644, "chmod 600"),
        (TOKEN, 0o640, "chmod 600"),
        (TOKEN, 0o620, "chmod 600"),
        ("", 0o600, "found 0 characters"),
        ("\0" * 40, 0o600, "found characters that cannot be printed"),
        ("\xff" * 40, 0o600, "expected text"),
    ],
)
def test_a_token_file_that_keeps_no_secret_is_refused(
    sociolab: Sociolab, tmp_path: Path, content: str, mode: int, sentence: str
) -> None:
    file = tmp_path / "my token"
    file.write_bytes(content.encode("latin-1"))
    file.chmod(mode)
    refused = sociolab("web", "--admin-token-file", str(file))
    assert refused.code == 2
    assert sentence in refused.sentence
    assert TOKEN not in refused.sentence
    if sentence == "chmod 600":
        assert refused.sentence.endswith(f"chmod 600 {shlex.quote(str(file))}")


def test_a_store_that_others_can_read_is_warned_about(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    store.touch()
    for mode in (0o640, 0o604):
        store.chmod(mode)
        with started(tmp_path, "--no-token", port=free_port()) as said:
            assert "warning: other users of this machine can read" in said
            assert f"chmod 600 {store}\n" in said


def test_a_port_that_is_taken_is_told_before_any_link(sociolab: Sociolab, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = sociolab("web", "--port", str(port), "--store", str(tmp_path / "other.db"))
    assert refused.code == 2
    assert f"cannot listen on 127.0.0.1, port {port} (Address already in use)" in refused.sentence
    assert "token=" not in refused.err
