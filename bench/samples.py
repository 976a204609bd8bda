"""Made-up events of the size and mixture of a real agent run; the same ones each time."""

import random
from typing import Any

WORDS = ("index", "scan", "retries", "timeout", "refund", "booking", "customer", "gateway", "latency", "replica")


def events(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """`count` events in rounds of message, model response, tool call and tool result; about 300 bytes each."""
    source = random.Random(seed)

    def text(words: int) -> str:
        return " ".join(source.choice(WORDS) for _ in range(words))

    made: list[dict[str, Any]] = []
    while len(made) < count:
        call = f"call_{len(made)}"
        made += [
            {"type": "message.added", "payload": {"role": "user", "content": text(30)}},
            {
                "type": "llm.response",
                "payload": {"model": "m", "content": text(30), "usage": {"input_tokens": 812, "output_tokens": 40}},
            },
            {"type": "tool.call", "payload": {"tool_call_id": call, "name": "search", "arguments": {"query": text(8)}}},
            {"type": "tool.result", "payload": {"tool_call_id": call, "name": "search", "content": text(40)}},
        ]
    return made[:count]
