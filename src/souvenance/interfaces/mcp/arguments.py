"""What a tool takes: one strict model per tool is both its schema and its check, and says in words what is wrong."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from souvenance.domain.wording import plainly

_LONGEST_NAME = 60
_SHOWN_NUMBER = re.compile(r"\[?#?([0-9]{1,18})\]?")


class _Lean(GenerateJsonSchema):
    """A schema of what a model needs to know and nothing else: every token of it is paid for in every session."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: Any) -> dict[str, Any]:
        shown = super().default_schema(schema)
        if shown.get("default", 0) is None:
            del shown["default"]
        return shown


def _as_number(value: Any) -> Any:
    found = _SHOWN_NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(found[1]) if found else value


def _as_version(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Arguments(BaseModel):
    """The arguments of a tool. Unknown ones are refused, and no value is converted to another type, but for numbers of
    facts and versions: these are taken as reads show them (`[#12] v3`), be it text or a number.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    @classmethod
    def listed(cls) -> dict[str, Any]:
        """The JSON schema as clients list it."""
        shown = cls.model_json_schema(schema_generator=_Lean)
        shown.pop("title", None)
        shown.pop("description", None)
        return shown

    @classmethod
    def names(cls) -> list[str]:
        """The arguments' names as callers write them."""
        return [info.alias or name for name, info in cls.model_fields.items()]


class NoArguments(Arguments):
    """A tool that takes none."""


Class = Annotated[Literal["user-doc", "agent-memory", "source"] | None, Field(alias="class")]
Ref = Annotated[str, Field(min_length=1, description="Note id, path or title; add @2 for its second page")]
NoteRef = Annotated[str, Field(min_length=1, description="Note id, path or title")]
VaultName = Annotated[str | None, Field(description="One vault; omit for all, by attention")]
FactNumber = Annotated[int, BeforeValidator(_as_number), Field(ge=1)]
Version = Annotated[str, BeforeValidator(_as_version)]
Limit = Annotated[int, Field(ge=1, le=100)]
Offset = Annotated[int, Field(ge=0, le=1_000_000)]


def refusal(tool: str, model: type[Arguments], error: ValidationError) -> str:
    """What is wrong with the arguments and what is accepted; names them, never repeats their values."""
    wrong = []
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        where = _name(".".join(str(part) for part in item["loc"]) or "arguments")
        if item["type"] == "extra_forbidden":
            wrong.append(f"unknown argument `{where}`")
        elif item["type"] == "missing":
            wrong.append(f"missing argument `{where}`")
        else:
            said = plainly(item["msg"])
            wrong.append(f"`{where}`: {said[0].lower()}{said[1:]}")
    shown = "; ".join(wrong[:8]) + (f"; and {len(wrong) - 8} more" if len(wrong) > 8 else "")
    return f"{shown}. {tool} takes: {', '.join(model.names()) or 'no arguments'}."


def _name(text: str) -> str:
    """A name given by a caller as it can be shown back: short, on one line, without marks that could pose as ours."""
    plain = "".join(c if c.isalnum() or c in "._-" else "?" for c in text)
    return plain if len(plain) <= _LONGEST_NAME else plain[:_LONGEST_NAME] + "..."
