"""Conversations, endpoints, what they spend."""

import sqlalchemy as sa
from alembic import op

from souvenance.store.columns import Instant, Json, Number

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add what exchanges keep."""
    op.create_table(
        "spending",
        sa.Column("vault_id", Number, autoincrement=False, nullable=False),
        sa.Column("used_for", sa.Text(), nullable=False),
        sa.Column("member", sa.Text(), nullable=False),
        sa.Column("hour", Instant(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("sent", Number, nullable=False),
        sa.Column("received", Number, nullable=False),
        sa.PrimaryKeyConstraint("vault_id", "used_for", "member", "hour", name=op.f("pk_spending")),
    )
    op.create_table(
        "conversation",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("token_id", Number, nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("without_memory", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_conversation_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversation")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_conversation_user", "conversation", ["user_id", "updated_at"], unique=False)
    op.create_table(
        "endpoint",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("sealed_key", sa.Text(), nullable=True),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("takes_schema", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_endpoint_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_endpoint")),
        sa.UniqueConstraint("user_id", "name", name=op.f("uq_endpoint_user_id_name")),
    )
    op.create_table(
        "protected_reply",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_protected_reply_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("vault_id", "user_id", "hash", name=op.f("pk_protected_reply")),
    )
    op.create_index("ix_protected_reply_hash", "protected_reply", ["user_id", "hash"], unique=False)
    op.create_table(
        "endpoint_use",
        sa.Column("user_id", Number, nullable=False),
        sa.Column("used_for", sa.Text(), nullable=False),
        sa.Column("endpoint_id", Number, nullable=False),
        sa.ForeignKeyConstraint(
            ["endpoint_id"], ["endpoint.id"], name=op.f("fk_endpoint_use_endpoint_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_endpoint_use_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "used_for", name=op.f("pk_endpoint_use")),
    )
    op.create_table(
        "turn",
        sa.Column("conversation_id", Number, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), server_default="", nullable=False),
        sa.Column("failure", Json, nullable=True),
        sa.Column("model", sa.Text(), server_default="", nullable=False),
        sa.Column("trace", Json, nullable=True),
        sa.Column("wrote", Json, nullable=True),
        sa.Column("folded", sa.Text(), server_default="", nullable=False),
        sa.Column("asked_at", Instant(), nullable=False),
        sa.Column("answered_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_turn_conversation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation_id", "ordinal", name=op.f("pk_turn")),
    )
    op.create_table(
        "turn_vault",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("conversation_id", Number, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id", "ordinal"],
            ["turn.conversation_id", "turn.ordinal"],
            name=op.f("fk_turn_vault_conversation_id_ordinal"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("vault_id", "conversation_id", "ordinal", name=op.f("pk_turn_vault")),
    )
    op.create_index("ix_turn_vault_turn", "turn_vault", ["conversation_id", "ordinal"], unique=False)
