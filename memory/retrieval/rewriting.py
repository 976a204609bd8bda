"""A query in other words, by the language model: what is meant instead of what was said. Optional, see the plan."""

from typing import Any

from memory.errors import ServiceFailed
from memory.llm import client, prompts

# What a model is given of a query, and what it may make of it, in characters.
MOST_GIVEN = 4_000
MOST_MADE = 1_000
UNSET = "There is no language model: ARES_LLM_URL is not set."


def rewritten(query: str) -> tuple[str, str]:
    """The query in the model's words and, if there are none, why: one of the two is empty."""
    model = client.impatient()
    if model is None:
        return "", UNSET
    said = [{"role": "system", "content": prompts.read("rewrite")}, {"role": "user", "content": query[:MOST_GIVEN]}]
    try:
        return str(model.complete(said, prompts.form("rewrite"), _read).value), ""
    except ServiceFailed as error:
        return "", error.detail


def _read(value: Any) -> str:
    query = value.get("query") if isinstance(value, dict) else None
    if not isinstance(query, str) or not query.strip():
        raise ValueError("query must be a text that is not empty.")
    if len(query) > MOST_MADE:
        raise ValueError(f"query must have at most {MOST_MADE:,} characters.")
    return "".join(character if character.isprintable() else " " for character in query).strip()
