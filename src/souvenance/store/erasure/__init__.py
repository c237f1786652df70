"""Erasing and its proof (F7): what every table holds, the deed, the traces looked for, the purge, the receipts."""
