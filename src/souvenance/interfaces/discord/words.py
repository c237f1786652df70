"""What the bot itself says, in French and in English, and its commands' names in both."""

# ruff: noqa: E501 - sentences stay on one line where they can
from __future__ import annotations

import discord
from discord import app_commands

from souvenance.domain.errors import CapReached, SouvenanceError, TooManyAtOnce, Withheld
from souvenance.domain.vault import MemoryType

LANGUAGES = ("en", "fr")


def language_of(locale: discord.Locale | str | None) -> str:
    """The language of a person's Discord, as far as the bot speaks it."""
    return "fr" if str(locale or "").startswith("fr") else "en"


def say(language: str, key: str, **values: object) -> str:
    """One of the sentences below."""
    return SENTENCES[language][key].format(**values)


def refusal(error: Exception, language: str) -> str:
    """What a person is told of what could not be done."""
    if isinstance(error, Withheld):
        return say(language, "withheld")
    if isinstance(error, CapReached):
        return say(language, "cap")
    if isinstance(error, TooManyAtOnce):
        return say(language, "busy")
    if not isinstance(error, SouvenanceError):
        return say(language, "fault")
    why = str(error.details.get("why", ""))
    return say(language, why) if why in SENTENCES[language] else say(language, "refused", message=str(error))


SENTENCES: dict[str, dict[str, str]] = {
    "en": {
        "noted": "Noted.",
        "no_answer": "I have nothing to say to that.",
        "failed": "I cannot answer now: the model behind me does not. Nothing was lost, try again later.",
        "cap": "That is enough for now: this memory’s allowance is used up. Try again later.",
        "busy": "I am still answering you. Ask again once those answers are there.",
        "bare": "(calls you without a word)",
        "fault": "Something went wrong here. Nothing was changed.",
        "wrote": "Memory: {what}",
        "remember": "kept #{number}",
        "retire": "retired #{number}",
        "replace": "#{number} is replaced by #{successor}",
        "undo": "Undo #{number}",
        "undone": "#{number} is undone.",
        "read": "Memory is not read in this channel. Ask in a channel where it is.",
        "write": "Memory is not written in this channel.",
        "manage": "This is for those who may manage the server.",
        "opted_out": "That member does not want to be remembered.",
        "withheld": "This server's memory is protected: nothing of it leaves for Discord.",
        "refused": "That was refused: {message}",
        "guild_only": "Use this in a server.",
        "nothing_found": "Nothing was found.",
        "found": "Found, best first ({count}):",
        "about_nothing": "Nothing is remembered about you here.",
        "about": "Remembered about you here ({count}):",
        "more": "And more: `/memory my-data` gives you all of it.",
        "is_out": "You have opted out: nothing more is learnt about you.",
        "forgot": "Done. Facts about you erased for good: {count}. Learning starts again with the next conversation; "
        "`/memory opt-out` prevents it.",
        "mentions": "Facts about others that still name you: {count}. Those who look after this memory decide about them.",
        "pending": "Purge pending: something still holds the old state of the file. It is completed by itself.",
        "not_sure": "Nothing was erased. Erasing cannot be undone; set `sure` to do it.",
        "my_data": "Everything that is kept about you here. Facts: {count}.",
        "out": "Nothing more will be learnt about you. What is known stays until `/memory forget-me`.",
        "in": "You may be remembered again.",
        "added": "Kept as #{number}.",
        "already": "It is there already, as #{number}.",
        "secret": "It seems to hold a secret. Consider removing it.",
        "typed": "This server's memory is now of the type “{type}”. Nothing was moved, rewritten or deleted.",
        "erased": "Done. Facts erased for good: {count}.",
        "notice": "**{bot} remembers.** It answers when mentioned, and keeps as short facts what it learns here. "
        "It reads memory {read}, and writes it {write}; {threads}. Messages it answers, and what was just said around "
        "them, go to the language model that this bot's owner chose{listens}. Facts are this server's alone. "
        "For yourself: `/memory about-me` shows what is remembered about you, `/memory my-data` gives you all of it, "
        "`/memory forget-me` erases it for good, `/memory opt-out` keeps you out of it.",
        "all": "in every channel",
        "none": "nowhere",
        "chosen": "in {channels}",
        "threads_in": "threads follow their channel",
        "threads_out": "never in threads",
        "listens": ", and so, from time to time, does what is said in channels where memory is written",
    },
    "fr": {
        "noted": "C’est noté.",
        "no_answer": "Je n’ai rien à répondre à cela.",
        "failed": "Je ne peux pas répondre : le modèle derrière moi ne répond pas. Rien n’est perdu, réessaie plus tard.",
        "cap": "Assez pour l’instant : le quota de cette mémoire est épuisé. Réessaie plus tard.",
        "busy": "Je suis encore en train de vous répondre. Reposez votre question une fois ces réponses arrivées.",
        "bare": "(t’appelle sans rien dire)",
        "fault": "Quelque chose a mal tourné ici. Rien n’a été changé.",
        "wrote": "Mémoire : {what}",
        "remember": "#{number} retenu",
        "retire": "#{number} retiré",
        "replace": "#{number} remplacé par #{successor}",
        "undo": "Annuler #{number}",
        "undone": "#{number} est annulé.",
        "read": "La mémoire n’est pas lue dans ce salon. Demande dans un salon où elle l’est.",
        "write": "La mémoire n’est pas écrite dans ce salon.",
        "manage": "C’est réservé à qui peut gérer le serveur.",
        "opted_out": "Ce membre ne veut pas qu’on retienne quoi que ce soit de lui.",
        "withheld": "La mémoire de ce serveur est protégée : rien n’en part vers Discord.",
        "refused": "Refusé : {message}",
        "guild_only": "À utiliser dans un serveur.",
        "nothing_found": "Rien n’a été trouvé.",
        "found": "Trouvé, le meilleur d’abord ({count}) :",
        "about_nothing": "Rien n’est retenu à ton sujet ici.",
        "about": "Retenu à ton sujet ici ({count}) :",
        "more": "Et d’autres : `/mémoire mes-données` te donne tout.",
        "is_out": "Tu as demandé à ne pas être retenu : plus rien n’est appris à ton sujet.",
        "forgot": "C’est fait. Souvenirs à ton sujet effacés pour de bon : {count}. L’apprentissage reprend dès la "
        "prochaine conversation ; `/mémoire ne-plus-retenir` l’empêche.",
        "mentions": "Souvenirs sur d’autres qui te nomment encore : {count}. Qui veille sur cette mémoire en décide.",
        "pending": "Purge en attente : quelque chose tient encore l’ancien état du fichier. Elle s’achève d’elle-même.",
        "not_sure": "Rien n’a été effacé. Effacer est irréversible ; coche `certain` pour le faire.",
        "my_data": "Tout ce qui est gardé à ton sujet ici. Souvenirs : {count}.",
        "out": "Plus rien ne sera appris à ton sujet. Ce qui est su reste jusqu’à `/mémoire oublie-moi`.",
        "in": "On peut de nouveau retenir ce qui te concerne.",
        "added": "Retenu sous #{number}.",
        "already": "C’est déjà là, sous #{number}.",
        "secret": "Cela semble contenir un secret. Mieux vaut le retirer.",
        "typed": "La mémoire de ce serveur est désormais du type « {type} ». Rien n’a été déplacé, réécrit ni supprimé.",
        "erased": "C’est fait. Souvenirs effacés pour de bon : {count}.",
        "notice": "**{bot} se souvient.** Il répond quand on le mentionne, et garde en courts souvenirs ce qu’il apprend "
        "ici. Il lit la mémoire {read} et l’écrit {write} ; {threads}. Les messages auxquels il répond, et ce qui vient "
        "d’être dit autour, vont au modèle de langue choisi par le propriétaire du bot{listens}. Les souvenirs restent à "
        "ce serveur. Pour toi : `/mémoire sur-moi` montre ce qui est retenu à ton sujet, `/mémoire mes-données` te donne "
        "tout, `/mémoire oublie-moi` l’efface pour de bon, `/mémoire ne-plus-retenir` t’en tient à l’écart.",
        "all": "dans tous les salons",
        "none": "nulle part",
        "chosen": "dans {channels}",
        "threads_in": "les fils suivent leur salon",
        "threads_out": "jamais dans les fils",
        "listens": ", comme, de temps en temps, ce qui se dit dans les salons où la mémoire s’écrit",
    },
}

