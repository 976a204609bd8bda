"""Words by which a text tells how somebody takes what happened, in English and Chinese. Pure.

The lists lean towards silence: one word of doubt in an answer is enough to count as having noticed.
"""

import re

# What a reader needs to see; long texts are read at both ends.
_HEAD, _TAIL = 3000, 1500

_ADMITS = re.compile(
    r"\b(?:no|not|none|nothing|neither|nor|never|empty|unable|cannot|zero|0|unfortunately|sorry|apolog\w+"
    r"|fail\w*|errors?|errored|issues?|problems?|invalid|missing|unavailable|incorrect|mistakes?|wrong|exceed\w*"
    r"|denied|already|refus\w*|reject\w*|insufficient|retry\w*|again|instead|different|alternativ\w+|however|try|trying"
    r"|troubleshoot\w*|unexpected\w*|unknown|unclear|doubt\w*|broader|fix|debug\w*|adjust\w*|correct"
    r"|lacks?|lost|blocked|stuck|warn\w*|down|\w+n['’]t)\b"
    r"|没|無|无|未|不|失败|错|抱歉|对不起|遗憾|重试|再试|另|换|空|缺|但|问题|少了|异常",
    re.IGNORECASE,
)
# Politeness that holds such a word and admits nothing.
_POLITE = re.compile(
    r"\bno (?:further |other |additional )?(?:action|need|problem|worries|doubt|later than|charge|cost|changes?)\b|\bnot only\b"
    r"|\b(?:do not|don['’]t) (?:hesitate|worry|forget)\b|\b(?:any|other|further) (?:issues?|problems?|questions?)\b"
    r"|\b(?:can|could|is|are|was|will|would|have|did|do)n['’]t (?:hesitate|wait)\b|try it\b|\bwell[- ]known\b"
    r"|不客气|不用谢|没问题|不用担心|不必担心|别担心|无需担心",
    re.IGNORECASE,
)
_PARTIAL = re.compile(
    r"\b(?:truncat\w+|partial\w*|incomplete|cut off|clipped|omitted|so far|first|top|excerpt|beginning|remaining|rest"
    r"|more|next page|some of)\b|截断|部分|不完整|其余|更多|前\s*\d|下一页",
    re.IGNORECASE,
)
# A thing that somebody says is done. Offers, conditions and questions are none.
_DONE = re.compile(
    r"\b(?:successfully|(?:has|have) (?:now )?been (?:successfully )?\w+(?:ed|t)|is (?:now )?(?:complete|done|fixed"
    r"|resolved|solved|booked|confirmed)|I(?:['’]ve| have) (?:now |just |already )?(?:successfully )?\w+(?:ed|t)"
    r"|all (?:tests )?(?:pass|passed|set|done)|task (?:is )?complete\w*|completed|works? now)\b"
    r"|已经?(?:成功|完成|解决|修复|预订|取消|更新|发送|创建|删除|写入|处理)|成功|完成了|搞定|修好了",
    re.IGNORECASE,
)
_NOT_YET = re.compile(
    r"\b(?:once|after|if|when|until|before|would|could|should|shall|will|may|might|please|need|needs|let me|let's"
    r"|going to|to be|want|whether)\b|\?|？|如果|请|需要|将|是否|之后|等",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[。！？\n]+")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FLEETING = re.compile(
    r"time[d ]*-?out|rate.?limit|too many requests|\b429\b|\b50[234]\b|temporar|connection|unavailable|busy|lock"
    r"|overload|try again|超时|繁忙|稍后|限流",
    re.IGNORECASE,
)


def excerpt(text: str) -> str:
    """Beginning and end of a text, which are all of a short one."""
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def sentences(text: str) -> list[str]:
    """The sentences of a text's beginning and end."""
    return [found for found in _SENTENCE.split(excerpt(text)) if found.strip()]


def admits(text: str) -> bool:
    """Whether a text shows any sign that something is missing, wrong, or tried otherwise."""
    return bool(_ADMITS.search(_POLITE.sub(" ", excerpt(text))))


def is_partial(text: str) -> bool:
    """Whether a text says that it rests on a part of something."""
    return bool(_PARTIAL.search(excerpt(text)))


def claims_success(text: str) -> str:
    """The first sentence that says that something is done, without a condition or a question; else empty."""
    return next((told for told in sentences(text) if _DONE.search(told) and not _NOT_YET.search(told)), "")


def is_fleeting(error: str) -> bool:
    """Whether an error is of the kind that goes away by itself."""
    return bool(_FLEETING.search(error[:1000]))


def prose(text: str) -> str:
    """A text without its blocks of code."""
    return _CODE.sub(" ", text)


def ordinal(number: int) -> str:
    """2 → "second", 3 → "third", 12 → "12th"."""
    words = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}
    return words.get(number) or f"{number}th"


def named(tool: str) -> str:
    """A tool as sentences name it."""
    return tool[:80] or "a tool"
