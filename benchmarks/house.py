"""How large is the house? Modules, lines, imports, and what of it runs for two everyday commands.

    python benchmarks/house.py [SRC]

`SRC` is the folder that holds the package, by default the one beside this script's folder. Code
lines are those that are no docstring, comment, blank or import. "Loaded" counts modules of ours in
memory when a run's first model call leaves (the call is answered by the local endpoint); "run"
counts files of which `sociolab report` runs a function.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
import tokenize
from pathlib import Path
from statistics import median

LOADED = """
import sys
from sociolab.cli.main import main
import aiohttp
real = aiohttp.ClientSession._request
told = []
async def counted(self, *words, **more):
    if not told:
        told.append(sum(name.split(".")[0] == "sociolab" for name in sys.modules))
        print("LOADED", told[0])
    return await real(self, *words, **more)
aiohttp.ClientSession._request = counted
sys.argv = ["sociolab", *sys.argv[1:]]
main()
"""

RUN = """
import os
import sys
from importlib.util import find_spec
package = os.path.dirname(find_spec("sociolab").origin) + os.sep
seen = set()
def watch(frame, event, arg):
    if event == "call" and frame.f_code.co_filename.startswith(package):
        if frame.f_code.co_name != "<module>":
            seen.add(frame.f_code.co_filename)
sys.setprofile(watch)
from sociolab.cli.main import main
sys.argv = ["sociolab", *sys.argv[1:]]
try:
    main()
finally:
    sys.setprofile(None)
    print("RUN", len(seen))
"""


def measured(path: Path) -> tuple[int, int, int]:
    """Lines, import lines and code lines of a module."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    imports, said = set[int](), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            said |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    with path.open("rb") as file:
        code = {
            line
            for token in tokenize.tokenize(file.readline)
            if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT)
            and token.type not in (tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER)
            for line in range(token.start[0], token.end[0] + 1)
        }
    return len(text.splitlines()), len(imports), len(code - imports - said)


def printed(code: str, words: list[str], folder: Path, src: Path, mark: str) -> str:
    """What a command says after a mark, run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(src), "OPENAI_API_KEY": "none"},
        capture_output=True,
        text=True,
        check=False,
    )
    found = [line.split()[1] for line in done.stdout.splitlines() if line.startswith(mark)]
    return found[0] if found else f"not measured: {done.stderr.strip().splitlines()[-1:]}"


def main() -> None:
    src = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1] / "src").resolve()
    modules = [path for path in sorted((src / "sociolab").rglob("*.py")) if path.stat().st_size]
    rows = [measured(path) for path in modules]
    lines = sum(row[0] for row in rows)
    print(f"modules                  {len(rows):,}")
    print(f"lines                    {lines:,}")
    print(f"code lines               {sum(row[2] for row in rows):,}")
    print(f"median lines a module    {median(row[0] for row in rows):.0f}")
    print(f"longest module           {max(row[0] for row in rows)}")
    print(f"import lines             {sum(row[1] for row in rows) / lines:.1%}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = ["--store", str(folder / "s.db")]
        serve = "from sociolab.cli.main import main; main()"
        server = subprocess.Popen(
            [sys.executable, "-c", serve, "endpoint", "--port", "8797"],
            env={**os.environ, "PYTHONPATH": str(src)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert server.stdout is not None
        if not any("try:" in line for line in server.stdout):
            sys.exit("the local endpoint did not start: run this with sociolab's own Python")
        try:
            model = ["--agent", "openai/a", "--judge", "openai/j", "--base-url"]
            words = ["run", "sotopia", *model, "http://127.0.0.1:8797/v1", "--limit", "1", *store]
            loaded = printed(LOADED, [*words, "--name", "m"], folder, src, "LOADED")
            report = printed(RUN, ["report", "m", *store], folder, src, "RUN")
        finally:
            server.terminate()
            server.wait()
    print(f"loaded before a call     {loaded}")
    print(f"files run by report      {report}")


if __name__ == "__main__":
    main()
