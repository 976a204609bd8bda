"""Code, logs and stack traces: evidence, that is kept in short. Pure."""

import re

FENCE = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_TRACE = re.compile(
    r"Traceback \(most recent call last\)|^\s+at [\w.$<>]+\(|^\s*File \"[^\"]+\", line \d+", re.MULTILINE
)
_ERROR_LINE = re.compile(
    r"^.{0,200}?(?:\b\w*(?:Error|Exception|Fault|Panic)\b|\b(?:error|fatal|failed|failure|panic|denied|refused|timed? ?out)\b|错误|异常|失败|报错).{0,300}$",
    re.IGNORECASE | re.MULTILINE,
)
_COMMAND = re.compile(
    r"(?:^|\s)(?:\$ |sudo |pip |npm |git |docker |kubectl |apt(?:-get)? |systemctl |python3? |curl |psql )\S",
    re.MULTILINE,
)
_PATH = re.compile(
    r"(?:^|[\s\"'(`])(?:[A-Za-z]:\\|\.{0,2}/)?(?:[\w.-]+/)+[\w.-]+|\b[\w-]+\.(?:py|js|ts|go|rs|java|c|h|cpp|rb|sh|sql|ya?ml|json|toml|cfg|conf|ini|log|md)\b"
)
_CODE_LINE = re.compile(
    r"^\s*(?:def |class |import |from \w+ import|return\b|function\b|const |let |var |#include|public |private |SELECT |INSERT |UPDATE |CREATE |if .*[:{]$|for .*[:{]$|[\w.\[\]]+ = |[}{]\s*;?$|@\w+)",
    re.MULTILINE,
)
_INLINE = re.compile(r"`[^`\n]+`")
LOG_LINE = re.compile(
    r"^\W{0,3}(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b)",
    re.MULTILINE,
)
CODE_LINES = 6


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
    text = FENCE.sub(_code, text)
    if is_trace(text) or len(LOG_LINE.findall(text)) > CODE_LINES:
        lines = text.splitlines()
        telling = [
            line for line in lines if not (_TRACE.search(line) or LOG_LINE.match(line) or re.match(r"\s{2,}", line))
        ]
        named = [line for line in errors(text) if line not in {each.strip() for each in telling}]
        text = "\n".join([*telling, *named])
    return re.sub(r"[ \t]*\n\s*\n+", "\n", text).strip()


def _code(found: re.Match[str]) -> str:
    lines = [line.rstrip() for line in found[1].splitlines() if line.strip()]
    if is_trace(found[1]) or len(LOG_LINE.findall(found[1])) > CODE_LINES:
        return "\n".join(errors(found[1]) or lines[-1:])
    return "\n".join(
        [*lines[:CODE_LINES], f"… ({len(lines) - CODE_LINES} more lines)"] if len(lines) > CODE_LINES else lines
    )
