"""Writes reference-commands.md, reference-lsd.md and gallery.md from the code: python docs/references.py (from the root).

A test of the house compares them with the code, so that a change of an option or of the grammar is a change of the page.
"""

from __future__ import annotations

import inspect
import re
import sys
import typing
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NOTE = "<!-- written by docs/references.py: change the code, then run it -->\n"


def commands() -> str:
    """The command line: every command with its arguments, options and examples."""
    from dalembert.cli import COMMANDS, _attentive

    parts = [NOTE, "# Reference: the command line\n"]
    parts.append(
        "`dalembert COMMAND FILE`. Results are on standard output, faults on standard error; the exit code is 0 when it is\n"
        "done, 1 when the model or the computation is at fault, 2 for wrong usage, 130 after Ctrl-C. Every command that\n"
        "computes takes `--seconds`; `dalembert COMMAND --help` tells the same as this page. A `FILE` is an LSD program or a\n"
        "robot file (URDF, MJCF, SDF).\n"
    )
    parts.append("| command | does |\n|---|---|")
    parts += [f"| [`{name}`](#{name}) | {short} |" for name, short in COMMANDS.items()]
    for name in COMMANDS:
        module = import_module(f"dalembert.cli.{'import_' if name == 'import' else name}")
        parts.append(f"\n## {name}\n\n{_command(name, _attentive(name, module.command))}")
    return "\n".join(parts).rstrip() + "\n"


def _command(name: str, function: Any) -> str:
    told = [" ".join(part.split()) for part in inspect.cleandoc(function.__doc__ or "").split("\n\n")]
    examples = [part.removeprefix("Example: ") for part in told if part.startswith("Example: ")]
    rows = []
    usage = [f"dalembert {name}"]
    for one in inspect.signature(function, eval_str=True).parameters.values():
        kind, info = typing.get_args(one.annotation)
        if type(info).__name__ == "ArgumentInfo":
            shown = one.name.strip("_").upper()
            usage.append(shown if one.default is inspect.Parameter.empty else f"[{shown}]")
            row = f"`{shown}`"
        else:
            row = ", ".join(f"`{x}`" for x in _spelled(one.name, kind, info))
        rows.append(f"| {row} | {_kind(kind)} | {_meaning(info, one.default)} |")
    text = [part for part in told if not part.startswith("Example: ")]
    lines = ["\n\n".join(text), f"\n```text\n{' '.join(usage)} [OPTIONS]\n```\n"]
    if rows:
        lines += ["| argument or option | takes | meaning |\n|---|---|---|", *rows]
    if examples:
        lines += ["\n```sh", *examples, "```"]
    return "\n".join(lines) + "\n"


def _spelled(name: str, kind: Any, info: Any) -> list[str]:
    first = [info.default] if isinstance(info.default, str) else []  # where Annotated keeps the first spelling
    if first or info.param_decls:
        return [*first, *info.param_decls]
    flag = "--" + name.strip("_").replace("_", "-")
    return [flag, f"--no-{flag[2:]}"] if kind is bool else [flag]


def _kind(kind: Any) -> str:
    held = [x for x in typing.get_args(kind) if x is not type(None)]
    if typing.get_origin(kind) is list:
        return f"{_kind(held[0])}, repeat"
    if typing.get_origin(kind) is tuple:
        return f"{len(held)} times {_kind(held[0])}"
    if held:
        return _kind(held[0])
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(f"`{one.value}`" for one in kind)
    return {"Path": "a file", "str": "text", "int": "a whole number", "float": "a number", "bool": ""}[kind.__name__]


def _meaning(info: Any, default: Any) -> str:
    text = (info.help or "").replace("|", r"\|")
    value = default.value if isinstance(default, Enum) else default
    if isinstance(info.show_default, str):
        value = info.show_default
    elif value is inspect.Parameter.empty or value is None or value is False or info.show_default is False:
        return text
    shown = {True: "yes"}.get(value) if isinstance(value, bool) else value
    shown = " ".join(map(str, shown)) if isinstance(shown, tuple) else shown
    return f"{text} Default: {shown}."


