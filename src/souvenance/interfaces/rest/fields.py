"""What bodies and parameters are made of: strict, bounded, nothing unknown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, TypeVar

from fastapi import Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

T = TypeVar("T")

MOST = 200
"""Entries of one page at most."""
LARGEST = 2**63 - 1


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("holds a NUL byte")
    return text


Text = Annotated[str, AfterValidator(_storable)]
"""Text that any store can keep. Unpaired surrogates are refused by the model itself."""


class Given(BaseModel):
    """What a caller sends: types are not guessed, unknown fields are refused."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Shown(BaseModel):
    """What a caller is answered."""

    model_config = ConfigDict(from_attributes=True)


class Language(StrEnum):
    """Of the words that people read."""

    ENGLISH = "en"
    FRENCH = "fr"


In = Annotated[Language, Query(description="Language of the words that people read.")]
VaultName = Annotated[str, Path(min_length=1, max_length=200, description="Slug or name of a vault.")]
FactNumber = Annotated[int, Path(ge=1, le=LARGEST, description="Number of a fact, as in `#12`.")]
NoteId = Annotated[str, Path(pattern=r"^[0-9a-z]{12}$", description="Id of a note.")]
ProposalId = Annotated[str, Path(pattern=r"^[0-9a-z]{12}$", description="Id of a proposal.")]
ChangeId = Annotated[int, Path(ge=1, le=LARGEST, description="A change of its history.")]
Limit = Annotated[int, Query(ge=1, le=MOST, description="At most this many.")]
Offset = Annotated[int, Query(ge=0, le=2**31 - 1, description="Skip this many.")]
Version = Annotated[
    int | None,
    Field(
        ge=1,
        le=LARGEST,
        description="The version you read. Refused with 409 `stale_version` when it is no longer in force; "
        "without it, the change applies to whatever stands there.",
    ),
]
Instant = Annotated[datetime, Field(strict=False)]
Vault = Annotated[Text, Field(min_length=1, max_length=200, description="Slug or name of a vault.")]


def page(found: Sequence[T], limit: int) -> tuple[Sequence[T], bool]:
    """One page of what was asked for with one entry more than `limit`, and whether there is more after it."""
    return found[:limit], len(found) > limit
