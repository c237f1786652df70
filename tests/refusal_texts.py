"""Every text a refusal or a reason can be, found in the source: f-strings with `{}` where a value is put."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

SOURCE = Path(str(resources.files("souvenance")))
MOST = 16
"""Alternatives of one text above which a value is left a value."""
GIVES_MESSAGE = {"refuse_missing": 3, "add_hint": 1}
"""Functions that raise what they are given, and at which place."""
GIVES_WORD = {"wrong_kind": 1, "require_person": 0}
"""Functions that put a word of ours into a refusal, and at which place."""
GIVES_REASON = {
    "Unreadable": 0,
    "RootUnreadable": 0,
    "Problem": 1,
    "Remark": 1,
    "_cut": 1,
    "_ignored": 2,
    "Question": 2,
}
"""Calls that carry a reason, and at which place."""
IS_REASON = {"_refused_link", "_why", "_objection"}
"""Functions that give one back."""
REASONS = {"exchange", "retrieval", "ingest", "imports", "notes", "memory", "consolidation"}
"""Rooms that say why something is so, in words that pages show, under these names:"""
REASON = {"why", "reason", "conflict", "refused", "problem"}
Defined = dict[str, list[ast.expr]]


@dataclass
class Found:
    """Texts with the file each is in; words that fill them; and what could not be read as a text."""

    refusals: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)


def texts() -> Found:
    """Walk the whole source."""
    trees = {str(file.relative_to(SOURCE)): ast.parse(file.read_text()) for file in sorted(SOURCE.rglob("*.py"))}
    kinds = _kinds(trees.values())
    found = Found()
    for place, tree in trees.items():
        module = _defined(tree.body)
        for scope in _scopes(tree):
            known = module | (_defined(ast.walk(scope)) if not isinstance(scope, ast.Module) else {})
            for node in _within(scope):
                if isinstance(node, ast.Call):
                    _call(found, place, node, kinds, known)
                elif isinstance(node, ast.arguments):
                    _defaults(found, place, node)
                if place.split("/")[0] in REASONS:
                    for text in _reasons(node, scope, known):
                        found.reasons.setdefault(text, place)
    return found


def _kinds(trees: Iterable[ast.Module]) -> set[str]:
    """Names of the classes of refusals."""
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    kinds = {"SouvenanceError"}
    while more := {one.name for one in classes if any(_name(base) in kinds for base in one.bases)} - kinds:
        kinds |= more
    return kinds


def _scopes(tree: ast.Module) -> Iterator[ast.AST]:
    yield tree
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _within(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _within(child)


def _defined(nodes: Iterable[ast.AST]) -> Defined:
    """What each name may be, by the assignments to it."""
    known: Defined = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    known.setdefault(target.id, []).append(node.value)
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for one, value in zip(target.elts, node.value.elts, strict=False):
                        if isinstance(one, ast.Name):
                            known.setdefault(one.id, []).append(value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            known.setdefault(node.target.id, []).append(node.value)
    return known


def _call(found: Found, place: str, node: ast.Call, kinds: set[str], known: Defined) -> None:
    name = _name(node.func)
    said = []
    if name in kinds:
        said = [*node.args[:1], *(one.value for one in node.keywords if one.arg in {"message", "hint"})]
    elif name in GIVES_MESSAGE and len(node.args) > GIVES_MESSAGE[name]:
        said = [node.args[GIVES_MESSAGE[name]]]
    for expression in said:
        read = _texts(expression, known)
        if read is None:
            found.unread.add(f"{place}: {ast.unparse(expression)}")
        for text in read or ():
            if text:
                found.refusals.setdefault(text, place)
    words = [one.value for one in node.keywords if one.arg == "what"]
    words += node.args[GIVES_WORD[name] : GIVES_WORD[name] + 1] if name in GIVES_WORD else []
    for expression in words:
        for text in _texts(expression, known) or ():
            found.words.setdefault(text, place)


def _defaults(found: Found, place: str, node: ast.arguments) -> None:
    for one, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        if one.arg == "what" and isinstance(default, ast.Constant) and isinstance(default.value, str):
            found.words.setdefault(default.value, place)


def _reasons(node: ast.AST, scope: ast.AST, known: Defined) -> Iterator[str]:
    """Sentences given as the reason of something."""
    values: list[ast.expr] = []
    if isinstance(node, ast.Call):
        place = GIVES_REASON.get(_name(node.func), len(node.args))
        values = [*node.args[place : place + 1], *(one.value for one in node.keywords if one.arg in REASON)]
    elif isinstance(node, ast.Assign):
        values = [value for name, given in _defined([node]).items() if name in REASON for value in given]
        if any(isinstance(target, ast.Attribute) and target.attr in {*REASON, "state"} for target in node.targets):
            values.append(node.value)
    elif isinstance(node, ast.Dict):
        values = [value for key, value in zip(node.keys, node.values, strict=True) if _constant(key) in REASON]
    elif isinstance(node, ast.Return) and node.value is not None and getattr(scope, "name", "") in IS_REASON:
        values = [node.value]
    values = [part for value in values for part in (value.values if isinstance(value, ast.BoolOp) else [value])]
    for value in values:
        yield from (text for text in _texts(value, known) or () if " " in text and _begins_small(text))


def _begins_small(text: str) -> bool:
    return text[:1].islower() or text.startswith("{}")


def _texts(node: ast.expr, known: Defined) -> list[str] | None:
    """What an expression may be; None where it is no text that stands in the source."""
    read: list[str] | None = None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        read = [node.value]
    elif isinstance(node, ast.JoinedStr):
        read = [""]
        for part in node.values:
            more = [part.value] if isinstance(part, ast.Constant) else _filling(part, known)
            read = [f"{start}{end}" for start in read for end in more]
    elif isinstance(node, ast.IfExp):
        read = _either([node.body, node.orelse], known)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _texts(node.left, known), _texts(node.right, known)
        read = None if left is None or right is None else [f"{start}{end}" for start in left for end in right]
    elif isinstance(node, ast.Name) and node.id in known:
        read = _either(known[node.id], {name: values for name, values in known.items() if name != node.id})
        if read is not None and len(read) == 1 and " " not in read[0]:  # a name or a number, which is a value
            read = None
    elif isinstance(node, ast.Dict):
        read = _either(node.values, known)
    elif isinstance(node, ast.Subscript):
        read = _of_dict(node.value, (), known)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        read = _of_dict(node.func.value, node.args[1:], known)
    return read if read is not None and len(read) <= MOST else None


def _filling(part: ast.expr, known: Defined) -> list[str]:
    """A value within a text: its own alternatives where all of them are texts, else `{}`."""
    value = part.value if isinstance(part, ast.FormattedValue) else part
    return _texts(value, known) or ["{}"]


def _of_dict(node: ast.expr, besides: Iterable[ast.expr], known: Defined) -> list[str] | None:
    if isinstance(node, ast.Name) and all(isinstance(one, ast.Dict) for one in known.get(node.id, [node])):
        return _either([*known[node.id], *besides], known)
    return None


def _either(nodes: Iterable[ast.expr], known: Defined) -> list[str] | None:
    read = [_texts(node, known) for node in nodes]
    return None if any(one is None for one in read) else list(dict.fromkeys(text for one in read for text in one or ()))


def _constant(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
