"""What is doubtful about a result that was not flagged as an error. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.vocabulary import HintRule

_QUERY = re.compile(
    r"search|find|get|list|query|fetch|read|look_?up|select|retriev|recall|browse|load|scan|grep|view|查|搜|找|读",
    re.IGNORECASE,
)
# What does something, and may well have nothing to tell of it.
_DOES = re.compile(
    r"write|creat|send|post|put|updat|delet|remov|set|run|exec|bash|shell|command|terminal|python|code|click|type|scroll"
    r"|press|mkdir|save|append|insert|add|think|sleep|wait|notify|log|edit|mov|copy|start|stop|finish|terminat|submit|clos"
    r"|open|install|upload|publish|book|cancel|pay|goto|navigat|action|tool|写|创建|发送|更新|删除|执行|运行|保存|预订|取消",
    re.IGNORECASE,
)
_NOTHING = frozenset({"", "null", "none", "nil", "undefined", "n/a", '""', "''", "{}", "无", "空"})
_NOT_FOUND = re.compile(
    r"^\W*(?:no|0|zero) (?:[\w-]+ ){0,3}?(?:results?|match(?:es)?|rows?|records?|items?|documents?|entries|data|files?"
    r"|hits?|pages?)\b|\bnot found\b|\bnothing (?:was )?found\b|\bno such\b|\b(?:could|can|did) ?n[o']t find\b"
    r"|\bno [\w -]{1,40} (?:were |was )?(?:found|available)\b|未找到|没有找到|找不到|无结果|没有结果|查无|暂无",
    re.IGNORECASE,
)
_NOT_FOUND_LENGTH = 200
_ERROR_TEXT = re.compile(
    r"^\W*(?:\w*error\b|\w*exception\b|fatal\b|traceback \(most recent|failed\b|failure\b|http(?:/[\d.]+)? [45]\d\d\b"
    r"|[45]\d\d (?:internal|bad|not|forbidden|unauthori[sz]ed|too many|service|gateway)|(?:错误|异常|失败)[:：])",
    re.IGNORECASE,
)
_ERROR_FIELDS = ("error", "errors", "exception", "error_message", "errorMessage", "err", "fault")
_STATUS_FIELDS = ("status", "status_code", "statusCode", "code", "http_status")
_BODY_FIELDS = ("body", "data", "response", "result", "output")
_FAILED = frozenset({"error", "failed", "failure", "fail", "失败", "错误"})
_COUNT_FIELDS = frozenset({"count", "total", "total_count", "totalCount", "num_results", "found", "hits", "matches"})
_DID = re.compile(r"\b(?:insert|updat|delet|creat|saved|sent|booked|added|remov|done)", re.IGNORECASE)
_JSON = re.compile(r"\{\s*[\"'}]|\[\s*[\[{\"\d\]-]")
_CUT = re.compile(
    r"[\[<(…]\W*(?:\w+ ){0,4}(?:truncated|clipped|cut off)\b|\b(?:output|response|content|result|text) (?:was |is |has "
    r"been )?(?:too long|truncated|clipped|cut off)\b|\.\.\. ?\(?\d+ (?:more|characters|lines|bytes)|已截断|被截断|内容过长",
    re.IGNORECASE,
)
# Where marks of a cut stand.
_CUT_ENDS = 300
_SHORTEST_CUT_JSON = 100
# Larger results are judged by their ends alone.
_MOST_JSON = 200_000


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is doubtful, by the rule that tells it, and how a sentence calls it."""

    rule: HintRule
    is_what: str


EMPTY = Doubt(HintRule.EMPTY_RESULT, "brought nothing")
NOT_FOUND = Doubt(HintRule.EMPTY_RESULT, "found nothing")
HIDDEN_ERROR = Doubt(HintRule.HIDDEN_ERROR, "holds an error, though it was not reported as one")
TRUNCATED = Doubt(HintRule.TRUNCATED_RESULT, "was cut off")


def is_query(tool: str) -> bool:
    """Whether a tool looks for something, so that nothing is an unusual answer: its name says so, or does not say that
    it does something else."""
    return bool(_QUERY.search(tool)) or not _DOES.search(tool)


def doubt(text: str, tool: str) -> Doubt | None:
    """What is doubtful about a result, None where it looks sound."""
    text = text.strip()
    if text.lower() in _NOTHING:
        return EMPTY if is_query(tool) else None
    if text == "[]":
        return EMPTY
    found = _of_json(text) if _JSON.match(text) else _of_text(text)
    return found or (TRUNCATED if _is_cut(text) else None)


def _of_text(text: str) -> Doubt | None:
    if _ERROR_TEXT.search(text[:200]):
        return HIDDEN_ERROR
    return NOT_FOUND if len(text) <= _NOT_FOUND_LENGTH and _NOT_FOUND.search(text) else None


def _of_json(text: str) -> Doubt | None:
    if len(text) > _MOST_JSON:
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text) or error.msg.startswith("Unterminated")
        return TRUNCATED if is_cut and len(text) >= _SHORTEST_CUT_JSON else None
    except RecursionError:
        return None
    if not isinstance(value, Mapping):
        return None
    bodies = (_body(value.get(field)) for field in _BODY_FIELDS)
    told = [value, *(body for body in bodies if isinstance(body, Mapping))]
    if any(_is_failure(part) for part in told):
        return HIDDEN_ERROR
    return EMPTY if _is_empty(value) else None


def _body(part: Any) -> Any:
    """What an object wraps, which some services write as JSON inside of JSON."""
    if not (isinstance(part, str) and part.startswith("{")):
        return part
    try:
        return json.loads(part)
    except (ValueError, RecursionError):
        return part


def _is_failure(value: Mapping[str, Any]) -> bool:
    if any(value.get(field) for field in _ERROR_FIELDS) or value.get("success") is False or value.get("ok") is False:
        return True
    return any(_is_bad_status(value.get(field)) for field in _STATUS_FIELDS)


def _is_bad_status(status: Any) -> bool:
    if isinstance(status, str):
        return status.lower() in _FAILED or bool(re.fullmatch(r"[45]\d\d(?: .*)?", status))
    return isinstance(status, int) and 400 <= status < 600


def _is_empty(value: Mapping[str, Any]) -> bool:
    """Whether an object says that nothing was found: it has lists, or counts, all of them empty or 0, and it does not
    report that something was done."""
    told = {name: part for name, part in value.items() if name not in _ERROR_FIELDS}
    lists = [part for part in told.values() if isinstance(part, list | Mapping)]
    counts = [part for name, part in told.items() if name in _COUNT_FIELDS and isinstance(part, int)]
    if any(lists) or any(counts) or not (counts or any(isinstance(part, list) for part in lists)):
        return False
    return not any(isinstance(part, str) and _DID.search(part) for part in told.values())


def _is_cut(text: str) -> bool:
    return bool(_CUT.search(text[-_CUT_ENDS:]) or _CUT.search(text[:_CUT_ENDS]))