def language() -> str:
    """LSD: declarations, objects, functions, shapes, library and grammar."""
    from dalembert.editor.analysis import WORDS
    from dalembert.lsd.check_calls import MEANINGS
    from dalembert.lsd.fixity import ALONE, LEVELS
    from dalembert.lsd.types import FIELDS, TYPE_NAMES, Type
    from dalembert.mechanism.bodyshape import SIZES

    parts = [NOTE, "# Reference: LSD\n"]
    parts.append("[The language](lsd.md) explains; this page lists, from the tables of the compiler itself.\n")
    parts.append("## Words\n\n| word | how it is used |\n|---|---|")
    parts += [f"| `{word}` | {_code(text)} |" for word, text in WORDS.items()]
    parts.append("\n## Types\n\nOf parameters, `let f(x : type) = ...`:\n")
    by_type: dict[Type, list[str]] = {}
    for word, kind in TYPE_NAMES.items():
        by_type.setdefault(kind, []).append(word)
    parts.append("; ".join(" or ".join(f"`{x}`" for x in words) for words in by_type.values()) + ".\n")
    parts.append("## Fields\n")
    for kind, fields in FIELDS.items():
        parts.append(f"### {kind}\n\n| field | written as | read as | meaning |\n|---|---|---|---|")
        for field in fields.values():
            base = field.name.rstrip("0123456789")
            if field.name != base and base in fields:
                continue  # told with the first of its row
            more = [x for x in fields if re.fullmatch(rf"{base}\d", x)]
            shown = f"`{base}`" + (f", `{more[0]}` ... `{more[-1]}`" if more else "")
            written = " or ".join(map(str, field.written)) or "-"
            parts.append(f"| {shown} | {written} | {field.read or '-'} | {field.meaning} |")
        parts.append("")
    parts.append("## Operators\n\nLoosest first.\n\n| operators | associate |\n|---|---|")
    for level in sorted(set(LEVELS.values())):
        held = [x for x, k in LEVELS.items() if k == level]
        shown = " ".join(f"`{x}`" for x in held).replace("|", r"\|")
        parts.append(f"| {shown} | {'no' if held[0] in ALONE else 'to the left'} |")
    parts.append("\n## Functions\n")
    plain = [name for name, text in MEANINGS.items() if "elementary function" in text]
    parts.append("Elementary: " + ", ".join(f"`{x}`" for x in plain) + ".\n")
    parts.append("| function | meaning |\n|---|---|")
    parts += ["| `{}` | {} |".format(*MEANINGS[x].split(": ", 1)) for x in MEANINGS if x not in plain]
    parts.append(
        "\n## Shapes of bodies\n\nThe axis of what is round is z: a wheel about y is `pi/2 || [1, 0, 0] @ wheel(r, w)`.\n"
    )
    parts.append("| shape | sizes |\n|---|---|")
    parts += [f"| `{kind}` | {', '.join(sizes)} |" for kind, sizes in SIZES.items()]
    parts.append("\n## The standard library\n")
    parts += _library()
    parts.append("## Grammar\n\nAs the parser reads it; the site draws it.\n")
    parts += [f"```ebnf\n{name} = {body} ;\n```\n" for name, body in rules().items()]
    return "\n".join(parts).rstrip() + "\n"


def _code(text: str) -> str:
    """What is LSD in the line of a word: all that stands before two blanks."""
    code, _, meaning = text.partition(" ;  ")
    shown = f"`{(code + ' ;') if meaning else code}`" if any(c in text for c in ";=.") or meaning else text
    return f"{shown} {meaning}".strip().replace("|", r"\|")


def _library() -> list[str]:
    from dalembert.lsd import library

    found = []
    for file, text in sorted(library.files().items()):
        found.append(f"### {file}\n\n| definition | |\n|---|---|")
        pattern = re.compile(r"\(\*\s*(?P<said>.*?)\*\)|^let (?P<name>\w+)\((?P<of>[^)]*)\)", re.MULTILINE | re.DOTALL)
        said = ""
        for match in pattern.finditer(text):
            if match["said"] is not None:
                said = " ".join(match["said"].split())
            else:
                found.append(f"| `{match['name']}({' '.join(match['of'].split())})` | {said} |".replace("|  |", "| |"))
                said = ""
        found.append("")
    return found


def rules() -> dict[str, str]:
    """Rules of the grammar file as EBNF: `{x}` any number, `[x]` perhaps."""
    from dalembert.lsd._tables import grammar_text

    text = re.sub(r"//.*", "", grammar_text())
    found = {}
    for match in re.finditer(r"^[?!]?([a-zA-Z_]+)\s*:(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL):
        body = re.sub(r"->\s*\w+", "", match[2])
        if match[1].isupper():
            found[match[1]] = "? " + body.strip() + " ?"
        else:
            found[match[1]] = "\n  | ".join(_ebnf(one) for one in _alternatives(body))
    return found


def _alternatives(body: str) -> list[str]:
    """The outermost alternatives, each once."""
    found, depth = [""], 0
    for token in re.findall(r'"[^"]*"|\s+|.', body):
        depth += (token == "(") - (token == ")")
        if token == "|" and depth == 0:
            found.append("")
        else:
            found[-1] += token
    return list(dict.fromkeys(" ".join(one.split()) for one in found))


def _ebnf(body: str) -> str:
    """Postfix `?`, `*`, `+` of lark as brackets and braces."""
    tokens = re.findall(r'"[^"]*"|[\w]+|[()?*+|]', body)

    def sequence(k: int) -> tuple[list[str], int]:
        items: list[str] = []
        while k < len(tokens) and tokens[k] != ")":
            if tokens[k] == "(":
                inside, k = sequence(k + 1)
                items.append("(" + " ".join(inside) + ")")
            elif tokens[k] in "?*+":
                last = items.pop()
                bare = last[1:-1] if last.startswith("(") else last
                items += {"?": [f"[ {bare} ]"], "*": [f"{{ {bare} }}"], "+": [bare, f"{{ {bare} }}"]}[tokens[k]]
            else:
                items.append(tokens[k])
            k += 1
        return items, k

    return " ".join(sequence(0)[0])


def gallery() -> str:
    sys.path.insert(0, str(HERE))
    try:
        return import_module("gallery").page()
    finally:
        sys.path.remove(str(HERE))


PAGES = {"reference-commands.md": commands, "reference-lsd.md": language, "gallery.md": gallery}

if __name__ == "__main__":
    for page, write in PAGES.items():
        (HERE / page).write_text(write(), encoding="utf-8")
        print(HERE / page)
