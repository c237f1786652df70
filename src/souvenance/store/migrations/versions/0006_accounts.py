"""Accounts: passwords, sessions, invitations, one-time links, and what the audit says of teams and people."""

import sqlalchemy as sa
from alembic import op

from souvenance.store.columns import Instant, Number

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the tables and columns; the team that the owner was given at first becomes their own."""
    op.add_column("user_account", sa.Column("theme", sa.Text(), server_default="", nullable=False))
    op.add_column("user_account", sa.Column("password_hash", sa.Text(), nullable=True))
    op.add_column("user_account", sa.Column("disabled_at", Instant(), nullable=True))
    op.add_column("team", sa.Column("own_of", Number, nullable=True))
    op.create_index(op.f("ix_team_own_of"), "team", ["own_of"], unique=True)
    # A user's own team was so far the first one that they configure.
    op.execute(
        "UPDATE team SET own_of = (SELECT min(m.user_id) FROM membership AS m WHERE m.team_id = team.id"
        " AND m.can_configure AND NOT EXISTS (SELECT 1 FROM membership AS e WHERE e.user_id = m.user_id"
        " AND e.can_configure AND e.team_id < m.team_id))"
    )
    op.add_column("audit", sa.Column("team_id", Number, nullable=True))
    op.add_column("audit", sa.Column("about_user", Number, nullable=True))
    op.create_index("ix_audit_team", "audit", ["team_id", "at"], unique=False)
    op.create_index("ix_audit_about", "audit", ["about_user", "at"], unique=False)
    op.create_table(
        "browser_session",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("entered_by", sa.Text(), nullable=False),
        sa.Column("user_agent", sa.Text(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("last_used_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.Column("revoked_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_browser_session_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_browser_session")),
        sa.UniqueConstraint("hash", name=op.f("uq_browser_session_hash")),
    )
    op.create_index(op.f("ix_browser_session_user_id"), "browser_session", ["user_id"], unique=False)
    op.create_table(
        "invitation",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("team_id", Number, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("can_configure", sa.Boolean(), nullable=False),
        sa.Column("made_by", Number, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("used_by", Number, nullable=True),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_invitation_team_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["made_by"], ["user_account.id"], name=op.f("fk_invitation_made_by"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("hash", name=op.f("uq_invitation_hash")),
    )
    op.create_index(op.f("ix_invitation_team_id"), "invitation", ["team_id"], unique=False)
    op.create_table(
        "entry_link",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_entry_link_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_entry_link")),
    )
    op.create_table(
        "login_attempt",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_attempt")),
    )
    op.create_index(op.f("ix_login_attempt_key_at"), "login_attempt", ["key", "at"], unique=False)
