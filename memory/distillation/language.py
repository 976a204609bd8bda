"""Which language a text is in, as far as rules differ, and its sentences. Pure."""

import re

CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# Of the letters, the share from which a text reads as Chinese: names and terms in it are often Latin.
CHINESE_SHARE = 0.3
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=\S)|(?<=[。！？；])\s*|\n+")
# What ends in a dot and ends no sentence.
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|Mr|Mrs|Ms|Dr|Prof|St|No|approx|Inc|Ltd|a\.m|p\.m)|\b[A-Z])\.$")


def language_of(text: str) -> str:
    """`zh` or `en`; empty where there is no letter to tell by."""
    letters = len(_LETTER.findall(text))
    if not letters:
        return ""
    return "zh" if len(CJK.findall(text)) >= CHINESE_SHARE * letters else "en"


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without the space around them."""
    found: list[str] = []
    for piece in filter(None, map(str.strip, _SENTENCE_END.split(text))):
        if found and _ABBREVIATION.search(found[-1]) and not found[-1].endswith("\n"):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found


def is_question(sentence: str) -> bool:
    """Whether a sentence asks."""
    bare = sentence.rstrip(" \"')]。.!！~～")
    return bare.endswith(("?", "？")) or bool(_CHINESE_QUESTION.search(bare))


_CHINESE_QUESTION = re.compile(r"(?:吗|呢|么)$|^(?:请问|你知道|您知道).*(?:什么|哪|多少|几|怎么|谁)")


def shorten(text: str, most: int) -> str:
    """The text in at most `most` characters: whole sentences from its beginning, or a cut one where none fits."""
    if len(text) <= most:
        return text
    kept, size = [], 0
    for sentence in sentences(text[: 2 * most]):
        if size + len(sentence) + 1 > most - 1:
            break
        kept.append(sentence)
        size += len(sentence) + 1
    glue = "" if language_of(text[:most]) == "zh" else " "
    return f"{glue.join(kept)}{glue}…" if kept else f"{text[: most - 1].rstrip()}…"
