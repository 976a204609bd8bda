"""How near a question is to experiences, by meaning: to the problem of each, question to question, and to its whole
text.

A text's vector stands for problem and solution together, in which a short problem hardly counts; asked again in other
words, what a person says resembles the problem. And vectors of one model crowd together: what they all have in common
tells nothing apart, so it is taken away from each (Mu and Viswanath, "All-but-the-Top", ICLR 2018). That is the mean
of the experiences themselves and of LANDMARKS, which keep it steady where experiences are few. docs/adr/0010 has the
figures.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from memory.embedding.pairs import PARAPHRASES
from memory.embedding.spec import Embedder

Vector = NDArray[np.float32]

# Texts that have nothing to do with each other, in two languages.
LANDMARKS = tuple(one for one, _ in PARAPHRASES[::2])
# Texts whose vectors as questions one process keeps: about 6 MiB at 384 dimensions.
MOST_KEPT = 4096
_kept: OrderedDict[tuple[str, str], Vector] = OrderedDict()
_lock = Lock()


def nearness(question: str, problems: Sequence[str], texts: Sequence[Vector | None], model: Embedder) -> list[float]:
    """How near the question is to each experience, in [-1, 1]; unrelated ones lie around 0.

    Args:
        texts: the vectors of the experiences' whole texts, as passages; of one that has none yet, the problem alone
            counts.

    Raises:
        ServiceFailed: the model cannot answer.
    """
    asked, *told = _as_questions([question, *problems], model)
    middle = np.mean([*_as_questions(LANDMARKS, model), *told], axis=0)
    known = [vector for vector in texts if vector is not None]
    middle_of_texts = np.mean([*model.embed_passages(LANDMARKS), *known], axis=0)
    near = []
    for problem, text in zip(told, texts, strict=True):
        by_problem = _cosine(asked - middle, problem - middle)
        by_text = by_problem if text is None else _cosine(asked - middle, text - middle_of_texts)
        near.append((by_problem + by_text) / 2)
    return near


def _cosine(one: Vector, other: Vector) -> float:
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / length if length else 0.0


def _as_questions(texts: Sequence[str], model: Embedder) -> list[Vector]:
    """The texts' vectors as questions. All but the first are asked for again and again, and kept."""
    with _lock:
        known = {text: _kept[model.model, text] for text in texts if (model.model, text) in _kept}
    lacking = [text for text in dict.fromkeys(texts) if text not in known]
    if lacking:
        made = dict(zip(lacking, model.embed_query(lacking), strict=True))
        _keep(model.model, made)
        known |= made
    return [known[text] for text in texts]


def _keep(model: str, made: dict[str, Vector]) -> None:
    with _lock:
        for text, vector in made.items():
            _kept[model, text] = vector
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
