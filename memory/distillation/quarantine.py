"""What reads like an instruction to the agent is not learned without an operator: it may have been planted. Pure.

Rules find what is written plainly; letters of other widths, invisible ones and broken lines do not hide it from them.
"""

import re
import unicodedata

_RULES = tuple(
    (re.compile(pattern, re.IGNORECASE), reason)
    for pattern, reason in (
        (
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|restrictions?|safeguards?|(?:all|everything|anything|what)\b.{0,20}\b(?:previous|prior|above|earlier|before|told|said))\b",
            "It asks to ignore instructions.",
        ),
        (
            r"\b(?:do not|don't|stop|cease|no longer|refuse to) (?:follow|obey|comply|adhere|respect)(?:ing)?\b.{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|restrictions?|safeguards?)\b",
            "It asks to ignore instructions.",
        ),
        (
            r"\bignore (?:what(?:ever)?|anything|everything) (?:the |any |an? )?(?:users?|customers?|operators?|admins?|owners?|humans?)\b",
            "It asks to ignore people.",
        ),
        (
            r"\b(?:new|real|actual|updated) (?:system prompt|instructions?|directives?)(?: (?:is|are)|\s*:)|\b(?:system|developer)(?: (?:message|prompt))?\s*:\s*(?:you|your|ignore|always|never|do not|don't)\b",
            "It gives instructions of its own.",
        ),
        (
            r"\b(?:notes?|messages?|instructions?|attention) (?:to|for) (?:the |any |all )?(?:assistant|agent|ai|model|llm|(?:chat)?bot)s?\b",
            "It turns to the agent.",
        ),
        (
            r"\b(?:the|an?|any|all|every) (?:ai |llm )?(?:assistant|agent|ai|(?:chat)?bot)s? (?:must|should|shall|will|has to|have to|needs? to) (?:always|never)\b|(?:^|[.!?\n]\s*)(?:assistants|agents|(?:chat)?bots) (?:must|should|shall|will|have to|need to) (?:always|never)\b",
            "It tells the agent what to do always or never.",
        ),
        (
            r"\b(?:going forward|henceforth|from here on)\b,?[^.!?\n]{0,60}\b(?:you|your|(?:every|each|all) (?:answer|response|repl(?:y|ies)|message)s?|always|never)\b",
            "It tells the agent what to do from now on.",
        ),
        (
            r"\b(?:whenever|when|if|(?:each|every|any) time) (?:some(?:one|body)|any(?:one|body)|(?:an?|any|the) (?:user|customer|client|person)|users|customers|people) (?:asks?|wants?|requests?|says?|mentions?)\b[^.!?\n]{0,80},\s*(?:please |always |never |just |then |you (?:must|should|will) )?(?:approve|tell|say|send|reply|respond|answer|give|grant|reveal|recommend|transfer|refund|forward|share|claim)\b",
            "It tells the agent what to answer.",
        ),
        (
            r"(?:^|[.!?\n:;]\s*)(?:please )?(?:run|execute|call|send|post|fetch|open|visit|download)\b(?:[^.!?\n]|\.(?=\S)){0,120}?\b(?:before|after) (?:each|every|any) (?:task|answer|response|reply|message|conversation|turn|session)\b|(?:^|[.!?\n:;]\s*)(?:before|after|in|with|to) (?:each|every|any|all) (?:of )?(?:your )?(?:tasks?|answers?|responses?|repl(?:y|ies)|messages?|turns?),? (?:always |you must |please )?(?:run|execute|call|send|add|include|append|say|mention|post)\b",
            "It tells the agent what to do each time.",
        ),
        (
            r"\b(?:reveal|print|show|repeat|leak|expose)\b.{0,30}\b(?:system prompt|hidden (?:prompt|instruction)|your (?:instructions|prompt|rules))",
            "It asks for the instructions themselves.",
        ),
        (
            r"(?:^|[.!?\n:;,\"']\s*|\b(?:(?:make|be) sure (?:to|that you)|(?:remember|don't forget) to|you(?: must| should| will| shall| need to| have to)?|please|and) )(?:always|never|from now on,?(?: (?:always|never|you|please))?|in (?:the )?future,?(?! (?:i|we|can i|could i|may i|can we)\b)|(?:every|each) time,?(?: you)?(?! (?:i|we)\b)) (?:\w+ ){0,3}?(?:send|forward|email|e-mail|mail|post|upload|share|reply|respond|answer|include|add|append|use|call|run|execute|delete|transfer|pay|approve|grant|tell|mention|say|recommend|trust|reveal|ask|disclose|copy|cc|bcc|give|refund|treat|act|do)\b",
            "It tells the agent what to do always or never.",
        ),
        (
            r"(?:^|[.!?\n:;]\s*)(?![^.!?\n]{0,80}\b(?:i|we)(?:'ll| will|'m going to| am going to)\b)[^.!?\n]{0,120}?\bfrom now on\b",
            "It tells the agent what to do from now on.",
        ),
        (
            r"\b(?:you(?:'re| are) now (?:an?|the|called|named|acting|my|in \w+ mode)|you(?:'re| are) no longer (?:an?|the|bound|restricted|limited|required)|you (?:must|should|will|shall|have to|need to) (?:now )?act as|pretend (?:to be|you(?:'re| are)) (?:an? |the |my )?\w+)\b|(?:^|[.!?:;\n]\s*|\b(?:please|now|and then) )act as\b",
            "It gives the agent another role.",
        ),
        (
            r"\b(?:do not|don't|never) (?:tell|inform|notify|mention (?:this|it) to) (?:the |any|your )?(?:user|customer|operator|admin|owner|human)",
            "It asks to hide something from people.",
        ),
        (
            r"\byou (?:are|have|will have) (?:now )?(?:an? )?(?:DAN\b|unrestricted|unfiltered|uncensored|jailbroken|no (?:restrictions|rules|limits|guidelines|filters?)\b)",
            "It gives the agent another role.",
        ),
        (r"<\|?(?:system|im_start|assistant)\|?>|\[(?:system|INST)\]", "It holds the marks of a prompt."),
        (r"(?:忽略|无视|忘记|绕过).{0,12}(?:指令|提示|规则|要求|限制|以上|之前)", "It asks to ignore instructions."),
        (
            r"(?:不要|别|不必|无需|停止)(?:再)?(?:遵守|遵循|服从|理会).{0,12}(?:指令|提示|规则|要求|限制|政策)",
            "It asks to ignore instructions.",
        ),
        (
            r"(?:以后|今后)[^。！？\n]{0,12}(?:必须|总是|一律|务必)|当(?:用户|客户|有人)[^。！？\n]{0,20}时[，,]?(?:你)?(?:一律|必须|总是|务必|直接)",
            "It tells the agent what to do from now on.",
        ),
        (
            r"(?:从现在(?:开始|起)|以后(?:你)?(?:都|必须|总是|一律|务必)|今后(?:都|必须|一律))",
            "It tells the agent what to do from now on.",
        ),
        (
            r"(?:总是|始终|一律|务必|每次都?要?|永远不要?|绝不要?)(?:\w{0,6})(?:发送|转发|回复|回答|告诉|执行|调用|删除|转账|批准|使用|附上|抄送)",
            "It tells the agent what to do always or never.",
        ),
        (r"(?:你现在是|假装你?是|扮演)", "It gives the agent another role."),
        (r"(?:不要|别)(?:告诉|通知|让)(?:用户|客户|管理员|别人)", "It asks to hide something from people."),
    )
)


_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")
# Characters that format and are not seen: soft hyphens, joiners, marks of direction.
_INVISIBLE = "Cf"


def reason(text: str) -> str:
    """Why the text has to wait for an operator; empty where it has not."""
    plain = _plain(text)
    readings = (plain, plain.replace("\n", " ")) if "\n" in plain else (plain,)
    return next((why for each in readings for pattern, why in _RULES if pattern.search(each)), "")


def _plain(text: str) -> str:
    """The text as it is read by whoever looks at it: without what is not seen, in usual letters and spaces."""
    seen = "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != _INVISIBLE)
    return _LINES.sub("\n", _BLANKS.sub(" ", seen.replace("’", "'")))
