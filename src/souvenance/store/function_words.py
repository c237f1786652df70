"""The closed-class words of French and English: articles, pronouns, prepositions, auxiliaries, question words.

They are in nearly every question and say nothing of what it is about. In a vault of a hundred short facts their
document frequency does not show it ("what" stands in none of them), so they have to be named. Folded: lower case, no
accents.
"""

from typing import Final

_FRENCH: Final = """
a afin ai aie ait alors apres as assez au aucun aucune aujourd auquel aura aurait aussi autre autres aux auxquelles
auxquels avaient avais avait avant avec avez aviez avions avoir avons ayant beaucoup bien c ca ce ceci cela celle
celles celui cent ces cet cette ceux chacun chaque chez ci combien comme comment contre d dans de deja depuis des
desquels dessous dessus deux devant devoir doit doivent donc dont du duquel durant eh elle elles en encore entre es
est et etaient etais etait etant ete etes etions etre eu eux faire faisait fait faut fois font grace h hors hui ici il
ils j jamais je jusqu jusque l la laquelle le lequel les lesquelles lesquels leur leurs lorsque lui m ma mais me meme
memes mes mien moi moins mon n ne ni nos notre nous on ont ou par parce parmi pas pendant peu peut peuvent peux plus
plusieurs plutot pour pourquoi pourrait puis puisque qu quand que quel quelle quelles quels quelque quelques qui
quoi rien s sa sans sauf se selon sera serait ses si sien soi soit sommes sont souvent sous suis sur t ta tant te
tel telle tes tien toi ton toujours tous tout toute toutes tres trop tu un une vers via voici voila vos votre vous vu
y
"""

_ENGLISH: Final = """
a about above after again against all almost also although always am among an and another any anybody anyone anything
are aren around as at away be because been before being below between both but by can cannot could couldn d did didn
do does doesn doing don done down during each either else enough ever every everybody everyone everything few for from
further get gets getting give given go goes going got had hadn has hasn have haven having he her here hers herself him
himself his how however i if in into is isn it its itself just let ll m many may me might more most much must my
myself need neither never no nobody none nor not nothing now of off often on once one only onto or other others our
ours ourselves out over own per perhaps quite rather re really s same shall she should shouldn since so some somebody
someone something sometimes still such t than that the their theirs them themselves then there these they this those
through thus till to together too toward towards under until up upon us used using ve very via was wasn we were weren
what whatever when whenever where wherever whether which while who whoever whom whose why will with within without won
would wouldn yet you your yours yourself yourselves
"""

FRENCH: Final = frozenset(_FRENCH.split())
ENGLISH: Final = frozenset(_ENGLISH.split())


def is_function_word(written: str, folded: str) -> bool:
    """Whether a word, given in lower case as written and without its accents, is one of either language.

    French is often typed without accents; English has none, so « thé » is not "the".
    """
    return folded in FRENCH or written in ENGLISH
