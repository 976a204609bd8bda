"""Code, logs and stack traces: evidence, that is kept in short. Pure."""

import re

FENCE = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_TRACE = re.compile(
    r"Traceback \(most recent call last\)|^[ \t]+at [\w.$<>]+\(|^[ \t]*File \"[^\"]+\", line \d+", re.MULTILINE
)
_ERROR_LINE = re.compile(
    r"^.{0,200}?(?:\b\w*(?:Error|Exception|Fault|Panic)\b|\b(?:error|fatal|failed|failure|panic|denied|refused|timed? ?out)\b|错误|异常|失败|报错).{0,300}$",
    re.IGNORECASE | re.MULTILINE,
)
_COMMAND = re.compile(
    r"(?:^|\s)(?:\$ |sudo |pip |npm |git |docker |kubectl |apt(?:-get)? |systemctl |python3? |curl |psql )\S",
    re.MULTILINE,
)
# A path begins at a root, has an ending or at least two folders: "and/or" is none.
_PATH = re.compile(
    r"(?:^|[\s\"'(`=])(?:(?:[A-Za-z]:\\|~?/|\.{1,2}/)[\w.-]+[/\\][\w.-]+|(?=[\d/.-]*[A-Za-z])(?:[\w.-]+/){2,}[\w.-]+|[\w-]+/[\w-]+\.[a-z]{1,4}\b)|\b[\w-]+\.(?:py|js|ts|go|rs|java|c|h|cpp|rb|sh|sql|ya?ml|json|toml|cfg|conf|ini|log|md)\b"
)
_CODE_LINE = re.compile(
    r"^[ \t]*(?:def |class |import |from \w+ import|return\b|function\b|const |let |var |#include|public |private |SELECT |INSERT |UPDATE |CREATE |if .*[:{]$|for .*[:{]$|[\w.\[\]]+ = |[}{]\s*;?$|@\w+)",
    re.MULTILINE,
)
_INLINE = re.compile(r"`[^`\n]+`")
LOG_LINE = re.compile(
    r"^\W{0,3}(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b)",
    re.MULTILINE,
)
CODE_LINES = 6
_TRACE_BEGINS = "Traceback (most recent call last)"
_INDENTED = re.compile(r"\s{2,}")
_EMPTY_LINES = re.compile(r"\n\s*\n")
_OUTPUT = re.compile(
    r"\W{0,12}(?:user\W{1,6})?(?:(?:observation|output|stdout|stderr|exit code|(?:command|execution|tool|test) (?:result|output)s?)\b[^\n]{0,40}[:\n]|(?:your|the) (?:code|solution|command|program|script|patch) (?:failed|succeeded|ran|raised|returned|produced|was executed)\b|Traceback \(most)",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:\w*error|\w*exception|failed|failure|fatal|panic|traceback|exit code [1-9]\d*|non-zero)\b|错误|异常|失败|报错",
    re.IGNORECASE,
)
# Somebody who shows an output also says something.
_SPOKEN = re.compile(
    r"\b(?:i|i'm|i've|my|we|our|you|please|why|how|what|can|could|help)\b|[?？]|我|你|请|怎么|为什么", re.IGNORECASE
)
_SIGN = re.compile(r"[^\w\s,.!'’、。，！]|[\d_]")
# Of what people write, far less than this share is digits and signs.
SIGNS_SHARE = 0.2
# A number or an id alone is an answer of somebody.
SHORTEST_OUTPUT = 30


def is_trace(text: str) -> bool:
    """Whether a stack trace stands in the text."""
    return bool(_TRACE.search(text))


def is_technical(text: str) -> bool:
    """Whether the text speaks of work on machines: code, commands, paths, logs, stack traces or named errors."""
    return bool(
        is_trace(text)
        or "```" in text
        or LOG_LINE.search(text)
        or _COMMAND.search(text)
        or _INLINE.search(text)
        or len(_CODE_LINE.findall(text)) >= 2
        or _PATH.search(text)
        or re.search(r"\b[A-Z]\w+(?:Error|Exception)\b|\b(?:E[A-Z]{4,}|HTTP [45]\d\d|exit code \d+|errno)\b", text)
    )


def errors(text: str, most: int = 2) -> list[str]:
    """The lines of a text that say what went wrong, the last ones: there a stack trace names the error."""
    lines = [line.strip() for line in _ERROR_LINE.findall(text)]
    return list(dict.fromkeys(lines))[-most:]


def condense(text: str) -> str:
    """The text with its evidence in short: code to its first lines, logs and traces to the lines that name the
    error."""
    if is_trace(text) and "\\n" in text:
        text = text.replace("\\n", "\n")  # a trace that is quoted in JSON
    text = FENCE.sub(_code, text)
    if is_trace(text) or len(LOG_LINE.findall(text)) > CODE_LINES:
        lines = [line.partition(_TRACE_BEGINS)[0] for line in text.splitlines()]
        telling = [line for line in lines if not (_TRACE.search(line) or LOG_LINE.match(line) or _INDENTED.match(line))]
        named = [line for line in errors(text) if line not in {each.strip() for each in telling}]
        text = "\n".join([*telling, *named])
    return _EMPTY_LINES.sub("\n", text).strip()


def is_output(text: str) -> bool:
    """Whether a message reads like what a program wrote, and nobody: some agents get their tools' results as if the
    user had said them."""
    bare = text.strip()
    if _OUTPUT.match(bare) or (bare.startswith(("{", "[")) and bare.endswith(("}", "]"))):
        return not bare.endswith(("?", "？"))
    signs, characters = len(_SIGN.findall(bare)), sum(map(len, bare.split()))
    full_of_signs = characters >= SHORTEST_OUTPUT and signs >= SIGNS_SHARE * characters
    looks_written = is_trace(bare) or LOG_LINE.match(bare) or full_of_signs
    return bool(looks_written) and not _SPOKEN.search(bare)


def is_failure(text: str) -> bool:
    """Whether a program's output tells of a failure."""
    return is_trace(text) or bool(_FAILED.search(text[:400]))


def _code(found: re.Match[str]) -> str:
    lines = [line.rstrip() for line in found[1].splitlines() if line.strip()]
    if is_trace(found[1]) or len(LOG_LINE.findall(found[1])) > CODE_LINES:
        return "\n".join(errors(found[1]) or lines[-1:])
    return "\n".join(
        [*lines[:CODE_LINES], f"… ({len(lines) - CODE_LINES} more lines)"] if len(lines) > CODE_LINES else lines
    )
