"""Exchanges: a conversation is cut where one problem ends and the next one begins. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.distillation import problem
from memory.distillation.data import Turn
from memory.distillation.evidence import is_failure, is_output
from memory.language import is_question, sentences
from memory.noise import is_noise
from memory.vocabulary import MessageRole

_COMPLAINT = re.compile(
    r"\b(?:(?:did(?: not|n't)|does(?: not|n't)|is(?: not|n't)|still (?:does(?: not|n't)|not|isn't)) (?:help|work|fix|solve|change)\w*|still (?:fail|get|see|broken|happen|wrong|the same|having|an? )\w*|same (?:error|problem|issue|result)|no (?:luck|effect|change)|not (?:working|fixed|solved|right|correct)|(?:that|this|it)(?:'s| is) (?:wrong|incorrect|not)|(?:again|now) (?:fails|failed|getting)|made it worse|try again)\b"
    r"|没用|没有用|没效果|不管用|不行|还是(?:不|报|出|有|没|一样)|仍然|依旧|没解决|没有解决|又(?:报错|出错|失败)|同样的(?:错误|问题)",
    re.IGNORECASE,
)
_CONFIRMED = re.compile(
    r"\b(?:(?:that|it|this|which) (?:worked|works|fixed|solved|did it|helped|does the (?:job|trick))|works (?:now|fine|again|perfectly)|(?:problem|issue|error) (?:is )?(?:solved|fixed|gone)|solved|fixed it|all good|passes now|thank|thanks|perfect)\b"
    r"|解决了|好了|可以了|搞定|成功了|谢谢|感谢|有用|管用",
    re.IGNORECASE,
)
_AT_WORK = (MessageRole.ASSISTANT, MessageRole.TOOL)


@dataclass(slots=True)
class Exchange:
    """A problem and what was done about it. `asks` tell the problem, `work` is the last attempt, `failed` are the ones
    before it; `closing` are the turns that said no more than that it was well, or not."""

    asks: list[Turn] = field(default_factory=list)
    work: list[Turn] = field(default_factory=list)
    failed: list[list[Turn]] = field(default_factory=list)
    closing: list[Turn] = field(default_factory=list)

    def give_up(self) -> None:
        """The attempt that was made has failed."""
        self.failed.append(self.work)
        self.work = []

    @property
    def confirmed(self) -> bool:
        """Whether the one who asked said that it was solved."""
        return any(_CONFIRMED.search(turn.text) for turn in self.closing)

    @property
    def turns(self) -> list[Turn]:
        """Every turn that the exchange rests on, in order."""
        tried = [turn for attempt in self.failed for turn in attempt]
        return sorted([*self.asks, *tried, *self.work], key=lambda turn: turn.version)


def cut(turns: Sequence[Turn]) -> list[Exchange]:
    """The exchanges of a conversation between somebody who asks and an assistant, in order. System messages are none
    of it; a program's output in a user's place is a result, and a failure makes a failed attempt of what led to it."""
    found: list[Exchange] = []
    for turn in turns:
        if turn.role == MessageRole.SYSTEM:
            continue
        now = found[-1] if found else None
        if now is not None and _takes(now, turn):
            continue
        opened = Exchange(work=[turn]) if turn.role in _AT_WORK else Exchange(asks=[turn])
        found.append(opened)
        if now is not None and _CONFIRMED.search(turn.text[:80]):
            now.closing.append(turn)
    return found


def _takes(now: Exchange, turn: Turn) -> bool:
    """Add the turn to an exchange, if it goes on with it."""
    if turn.role in _AT_WORK:
        now.work.append(turn)
    elif now.work and is_output(turn.text):
        now.work.append(turn)
        if is_failure(turn.text):
            now.give_up()
    elif says_nothing(turn.text):
        now.closing.append(turn)
    elif now.work and is_complaint(turn.text):
        now.give_up()
        now.asks.append(turn)
    elif not now.work or (_asks_back(now.work) and problem.is_stated(now.asks)):
        now.asks.append(turn)
    else:
        return False
    return True


def says_nothing(text: str) -> bool:
    """Whether a message holds no sentence but noise."""
    return all(is_noise(sentence) for sentence in sentences(text))


def is_complaint(text: str) -> bool:
    """Whether a message says that what was proposed did not help."""
    return bool(_COMPLAINT.search(text[:400]))


def _asks_back(work: Sequence[Turn]) -> bool:
    """Whether the assistant's last message asks for something that it needs to go on, or it is still at work."""
    last = work[-1]
    if last.role == MessageRole.TOOL or last.tool_calls:
        return True
    asked = [sentence for sentence in sentences(last.text)[-4:] if not is_noise(sentence)]
    return any(is_question(sentence) for sentence in asked) or bool(_WANTS.search(last.text[-400:]))


_WANTS = re.compile(
    r"\b(?:(?:could|can|would) you (?:please )?(?:\w+ )?(?:provide|confirm|share|tell|give|let me know|specify|clarify|check)|please (?:provide|confirm|share|tell|give|specify|let me know|clarify|choose|select|reply)|i(?:'ll| will)? need (?:your|to know|the following|some))\b|请(?:提供|确认|告诉|告知|选择)|需要您?(?:提供|确认)",
    re.IGNORECASE,
)
