"""Secrets said rather than shaped: "mot de passe : hunter2", "the wifi password is sunflower", PINs, seed phrases.

A trigger (what is being named), at most a few words of detail ("du wifi de la maison"), a connector (":", "is", "est")
and a value that could be a secret. Talk *about* passwords ("the password policy changes on Monday") has no such value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

WINDOW = 220
"""Characters looked at after a trigger: more than any sentence that says a password needs, and a bound on the work."""

# What may be named, by kind: patterns of lower-case words, a space standing for one space. "e?" forms cover typing
# without accents.
_NAMED: dict[str, tuple[str, ...]] = {
    "phrase": (
        r"(?:seed|recovery|mnemonic|backup|secret) phrases?",
        r"mnemonic|seed words?|pass[ -]?phrases?",
        r"phrase (?:de passe|secr[eè]te|de r[ée]cup[ée]ration|mn[ée]monique|de secours)",
    ),
    "codes": (
        r"(?:recovery|backup|rescue|2fa|mfa|otp|scratch|one[ -]time|emergency) codes?",
        r"codes? (?:de (?:r[ée]cup[ée]ration|secours|sauvegarde|restauration)|2fa|mfa|otp|[àa] usage unique)",
    ),
    "pin": (
        r"pin(?:s?[ -]?codes?)?(?!\w)|codes?[ -]pin|code confidentiel|passcodes?|digicodes?",
        r"(?:door|gate|alarm|safe|lock|entry|access|unlock|locker|padlock|building|garage) (?:pin )?codes?",
        r"(?:voicemail|puk|secret|card|sim) (?:pin )?codes?|security code",
        r"combination (?:of|to|for) the (?:safe|lock|padlock|vault)|(?:safe|lock|padlock)(?:[’']s)? combination",
        r"codes? (?:secret|puk|sim|d[’']entr[ée]e|d[’']acc[èe]s|d[’']alarme|de d[ée]verrouillage)",
        r"codes? de la (?:porte|carte|cb|box|cave|grille|bo[iî]te|r[ée]sidence|sim)|codes? de [sm]a (?:carte|cb)",
        r"codes? de l[’'](?:alarme|immeuble|entr[ée]e|ascenseur)",
        r"codes? du (?:coffre(?:-fort)?|cadenas|portail|garage|b[âa]timent|local|hall|t[ée]l[ée]phone)",
        r"combinaison du (?:coffre(?:-fort)?|cadenas)|cvv2?|cvc2?|cryptogramme(?: visuel)?",
    ),
    "key": (
        r"(?:api|secret|private|access|auth|encryption|master|signing|deploy|ssh|session)[ _-]?(?:secret[ _-]?)?keys?",
        r"(?:license|licence|product|activation|serial|account|storage|host|webhook|project)[ _-]?keys?",
        r"(?:admin|application|app|write|read|search)[ _-]keys?|(?<!public )keys?(?=\s?[:=])|auth(?=[\"']\s?:)",
        r"(?:personal access|access|api|auth|bot|refresh|bearer|session|deploy|csrf|id|security|login)[ _-]?tokens?",
        r"tokens?|jetons?|(?:client|app|signing)[ _-]?secrets?|secrets?|totp(?: (?:secret|seed|key))?",
        r"cl[ée]s? (?:d[’']? ?api|api|secr[eè]tes?|priv[ée]es?|d[’']acc[èe]s|de chiffrement|de signature|ssh)",
        r"cl[ée]s? (?:de licence|d[’']activation|produit|ma[iî]tre(?:sse)?)|cl[ée]s?(?=\s?[:=])",
        r"[a-z0-9]{1,30}(?:_[a-z0-9]{1,30}){0,4}_(?:key|token|secret)",
    ),
    "password": (
        r"mots? de passe?s?|mdps?|pass?words?|passwd|pwd|pgpassword|passwort|kennwort|contrase[ñn]a|wachtwoord",
        r"(?:pw|pass|passe|logins?|identifiants?|credentials?)(?=\s?[:=])|credentials? are",
        r"[a-z0-9]{1,30}(?:_[a-z0-9]{1,30}){0,4}_(?:password|passwd|pwd|pass)",
        r"(?:wi-?fi|wpa2?|wep|network|r[ée]seau) (?:key|code|pass|cl[ée])",
        r"(?:cl[ée]|code) (?:du |de la )?(?:wi-?fi|wpa2?|wep|box)",
        r"log(?:ged)? ?in (?:with|using)|se connecte avec",
        r"(?:sshpass|mysql|mysqldump|mariadb|redis-cli) (?=.{0,60}-[pa])|(?<=\s)--pass(?:word)?(?=[ =])",
        r"(?<=\s)-u (?=[\w.-]{1,40}:\S)",
    ),
}
_TRIGGER = re.compile(
    r"(?i)(?<!\w)(?=[\w-])(?:" + "|".join(f"(?P<{kind}>{'|'.join(names)})" for kind, names in _NAMED.items()) + ")"
)

# Every name above holds one of these; most sentences hold none, and are not searched for names at all.
_HINTS = (
    "pass", "code", "pin", "key", "cl", "tok", "jeton", "secret", "phrase", "mnemonic", "seed", "word", "wort", "woord",
    "mdp", "pwd", "pw", "log", "ident", "credential", "contrase", "totp", "auth", "cvv", "cvc", "cryptogramme",
    "combin", "connecte", "mysql", "mariadb", "redis", "wi", "-u ",
)  # fmt: skip

# "the password policy", "mot de passe oublié": the words that follow show that no value is being given.
_ABOUT = re.compile(
    r"(?i)[ -](?:polic|manager|reset|length|rotation|rule|expir|field|page|forms?\b|prompt|hash|less|protect|strength|"
    r"requirement|hygiene|sharing|changes?\b|oubli|gestion|perdu|management|limit|budget|price|usage|count|bucket|"
    r"window|based|auth|box\b|cracker|d[’']au moins)"
)
_CONNECTOR = re.compile(
    r"""(?ix) ^ ["']? (?P<detail> [^:=\n.;!?«"“]{0,90}? ) \s{0,3}
    (?: (?P<mark> [:=]{1,2}>? | → | -> | => | [«"“`] )
      | (?: ^ ['’]s \s
          | (?<=[\w)\s’'"]) \b (?:
              (?: (?:was|is|has\ been|a\ [ée]t[ée]|est)\s )?
              (?: (?:re)?set\ to | changed\ to | chang[ée]e?\ (?:pour|en) | pass[ée]e?\ [àa] )
            | is | are | was | were | becomes? | remains? | est | sont | [ée]tait | c[’']est | devient | reste
          ) \b \s?
        ) (?: (?:now|still|d[ée]sormais|toujours|maintenant)\s )?
    ) \s{0,3}"""
)
_DIRECT = re.compile(r"^[ (]{1,2}(?:n[°o] ?)?(?=[^\s]{0,40}\d)")
_VALUE = re.compile(r"^(?P<quote>[\"'`“«*]{0,2})\s?(?P<value>[^\s\"`”»]{3,200})")
_QUOTED = re.compile(r"^[\"`“«]\s?(?P<value>[^\"`”»\n]{4,100}?)\s?[\"`”»]")
_END = re.compile(
    r"^[\"'`”»*)]{0,2}\s*(?:[.,;!?)]|$|\n|\s(?:/|\||-|–|—|\(|and\b|et\b|but\b|mais\b|pour\b|for\b|since\b|depuis\b))"
)
_SHELL = re.compile(r"^(?:(?P<flag>.{0,60}?-[pa]) ?|[ =])['\"]?(?P<value>[^\s'\"-][^\s'\"]{3,60})")
_PAIR = re.compile(r"^\S{1,60}\s{0,2}(?:/|\||,|:|and|et|with|avec|password|pass|mdp)\s{1,2}(?=\S)")
_PLACEHOLDER = re.compile(
    r"^(?:[x*•.…_#-]{3,}|<.*>?|\$\{?\w.*|\{\{.*|%\w+%|\[.*\]?|your.*|redacted|hidden|masqu.*|n/a|https?://.*"
    r"|www\..*|[#@/~].*)$",
    re.I,
)
_TIME = re.compile(
    r"^(?:\d{1,2}[h:]\d{0,2}|\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{4}-\d{2}(?:-\d{2})?|\d+(?:st|nd|rd|th|er|e|ème|%|€"
    r"|\$|£)|v?\d+\.\d+(?:\.\d+)?)$",
    re.I,
)
# What is said of a password rather than as one; most adjectives and participles are caught by their endings below.
_SAID_OF_ONE = """
ailleurs ancien ancienne aucun autre bad blank celle celui ceux commun commune compris confidentiel confidentielle
connu connue correct court courte dead different difficile due easy elle elsewhere empty eux everyone facile faible
fine fort forte free gone good hard her here hers him his ici inconnu inconnue inscrit inscrite interdit interdite
invalid invalide it jamais known long longue lost lui là mandatory me mine mis mise missing moi même new nobody none
nothing nous nouveau nouvelle nul null nulle obligatoire offline old online optional ours ouvert ouverte perdu
perdue permis personal personne private public random remis remise required requis requise rien sacred safe same
secret secrète sensitive short simple solide someone strong sûr sûre that theirs them there these this those toi
toujours trop unique unknown us valable valid valide vide vous weak wrong you yours écrit écrite
"""
_NO_VALUE = frozenset(_SAID_OF_ONE.split())
_DESCRIBING = re.compile(
    r"(?i)(?:ed|ing|able|ible|ive|ory|ous|é|ée|és|ées|ant|aire|ible|elle|eux|al|ly|ment|tten|nger|rter|aker)$"
)
_WORD_RUN = re.compile(
    r"^\W{0,3}(?:\d{1,2}[.)]?\s)?[a-zà-ÿ]{3,10}(?:[\s,]{1,2}(?:\d{1,2}[.)]?\s)?[a-zà-ÿ]{3,10}){3,23}", re.I
)
_FUNCTION_WORDS = re.compile(
    r"(?i)(?<!\w)(?:the|of|in|on|at|to|and|is|are|by|with|from|for|le|la|les|de|du|des|dans|sur|est|et|par|avec"
    r"|pour|au|aux|un|une|doit|must|should|a)(?!\w)"
)
_CODE_VALUE = re.compile(r"(?=[\w-]{0,20}\d)[A-Za-z0-9]{3,12}(?:[- ][A-Za-z0-9]{3,12}){0,7}")
_DIGITS = re.compile(r"[*#]?\d(?:[ .-]?\d){2,11}[A-F#*]{0,2}(?![\w%€$£]|[.,/:]\d)")
_CODE_NAME = re.compile(
    r"[A-Z]?\d{3,6}[A-Z]{1,2}\b|[A-Z]{1,2}\d{3,6}\b|[A-Z]\d{1,4}[A-Z]\d{1,4}\b|\d{2,4}[A-Z]\d{2,4}\b"
)


def may_name(text: str) -> bool:
    """Whether a secret may be named in `text`: no when it surely is not."""
    folded = text.casefold()
    if not text.isascii():
        folded = folded.replace("ı", "i").replace(
            "\u0307", ""
        )  # with case aside, a pattern takes these for an i as well
    return any(map(folded.__contains__, _HINTS))


def said_secrets(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield `(kind, start, end)` of each value that is said to be a secret; offsets in characters of `text`."""
    if not may_name(text):
        return
    following: dict[str, int] = {}
    for trigger in reversed(list(_TRIGGER.finditer(text))):
        group = trigger.lastgroup or "password"
        # A value belongs to the nearest name of its kind, so nothing is read twice however often one is repeated.
        stop = min(trigger.end() + WINDOW, following.get(group, len(text)))
        following[group] = trigger.start()
        after = text[trigger.end() : stop]
        if _ABOUT.match(after):
            continue
        span = _READERS[group](after)
        if span is not None:
            kind = {"phrase": "seed_phrase", "codes": "recovery_code", "key": "api_key"}.get(group, group)
            yield kind, trigger.end() + span[0], trigger.end() + span[1]


def _connected(after: str) -> tuple[int, bool] | None:
    """Where the value starts after a connector, and whether the connector is a mark (":") rather than a verb ("is")."""
    found = _CONNECTOR.match(after)
    if found is None or len(found["detail"].split()) > 9:
        return None
    start = found.end() - (1 if found["mark"] and found["mark"] in '«"“`' else 0)
    return start, found["mark"] is not None


def _read_password(after: str) -> tuple[int, int] | None:
    shell = _SHELL.match(after)
    if shell and (shell["flag"] is not None or after[:1] == "=") and _looks_random(shell["value"].rstrip(".,;")):
        return shell.span("value")
    place = _connected(after)
    if place is None:
        direct = re.match(r"^[ (]{1,2}(?P<value>[^\s]{6,40})", after)
        if direct and _spelled_out(direct["value"].strip(".,;:!?)\"'")):
            return direct.span("value")
        return None
    start, marked = place
    rest = after[start:]
    if quoted := _QUOTED.match(rest):
        return start + quoted.start("value"), start + quoted.end("value")
    for _ in range(3):
        value = _VALUE.match(rest)
        if value is None or _PLACEHOLDER.match(value["value"]):
            return None
        word = value["value"].rstrip(".,;:!?)'*")
        if _looks_random(word):
            return start + value.start("value"), start + value.start("value") + len(word)
        if _plain_word_given(word, rest[value.start("value") + len(word) :], marked):
            return start + value.start("value"), start + value.start("value") + len(word)
        # "login: admin / hunter2", "identifiants : paul et Soleil2024": the secret is the second of two.
        pair = _PAIR.match(rest) if marked else None
        if pair is None:
            return None
        start, rest = start + pair.end(), rest[pair.end() :]
    return None


def _looks_random(word: str) -> bool:
    """A digit among letters, a symbol inside, or capitals inside: what people put in passwords and not in sentences."""
    if len(word) < 4 or _PLACEHOLDER.match(word) or _TIME.match(word):
        return False
    letters = any(c.isalpha() for c in word)
    digits = any(c.isdigit() for c in word)
    symbols = any(c in "!@#$%^&*_+=?~|<>{}[]\\" for c in word[1:])
    if digits and letters:
        return re.fullmatch(r"\d+[a-zà-ÿ]{1,12}|[A-Za-z]{1,4}-?\d{1,2}", word) is None
    if digits:
        return re.fullmatch(r"\d{4,16}", word) is not None and not re.fullmatch(r"(?:19|20)\d\d", word)
    return symbols and letters


def _spelled_out(word: str) -> bool:
    """Random enough to need no connector ("use the password Pl4typus! for the share")."""
    return _looks_random(word) and any(c.isdigit() for c in word) and any(c.isalpha() for c in word) and "=" not in word


def _plain_word_given(word: str, rest: str, marked: bool) -> bool:
    """One ordinary word that ends its clause ("the password is sunflower."), and no description ("is required")."""
    if len(word) < 4 or not _END.match(rest) or _PLACEHOLDER.match(word) or _TIME.match(word):
        return False
    if word.lower() in _NO_VALUE or not re.fullmatch(r"[^\W\d_]+(?:[-'][^\W\d_]+)*", word):
        return False
    return len(word) >= (4 if marked else 5) and not _DESCRIBING.search(word)


def _read_pin(after: str) -> tuple[int, int] | None:
    place = _connected(after)
    start = place[0] if place else 0
    if place is None:
        direct = _DIRECT.match(after)
        if direct is None:
            return None
        start = direct.end()
    rest = re.sub(r"^(?:le |the |n[°o] ?|code )", "", after[start:].lstrip("\"'`“«* "))
    start = len(after) - len(rest)
    found = _DIGITS.match(rest) or _CODE_NAME.match(rest)
    if found is None or re.match(
        r"\s?(?:euros?|€|people|personnes|characters|caract|digits|chiffres|times|fois|days?|jours?)",
        rest[found.end() :],
        re.I,
    ):
        return None
    return start, start + found.end()


def _read_key(after: str) -> tuple[int, int] | None:
    place = _connected(after)
    if place is None:
        direct = re.match(r"^[ (]{1,2}(?P<value>[\w+/=.-]{16,300})", after)
        return direct.span("value") if direct and _spelled_out(direct["value"]) else None
    value = _VALUE.match(after[place[0] :])
    if value is None:
        return None
    word = value["value"].rstrip(".,;:!?)'*")
    plain = len(word) >= 8 and not _PLACEHOLDER.match(word) and not _TIME.match(word) and _mixed(word)
    return (place[0] + value.start("value"), place[0] + value.start("value") + len(word)) if plain else None


def _mixed(word: str) -> bool:
    letters, digits = sum(c.isalpha() for c in word), sum(c.isdigit() for c in word)
    spelled = re.fullmatch(r"[A-Z2-7]{16,64}", word) is not None  # base32, as authenticator secrets are
    return spelled or (digits >= 2 and letters >= 2 and len(word) >= 8)


def _read_codes(after: str) -> tuple[int, int] | None:
    place = _connected(after)
    start = place[0] if place else 0
    rest = after[start:].lstrip("\"'`“«* ")
    start = len(after) - len(rest)
    found = _CODE_VALUE.match(rest)
    if found is None or _TIME.match(found[0]) or not (sum(c.isdigit() for c in found[0]) >= 2 and len(found[0]) >= 6):
        return None
    return start, start + found.end()


def _read_phrase(after: str) -> tuple[int, int] | None:
    place = _connected(after)
    if place is None:
        return None
    rest = after[place[0] :]
    quoted = _QUOTED.match(rest)
    run = quoted or _WORD_RUN.match(rest)
    if run is not None and not _FUNCTION_WORDS.search(run[0]):
        return place[0] + run.start(), place[0] + run.end()
    if run is None:
        return _read_password(after)
    return None


_READERS = {
    "phrase": _read_phrase,
    "codes": _read_codes,
    "pin": _read_pin,
    "key": _read_key,
    "password": _read_password,
}
