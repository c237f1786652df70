"""Receipts of what was erased."""

import sqlalchemy as sa
from alembic import op

from souvenance.store.columns import Instant, Json, Number

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "erasure",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("token_id", Number, nullable=True),
        sa.Column("actor", sa.Text(), server_default="", nullable=False),
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("member", sa.Text(), server_default="", nullable=False),
        sa.Column("counts", Json, nullable=False),
        sa.Column("folders_suspended", sa.Integer(), server_default="0", nullable=False),
        sa.Column("mentions", sa.Integer(), server_default="0", nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("hindrance", sa.Text(), server_default="", nullable=False),
        sa.Column("proof", sa.Text(), server_default="", nullable=False),
        sa.Column("beyond", Json, nullable=False),
        sa.Column("completed_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erasure")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_erasure_vault", "erasure", ["vault_id", "at"], unique=False)
    op.create_index("ix_erasure_state", "erasure", ["state"], unique=False)
