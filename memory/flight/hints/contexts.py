"""What a model was given: too much for it, cut off, or without the request that it is to answer. Pure."""

import re
from collections.abc import Iterator

from memory.events import facts
from memory.flight.hints.data import Found, Memory, Place, Scene, digest
from memory.flight.hints.moves import users
from memory.flight.trace import Given
from memory.vocabulary import EventType, HintRule, MessageRole

_TOO_LONG = re.compile(
    r"(?:maximum )?context (?:length|window|size)|too many (?:input )?tokens|prompt is too long|maximum .{0,20}tokens"
    r"|context_length_exceeded|exceeds? .{0,30}(?:context|token)|reduce the length|上下文(?:长度|窗口)?(?:超|过长)|超出.{0,8}上下文",
    re.IGNORECASE,
)
_CUT_OFF = frozenset({"length", "max_tokens", "model_length"})
# Who asks models in a run; of more agents nothing is said.
MOST_AGENTS = 10
MOST_WORDS = 40
# A request is still there where so much of its words stands in one message: a summary of it.
STILL_TOLD = 0.6
FEWEST_WORDS = 4
_WORD = re.compile(r"[a-z0-9]{3,40}|[\u4e00-\u9fff]{2}")


def overflows(scene: Scene, memory: Memory) -> Iterator[Found]:
    """A model that refused a prompt as too long, or stopped in the middle of its answer, having no room left."""
    step = scene.step
    if step.is_error and _TOO_LONG.search(step.error[:1000]):
        if memory.get("refused") != digest(step.error[:200]):
            memory["refused"] = digest(step.error[:200])
            sentence = "The prompt was longer than the model can take, and was refused."
            yield Found(HintRule.OVERFLOWED_CONTEXT, scene.here, (step.version,), sentence)
    elif step.type == EventType.LLM_RESPONSE and facts.string(step.payload, "finish_reason") in _CUT_OFF:
        sentence = "The answer breaks off: the model had no room for more."
        yield Found(HintRule.OVERFLOWED_CONTEXT, scene.here, (step.version,), sentence)


def dropped_messages(scene: Scene, memory: Memory) -> Iterator[Found]:
    """A prompt that no longer holds the request which earlier prompts of the same conversation held."""
    step = scene.step
    for move in users(scene):
        # What is asked while nothing was answered yet adds to the request, and does not replace it.
        words = list(dict.fromkeys(_WORD.findall(move.text.lower())))[:MOST_WORDS]
        if len(words) >= FEWEST_WORDS:
            memory["request"] = {"version": step.version, "tokens": scene.here.tokens, "words": words}
            memory["seen"] = []
    request = memory.get("request")
    if not (request and step.is_prompt and step.given):
        return
    agent = _conversation(step.speaker, step.given)
    seen: list[str] = memory["seen"]
    if any(_tells(given, request["words"]) for given in step.given):
        if agent not in seen and len(seen) < MOST_AGENTS:
            seen.append(agent)
    elif agent in seen:
        seen.remove(agent)
        sentence = "The request had been in the prompts of this conversation, and is no longer in this one."
        at = Place(step.version, scene.here.tokens)
        yield Found(HintRule.DROPPED_MESSAGE, at, (request["version"], step.version), sentence)


def _conversation(speaker: str, given: tuple[Given, ...]) -> str:
    """Which conversation a prompt goes on with: whose, and under which system prompt."""
    system = next((message.text for message in given if message.role == MessageRole.SYSTEM), "")
    return digest(speaker, system[:2000])


def _tells(given: Given, words: list[str]) -> bool:
    text = given.text.lower()
    return sum(word in text for word in words) >= STILL_TOLD * len(words)
