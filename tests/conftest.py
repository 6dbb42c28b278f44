"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from typing import Any

import pytest
from hypothesis import settings

# Workers share the processors: threads within one would wait for the others, and spin meanwhile.
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

# No test calls a model through somebody's proxy, or at somebody's address.
for _name in list(os.environ):
    if _name.lower().endswith("_proxy") or _name == "OPENAI_BASE_URL":
        del os.environ[_name]

# No test finds, or leaves, anything among the user's own data sets, prompts and models.
_home = tempfile.TemporaryDirectory(prefix="sociolab-tests-")
os.environ["SOCIOLAB_HOME"] = _home.name

# Started in the background of a shell, a process ignores Ctrl-C, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run, however busy the machine is.
settings.register_profile("sociolab", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("sociolab")


def pytest_collection_finish() -> None:
    """Collected tests stay until the end: the garbage collector need not visit them."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    """Whoever has done with their tests takes some of another's, where nothing else is asked for:
    what a file's tests share is made once, and no worker waits for the other at the end."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling  # type: ignore[import-untyped]

    scheduler: object = WorkStealingScheduling(config, log)
    return scheduler
