"""What stands in for a language model: rules that read the conversation as it was sent, and nothing else.

A plan is written as a story: it yields what the agent does next and is given the results. The story is told again, from
the user's question on, for every answer, so that it follows from the messages alone, as a model's does. Rules use no
tokens: the records hold no usage.
"""

import json
import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from aresweb.demo.recorder import Message

NAME = "ares-demo-rules"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model asks for."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """A thought and the tools to use next; or, without any, the last word. `solved` is false of a surrender."""

    content: str
    calls: tuple[Call, ...] = ()
    solved: bool = True


# From the user's question to the last word. What is sent in are the results of the calls, in their order: the value of
# what is JSON, and the text of what is not.
Story = Generator[Reply, list[Any], Reply]
Plan = Callable[[str], Story]


def use(thought: str, *calls: Call) -> Reply:
    """Use these tools, all at once, and go on when they are done."""
    return Reply(thought, calls)


def call(tool: Callable[..., Any], **arguments: Any) -> Call:
    """The use of a tool."""
    return Call(tool.__name__, arguments)


def finish(content: str) -> Reply:
    """The last word of an agent that is content."""
    return Reply(content)


def give_up(content: str) -> Reply:
    """The last word of an agent that is not."""
    return Reply(content, solved=False)


def answer(plan: Plan, messages: Sequence[Message]) -> Reply:
    """The plan's answer to a conversation, from its newest question on."""
    asked = max(index for index, message in enumerate(messages) if message["role"] == "user")
    story = plan(messages[asked]["content"])
    try:
        reply = next(story)
        for role, group in groupby(messages[asked + 1 :], key=lambda message: message["role"]):
            if role == "tool":
                reply = story.send([readable(message["content"]) for message in group])
    except StopIteration as end:
        last: Reply = end.value
        return last
    return reply


def urls_in(text: str) -> list[str]:
    """The addresses in a text, without the punctuation around them."""
    return re.findall(r"https?://[\w.:/-]*[\w/]", text, re.ASCII)


def readable(text: str) -> Any:
    """JSON as its value, anything else as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text
