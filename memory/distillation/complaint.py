"""Somebody says that what was proposed did not help: what of it complains, and what tells the problem again. Pure."""

import re

from memory.distillation.merge import content_words
from memory.language import CJK, language_of, sentences

_COMPLAINT = re.compile(
    r"\b(?:(?:did(?: not|n't)|does(?: not|n't)|is(?: not|n't)|still (?:does(?: not|n't)|not|isn't)) (?:help|work|fix|solve|change)\w*|still (?:fail|get|see|broken|happen|wrong|the same|having|an? )\w*|same (?:error|problem|issue|result)|no (?:luck|effect|change)|not (?:working|fixed|solved|right|correct)|(?:that|this|it)(?:'s| is) (?:wrong|incorrect|not)|(?:again|now) (?:fails|failed|getting)|made it worse|try again)\b"
    r"|没用|没有用|没效果|不管用|不行|还是(?:不|报|出|有|没|一样)|仍然|依旧|没解决|没有解决|又(?:报错|出错|失败)|同样的(?:错误|问题)",
    re.IGNORECASE,
)
# What a complaint speaks of, and a problem that is told for the first time does not.
_OF_PROPOSAL = re.compile(
    r"\b(?:suggest\w*|answer|advice|fix|solution|propos\w*|recommend\w*|you|your|that|this|it|still|same|again|no (?:luck|effect|change))\b"
    r"|建议|方案|办法|方法|你|您|这|那|还是|仍然|依旧|又|同样",
    re.IGNORECASE,
)
_LONG_AGO = re.compile(
    r"\b(?:earlier|previous|prior|former|old) (?:suggestion|answer|advice|solution|fix|proposal|recommendation|reply)s?\b"
    r"|\blast (?:time|week|month)\b|\b(?:suggested|proposed|recommended|told me|advised) (?:\w+ ){0,3}(?:earlier|before|previously|yesterday)\b"
    r"|(?:之前|先前|上次|上回|早先|昨天|以前)[^，。！？]{0,8}(?:建议|方案|办法|方法|回答|答复)",
    re.IGNORECASE,
)
# Fewer words of its own than this, and a sentence tells no problem.
TELLING_WORDS = 5
# In a longer message, a complaint stands at the beginning.
READ_CHARACTERS = 400


def is_complaint(text: str) -> bool:
    """Whether a message says that what was proposed did not help."""
    return bool(_COMPLAINT.search(text[:READ_CHARACTERS]))


def is_of_long_ago(text: str) -> bool:
    """Whether a complaint says itself that it is about something proposed earlier."""
    return bool(_LONG_AGO.search(text[:READ_CHARACTERS]))


def without_complaint(text: str) -> str:
    """What a complaint tells beyond that nothing helped, line by line; empty if it tells nothing more."""
    lines = []
    for line in text.splitlines():
        kept = [sentence for sentence in sentences(line) if not _only_complains(sentence)]
        if kept:
            lines.append(("" if language_of(line) == "zh" else " ").join(kept))
    return "\n".join(lines)


def tells_a_problem(text: str) -> bool:
    """Whether a text has as many words as it takes to tell a problem."""
    return telling_words(text) >= TELLING_WORDS


def telling_words(text: str) -> float:
    """How many words of a text carry meaning; Chinese characters count by twos."""
    return sum(0.5 if CJK.match(word) else 1.0 for word in content_words(text))


def _only_complains(sentence: str) -> bool:
    if not (_COMPLAINT.search(sentence) and _OF_PROPOSAL.search(sentence)):
        return False
    return telling_words(_OF_PROPOSAL.sub(" ", _COMPLAINT.sub(" ", sentence))) < TELLING_WORDS
