"""Discord servers and their members."""

import sqlalchemy as sa
from alembic import op

from souvenance.store.columns import Instant, Json, Number

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the two tables."""
    op.create_table(
        "server",
        sa.Column("guild_id", sa.Text(), nullable=False),
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", Json, nullable=False),
        sa.Column("heard_from", Instant(), nullable=False),
        sa.Column("joined_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_server_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_server")),
        sa.UniqueConstraint("vault_id", name=op.f("uq_server_vault_id")),
    )
    op.create_table(
        "server_member",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("member_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("opted_out", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_server_member_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("vault_id", "member_id", name=op.f("pk_server_member")),
    )
