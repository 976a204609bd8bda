"""Whose an experience is: its user's alone, or everybody's in the tenant. Pure."""

import re

from memory.distillation.evidence import is_technical
from memory.vocabulary import PERSONAL_KINDS, Kind

# What somebody says of themselves and of the people around them, and what identifies a person.
_PERSONAL = re.compile(
    r"\bmy (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|kids?|children|baby|mother|father|mom|mum|dad|parents?|brother|sister|family|friends?|boss|dog|cat|pet|doctor|therapist|home|house|address|birthday|health|salary|age|name|phone|passport|childhood|hobby|life|feelings?)\b"
    r"|\bi(?:'m| am| was|'ve been| have been| feel| felt| love| hate| enjoy| prefer| like| grew up| live| lived| moved| got married| remember)\b"
    r"|\b(?:my|your|(?:user|customer|passenger|patient|client)'s) (?:[\w-]+ ){0,2}(?:accounts?|bookings?|reservations?|orders?|subscriptions?|invoices?|tickets?|flights?|trip|refunds?|payments?|card|profile|membership|insurance)\b"
    r"|\b(?:passengers?|(?:user|customer|reservation|order|payment|booking|account|member(?:ship)?)[ _](?:id|number)s?)\b"
    r"|\b(?:date of birth|dob|passport|social security|first_name|last_name|user_id|customer|payment_methods?|credit_card|patient|phone number)\b"
    r"|[\w.+-]+@[\w-]+\.\w+"
    r"|\+?\d[\d ()-]{8,}\d"
    r"|我(?:的)?(?:老婆|老公|妻子|丈夫|爱人|女朋友|男朋友|孩子|儿子|女儿|爸|妈|父亲|母亲|家人|朋友|同事|老板|生日|地址|电话|手机|名字)|我(?:叫|是|喜欢|讨厌|爱|住在|今年|觉得|想)|身份证|手机号",
    re.IGNORECASE,
)


def is_personal(kind: Kind, text: str, *, worked: bool) -> bool:
    """Whether an experience belongs to its user alone.

    Statements about somebody always do. A solution is shared only if it comes from work, on machines (`worked`: tools
    were used) or about them, and nothing in it speaks of a person: what is uncertain stays with its user.
    """
    if kind in PERSONAL_KINDS or _PERSONAL.search(text):
        return True
    return not (worked or is_technical(text))