TYPES: dict[MemoryType, tuple[str, str]] = {
    MemoryType.CLASSIC: ("Classic", "Classique"),
    MemoryType.JOURNAL: ("Journal", "Journal"),
    MemoryType.ARCHIVE: ("Searchable archive", "Archive consultable"),
    MemoryType.RANKED: ("Ranked", "Classée"),
    MemoryType.CONSOLIDATED: ("Consolidated", "Consolidée"),
    MemoryType.SEMANTIC: ("Semantic", "Sémantique"),
}

FRENCH = {
    "memory": "mémoire",
    "What this server's bot remembers": "Ce que le bot de ce serveur retient",
    "search": "chercher",
    "Search this server's memory": "Chercher dans la mémoire de ce serveur",
    "query": "question",
    "What to look for": "Ce qu’il faut chercher",
    "about-me": "sur-moi",
    "Show what is remembered about you": "Montrer ce qui est retenu à ton sujet",
    "forget-me": "oublie-moi",
    "Erase everything about you, for good": "Effacer tout ce qui te concerne, pour de bon",
    "sure": "certain",
    "It cannot be undone": "C’est irréversible",
    "my-data": "mes-données",
    "Get everything that is kept about you": "Recevoir tout ce qui est gardé à ton sujet",
    "opt-out": "ne-plus-retenir",
    "Let nothing be learnt about you any more": "Ne plus rien laisser apprendre à ton sujet",
    "undo": "revenir",
    "Let it be learnt again": "Le permettre de nouveau",
    "add": "ajouter",
    "Add a fact (those who manage the server)": "Ajouter un souvenir (qui gère le serveur)",
    "content": "contenu",
    "One short sentence, no secret": "Une phrase courte, aucun secret",
    "member": "membre",
    "Whom it is about; the server when left out": "Qui cela concerne ; le serveur si personne",
    "key": "clé",
    "A few words to find it by": "Quelques mots pour le retrouver",
    "importance": "importance",
    "1 to 10": "De 1 à 10",
    "type": "type",
    "Change the type of this server's memory (those who manage the server)": (
        "Changer le type de la mémoire du serveur (qui gère le serveur)"
    ),
    "step": "palier",
    "Its place on the ladder": "Sa place sur l’échelle",
    "erase": "effacer",
    "Erase this server's memory, or a member's, for good (those who manage the server)": (
        "Effacer la mémoire du serveur ou d’un membre, pour de bon (qui gère le serveur)"
    ),
    "Whose; everything when left out": "De qui ; tout si personne",
    "notice": "avis",
    "Say what this bot remembers, and your choices": "Dire ce que ce bot retient, et tes choix",
    "public": "public",
    "Show it to the channel (those who manage the server)": "Le montrer au salon (qui gère le serveur)",
} | dict(TYPES.values())


class InFrench(app_commands.Translator):
    """Names and descriptions of commands for those whose Discord is in French."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """The French text; None leaves the English one."""
        return FRENCH.get(string.message) if locale is discord.Locale.french else None
