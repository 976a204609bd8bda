"""Which language a text is in, as far as rules differ, and its sentences. Pure."""

import re

CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# Of the letters, the share from which a text reads as Chinese: names and terms in it are often Latin.
CHINESE_SHARE = 0.3
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=\S)|(?<=[。！？；])\s*|\n+")
# What ends in a dot and ends no sentence.
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|Mr|Mrs|Ms|Dr|Prof|St|No|approx|Inc|Ltd|a\.m|p\.m)|\b[A-Z])\.$")
_CHINESE_QUESTION = re.compile(
    r"(?:吗|呢|么|嘛|没有|是不是|对不对|好不好|行不行)$|^(?:请问|你知道|您知道).*(?:什么|哪|多少|几|怎么|谁)"
)


def language_of(text: str) -> str:
    """`zh` or `en`; empty where there is no letter to tell by."""
    if not _LETTER.search(text):
        return ""
    chinese = len(CJK.findall(text))
    if not chinese:
        return "en"
    return "zh" if chinese >= CHINESE_SHARE * len(_LETTER.findall(text)) else "en"


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without the space around them."""
    found: list[str] = []
    for piece in filter(None, map(str.strip, _SENTENCE_END.split(text))):
        if found and _ABBREVIATION.search(found[-1][-8:]):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found


def is_question(sentence: str) -> bool:
    """Whether a sentence asks."""
    bare = sentence.rstrip(" \"')]。.!！~～")
    return bare.endswith(("?", "？")) or bool(_CHINESE_QUESTION.search(bare))


def shorten(text: str, most: int) -> str:
    """The text in at most `most` characters: its whole sentences as far as they fill half of the room, or whole words,
    lines as they were."""
    if len(text) <= most:
        return text
    room = text[: most - 2]
    ends = [found.end() for found in _SENTENCE_END.finditer(room)]
    end = ends[-1] if ends else 0
    if end < most // 2:
        end = room.rfind(" ")
    kept = room[: end if end >= most // 2 else len(room)].rstrip()
    return f"{kept} …" if language_of(kept[-20:]) != "zh" else f"{kept}…"
