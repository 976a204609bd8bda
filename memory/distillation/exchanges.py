"""Exchanges: a conversation is cut where one problem ends and the next one begins. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memory.distillation import complaint, problem
from memory.distillation.data import Turn
from memory.distillation.evidence import is_failure, is_output
from memory.distillation.merge import content_words, is_same_problem
from memory.language import is_question, sentences
from memory.noise import is_noise
from memory.vocabulary import MessageRole

_CONFIRMED = re.compile(
    r"\b(?:(?:that|it|this|which) (?:worked|works|fixed|solved|did it|helped|does the (?:job|trick))|works (?:now|fine|again|perfectly)|(?:problem|issue|error) (?:is )?(?:solved|fixed|gone)|solved|fixed it|all good|passes now|thank|thanks|perfect)\b"
    r"|解决了|好了|可以了|搞定|成功了|谢谢|感谢|有用|管用",
    re.IGNORECASE,
)
_AT_WORK = (MessageRole.ASSISTANT, MessageRole.TOOL)
# So many exchanges back, a problem is recognized that is told again.
LOOK_BACK = 50
# Of the words of a problem that is told in a complaint about something earlier, the share that stands in any exchange.
SHARED_WITH_ANOTHER = 0.3


@dataclass(slots=True)
class Exchange:
    """A problem and what was done about it. `asks` tell the problem, `work` is the last attempt, `failed` are the ones
    before it; `closing` are the turns that said no more than that it was well, or not."""

    asks: list[Turn] = field(default_factory=list)
    work: list[Turn] = field(default_factory=list)
    failed: list[list[Turn]] = field(default_factory=list)
    closing: list[Turn] = field(default_factory=list)

    def give_up(self, complaint: Turn | None = None) -> None:
        """The attempt that was made has failed; somebody may have said so."""
        self.failed.append([*self.work, *([complaint] if complaint else [])])
        self.work = []

    @property
    def confirmed(self) -> bool:
        """Whether the one who asked said that it was solved."""
        return any(_CONFIRMED.search(turn.text) for turn in self.closing)

    @property
    def turns(self) -> list[Turn]:
        """Every turn that the exchange rests on, once and in order."""
        tried = [turn for attempt in self.failed for turn in attempt]
        known = {turn.id: turn for turn in [*self.asks, *tried, *self.work]}
        return sorted(known.values(), key=lambda turn: turn.version)


def cut(turns: Sequence[Turn]) -> list[Exchange]:
    """The exchanges of a conversation between somebody who asks and an assistant, in order. System messages are none
    of it; a program's output in a user's place is a result, and a failure makes a failed attempt of what led to it.

    Who comes back to a problem that was told long ago goes on with the exchange about that one, which moves to the end.
    """
    found: list[Exchange] = []
    for turn in turns:
        if turn.role == MessageRole.SYSTEM:
            continue
        now = found[-1] if found else None
        if now is not None and ((now.work and _rejects(found, turn)) or _takes(now, turn)):
            continue
        found.append(Exchange(work=[turn]) if turn.role in _AT_WORK else Exchange(asks=[_opening(now, turn)]))
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
    elif not now.work or (not _is_complaint(turn) and _asks_back(now.work) and problem.is_stated(now.asks)):
        now.asks.append(turn)
    else:
        return False
    return True


def _rejects(found: list[Exchange], turn: Turn) -> bool:
    """Have the turn reject what an exchange came to, if it complains of it; that one is the last one then."""
    if not _is_complaint(turn):
        return False
    about = _complained_of(found, complaint.without_complaint(turn.text), turn)
    if about is None:
        return False
    found.remove(about)
    found.append(about)
    about.give_up(turn)
    told = complaint.without_complaint(turn.text)
    if told and not is_same_problem(told, _told(about)):
        about.asks.append(replace(turn, text=told))
    return True


def _complained_of(found: Sequence[Exchange], told: str, turn: Turn) -> Exchange | None:
    """Which exchange a complaint is about: the one whose problem it tells again, else the last one; None where it tells
    another problem, which nobody has told here."""
    now = found[-1]
    if not complaint.tells_a_problem(told):
        return now
    for each in reversed(found[-LOOK_BACK:]):
        if each.work and is_same_problem(told, _told(each)):
            return each
    words = content_words(told)
    shared = len(words & content_words("\n".join(each.text for each in now.turns))) / len(words)
    most = SHARED_WITH_ANOTHER if complaint.is_of_long_ago(turn.text) else 0.0
    return None if shared <= most and problem.stands_alone(told) else now


def _told(exchange: Exchange) -> str:
    return "\n".join(ask.text for ask in exchange.asks)


def _opening(now: Exchange | None, turn: Turn) -> Turn:
    """The turn that opens an exchange; of a complaint about what nobody proposed here, what tells the problem."""
    if _is_complaint(turn) and (now is not None or complaint.is_of_long_ago(turn.text)):
        told = complaint.without_complaint(turn.text)
        return replace(turn, text=told) if complaint.tells_a_problem(told) else turn
    return turn


def _is_complaint(turn: Turn) -> bool:
    return (
        turn.role not in _AT_WORK
        and complaint.is_complaint(turn.text)
        and not is_output(turn.text)
        and not says_nothing(turn.text)
    )


def says_nothing(text: str) -> bool:
    """Whether a message holds no sentence but noise."""
    return all(is_noise(sentence) for sentence in sentences(text))


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
