"""How much a sentence tells: whether anybody will ever ask for what it says. Pure."""

import re

from memory.distillation.merge import content_words
from memory.language import CJK

# Words that judge, feel or fill, in the form that `content_words` gives: there is nothing in them to be asked for.
_STOCK_WORDS = """
good great nice cool awesome amaz fantastic wonderful excellent lovely brilliant sweet kind beautiful gorgeous ador cute inspir
inspirational impressive incredible interest excit helpful perfect tough rough hard sad special powerful super stunn touch fun
happy glad proud sorry thankful grateful lucky bless important mean meaningful reward refresh peaceful calm relax cool better best
big huge real sure true right clear definitely total totally absolutely honestly actually really truly always never ever forget
again still even ever alway already lot lots bit much many more most other such same own pretty quite
feel felt feeling look sound seem think thought know knew guess believe say said tell told hear heard talk chat
make made get got gett go going gone went come came keep kept let see seen saw take took taken give gave given put show help use
love enjoy want wanted wish hope thank appreciate care mind matter deserve remind agree
thing stuff something anything everything nothing someone anyone everyone somebody people person way time moment day life world
yes yeah yep nope oh ok okay wow hey hi bye well thanks gonna wanna gotta kinda sorta y'all
don't doesn't didn't isn't wasn't aren't can't couldn't won't wouldn't it's that's there's i'm i've i'd i'll you're you've
you'd you'll he's she's they're they've we're we've let's what's
difference bet able truth possible chance opportunity positive whole end part difference agree curious pump thrilled stok fan worth wonder blast together congrat kudos luck pic pics check wish rest assured sure
journey experience passion support effort dedication energy vibe spirit joy strength courage memory memories step idea sense
"""
_STOCK = frozenset(word for stock in _STOCK_WORDS.split() for word in (stock, *content_words(stock)))
_CHINESE_STOCK = frozenset(
    "好真太很挺非常特别确实当然不错棒赞美喜欢开心高兴感觉觉得感到知道明白谢这那个些啥什么么样子嗯哦啊呀哈对没错想可以大家下来去看说点"
)
_SPECIFIC = re.compile(
    r"\d|(?<=[a-z,;] )[A-Z][a-z]|[`\"“《「\[]|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|\b(?:yesterday|tomorrow|last|next|ago|since)\b|昨|明天|上周|下周|去年|今年"
)
# What tells less is forgotten; somebody who speaks of themselves tells more with a word.
LEAST_WEIGHT = 3
LEAST_FIRST_HAND = 2
LEAST_CHINESE = 2
# A sentence of fewer words has room for one thing only.
FEW_WORDS = 6


def tells(sentence: str, *, first_hand: bool) -> bool:
    """Whether a sentence says anything that may be asked for later."""
    if is_specific(sentence):
        return True
    if CJK.search(sentence):
        return weight(sentence) >= LEAST_CHINESE
    least = LEAST_FIRST_HAND if first_hand else LEAST_WEIGHT
    return weight(sentence) >= (least - 1 if sentence.count(" ") < FEW_WORDS else least)


def weight(sentence: str) -> int:
    """So many words of the sentence tell something; Chinese characters count by twos."""
    words = content_words(sentence)
    chinese = {word for word in words if CJK.match(word)}
    return len(words - chinese - _STOCK) + len(chinese - _CHINESE_STOCK) // 2


def is_specific(sentence: str) -> bool:
    """Whether a sentence holds a number, a name, a quotation or a time."""
    return bool(_SPECIFIC.search(sentence))
