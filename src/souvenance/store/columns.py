"""Column types that mean the same on both engines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import JSON, BigInteger, Dialect, Integer, LargeBinary
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def as_instant(microseconds: int) -> datetime:
    """The moment that a stored number of microseconds since 1970 means."""
    return _EPOCH + timedelta(microseconds=microseconds)


class Instant(TypeDecorator[datetime]):
    """An aware datetime kept as microseconds since 1970 in UTC: exact, ordered and the same on both engines."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Aware datetime to microseconds."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Microseconds to aware datetime."""
        return None if value is None else as_instant(value)


class _HalfVec(UserDefinedType[Any]):
    """pgvector's half-precision vector, of any dimension (an index is made per model)."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "halfvec"


class Vector(TypeDecorator[bytes]):
    """A vector as little-endian float16 bytes; `halfvec` on PostgreSQL, a blob on SQLite."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The engine's own type."""
        return dialect.type_descriptor(_HalfVec() if dialect.name == "postgresql" else LargeBinary())

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> Any:
        """Bytes as they are, or pgvector's text form."""
        if value is None or dialect.name != "postgresql":
            return value
        from numpy import frombuffer

        return "[" + ",".join(f"{x:.7g}" for x in frombuffer(value, dtype="<f2").astype("f4").tolist()) + "]"

    def process_result_value(self, value: Any, dialect: Dialect) -> bytes | None:
        """Always float16 bytes."""
        if value is None or dialect.name != "postgresql":
            return None if value is None else bytes(value)
        from numpy import array

        text = value if isinstance(value, str) else str(value)
        return array(text.strip("[]").split(","), dtype="<f2").tobytes()


Json = JSON().with_variant(JSONB(), "postgresql")
Number = BigInteger().with_variant(Integer(), "sqlite")
"""A 64-bit identity; INTEGER on SQLite, where that is what a rowid is."""
