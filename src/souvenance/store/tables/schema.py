"""What every table is made with."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, MetaData

from souvenance.store.columns import Number

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def vault_key() -> Column[int]:
    """The first column of every key of vault data; the rows go with their vault."""
    return Column("vault_id", Number, ForeignKey("vault.id", ondelete="CASCADE"), primary_key=True)
