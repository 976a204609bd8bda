"""What a trouble is: a piece of the world that is really broken, and somebody who asks about it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from aresweb.demo.agent import Tool, Turn
from aresweb.demo.scratch import Scratch


@dataclass(frozen=True, slots=True)
class World:
    """A broken world that exists now: what is asked in it, and the tools that reach it."""

    turns: Sequence[Turn]
    tools: Sequence[Tool]


@dataclass(frozen=True, slots=True)
class Trouble:
    """One scenario. `build` makes its world, and takes it away again when the agent is through."""

    name: str
    title: str
    user_id: str
    build: Callable[[Scratch], AbstractContextManager[World]]
