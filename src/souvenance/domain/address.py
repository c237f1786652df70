"""Addresses a server listens on."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether an address reaches this machine only."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
