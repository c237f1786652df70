"""F8: obvious secrets are recognised. Each is assembled here from parts, so that scanners leave this file alone."""

from __future__ import annotations

import itertools
import random
import string
import time

import pytest

from souvenance.memory.secrets import KINDS, Found, find_secrets

_RANDOM = random.Random(20)


def rnd(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """`length` characters that hold at least one digit and one letter where the alphabet has them."""
    while True:
        drawn = "".join(_RANDOM.choice(alphabet) for _ in range(length))
        if length < 6 or any(c.isdigit() for c in drawn) == any(c.isdigit() for c in alphabet):
            return drawn


HEX = "0123456789abcdef"
UP = string.ascii_uppercase + string.digits
LOW = string.ascii_lowercase + string.digits
B32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
B58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

VENDORS = {
    "aws access key": "AK" + "IA" + rnd(16, UP),
    "aws temporary key": "AS" + "IA" + rnd(16, UP),
    "aws secret": "aws_secret_access_" + "key = '" + rnd(40) + "'",
    "azure storage": "Account" + "Key=" + rnd(86) + "==",
    "azure client secret": rnd(3) + "8Q" + "~" + rnd(34),
    "azure sas": "https://x.blob.core.windows.net/c?sv=2024-01-01&" + "sig=" + rnd(43) + "%3D",
    "github classic": "gh" + "p_" + rnd(36),
    "github oauth": "gh" + "o_" + rnd(36),
    "github fine grained": "github" + "_pat_" + rnd(22) + "_" + rnd(59),
    "gitlab": "gl" + "pat-" + rnd(20),
    "discord bot": "M" + rnd(23) + "." + rnd(6) + "." + rnd(27),
    "discord webhook": "https://discord.com/api/web" + "hooks/" + rnd(18, "123456789") + "/" + rnd(68),
    "slack bot": "xo" + "xb-" + rnd(12, "123456789") + "-" + rnd(12, "123456789") + "-" + rnd(24),
    "slack app": "xa" + "pp-1-" + rnd(11, UP) + "-" + rnd(13, "123456789") + "-" + rnd(64, HEX),
    "slack webhook": "https://hooks.slack" + ".com/services/T" + rnd(8, UP) + "/B" + rnd(8, UP) + "/" + rnd(24),
    "teams webhook": "https://acme.webhook.office"
    + ".com/webhookb2/"
    + rnd(36, HEX)
    + "/IncomingWebhook/"
    + rnd(32, HEX),
    "telegram": rnd(9, "123456789") + ":" + "AA" + rnd(33),
    "openai": "sk" + "-" + rnd(20) + "T3Blbk" + "FJ" + rnd(20),
    "openai project": "sk" + "-proj-" + rnd(80),
    "anthropic": "sk" + "-ant-api03-" + rnd(90),
    "openrouter": "sk" + "-or-v1-" + rnd(64, HEX),
    "google api": "AI" + "za" + rnd(35),
    "google oauth secret": "GOC" + "SPX-" + rnd(28),
    "google access token": "ya" + "29." + rnd(60),
    "hugging face": "h" + "f_" + rnd(34),
    "groq": "gs" + "k_" + rnd(52),
    "xai": "xa" + "i-" + rnd(80),
    "perplexity": "pp" + "lx-" + rnd(48),
    "replicate": "r" + "8_" + rnd(37),
    "nvidia": "nv" + "api-" + rnd(60),
    "stripe live": "sk_" + "live_" + rnd(24),
    "stripe restricted": "rk_" + "live_" + rnd(24),
    "stripe test": "sk_" + "test_" + rnd(24),
    "stripe webhook": "wh" + "sec_" + rnd(32),
    "square": "sq0" + "csp-" + rnd(43),
    "square token": "sq0" + "atp-" + rnd(22),
    "paypal": "access_" + "token$production$" + rnd(16, LOW) + "$" + rnd(32, HEX),
    "shopify": "shp" + "at_" + rnd(32, HEX),
    "twilio": "S" + "K" + rnd(32, HEX),
    "sendgrid": "S" + "G." + rnd(22) + "." + rnd(43),
    "mailchimp": rnd(32, HEX) + "-us" + "12",
    "mailgun": "ke" + "y-" + rnd(32, HEX),
    "brevo": "xkey" + "sib-" + rnd(64, HEX) + "-" + rnd(16),
    "digitalocean": "dop" + "_v1_" + rnd(64, HEX),
    "linear": "lin" + "_api_" + rnd(40),
    "notion": "nt" + "n_" + rnd(46),
    "figma": "fig" + "d_" + rnd(40),
    "netlify": "nf" + "p_" + rnd(36),
    "supabase": "sb" + "p_" + rnd(40, HEX),
    "planetscale": "pscale" + "_tkn_" + rnd(43),
    "databricks": "da" + "pi" + rnd(32, HEX),
    "doppler": "dp" + ".pt." + rnd(43),
    "hashicorp vault": "hv" + "s." + rnd(90),
    "terraform": rnd(14) + "." + "atlas" + "v1." + rnd(67),
    "postman": "PM" + "AK-" + rnd(24, HEX) + "-" + rnd(34, HEX),
    "pulumi": "pu" + "l-" + rnd(40, HEX),
    "npm": "np" + "m_" + rnd(36),
    "npmrc": "//registry.npmjs.org/:_auth" + "Token=" + "np" + "m_" + rnd(36),
    "pypi": "pypi-" + "AgEIcHlwaS5vcmc" + rnd(80),
    "rubygems": "ruby" + "gems_" + rnd(48, HEX),
    "docker": "dckr" + "_pat_" + rnd(27),
    "atlassian": "ATA" + "TT3xFf" + rnd(180),
    "airtable": "pa" + "t" + rnd(14) + "." + rnd(64, HEX),
    "mapbox": "sk" + ".eyJ" + rnd(80) + "." + rnd(22),
    "sentry": "sntr" + "ys_" + rnd(60),
    "sentry dsn": "https://" + rnd(32, HEX) + "@o1.ingest.example.io/4",
    "grafana": "gl" + "sa_" + rnd(32) + "_" + rnd(8, HEX),
    "new relic": "NR" + "AK-" + rnd(27, UP),
    "tailscale": "tskey" + "-auth-" + rnd(12) + "-" + rnd(32),
    "heroku": "HR"
    + "KU-"
    + rnd(8, HEX)
    + "-"
    + rnd(4, HEX)
    + "-"
    + rnd(4, HEX)
    + "-"
    + rnd(4, HEX)
    + "-"
    + rnd(12, HEX),
    "fly.io": "fm" + "2_" + rnd(80),
    "facebook": "EA" + "A" + rnd(150),
    "alibaba": "LT" + "AI" + rnd(20),
    "age": "AGE-" + "SECRET-KEY-1" + rnd(58, UP),
    "1password service": "ops" + "_eyJ" + rnd(120),
    "langsmith": "lsv2" + "_pt_" + rnd(32, HEX) + "_" + rnd(10, HEX),
}

FORMATS = {
    "jwt": "ey" + "J" + rnd(33) + ".ey" + "J" + rnd(60) + "." + rnd(43),
    "rsa private key": "-----BEGIN RSA " + "PRIVATE KEY-----\n" + rnd(64),
    "openssh private key": "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    "encrypted private key": "-----BEGIN ENCRYPTED " + "PRIVATE KEY-----",
    "pgp private key": "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----",
    "putty": "PuTTY-User-" + "Key-File-3: ssh-ed25519",
    "wireguard": "Private" + "Key = " + rnd(43) + "=",
    "ethereum private key": "private " + "key: 0x" + rnd(64, HEX),
    "bitcoin wif": "K" + rnd(51, B58),
    "bitcoin xprv": "xp" + "rv" + rnd(107, B58),
    "postgres url": "postgresql://paul:" + rnd(12) + "@db.example.org/app",
    "mongo url": "mongodb+srv://app:" + rnd(14) + "@cluster0.example.net",
    "redis url": "redis://:" + rnd(16) + "@cache.example.org:6379/0",
    "amqp url": "amqp://guest:" + rnd(10) + "@mq.example.org/",
    "git remote": "https://paul:" + rnd(20) + "@git.example.org/p.git",
    "ado.net": "Server=db;Database=app;User Id=sa;" + "Password=" + rnd(12) + ";",
    "jdbc query": "jdbc:mysql://db/app?user=paul&" + "password=" + rnd(12),
    "service bus": "Endpoint=sb://x.example.net/;SharedAccess" + "Key=" + rnd(43) + "=",
    "url token": "https://example.org/feed?access_" + "token=" + rnd(32),
    "bearer": "Authorization: Bear" + "er " + rnd(40),
    "basic auth header": "Authorization: Bas" + "ic " + rnd(24) + "==",
    "api key header": "curl -H 'X-API-" + "Key: " + rnd(32) + "'",
    "session cookie": "Cookie: session" + "id=" + rnd(32),
    "bcrypt": "$2" + "b$12$" + rnd(53),
    "sha512 crypt": "$" + "6$" + rnd(8) + "$" + rnd(86),
    "argon2": "$argon2" + "id$v=19$m=65536,t=3,p=4$" + rnd(22) + "$" + rnd(43),
    "otpauth": "otpauth://totp/Acme:paul?issuer=Acme&sec" + "ret=" + rnd(32, B32),
    "product key": "-".join(rnd(5, UP) for _ in range(4)) + "-A1B2C",
    "visa": "Sa carte : 4111 1111 " + "1111 1111, expire en 12/27",
    "mastercard": "5555-5555-" + "5555-4444",
    "amex": "carte 3782 822463 " + "10005",
    "card unspaced": "card 60111111" + "11111117",
    "iban fr": "IBAN FR14 2004 1010 0505 0001 " + "3M02 606",
    "iban de": "DE89370400440532" + "013000",
    "iban gb lower": "son iban : gb82 west 1234 " + "5698 7654 32",
}

SAID = {
    "fr colon": "mot de passe : " + "hunter" + "2",
    "fr mdp": "Mdp du NAS = " + "Chouette" + "!7",
    "fr est": "Le mot de passe du wifi est " + "tournesol" + "42.",
    "fr plain word": "Le mot de passe du wifi du local est " + "tournesol" + ".",
    "fr c'est": "Le mot de passe de Paul, c'est " + "Azerty" + "123",
    "fr quoted": "Le mot de passe du Minitel est « " + "joli petit lapin" + " ».",
    "fr wifi key": "Clé wifi : " + "9F3A7C21" + "BD",
    "fr wifi code": "Le code du wifi est " + "bleu" + "horizon8",
    "fr pin": "Code PIN de la carte : " + "48" + "21",
    "fr bank code": "Le code de la carte bleue de Maman est " + "73" + "19.",
    "fr door": "Le digicode est " + "45" + "B12",
    "fr door said": "Code de la porte : " + "A" + "1789",
    "fr alarm": "Le code de l'alarme est le " + "90" + "62.",
    "fr safe": "La combinaison du coffre est " + "12-34" + "-56",
    "fr recovery codes": "Codes de récupération : " + "4f3a-9b2c" + " 77de-01aa",
    "fr seed": "Phrase de récupération : " + "citron barque lune velours tapis roseau " + "sable corde miel",
    "fr api key": "La clé API est " + rnd(24),
    "fr identifiers": "Identifiants : paul / " + "Soleil" + "!2024",
    "fr token": "Le jeton d'accès... jeton : " + rnd(30),
    "fr cvv": "cryptogramme : " + "4" + "92",
    "fr passphrase": "Phrase de passe : " + "cheval agrafe pile correct",
    "en colon": "Password: " + "hunter" + "2",
    "en is": "The wifi password is " + "sunflower" + "99.",
    "en plain word": "The wifi password is " + "correcthorse" + ".",
    "en now": "The Netflix password is now " + "B1uewhale" + "!",
    "en quoted": 'The guest password is "' + "open sesame please" + '"',
    "en pwd": "pwd=" + "Tr0ub4dor" + "&3",
    "en passphrase": "Passphrase: " + "correct horse battery staple",
    "en pin": "My PIN is " + "48" + "21",
    "en door": "The door code is " + "45" + "12#",
    "en alarm": "Alarm code: " + "90" + "62",
    "en safe": "The safe combination is " + "12-34" + "-56",
    "en cvv": "CVV " + "4" + "92",
    "en recovery": "Recovery codes: " + "4f3a9b2c" + ", 77de01aa",
    "en seed": "My seed phrase is " + "apple river stone cloud tiger lemon " + "brave window coral dust ember fox",
    "en api key": "API key: " + rnd(32),
    "en env": "OPENWEATHER_API_" + "KEY=" + rnd(32, HEX),
    "en client secret": "client_" + "secret: '" + rnd(28) + "'",
    "en secret env": "DB_PASS" + "WORD=" + "s3cr3t" + "pw",
    "en login": "login: admin / " + "admin" + "123!",
    "en changed to": "The router password was changed to " + "Gr8" + "Pyr4mid",
    "en set to": "Password for the printer set to " + "Ink" + "_jet9",
    "en totp": "TOTP secret: " + rnd(32, B32),
    "json": '{"pass' + 'word": "' + "zX9!" + 'kk21"}',
    "yaml": "secret_" + "key: " + rnd(50),
    "curl user": "curl -u admin:" + "Pa55" + "word! https://x.example",
    "cli flag": "mysqldump --pass" + "word=" + "Qw3rty" + "77 app",
    "passcode": "Zoom passcode: " + "88" + "1204",
    "license key": "License key: " + "AB12-CD34" + "-EF56-7890",
    "en possessive": "The password's " + "hunter" + "2",
    "en admin key": "search admin key " + rnd(32, HEX),
    "en direct": "Use the password " + "Pl4typus" + "! for the share",
    "fr bare key": "SSID Livebox / clé : " + "9A8B7C6D" + "5E4F",
    "sshpass": "sshpass -p '" + "Hunter" + "2!' ssh root@h",
    "redis-cli": "redis-cli -a " + "S3cret" + "Pass",
    "nostr": "ns" + "ec1" + rnd(58, LOW),
}

ALL_SECRETS = {**VENDORS, **FORMATS, **SAID}

HARMLESS = (
    "The password policy changes on Monday.",
    "Le mot de passe du wifi change tous les lundis.",
    "Passwords must be at least 12 characters long.",
    "Le mot de passe doit faire douze caractères au moins.",
    "The password is required.",
    "The password is stored in the team's password manager.",
    "Le mot de passe est dans le gestionnaire de Paul.",
    "Le mot de passe est obligatoire.",
    "Mot de passe oublié : voir Léa.",
    "Password: ask Paul.",
    "The wifi password is changed every month.",
    "The wifi password is on the fridge.",
    "He forgot his password twice in 2024.",
    "Le mot de passe est connu de trois personnes seulement.",
    "Passwords are never shared by e-mail.",
    "Ne jamais demander le mot de passe d'un membre.",
    "Prefers passphrases to passwords.",
    "La phrase de passe : au moins six mots.",
    "Token limits are 4096 per answer.",
    "Le budget de jetons est de 4000.",
    "The access token expires after 30 minutes.",
    "Secret Santa is on 18 December 2026.",
    "The secret is patience.",
    "La clé du succès est la patience.",
    "API keys are rotated every 90 days.",
    "La clé API est rangée dans le coffre de l'équipe.",
    "The primary key is user_id.",
    "Pin the message in #general.",
    "He collects enamel pins: 214 so far.",
    "Le code de la route a changé en 2024.",
    "Code review is due in 2 days.",
    "Le code postal de la ville est 75011.",
    "Promo code: none this year.",
    "The door is closed at 18:30.",
    "Order number 4111 2222 3333 4444 arrived.",
    "Commande 1234567890123 livrée mardi.",
    "Tracking 9400110200881234567890 is late.",
    "Commit 3f2a9c1b7d8e4f5061728394a5b6c7d8e9f0a1b2 broke the build.",
    "The fix is in 9fceb02.",
    "SHA-256 of the file: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "ISBN 978-2-07-036822-8 is on the shelf.",
    "ISBN 9782070368228",
    "Call her on +33 6 12 34 56 78.",
    "Tél. 06 12 34 56 78",
    "Phone: (555) 010-9999",
    "SIRET 732 829 320 00074",
    "Run 550e8400-e29b-41d4-a716-446655440000 failed.",
    "Meeting ID 812 3456 7890",
    "Server at 192.168.1.20:8080",
    "https://example.org/docs/authentication?page=2",
    "git clone https://git.example.org/acme/tools.git",
    "Uses postgresql://localhost/app in development.",
    "Paul's e-mail is paul@example.org.",
    "Version 2.31.0 came out on 2026-03-14.",
    "Flight AF1234 leaves at 7:45.",
    "Room B204, badge 1178.",
    "Prefers bearer bonds to shares.",
    "Basic income is his favourite topic.",
    "Set password=${DB_PASSWORD} in the environment.",
    "password: <your password here>",
    "password: ********",
    "api_key = YOUR_API_KEY",
    "Recovery codes are printed and kept at home.",
    "Les codes de récupération sont imprimés.",
    "The seed phrase is kept in the bank.",
    "La combinaison du cadenas est connue de Lilou.",
    "Le digicode est en panne.",
    "PIN codes have four digits.",
    "Le code PIN a quatre chiffres.",
    "Record: 1 234 567 890 123 points.",
    "The account has 1234567890123456 as its fake number.",
    "Le login est son prénom.",
    "Le pass sanitaire n'est plus demandé.",
    "Un pass week-end coûte 38 €.",
    "Tokens: 15,000 in, 2,000 out.",
    "Uses the task-based sk-learn pipelines every day at work.",
    "Dark-mode-everywhere-and-always is the motto.",
    "data:image/png;base64 images are refused.",
    "La licence est Apache-2.0.",
    "The key takeaway is to test early.",
    "Public key: ssh-ed25519 " + "AAAA" + "C3NzaC1lZDI1NTE5",
    "Key: C major, tempo 120.",
    "Le code promo est NOEL2025.",
    "The password is now longer.",
    "The password was set by Paul.",
    "The wifi password is written on the whiteboard.",
    "Passwords are hashed with argon2id.",
    "Docker image sha256:" + "9b2a3c4d5e6f7081" * 4,
    "Password reset e-mails arrive from noreply@example.org.",
)


@pytest.mark.parametrize("name", sorted(ALL_SECRETS))
def test_f8_a_secret_is_found_inside_a_sentence(name: str) -> None:
    text = f"Note for later. {ALL_SECRETS[name]}"
    found = find_secrets(text)
    assert found, f"{name} was not found"
    assert all(each.kind in KINDS and 0 <= each.start < each.end <= len(text) for each in found)


def test_f8_at_least_a_hundred_shapes_are_covered() -> None:
    assert len(ALL_SECRETS) >= 100


@pytest.mark.parametrize("text", HARMLESS)
def test_f8_a_harmless_lookalike_is_left_alone(text: str) -> None:
    assert find_secrets(text) == []


def test_f8_the_place_found_covers_the_secret_and_the_result_does_not_hold_it() -> None:
    secret = "sunflower" + "99"
    text = f"The wifi password is {secret}, tell the guests."
    (found,) = find_secrets(text)
    assert text[found.start : found.end] == secret
    assert found == Found(kind="password", start=text.index(secret), end=text.index(secret) + len(secret))
    assert secret not in repr(found)


def test_f8_several_secrets_come_in_order_without_overlap() -> None:
    text = f"PIN is {'48' + '21'} and the key {'gh' + 'p_' + rnd(36)} and IBAN DE89370400440532{'013000'}"
    found = find_secrets(text)
    assert [each.kind for each in found] == ["pin", "api_key", "iban"]
    assert all(left.end <= right.start for left, right in itertools.pairwise(found))


@pytest.mark.parametrize(
    "piece",
    [
        "a", " ", "1", "1 ", "4111 ", "eyJ", "eyJhbGciOi.", "//", "://a:", "sk-", "sk_live_", "-----BEGIN ",
        "password ", "password is ", "mot de passe : ", "a_", "a_key", "token: a", "FR14 2004 ", "xoxb-1-", "AIza",
        "=", "Bearer a", "aws 'key", "M" * 24 + ".", "$2b$", "sig=", "seed phrase: abc ", "?password=",
        "otpauth://totp/?secret=", "pat", "login: a / ",
    ],
)  # fmt: skip
def test_f8_the_work_grows_with_the_length_and_not_its_square(piece: str) -> None:
    """200,000 hostile characters in at most 4 s: a quadratic pattern would take minutes."""
    text = piece * (200_000 // len(piece))
    begin = time.process_time()
    find_secrets(text)
    assert time.process_time() - begin < 4


def test_f8_a_short_fact_costs_little() -> None:
    facts = [text for text in HARMLESS if len(text) < 120]
    find_secrets("warm" * 8)
    begin = time.process_time()
    for _ in range(5):
        for text in facts:
            find_secrets(text)
    assert (time.process_time() - begin) / (5 * len(facts)) < 0.001
