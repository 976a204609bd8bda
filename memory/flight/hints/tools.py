"""Calls that cannot work: of a tool that does not exist, or with arguments that break its schema. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memory.flight.hints.data import Found, Kind, Memory, Move, Place, Scene, digest
from memory.flight.hints.moves import readable
from memory.flight.hints.wording import named
from memory.vocabulary import HintRule

# Of agents with more tools nothing is said, and of tools the names of whose arguments are longer together.
MOST_TOOLS = 60
MOST_OF_A_SCHEMA = 800
MOST_TOLD = 20
_NO_TOOL = re.compile(
    r"(?:unknown|no such|invalid|undefined|unsupported|unrecogni[sz]ed) (?:tool|function)\b"
    r"|\b(?:tool|function) ['\"`]?[\w.-]+['\"`]? (?:does not exist|is not (?:defined|available|supported)|not found)"
    r"|is not a valid tool|未知(?:工具|函数)|(?:工具|函数)不存在",
    re.IGNORECASE,
)
_BAD_ARGUMENTS = re.compile(
    r"missing \d* ?(?:required )?(?:positional |keyword-only )*(?:argument|parameter|field)|unexpected keyword argument"
    r"|(?:required|mandatory) (?:argument|parameter|field|property)\b|is a required property|invalid (?:arguments?"
    r"|parameters?)\b|is not of type|argument validation|failed to parse (?:the )?arguments|error decoding json arguments"
    r"|缺少(?:必要|必需|必填)?的?参数|参数(?:错误|无效|缺失)",
    re.IGNORECASE,
)
_COMPLAINT_LENGTH = 600
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,),
    "object": (Mapping,), "null": (type(None),),
}  # fmt: skip


def impossible_calls(scene: Scene, memory: Memory) -> Iterator[Found]:
    """Calls judged by the tools that prompts offered, or by what the tool complained about."""
    if scene.step.is_prompt:
        _learn(scene.step.payload.get("tools"), memory)
    for move in scene.moves:
        if move.kind is Kind.CALLED:
            yield from _judge(move, scene.here, memory)
        elif move.kind is Kind.RETURNED:
            yield from _complaint(move, scene, memory)


def _learn(tools: Any, memory: Memory) -> None:
    """Remember the tools that are offered; an agent that changes them is judged by the newest offer and the old."""
    if not isinstance(tools, list):
        return
    name = digest(json.dumps(tools, sort_keys=True, default=str))
    if memory.get("offer") == name:
        return
    memory["offer"] = name
    known = memory.setdefault("tools", {})
    for tool in tools:
        told = tool.get("function", tool) if isinstance(tool, Mapping) else None
        if isinstance(told, Mapping) and isinstance(told.get("name"), str):
            known[told["name"][:200]] = _schema(told)
    if len(known) > MOST_TOOLS:
        memory["tools"] = {}
        memory["too_many"] = True


def _schema(told: Mapping[str, Any]) -> dict[str, Any]:
    """What is checked of a tool's JSON Schema: required names, types of the top level, and whether others may be."""
    schemas = (told.get(field) for field in ("parameters", "input_schema", "schema"))
    schema = next((each for each in schemas if isinstance(each, Mapping)), {})
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, Mapping) or sum(len(str(name)) for name in properties) > MOST_OF_A_SCHEMA:
        return {}
    return {
        "required": [name for name in required if isinstance(name, str) and name in properties]
        if isinstance(required, list)
        else [],
        "types": {name: _types(each) for name, each in properties.items()},
        "closed": schema.get("additionalProperties") is False,
    }


def _types(schema: Any) -> list[str]:
    told = schema.get("type") if isinstance(schema, Mapping) else None
    names = told if isinstance(told, list) else [told]
    return [name for name in names if isinstance(name, str) and name in _TYPES]


def _judge(move: Move, here: Place, memory: Memory) -> Iterator[Found]:
    known: dict[str, Any] = memory.get("tools", {})
    if known and not memory.get("too_many") and move.tool and move.tool not in known:
        sentence = f"{named(move.tool)} was called, and no prompt had offered such a tool."
        yield from _found(HintRule.UNKNOWN_TOOL, here, (here.version,), sentence, move, memory)
        return
    broken = _broken(readable(move.arguments), known.get(move.tool) or {})
    if broken:
        sentence = f"The arguments of {named(move.tool)} break its schema: {broken}."
        yield from _found(HintRule.BROKEN_ARGUMENTS, here, (here.version,), sentence, move, memory)


def _broken(arguments: Any, schema: dict[str, Any]) -> str:
    """What is wrong with arguments; empty where nothing is."""
    if arguments is None or arguments == "":
        arguments = {}
    if not schema:
        return ""
    if not isinstance(arguments, Mapping):
        return "they are no JSON object"
    missing = [name for name in schema["required"] if name not in arguments]
    if missing:
        return f"{missing[0]} is missing"
    if schema["closed"]:
        foreign = [name for name in arguments if name not in schema["types"]]
        if foreign:
            return f"there is no argument {str(foreign[0])[:80]}"
    wrong = [name for name, value in arguments.items() if not _fits(value, schema["types"].get(name))]
    return f"{wrong[0]} is not of the type {' or '.join(schema['types'][wrong[0]])}" if wrong else ""


def _fits(value: Any, types: list[str] | None) -> bool:
    """Whether a value is of one of the types; a whole number may be written with a point, and nothing is ever null
    by mistake where the argument may as well be left out."""
    if not types or value is None:
        return True
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, float) and value.is_integer() and "integer" in types:
        return True
    return any(isinstance(value, _TYPES[name]) for name in types)


def _complaint(move: Move, scene: Scene, memory: Memory) -> Iterator[Found]:
    """A short result or an error that says that the tool or its arguments are wrong."""
    text = scene.step.error or move.text
    if len(text) > _COMPLAINT_LENGTH:
        return
    at = move.called_at or scene.here.version
    evidence = tuple(sorted({at, scene.here.version}))
    place = Place(at, scene.here.tokens)
    if _NO_TOOL.search(text):
        sentence = f"{named(move.tool)} was called, and there is no such tool."
        yield from _found(HintRule.UNKNOWN_TOOL, place, evidence, sentence, move, memory)
    elif _BAD_ARGUMENTS.search(text):
        sentence = f"{named(move.tool)} could not be called with these arguments."
        yield from _found(HintRule.BROKEN_ARGUMENTS, place, evidence, sentence, move, memory)


def _found(
    rule: HintRule, at: Place, evidence: tuple[int, ...], sentence: str, move: Move, memory: Memory
) -> Iterator[Found]:
    """A tool that does not exist is told of once; so is a call, though its schema and its result may both say it."""
    name = digest(rule, move.tool if rule is HintRule.UNKNOWN_TOOL else move.call)
    told: list[str] = memory.setdefault("told", [])
    if name in told:
        return
    told.append(name)
    del told[:-MOST_TOLD]
    yield Found(rule, at, evidence, sentence)
