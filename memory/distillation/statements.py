"""Rules for statements: preferences, profiles, facts, decisions, each with what it is about. English and Chinese.
Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory.language import CJK
from memory.vocabulary import Kind


@dataclass(frozen=True, slots=True)
class Rule:
    """A form of sentence. Its groups: `value` is what is said, `topic` what of, each with a number where the form has
    variants; `subject` names the topic otherwise.

    Where `holds_one` a subject has one value at a time, and another one contradicts it.
    """

    name: str
    kind: Kind
    pattern: re.Pattern[str]
    subject: str
    holds_one: bool = True


@dataclass(frozen=True, slots=True)
class Statement:
    """What a rule read from a sentence. `subject` is empty where several values may hold side by side; `topic` is what
    the value is said of, in the speaker's words."""

    rule: str
    kind: Kind
    subject: str
    value: str
    topic: str = ""

    @property
    def is_of_case(self) -> bool:
        """Whether it may hold for the case alone that somebody asks about: the error's line, the order's number."""
        return self.rule in ("setting", "zh-setting")


def _rule(name: str, kind: Kind, pattern: str, subject: str = "", *, holds_one: bool = True) -> Rule:
    return Rule(name, kind, re.compile(pattern, re.IGNORECASE), subject, holds_one)


_V = r"(?P<value>[^.!?;\n]{1,80}?)(?=[.!?;,\n]|$| and i\b| but\b| because\b| since\b)"
_NOW = r"(?:now |currently |just |recently |actually |still )*"
_RULES = (
    _rule("name", Kind.PROFILE, rf"\b(?:my name is|my name's|call me) {_V}", "name"),
    _rule(
        "age",
        Kind.PROFILE,
        r"\bi(?:'m| am) (?P<value>\d{1,3}) years? old|\bi(?:'m| am) (?:now )?(?P<value2>\d{2})(?=[.!,]|$)",
        "age",
    ),
    _rule(
        "home",
        Kind.PROFILE,
        rf"\bi {_NOW}(?:live|moved|relocated|am based|reside) (?:in|to|at) {_V}|\bi(?:'m| am) {_NOW}(?:living|based) in (?P<value2>[^.!?;,\n]{{1,60}})",
        "home",
    ),
    _rule("origin", Kind.PROFILE, rf"\bi(?:'m| am| come) (?:originally )?from {_V}", "origin"),
    _rule(
        "work",
        Kind.PROFILE,
        rf"\bi {_NOW}work (?:as|for|at|in) {_V}|\bmy (?:job|profession|occupation) is (?=an? |being |in )(?P<value2>[^.!?;,\n]{{1,60}})",
        "work",
    ),
    _rule(
        "birthday",
        Kind.PROFILE,
        rf"\bmy birthday is {_V}|\bi was born (?:on|in) (?P<value2>[^.!?;,\n]{{1,60}})",
        "birthday",
    ),
    _rule(
        "diet",
        Kind.PROFILE,
        r"\bi(?:'m| am) (?:a |now a |now )?(?P<value>vegan|vegetarian|pescatarian|gluten[- ]free|lactose intolerant|diabetic|kosher|halal)\b",
        "diet",
    ),
    _rule("allergy", Kind.PROFILE, rf"\bi(?:'m| am) allergic to {_V}", "allergy", holds_one=False),
    _rule("language", Kind.PROFILE, rf"\bi speak {_V}", "language", holds_one=False),
    _rule(
        "relation",
        Kind.PROFILE,
        r"\bi have (?P<value>(?:a|an|one|two|three|four|five|\d+) (?:\w+ )?(?:wife|husband|kids?|children|sons?|daughters?|brothers?|sisters?|dogs?|cats?|pets?))\b",
        "household",
        holds_one=False,
    ),
    _rule(
        "favourite",
        Kind.PREFERENCE,
        rf"\bmy (?:all[- ]time )?favou?rite (?P<topic>[\w -]{{2,40}}?) (?:is|are|was|has always been) {_V}",
        "favourite",
    ),
    _rule(
        "preference",
        Kind.PREFERENCE,
        rf"\bi(?:'d| would)? (?:\w+ )?(?:prefer|rather have|would rather) {_V}",
        "",
        holds_one=False,
    ),
    _rule(
        "dislike",
        Kind.PREFERENCE,
        rf"\bi (?:\w+ )?(?:hate|dislike|can't stand|do not like|don't like|don't enjoy|do not enjoy|avoid|no longer (?:like|enjoy)|stopped (?:liking|enjoying)) {_V}",
        "",
        holds_one=False,
    ),
    _rule(
        "like",
        Kind.PREFERENCE,
        rf"\bi(?:'ve| have)? (?:(?!would|could|should|might|felt|feel|look|looked|sound|was|am|would)\w+ )?(?:love|like|enjoy|adore|am into|am a fan of|am fond of|am passionate about)(?:d)? (?!to see|to hear|that idea|your){_V}",
        "",
        holds_one=False,
    ),
    _rule(
        "decision",
        Kind.FACT,
        rf"\b(?:we|i)(?:'ve| have)? (?:decided|agreed|chosen|settled|opted) (?:to|on|that|for) {_V}|\b(?:let's|we(?:'ll| will| are going to)) (?:go with|use|stick (?:to|with)) (?P<value2>[^.!?;\n]{{1,80}})",
        "",
        holds_one=False,
    ),
    _rule(
        "setting",
        Kind.FACT,
        r"\b(?:the|our) (?P<topic>[\w ./-]{3,60}?) (?:is|are|runs on|uses|has moved to|is now|was changed to|points to) (?:now )?(?:set to |called |at |on )?(?P<value>[`\"']?[\w./:@-]*(?:[\d/:@_-]|\.\w)[\w./:@-]*[`\"']?)(?=[\s,.!;)]|$)",
        "",
    ),
    _rule(
        "procedure",
        Kind.PROCEDURE,
        r"^(?:in order )?to (?P<topic>[^,.!?;\n]{3,60}), (?P<value>(?:you |we )(?:always |first )?(?:need to|have to|must|should|can)\b[^.!?\n]{3,160}|(?:first |always |just )?(?:run|use|call|click|open|press|type|set|restart|install|enter|select|hold|mix|put|turn)\b[^.!?\n]{3,160})"
        r"|^the (?:way|steps?|procedure|process) (?:to|for) (?P<topic2>[^,.!?;:\n]{3,60}?)(?: is| are|:)(?: to)?:? (?P<value2>[^.!?\n]{3,160})"
        r"|^(?:whenever|every time|before|after|if|when) (?!(?:i|my|he|she|they|you)\b)(?P<topic3>[^,.!?;\n]{3,80}), (?P<value3>(?:we |you )(?:always|must|should|have to|need to)\b[^.!?\n]{3,160})",
        holds_one=False,
    ),
    _rule(
        "zh-name",
        Kind.PROFILE,
        r"(?<![帮给请让替为])我(?:的名字)?叫(?![一几两了个车他她它你做])(?P<value>[\u4e00-\u9fffA-Za-z·]{1,12})",
        "name",
    ),
    _rule("zh-age", Kind.PROFILE, r"我(?:今年)?(?P<value>\d{1,3})岁", "age"),
    _rule(
        "zh-home",
        Kind.PROFILE,
        r"我(?:现在|目前)?(?:住在|搬到|搬去了?|定居在?)(?:了)?(?P<value>[^，。！？；\n]{1,30})",
        "home",
    ),
    _rule("zh-origin", Kind.PROFILE, r"我(?:是|来自)(?P<value>[^，。！？；\n]{1,12}?)人?(?=[，。！]|$)", "origin"),
    _rule(
        "zh-work",
        Kind.PROFILE,
        r"我(?:现在|目前)?(?:的工作是|的职业是|在(?!思考|考虑|想|找|换|寻找|计划)(?P<value2>[^，。！？；\n]{1,20}?)(?:工作|上班)(?=[，。！；了\n]|$)|是(?:一名|一个|一位)(?P<value>[^，。！？；\n]{1,20}))",
        "work",
    ),
    _rule("zh-allergy", Kind.PROFILE, r"我对(?P<value>[^，。！？；\n]{1,20})过敏", "allergy", holds_one=False),
    _rule(
        "zh-favourite",
        Kind.PREFERENCE,
        r"我最(?:喜欢|爱)的(?P<topic>[^，。！？；\n]{1,12}?)是(?P<value>[^，。！？；\n]{1,30})",
        "favourite",
    ),
    _rule(
        "zh-dislike",
        Kind.PREFERENCE,
        r"我(?:\w{0,3})?(?:不喜欢|讨厌|不爱|受不了|不想要)(?P<value>[^，。！？；\n]{1,40})",
        "",
        holds_one=False,
    ),
    _rule(
        "zh-like",
        Kind.PREFERENCE,
        r"我(?:\w{0,3})?(?:喜欢|爱|偏好|更愿意|热爱)(?P<value>[^，。！？；\n]{1,40})",
        "",
        holds_one=False,
    ),
    _rule(
        "zh-decision",
        Kind.FACT,
        r"(?:我们|咱们|我)?(?:已经)?(?:决定|商定|定下来|敲定)(?:了|用|采用)?(?P<value>[^，。！？；\n]{2,60})",
        "",
        holds_one=False,
    ),
    _rule(
        "zh-setting",
        Kind.FACT,
        r"(?P<topic>[\u4e00-\u9fffA-Za-z0-9_ ./-]{2,30}?)(?:是|改成了?|设为|设置为|换成了?)(?P<value>[A-Za-z0-9_./:@-]*(?:[\d/:@_-]|\.\w)[A-Za-z0-9_./:@-]*)",
        "",
    ),
    _rule(
        "zh-procedure",
        Kind.PROCEDURE,
        r"(?:要|想要|如果要|若要)(?P<topic>[^，。！？；\n]{2,30})，?(?:就|需要|必须|得|应该)?(?P<value>先[^。！？\n]{2,120})"
        r"|(?P<topic2>[^，。！？；\n]{2,20})的(?:步骤|流程|做法)(?:是|：|:)(?P<value2>[^。！？\n]{2,120})",
        holds_one=False,
    ),
)
_CHINESE_RULES = tuple(rule for rule in _RULES if rule.name.startswith("zh-"))
_ENGLISH_RULES = tuple(rule for rule in _RULES if not rule.name.startswith("zh-"))
# A topic that only points at something says nothing when it stands alone.
_POINTING = re.compile(r"(?:it|this|that|these|those|they|he|she|there|which|what)\b|[它这那此该]", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|mine|me|myself|we|our|we're|we've)\b|我|咱", re.IGNORECASE)
# What asks for something now is a request, and no statement about somebody.
_REQUEST = re.compile(
    r"\b(?:i(?:'d| would)? (?:like|love|want|need|wish|prefer)(?: you)? (?:to|for you to) (?:know|book|buy|order|cancel|change|get|see|have|find|make|use|update|add|check|ask|return|exchange|proceed|be|go|try|understand|learn|create|start)|i(?:'m| am) (?:looking|trying|calling|writing|asking|hoping|wondering|interested)|i (?:need|want)|i was wondering|can you|could you|would you|please|help me|give me|tell me|show me)\b"
    r"|请(?:你|您|问|帮|给|把|告诉|推荐)|帮[我忙]|给我|告诉我|麻烦(?:你|您)|劳驾|推荐一?[个家下款些]|查一?下|我(?:还|再|就|也)*想(?:要|问|知道|找|去|请|了解|预订|订|在|从|带|看|吃|住|买|点|咨询)|我(?:还|再)?要|我需要|能不能|可以(?:帮|告诉)",
    re.IGNORECASE,
)


def read(sentence: str) -> Statement | None:
    """What a rule finds in a sentence; None where none does."""
    for rule in _CHINESE_RULES if CJK.search(sentence) else _ENGLISH_RULES:
        found = rule.pattern.search(sentence)
        if not found:
            continue
        groups = found.groupdict()
        value = _group(groups, "value").strip(" `\"'.")
        topic = _group(groups, "topic").strip()
        if not value or _POINTING.match(topic):
            continue
        subject = " ".join(filter(None, (rule.subject, topic.lower()))) if rule.holds_one else ""
        return Statement(rule.name, rule.kind, subject, value, topic)
    return None


def _group(groups: Mapping[str, str | None], name: str) -> str:
    return next((text for variant in ("", "2", "3") if (text := groups.get(f"{name}{variant}"))), "")


def is_first_hand(sentence: str) -> bool:
    """Whether somebody speaks of themselves."""
    return bool(_FIRST_PERSON.search(sentence))


def is_request(sentence: str) -> bool:
    """Whether a sentence asks for something to be done now."""
    return bool(_REQUEST.search(sentence))
