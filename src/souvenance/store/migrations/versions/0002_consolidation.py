"""Proposals and passes."""

import sqlalchemy as sa
from alembic import op

from souvenance.store.columns import Instant, Json, Number

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "proposal",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("this_number", Number, nullable=True),
        sa.Column("that_number", Number, nullable=True),
        sa.Column("this_wording", sa.Text(), server_default="", nullable=False),
        sa.Column("that_wording", sa.Text(), server_default="", nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("similarity", sa.Float(), nullable=True),
        sa.Column("codes", Json, nullable=False),
        sa.Column("model", sa.Text(), server_default="", nullable=False),
        sa.Column("draft", sa.Text(), server_default="", nullable=False),
        sa.Column("sources", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.Column("overtaken", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("answered_at", Instant(), nullable=True),
        sa.Column("answered_by", sa.Text(), server_default="", nullable=False),
        sa.Column("answered_through", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_proposal_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("vault_id", "id", name=op.f("pk_proposal")),
    )
    op.create_index("ix_proposal_id", "proposal", ["id"], unique=False)
    op.create_index("ix_proposal_standing", "proposal", ["vault_id", "standing", "created_at"], unique=False)
    op.create_index("ix_proposal_this", "proposal", ["vault_id", "this_number"], unique=False)
    op.create_index("ix_proposal_that", "proposal", ["vault_id", "that_number"], unique=False)
    op.create_table(
        "consolidation_pass",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("started_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("asked_by", sa.Text(), server_default="", nullable=False),
        sa.Column("facts", sa.Integer(), nullable=False),
        sa.Column("compared", sa.Integer(), nullable=False),
        sa.Column("duplicates", sa.Integer(), nullable=False),
        sa.Column("contradictions", sa.Integer(), nullable=False),
        sa.Column("summaries", sa.Integer(), nullable=False),
        sa.Column("answered_before", sa.Integer(), nullable=False),
        sa.Column("left_over", sa.Integer(), nullable=False),
        sa.Column("demoted", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), server_default="", nullable=False),
        sa.Column("model_state", sa.Text(), server_default="", nullable=False),
        sa.Column("seen_at", Instant(), nullable=True),
        sa.Column("seen_facts", sa.Integer(), nullable=False),
        sa.Column("seen_change", Number, nullable=False),
        sa.ForeignKeyConstraint(
            ["vault_id"], ["vault.id"], name=op.f("fk_consolidation_pass_vault_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("vault_id", "ordinal", name=op.f("pk_consolidation_pass")),
    )
