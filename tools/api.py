"""The API reference, made from the source of the public packages for `tools/site.py`.

docs/api.md lists the packages. Each becomes a page: its public names by the module that defines
them, with signature, fields, docstring and public methods. A name that several packages offer is
described on the first of their pages, and linked from the others. Nothing is imported: the source
is parsed.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"
ROW = re.compile(r"(?m)^\| `(sociolab[\w.]*)` \|")
DOCUMENT = re.compile(r"\bdocs/([\w/-]+\.md)")
WIDTH = 88

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Definition:
    """Where a name is defined, and as what."""

    module: str
    name: str
    node: ast.stmt
    doc: str


def write_reference(overview: Path, folder: Path) -> None:
    """Write a page for each package that the overview lists, and link it there."""
    text = overview.read_text("utf-8")
    packages = ROW.findall(text)
    described: dict[Definition, str] = {}  # the page that describes it
    offered = {package: find_public_names(package) for package in packages}
    for package, definitions in offered.items():
        for definition in definitions:
            described.setdefault(definition, page_of(package))
    folder.mkdir(parents=True, exist_ok=True)
    for package, definitions in offered.items():
        links = {one.name: link_to(one, page) for one, page in described.items()}
        links |= {one.name: link_to(one, described[one]) for one in definitions}
        own = [one for one in definitions if described[one] == page_of(package)]
        others = [one for one in definitions if described[one] != page_of(package)]
        page = "\n\n".join(package_page(package, own, others, links))
        (folder / page_of(package)).write_text(page + "\n", "utf-8")
    linked = ROW.sub(lambda row: f"| [`{row[1]}`]({folder.name}/{page_of(row[1])}) |", text)
    overview.write_text(linked, "utf-8")


def page_of(package: str) -> str:
    return f"{package.removeprefix('sociolab.')}.md"


def link_to(definition: Definition, page: str) -> str:
    return f"{page}#{definition.name}"


def find_public_names(package: str) -> list[Definition]:
    """What the package's own file imports for others, in alphabetical order."""
    names = [
        (statement.module or "", alias.name)
        for statement in ast.walk(parse(package))
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("sociolab")
        for alias in statement.names
        if alias.name != "load_public_names" and not alias.name.startswith("_")
    ]
    return sorted({define(*name) for name in names}, key=lambda one: one.name.lower())


@cache
def parse(module: str) -> ast.Module:
    path = SOURCE.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text("utf-8"))


@cache
def define(module: str, name: str) -> Definition:
    """The definition of a name, in that module or in the one that it is imported from."""
    body = parse(module).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef | Function) and node.name == name:
            return Definition(module, name, node, ast.get_docstring(node) or "")
        if name in assigned(node):
            return Definition(module, name, node, text_of(after))
    for node in ast.walk(parse(module)):
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
            return define(node.module or "", name)
    raise LookupError(f"{module} does not define {name}")


