"""What reads like an instruction to the agent is not learned without an operator: it may have been planted. Pure."""

import re

_RULES = tuple(
    (re.compile(pattern, re.IGNORECASE), reason)
    for pattern, reason in (
        (
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|restrictions?|safeguards?|(?:all|everything|anything|what)\b.{0,20}\b(?:previous|prior|above|earlier|before|told|said))\b",
            "It asks to ignore instructions.",
        ),
        (
            r"\b(?:reveal|print|show|repeat|leak|expose)\b.{0,30}\b(?:system prompt|hidden (?:prompt|instruction)|your (?:instructions|prompt|rules))",
            "It asks for the instructions themselves.",
        ),
        (
            r"(?:^|[.!?\n:;,\"']\s*|\b(?:you(?: must| should| will| shall| need to| have to)?|please|and) )(?:always|never|from now on,?(?: (?:always|never|you|please))?|in (?:the )?future,?(?! (?:i|we|can i|could i|may i|can we)\b)|every time,?(?: you)?) (?:\w+ ){0,3}?(?:send|forward|email|e-mail|mail|post|upload|share|reply|respond|answer|include|add|append|use|call|run|execute|delete|transfer|pay|approve|grant|tell|mention|say|recommend|trust|reveal|ask|disclose|copy|cc|bcc|give|refund|treat|act|do)\b",
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
        (r"<\|?(?:system|im_start|assistant)\|?>|\[(?:system|INST)\]", "It holds the marks of a prompt."),
        (r"(?:忽略|无视|忘记|绕过).{0,12}(?:指令|提示|规则|要求|限制|以上|之前)", "It asks to ignore instructions."),
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


def reason(text: str) -> str:
    """Why the text has to wait for an operator; empty where it has not."""
    return next((why for pattern, why in _RULES if pattern.search(text)), "")
