"""Have a model say in other words what players are told: prompt sets to count prompts as error."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import partial

from pydantic import BaseModel, ConfigDict

from sociolab.core.ports import CallKey
from sociolab.core.user_files import fresh_folder
from sociolab.plugin.world import Writer
from sociolab.plugin.writing import WriteJob, WrittenTasks, write_all
from sociolab.prompting.sets import MANIFEST, PromptedSettings, prompt, set_folder

COUNT = 3
"""With fewer sets nothing can be said of others."""

_COMMENT = re.compile(r"\{#.*?#\}\n?", re.DOTALL)
_CODE = re.compile(
    r"""\{\{.*?\}\} | \{%.*?%\}     # what Jinja fills in
    | \{"[^\n]*\}                 # the form of a reply
    | ^-\ [\w-]+(\ [\w-]+)?:      # a kind of action""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


class Paraphrase(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str


def paraphraser(world: str, kind: type[PromptedSettings]) -> Writer:
    """A writer of sets `paraphrase-1`, `paraphrase-2`, ... in a folder, each a copy of the set in
    the settings but for what players are told. They are marked as unverified: people review
    them."""
    return Writer(partial(_write, world, kind), kind)


async def _write(world: str, kind: type[PromptedSettings], job: WriteJob) -> WrittenTasks:
    chosen = job.setup.read(world, kind)
    head, total = prompt("sociolab.plugin", "paraphrase").render({}), job.count or COUNT
    names = [f"paraphrase-{number}" for number in range(1, total + 1)]

    async def write_set(name: str) -> str:
        said = {}
        for template in kind.told:
            source = _COMMENT.sub("", chosen.texts[template].source)
            body = f"```json\n{Paraphrase(text=source).model_dump_json()}\n```"
            key = CallKey(name, "writer", "", 0, template, 1)
            lacks, needs = partial(_lacks, source), len(source) // 2  # twice its own tokens
            written, _ = await job.author.write(Paraphrase, head, body, key, lacks, needs)
            said[template] = written.text
        with (
            set_folder(kind.package, chosen.prompts) as base,
            fresh_folder(job.folder / name) as new,
        ):
            shutil.copytree(base, new)
            for template, text in said.items():
                (new / f"{template}.md").write_text(text.strip() + "\n", "utf-8")
            title = f'title = "{name} of {chosen.texts.name}, by {job.writer}, {job.today}"'
            manifest = re.sub(
                r"(?m)^(title|instructions) *=.*\n", "", (new / MANIFEST).read_text("utf-8")
            )
            (new / MANIFEST).write_text(f"{title}\n{manifest}", "utf-8")
        return name

    jobs = {name: partial(write_set, name) for name in names if not (job.folder / name).exists()}
    done, failures = await write_all("sets", jobs, job.tell, before=total - len(jobs), total=total)
    paths = ",".join(str(job.folder / name) for name in names)
    return WrittenTasks(
        len(done),
        "prompt set",
        failures,
        (
            f"review each before you use it: {', '.join(f'{name}.md' for name in kind.told)}",
            f"play them: sociolab run {world} --set prompts={paths} --name NAME",
        ),
    )


def _lacks(source: str, reply: Paraphrase) -> Iterator[str]:
    """What of the code of a template a paraphrase changed."""
    if _code(reply.text) != (expected := _code(source)):
        yield f"expected this code, in this order: {' '.join(expected) or 'none'}"


def _code(text: str) -> list[str]:
    return [match.group() for match in _CODE.finditer(text)]
