"""Exchanges under way, what they cost by whose count, and what is left of replies from an erased vault."""

import sqlalchemy as sa
from alembic import op

from souvenance.store.columns import Instant, Number

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add leases and marks; what an earlier version left unanswered is given up at the next start."""
    op.add_column("turn", sa.Column("until", Instant(), nullable=True))
    op.execute("UPDATE turn SET until = asked_at WHERE state = 'asked'")
    op.create_index("ix_turn_until", "turn", ["until"], unique=False)
    op.add_column("spending", sa.Column("estimated", Number, server_default="0", nullable=False))
    op.add_column("spending", sa.Column("broken_off", sa.Integer(), server_default="0", nullable=False))
    op.add_column("protected_reply", sa.Column("beginning", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "under_way",
        sa.Column("vault_id", Number, autoincrement=False, nullable=False),
        sa.Column("exchange", sa.Text(), nullable=False),
        sa.Column("used_for", sa.Text(), nullable=False),
        sa.Column("member", sa.Text(), nullable=False),
        sa.Column("hour", Instant(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("sent", Number, nullable=False),
        sa.Column("received", Number, nullable=False),
        sa.Column("reserved", Number, nullable=False),
        sa.Column("until", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vault_id", "exchange", "used_for", name=op.f("pk_under_way")),
    )
    op.create_index("ix_under_way_until", "under_way", ["until"], unique=False)
    op.create_table(
        "sealed_reply",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("sealed_by", sa.Text(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_sealed_reply_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("vault_id", "user_id", "hash", name=op.f("pk_sealed_reply")),
    )
    op.create_index("ix_sealed_reply_hash", "sealed_reply", ["user_id", "hash"], unique=False)