def assigned(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    named = [one for target in targets if target for one in ast.walk(target)]
    return {one.id for one in named if isinstance(one, ast.Name)}


def text_of(node: ast.stmt | None) -> str:
    """The text of a statement that is a text: what stands below a constant or field."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return ast.get_docstring(ast.Module([node], [])) or ""
    return ""


def package_page(
    package: str, own: list[Definition], others: list[Definition], links: dict[str, str]
) -> list[str]:
    parts = [f"# {package}", markdown(ast.get_docstring(parse(package)) or "", links)]
    by_module: dict[str, list[Definition]] = {}
    for definition in own:
        by_module.setdefault(definition.module, []).append(definition)
    for module, definitions in sorted(by_module.items()):
        summary = (ast.get_docstring(parse(module)) or "").partition("\n\n")[0]
        if module != package:
            parts += [f"## {module.removeprefix('sociolab.')}", markdown(summary, links)]
        for definition in definitions:
            parts += describe(definition, links)
    if others:
        rows = [
            f"| [`{one.name}`]({links[one.name]}) | {cell(markdown(summary_of(one.doc), links))} |"
            for one in others
        ]
        parts += ["## Also offered here", "\n".join(["| name | |", "|---|---|", *rows])]
    return parts


def summary_of(doc: str) -> str:
    return re.split(r"(?<=[.:]) |\n\n", doc, maxsplit=1)[0]


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def describe(definition: Definition, links: dict[str, str]) -> list[str]:
    """The heading, the code and the text of one name."""
    node = definition.node
    parts = [f"### {definition.name} {{ #{definition.name} }}"]
    if isinstance(node, ast.ClassDef):
        fields = fields_of(definition.module, node)
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        head = f"class {node.name}({bases})" if bases else f"class {node.name}"
        parts.append(
            python([f"{head}:" if fields else head, *(f"    {code}" for code, _ in fields)])
        )
        parts.append(markdown(definition.doc, links))
        parts += [f"- {markdown(text, links)}" for _, text in fields if text]
        for method in node.body:
            if isinstance(method, Function) and not method.name.startswith("_"):
                parts += [
                    python([signature(method)]),
                    markdown(ast.get_docstring(method) or "", links),
                ]
    elif isinstance(node, Function):
        parts += [python([signature(node)]), markdown(definition.doc, links)]
    else:
        code = ast.unparse(node)
        parts.append(python([code if len(code) < 4 * WIDTH else f"{definition.name} = ..."]))
        parts.append(markdown(definition.doc, links))
    return [part for part in parts if part]


def fields_of(module: str, node: ast.ClassDef) -> list[tuple[str, str]]:
    """The fields of a class and of its parents: the line of code, and what is said of the field."""
    fields: dict[str, tuple[str, str]] = {}
    for base in node.bases:
        if isinstance(base, ast.Name) and (parent := find_class(module, base.id)):
            fields |= {code.partition(":")[0]: (code, text)
                       for code, text in fields_of(parent.module, parent.node)}  # fmt: skip
    for statement, after in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            if not name.startswith("_") and "ClassVar" not in ast.unparse(statement.annotation):
                kind, note = annotation_of(module, statement.annotation)
                text = text_of(after) or note
                default = default_of(statement.value)
                fields[name] = (f"{name}: {kind}{default}", text and f"`{name}`: {text}")
    return list(fields.values())


def find_class(module: str, name: str) -> Definition | None:
    try:
        definition = define(module, name)
    except (LookupError, FileNotFoundError):
        return None
    return definition if isinstance(definition.node, ast.ClassDef) else None


def annotation_of(module: str, annotation: ast.expr) -> tuple[str, str]:
    """The type of a field without what pydantic is told of it, and the help of its flag."""
    if isinstance(annotation, ast.Name):
        for node in parse(module).body:
            if isinstance(node, ast.Assign) and annotation.id in assigned(node):
                annotation = node.value
                break
    if not (isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated"):
        return ast.unparse(annotation), ""
    kind, *notes = getattr(annotation.slice, "elts", [annotation.slice])
    flags = [n for n in notes if isinstance(n, ast.Call) and ast.unparse(n.func) == "Flag"]
    note = flags[0].args[2] if flags and len(flags[0].args) > 2 else None
    return ast.unparse(kind), note.value if isinstance(note, ast.Constant) else ""


def default_of(value: ast.expr | None) -> str:
    if isinstance(value, ast.Call) and ast.unparse(value.func) in {"Field", "field"}:
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        if "default_factory" in given:
            return f" = {ast.unparse(given['default_factory'])}()"
        value = given.get("default") or (value.args[0] if value.args else None)
    return f" = {ast.unparse(value)}" if value else ""


def signature(node: Function) -> str:
    """`def name(...) -> ...` in one line, or with a line for each argument."""
    marks = [f"@{ast.unparse(one)}" for one in node.decorator_list if ast.unparse(one) in MARKS]
    start = f"{'async ' * isinstance(node, ast.AsyncFunctionDef)}def {node.name}("
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    arguments = split_arguments(ast.unparse(node.args))
    line = f"{start}{', '.join(arguments)}){returns}"
    if len(line) > WIDTH:
        line = "\n".join([start, *(f"    {argument}," for argument in arguments), f"){returns}"])
    return "\n".join([*marks, line])


MARKS = {"property", "classmethod", "staticmethod", "asynccontextmanager", "contextmanager"}


def split_arguments(args: str) -> list[str]:
    """The arguments between the commas outside all brackets, with spaces as formatters set them."""
    depth, parts = 0, [""]
    for character in args:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            parts.append("")
        else:
            annotated = character == "=" and not depth and ":" in parts[-1]
            parts[-1] += " = " if annotated else character
    return [part.strip() for part in parts]


def python(lines: list[str]) -> str:
    return "\n".join(["```python", *lines, "```"])


def markdown(doc: str, links: dict[str, str]) -> str:
    """A docstring as Markdown: its examples as blocks of code, the public names in it as links."""
    parts = []
    for paragraph in doc.split("\n\n"):
        text, example, rest = paragraph.partition(">>> ")
        if example and not text.strip():
            parts.append(f"```pycon\n>>> {rest}\n```")
        else:
            named = re.sub(r"(?<!`)`(\w+)`(?!`)", lambda word: linked(word, links), paragraph)
            parts.append(DOCUMENT.sub(r"[\1](../\1)", named))
    return "\n\n".join(parts)


def linked(word: re.Match[str], links: dict[str, str]) -> str:
    return f"[{word[0]}]({links[word[1]]})" if word[1] in links else word[0]
