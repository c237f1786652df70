"""Objects of Discord's API v10, with every field its documentation lists as always there.

Sources, in Discord's developer documentation: resources/user, resources/guild, resources/channel, resources/message,
resources/application, topics/permissions (roles), interactions/receiving-and-responding.
"""

import itertools
import time
from datetime import UTC, datetime
from enum import IntEnum, IntFlag
from typing import Any

Payload = dict[str, Any]

DISCORD_EPOCH = 1_420_070_400_000
_increment = itertools.count()


class ChannelType(IntEnum):
    """resources/channel, Channel Types."""

    TEXT = 0
    DM = 1
    ANNOUNCEMENT = 5
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    FORUM = 15


THREADS = {ChannelType.PUBLIC_THREAD, ChannelType.PRIVATE_THREAD}


class Permission(IntFlag):
    """topics/permissions, Bitwise Permission Flags: those that tests use."""

    ADMINISTRATOR = 1 << 3
    MANAGE_GUILD = 1 << 5
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    SEND_MESSAGES_IN_THREADS = 1 << 38


EVERYDAY = (
    Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.SEND_MESSAGES_IN_THREADS
)


def snowflake() -> str:
    """A new id: milliseconds since Discord's epoch, then an increment (reference, Snowflakes)."""
    milliseconds = time.time_ns() // 1_000_000 - DISCORD_EPOCH
    return str((milliseconds << 22) | (1 << 17) | (next(_increment) & 0xFFF))


def now() -> str:
    return datetime.now(UTC).isoformat()


def user(name: str, *, shown: str | None = None, bot: bool = False) -> Payload:
    return {
        "id": snowflake(),
        "username": name,
        "discriminator": "0",
        "global_name": shown,
        "avatar": None,
        "bot": bot,
    }


def member(of: Payload, *, nick: str | None = None, roles: list[str] | None = None) -> Payload:
    return {
        "user": of,
        "nick": nick,
        "avatar": None,
        "roles": roles or [],
        "joined_at": now(),
        "deaf": False,
        "mute": False,
        "flags": 0,
    }


def role(name: str, *, id: str | None = None, permissions: int = 0, mentionable: bool = False) -> Payload:
    return {
        "id": id or snowflake(),
        "name": name,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": 0 if id else 1,
        "permissions": str(int(permissions)),
        "managed": False,
        "mentionable": mentionable,
        "flags": 0,
    }


def guild(name: str, *, owner: str) -> Payload:
    id = snowflake()
    return {
        "id": id,
        "name": name,
        "icon": None,
        "splash": None,
        "discovery_splash": None,
        "owner_id": owner,
        "afk_channel_id": None,
        "afk_timeout": 300,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "roles": [role("@everyone", id=id, permissions=EVERYDAY)],
        "emojis": [],
        "features": [],
        "mfa_level": 0,
        "application_id": None,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "vanity_url_code": None,
        "description": None,
        "banner": None,
        "premium_tier": 0,
        "preferred_locale": "en-US",
        "public_updates_channel_id": None,
        "nsfw_level": 0,
        "premium_progress_bar_enabled": False,
        "safety_alerts_channel_id": None,
        "incidents_data": None,
    }


def channel(kind: ChannelType, name: str, *, guild_id: str, parent_id: str | None = None) -> Payload:
    return {
        "id": snowflake(),
        "type": int(kind),
        "guild_id": guild_id,
        "position": 0,
        "permission_overwrites": [],
        "name": name,
        "topic": None,
        "nsfw": False,
        "last_message_id": None,
        "rate_limit_per_user": 0,
        "parent_id": parent_id,
    } | ({"available_tags": [], "default_reaction_emoji": None, "default_sort_order": None, "default_forum_layout": 0}
         if kind is ChannelType.FORUM else {})  # fmt: skip


def thread(name: str, *, guild_id: str, parent_id: str, owner_id: str, private: bool = False) -> Payload:
    return {
        "id": snowflake(),
        "type": int(ChannelType.PRIVATE_THREAD if private else ChannelType.PUBLIC_THREAD),
        "guild_id": guild_id,
        "name": name,
        "last_message_id": None,
        "rate_limit_per_user": 0,
        "owner_id": owner_id,
        "parent_id": parent_id,
        "message_count": 0,
        "member_count": 1,
        "total_message_sent": 0,
        "flags": 0,
        "thread_metadata": {
            "archived": False,
            "auto_archive_duration": 1440,
            "archive_timestamp": now(),
            "locked": False,
            "create_timestamp": now(),
        },
    }


def dm_channel(recipient: Payload) -> Payload:
    return {"id": snowflake(), "type": int(ChannelType.DM), "last_message_id": None, "recipients": [recipient]}


def message(channel_id: str, author: Payload, content: str) -> Payload:
    return {
        "id": snowflake(),
        "channel_id": channel_id,
        "author": author,
        "content": content,
        "timestamp": now(),
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
        "type": 0,
        "flags": 0,
        "components": [],
    }


def application(name: str, *, owner: Payload, id: str | None = None) -> Payload:
    return {
        "id": id or snowflake(),
        "name": name,
        "icon": None,
        "description": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "team": None,
        "owner": owner,
        "flags": 1 << 19,  # GATEWAY_MESSAGE_CONTENT_LIMITED
    }


def interaction(
    data: Payload,
    *,
    application_id: str,
    channel: Payload,
    caller: Payload,
    permissions: int,
    locale: str,
    message: Payload | None = None,
) -> Payload:
    """A slash command as it arrives, or a button of a message. In a server `caller` is a member, else a user."""
    inside = channel.get("guild_id")
    made = {
        "id": snowflake(),
        "application_id": application_id,
        "type": 2 if message is None else 3,
        "data": data,
        "channel": channel,
        "channel_id": channel["id"],
        "token": f"interaction-{snowflake()}",
        "version": 1,
        "app_permissions": str(int(EVERYDAY)),
        "locale": locale,
        "entitlements": [],
        "authorizing_integration_owners": {"0": inside or "0"},
        "context": 0 if inside else 1,
        "attachment_size_limit": 10 * 1024 * 1024,
    }
    if message is not None:
        made["message"] = message
    if inside:
        made |= {"guild_id": inside, "guild": {"id": inside, "locale": "en-US", "features": []}}
        made |= {"member": caller | {"permissions": str(int(permissions))}, "guild_locale": "en-US"}
    else:
        made |= {"user": caller}
    return made
