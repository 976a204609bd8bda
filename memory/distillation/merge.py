"""Two texts become one that keeps every specific of both. Pure."""

import re
from collections import Counter

from memory.language import CJK, sentences

LONGEST = 4000
# Of the words of the shorter problem, the share that the other one must hold to be the same problem.
SAME_PROBLEM = 0.6
# Of its words, the share of new ones from which a text without specifics adds something.
NEW_WORDS = 0.4
_SPECIFIC = re.compile(
    r"`[^`\n]+`|https?://[^\s)>\"'，。]+|[\w.+-]+@[\w-]+\.\w+|(?<![\w/])/[\w.-]+(?:/[\w.-]+)*|(?:[\w.-]+/)+[\w.-]+"
    r"|(?<![\w-])--?[A-Za-z][\w-]+|\b[A-Za-z_][\w-]+(?:\.[A-Za-z_][\w-]+)+\b|\b[A-Za-z]*\d[\w.:-]*\b|\b[A-Z][a-z]+[A-Z]\w*\b|\b[A-Z]{2,}\w*\b|\b\w+_\w+\b"
    r"|(?<=[a-z,;] )[A-Z][\w-]+|[《「“][^》」”\n]{1,40}[》」”]"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]+")
_NUMBERED = re.compile(r"\b([a-z][a-z'-]+) #?(\d+)\b(?![.:/%-]?\d)")
_STOP = frozenset(
    [
        "the",
        "a",
        "an",
        "and",
        "or",
        "but",
        "if",
        "then",
        "so",
        "to",
        "of",
        "in",
        "on",
        "at",
        "for",
        "from",
        "with",
        "by",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "am",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "i",
        "you",
        "he",
        "she",
        "we",
        "they",
        "my",
        "your",
        "his",
        "her",
        "our",
        "their",
        "me",
        "him",
        "us",
        "them",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "not",
        "no",
        "can",
        "could",
        "will",
        "would",
        "should",
        "may",
        "might",
        "there",
        "here",
        "as",
        "than",
        "too",
        "very",
        "just",
        "when",
        "what",
        "which",
        "who",
        "how",
        "why",
        "where",
        "also",
        "into",
        "out",
        "up",
        "down",
        "over",
        "after",
        "before",
        "about",
        "please",
        "want",
        "need",
        "like",
        "get",
        "got",
        "user",
        "help",
    ]
) | set("的了是在我你他她它们吗呢吧啊呀和与也都就还很请要会能不有这那个")


def adds(new: str, known: str) -> list[str]:
    """What a text says that another one does not: its specifics (numbers, names, code, paths), or, of a text that has
    none of its own, its words where they are many; empty if it adds nothing."""
    fresh = [each for each in dict.fromkeys(_SPECIFIC.findall(new)) if not holds(known, each)]
    if fresh:
        return fresh
    words = content_words(new)
    unknown = words - content_words(known)
    return sorted(unknown) if len(unknown) > NEW_WORDS * max(1, len(words)) else []


def holds(text: str, specific: str) -> bool:
    """Whether a specific stands in a text as a whole: port 80 does not stand in port 8080, nor 1.2 in 1.2.3."""
    bare = re.escape(specific.strip("`《》「」“”.,:").casefold())
    return re.search(rf"(?<![a-z0-9_])(?<![0-9][.:]){bare}(?![a-z0-9_])(?![.:][0-9])", text.casefold()) is not None


def content_words(text: str) -> set[str]:
    """The words of a text that carry meaning, in lower case, without plural endings; Chinese by character."""
    return set(_stems(text)) | {character for character in CJK.findall(text) if character not in _STOP}


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP]


def is_same_problem(one: str, other: str) -> bool:
    """Whether two problems are one: most words of the shorter are in the longer, and neither names what contradicts
    the other: other error codes, numbers, paths or names."""
    first, second = content_words(one), content_words(other)
    shared = len(first & second) / max(1, min(len(first), len(second)))
    if shared < SAME_PROBLEM:
        return False
    mine, theirs = set(_SPECIFIC.findall(one)), set(_SPECIFIC.findall(other))
    return not (mine - theirs and theirs - mine) or len(mine & theirs) >= len(mine ^ theirs)


def are_of_others(one: str, other: str) -> bool:
    """Whether two texts that read alike are about other things: each counts or numbers something that the other does
    not (mug 3, apple 1), or says again and again what the other never says."""
    mine, theirs = _numbered(one), _numbered(other)
    if mine - theirs and theirs - mine:
        return True
    first, second = Counter(_stems(one)), Counter(_stems(other))
    return _insists(first, second) and _insists(second, first)


def _insists(one: Counter[str], other: Counter[str]) -> bool:
    return any(times > 1 and word not in other for word, times in one.items())


def _numbered(text: str) -> set[tuple[str, str]]:
    """What is counted or numbered: the word before a number, and the number."""
    return {(_stem(word), number) for word, number in _NUMBERED.findall(text.lower()) if word not in _STOP}


def merged(problem: str, solution: str, more_problem: str, more_solution: str) -> tuple[str, str]:
    """One problem and solution of two: the first one's text, and every sentence of the second that adds something.

    Returns:
        Two empty texts if the result would be longer than LONGEST.
    """
    told = problem if not adds(more_problem, f"{problem}\n{solution}") else _with(problem, more_problem)
    lines = solution
    for line in more_solution.splitlines():
        lines = _with(lines, line)
    return (told, lines) if len(told) + len(lines) <= LONGEST else ("", "")


def _with(text: str, more: str) -> str:
    fresh = [sentence for sentence in sentences(more) if adds(sentence, text)]
    glue = "" if CJK.search(more) else " "
    return f"{text}\n{glue.join(fresh)}" if fresh else text


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|es|s|ing|ed)$", "", word) if len(word) > 4 else word
