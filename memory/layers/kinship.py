"""How near a question is to the problems of experiences, question to question.

An experience's vector stands for problem and solution together, in which a short problem hardly counts. Asked again in
other words, what a person says resembles the problem, not the solution: both as questions tell it better. On the twenty
problems of `bench/savings.py` the right one is among the first three 18 times with it and 15 times without.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from memory.embedding.spec import Embedder

Vectors = NDArray[np.float32]

# Problems whose vectors one process keeps: about 6 MiB at 384 dimensions.
MOST_KEPT = 4096
_kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()
_lock = Lock()


def to_problems(question: str, problems: Sequence[str], model: Embedder) -> list[float]:
    """The cosine of the question and each problem, both embedded as questions.

    Raises:
        ServiceFailed: the model cannot answer.
    """
    with _lock:
        known = {text: _kept[model.model, text] for text in problems if (model.model, text) in _kept}
    lacking = [text for text in dict.fromkeys((question, *problems)) if text not in known]
    if lacking:
        made = dict(zip(lacking, model.embed_query(lacking), strict=True))
        _keep(model.model, {text: made[text] for text in lacking if text in problems})
        known |= made
    return [float(known[text] @ known[question]) for text in problems]


def _keep(model: str, made: dict[str, Vectors]) -> None:
    with _lock:
        for text, vector in made.items():
            _kept[model, text] = vector
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
