"""Whether of two statements one denies the other: the same words, but a negation, or another number. Pure."""

import re

from memory.distillation.merge import content_words

# By their sense, not their form: `I no longer like tea` denies `I love tea`, and `I hate tea` does too.
_DENIAL = re.compile(
    r"\b(?:not|never|no longer|hate|hates|hated|dislike|dislikes|disliked|avoid|avoids|stopped|quit|cannot)\b"
    r"|n't\b|不再|不是|不会|不能|没有|不|没|讨厌|停止",
    re.IGNORECASE,
)
# What tells only that something is liked, done or so, and since when: a denial has other such words, or none.
_STANCE = re.compile(
    r"\b(?:i|do|does|did|is|are|was|am|like|likes|liked|liking|love|loves|loved|loving|enjoy|enjoys|enjoyed|enjoying|prefer|prefers|eating|"
    r"eat|stand|really|still|now|currently|anymore|any more|any longer|actually|always|at all|all|to|can|could|of|"
    r"it|the|a|an)\b|喜欢|爱|现在|仍然|还|了|真的|很",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?:[.,]\d+)*(?![\w:/-]|[.]\d)")
# A time makes two occasions of it, not one that is told in two ways.
_TIME = re.compile(
    r"\b\d{4}-\d\d(?:-\d\d)?\b|\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b|\b\d{1,2} ?[ap]\.?m\b|"
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|\d+ ?[年月日号点]"
)
# What holds, rather than what happened: "it listens on port 80", not "I ran 5 km".
_STATE = re.compile(
    r"\b(?:is|are|am|costs?|listens?|runs? on|uses?|needs?|takes?|weighs?|has|have|equals?|opens?|closes?)\b"
    r"|=|是|为|需要|有",
    re.IGNORECASE,
)


def opposes(one: str, other: str) -> bool:
    """Whether one denies what the other says, or gives another number for it."""
    if _TIME.search(one) or _TIME.search(other):
        return False
    if bool(_DENIAL.search(one)) != bool(_DENIAL.search(other)):
        mine, theirs = _matter(one), _matter(other)
        return bool(mine) and mine == theirs
    numbers = _NUMBER.findall(one), _NUMBER.findall(other)
    if len(numbers[0]) != 1 or len(numbers[1]) != 1 or numbers[0] == numbers[1]:
        return False
    return bool(_STATE.search(one)) and _frame(one) == _frame(other)


def _matter(text: str) -> set[str]:
    """What a statement is about, whether it affirms or denies it."""
    return content_words(_STANCE.sub(" ", _DENIAL.sub(" ", text)))


def _frame(text: str) -> list[str]:
    return re.findall(r"\w+", _NUMBER.sub(" ", text).casefold())
