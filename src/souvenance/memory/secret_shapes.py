"""Secrets that give themselves away by their shape: vendor tokens, private keys, connection strings, hashes.

The vendor patterns of `detect-secrets` are used where they exist. Its entropy and keyword plugins are left out (they
take commit hashes and talk about passwords for secrets), as are those whose patterns can run for minutes on a long
hostile text (npm, OpenAI, JWT) or match ordinary words (Artifactory, public addresses); what those cover is below.
Every pattern here is anchored on a literal and bounded, so a megabyte costs one pass each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

Shape = tuple[str, re.Pattern[str]]

_PLUGINS: tuple[tuple[str, str, str], ...] = (
    ("aws", "AWSKeyDetector", "api_key"),
    ("azure_storage_key", "AzureStorageKeyDetector", "connection_string"),
    ("basic_auth", "BasicAuthDetector", "connection_string"),
    ("discord", "DiscordBotTokenDetector", "api_key"),
    ("github_token", "GitHubTokenDetector", "api_key"),
    ("gitlab_token", "GitLabTokenDetector", "api_key"),
    ("mailchimp", "MailchimpDetector", "api_key"),
    ("private_key", "PrivateKeyDetector", "private_key"),
    ("pypi_token", "PypiTokenDetector", "api_key"),
    ("sendgrid", "SendGridDetector", "api_key"),
    ("slack", "SlackDetector", "api_key"),
    ("square_oauth", "SquareOAuthDetector", "api_key"),
    ("stripe", "StripeDetector", "api_key"),
    ("telegram_token", "TelegramBotTokenDetector", "api_key"),
    ("twilio", "TwilioKeyDetector", "api_key"),
)

# Prefixes that a vendor prints in front of its tokens, with the shortest tail worth an alarm.
_PREFIXED: tuple[tuple[str, int], ...] = (
    ("sk-ant-", 20), ("sk-proj-", 20), ("sk-svcacct-", 20), ("sk-or-v1-", 20), ("sk-lf-", 20), ("sk-", 32),
    ("github_pat_", 22), ("hf_", 30), ("gsk_", 30), ("xai-", 40), ("pplx-", 32), ("r8_", 30), ("nvapi-", 30),
    ("AIza", 35), ("GOCSPX-", 20), ("ya29.", 20), ("1//0", 30),
    ("sk_test_", 16), ("rk_test_", 16), ("whsec_", 20), ("sq0atp-", 20), ("sq0idp-", 20), ("EAAA", 50), ("EAAC", 50),
    ("shpat_", 30), ("shpss_", 30), ("shpca_", 30), ("shppa_", 30),
    ("xapp-", 20), ("xoxe.", 20), ("xoxc-", 20), ("xoxd-", 20),
    ("dop_v1_", 40), ("doo_v1_", 40), ("dor_v1_", 40), ("lin_api_", 30), ("secret_", 40), ("ntn_", 40), ("figd_", 30),
    ("nfp_", 30), ("sbp_", 36), ("sb_secret_", 20), ("pscale_tkn_", 30), ("pscale_pw_", 30), ("dapi", 32),
    ("dp.pt.", 36), ("dp.st.", 36), ("hvs.", 24), ("hvb.", 24), ("PMAK-", 40), ("pul-", 40), ("npm_", 36),
    ("rubygems_", 40), ("cio", 32), ("dckr_pat_", 20), ("dckr_oat_", 20), ("ATATT3", 40), ("ATCTT3", 40), ("ATBB", 28),
    ("sl.B", 60), ("key-", 32), ("sntrys_", 40), ("sntryu_", 40), ("glc_", 30), ("glsa_", 30), ("eyJrIjoi", 40),
    ("NRAK-", 27), ("NRII-", 30), ("tskey-", 20), ("AGE-SECRET-KEY-1", 50), ("ops_eyJ", 60), ("A3-", 33), ("LTAI", 16),
    ("AKID", 32), ("HRKU-", 36), ("fm1r_", 40), ("fm2_", 40), ("fo1_", 40), ("pat-na1-", 36), ("pat-eu1-", 36),
    ("access_token$production$", 40), ("sk_live_", 16), ("pk.eyJ", 60), ("sk.eyJ", 60), ("re_", 24), ("ghr_", 36),
    ("lsv2_", 30), ("phc_", 40), ("phx_", 40), ("sgp_", 40), ("tvly-", 24), ("fc-", 32), ("co_api_", 30),
    ("CFPAT-", 40),
    ("SCW", 17), ("ovh_", 30), ("vercel_", 24), ("rnd_", 28), ("sha256~", 40), ("ddp_", 36), ("bkua_", 40),
    ("xkeysib-", 60),
    ("mlsn.", 60), ("patrn_", 30), ("CCIPAT_", 30), ("ATTA", 60), ("t3AE", 40), ("nsec1", 50), ("sv=20", 60),
)  # fmt: skip

_OWN: tuple[tuple[str, str], ...] = (
    ("jwt", r"(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,4000}\.[\w-]{0,1000}"),
    ("private_key", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
    ("private_key", r"PuTTY-User-Key-File-\d"),
    ("private_key", r"(?<!\w)PrivateKey\s{0,4}=\s{0,4}[A-Za-z0-9+/]{42,43}="),
    ("private_key", r"(?<!\w)[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}(?!\w)"),
    ("private_key", r"(?<!\w)[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?!\w)"),
    (
        "private_key",
        r"(?i)\b(?:private key|cl[ée] priv[ée]e|privkey|private_key)\W{1,4}(?:is |est )?(?:0x)?[0-9a-f]{64}\b",
    ),
    ("connection_string", r"://:[^\s:/@]{4,200}@[\w.-]{1,200}"),
    ("connection_string", r"(?i)\b(?:password|pwd)=[^;\s]{4,200};"),
    ("connection_string", r"(?i);\s?(?:password|pwd)=[^;\s'\"]{4,200}"),
    (
        "connection_string",
        r"(?i)[?&](?:password|pwd|access_token|api_key|apikey|client_secret|sslpassword)=[^&\s]{6,300}",
    ),
    ("connection_string", r"SharedAccessKey=[A-Za-z0-9+/]{30,90}=?"),
    ("connection_string", r"(?<![\w%])sig=[A-Za-z0-9%+/]{30,100}"),
    ("connection_string", r"https://[0-9a-f]{32}:?[0-9a-f]{0,32}@[\w.-]{1,100}/\d"),
    ("bearer", r"(?i)\bbearer\s{1,3}(?=[\w.~+/-]{0,60}\d)[\w.~+/-]{16,4000}=?=?"),
    ("bearer", r"(?i)\bauthorization\s{0,2}[:=]\s{0,2}(?:basic|token|digest|apikey)\s{1,3}[\w.~+/=-]{8,4000}"),
    (
        "bearer",
        r"(?i)\b(?:x-api-key|x-auth-token|private-token|x-vault-token|cookie"
        r"|set-cookie)\s{0,2}:\s{0,2}[\w.=-]{16,4000}",
    ),
    ("bearer", r"(?i)\b(?:sessionid|jsessionid|phpsessid|connect\.sid|csrftoken)=[\w%.-]{16,400}"),
    ("webhook", r"https://(?:\w{1,20}\.)?discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{5,25}/[\w-]{20,120}"),
    ("webhook", r"https://[\w-]{1,60}\.webhook\.office\.com/[\w@/-]{20,300}"),
    ("webhook", r"https://hooks\.zapier\.com/hooks/catch/\d{3,12}/\w{5,12}"),
    ("webhook", r"https://(?:chat\.googleapis\.com/v1/spaces/)[\w/]{3,60}\?key=[\w-]{10,60}&token=[\w%-]{10,80}"),
    ("otp_secret", r"otpauth://[a-z]{4}/[^\s?]{0,200}\?[^\s]{0,200}secret=[A-Za-z2-7]{8,128}"),
    ("password_hash", r"\$(?:2[abxy]|1|5|6|y|apr1)\$[\w./$]{20,200}"),
    ("password_hash", r"\$argon2(?:id|i|d)\$v=\d{1,3}\$[\w=,$+/]{20,300}"),
    ("password_hash", r"\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{20,120}={0,2}"),
    ("api_key", r"(?<![\w-])sk-[A-Za-z0-9_-]{0,120}T3BlbkFJ[A-Za-z0-9_-]{20,120}"),
    ("api_key", r"(?<!\w)AKC[a-zA-Z0-9]{60,80}(?!\w)"),
    ("api_key", r"(?<!\w)pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)"),
    ("api_key", r"(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}"),
    ("api_key", r"(?<![\w~.-])[\w.-]{3}\dQ~[\w.~-]{31,34}"),
    ("api_key", r"(?<!\w)FlyV1 [\w+/=,]{20,2000}"),
    ("api_key", r"(?<!\w)v1\.0-[0-9a-f]{24}-[0-9a-f]{146}(?!\w)"),
    ("api_key", r"(?<!\w)EAA[A-Za-z0-9]{60,250}(?!\w)"),
    ("api_key", r"(?<!\w)AQ[A-Za-z0-9_-]{80,400}(?!\w)"),
    ("api_key", r"(?<!\w)[0-9]/[0-9]{10,20}(?:/[0-9]{10,20})?:[0-9a-f]{32}(?!\w)"),
    ("api_key", r"(?<!\w)AAAA[\w-]{7}:APA91b[\w-]{100,160}"),
    ("license_key", r"(?<![\w-])(?=[A-Z0-9-]{0,28}\d)[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}(?![\w-])"),
)


@cache
def shapes() -> tuple[Shape, ...]:
    """All shape patterns, compiled once, at the first call: importing the vendor detectors costs about 0.1 s."""
    found: list[Shape] = [(kind, pattern) for kind, pattern in _vendor_shapes()]
    prefixes = "|".join(rf"{re.escape(prefix)}[\w.+/=$-]{{{tail},{tail + 400}}}" for prefix, tail in _PREFIXED)
    found.append(("api_key", re.compile(rf"(?<![\w.-])(?=\w)(?:{prefixes})")))
    found.extend((kind, re.compile(pattern)) for kind, pattern in _OWN)
    return tuple(found)


def _vendor_shapes() -> Iterator[Shape]:
    from importlib import import_module

    for module, name, kind in _PLUGINS:
        plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        for pattern in plugin.denylist:
            yield kind, pattern
