"""What is said and holds nothing to remember: greetings, acknowledgements, thanks, praise, filler. Pure."""

import re

from memory.language import CJK, is_question

_GREETING = r"(?:hi+|hello+|hey+(?: there)?|howdy|good (?:morning|afternoon|evening|day|night)|greetings|welcome(?: back)?|long time no (?:see|talk)|(?:good|great|nice|lovely|glad) to (?:see|hear from|meet|talk to|chat with) you(?: too| again)?|how(?:'s| is) it going|how are you(?: doing)?|what's (?:up|new)|how have you been)"
_PARTING = r"(?:(?:good)?bye+(?: for now)?|see (?:you|ya)(?: (?:soon|later|around|then|next time|tomorrow))?|take care|talk (?:to you )?(?:soon|later)|catch you later|later|have a (?:good|great|nice|lovely|wonderful|safe) (?:\w+ ?){1,2}|ttyl|cheers|cya|until next time)"
_THANKS = r"(?:(?:many |much )?thanks?(?: (?:so|very) much| a (?:lot|bunch|ton|million)| again| for(?: \S+){1,9})?|thank (?:you|u|god)(?: (?:so|very) much| again| for(?: \S+){1,9})?|thx|ty|(?:i(?:'m| am) )?(?:really )?(?:grateful|appreciate)(?: (?:it|that|this|you|your \w+)){0,2}(?: (?:so|very) much| a lot)?|much appreciated|you(?:'re| are)(?: (?:very|most|always))? welcome|no (?:problem|worries|prob)|my pleasure|any ?time|don't mention it|glad (?:i could|to) help|happy to help)"
_ASSENT = r"(?:ok(?:ay)?|k+|alright|all right|sure(?: thing)?|yes+|yeah+|yep|yup|ya|no+|nope|nah|right|exactly|absolutely|definitely|totally|of course|indeed|true|agreed|i agree|same here|me too|got it|understood|i see|i understand|makes sense|(?:that )?sounds (?:good|great|perfect|fun|nice|awesome|amazing|lovely|wonderful|like a plan)(?: to me)?|will do|go ahead|(?:please )?continue|proceed|done|noted|roger|perfect|fine|correct|that works|works for me|(?:that's|that is|that was|that will be|that'd be) (?:right|fine|it|all|true|correct|everything)(?: (?:that )?(?:i (?:needed|wanted|need|want|have|had)|from me|for me)(?: (?:to (?:do|know|ask)|help with))?)?(?: (?:for )?(?:now|today|the moment))?|nothing else|(?:i )?(?:don't|do not) (?:have|need) any(?:thing else| (?:more|other|further) questions?)|no (?:more|other|further) questions?|(?:that )?(?:all )?answers my questions?|no,? that'?s (?:all|it)|let me (?:think|see|check)|one (?:moment|second|sec)|just a (?:moment|second|sec)|hold on|please wait|never ?mind)"
_EXCLAIM = r"(?:wow+|woah|whoa|oh+|ooh+|ah+|aw+|haha\w*|hehe\w*|lol|lmao|hmm+|um+|uh+|well|so|great|nice|cool|awesome|amazing|fantastic|wonderful|excellent|lovely|brilliant|super|sweet|yay|congrats|congratulations|good (?:luck|job|work|for you|idea|point|call)|well done|no way|oh my(?: god| gosh)?|omg|interesting|impressive|incredible|beautiful|gorgeous|adorable|cute|sorry(?: to hear that)?|bless you|please)"
_NAME = r"(?:,? (?:man|dude|buddy|mate|friend|everyone|all|guys|folks|sir|ma'am|bro|girl|team)|,? [A-Z][\w'-]{1,20})?"
_PHRASE = re.compile(
    rf"(?:{_GREETING}|{_PARTING}|{_THANKS}|{_ASSENT}|{_EXCLAIM}|(?:and|but|then|now|again|too|both|here|there|please)){_NAME}",
    re.IGNORECASE,
)
_PRAISE = re.compile(
    r"(?:(?:wow|oh|yeah|aw+|hey),? )?(?:(?:that|this|it|those|these|you|they|he|she)(?:'s|'re| is| are| was| were| look(?:s|ed)?| sound(?:s|ed)?| must (?:be|have been)| seem(?:s|ed)?) (?:\w+ ){0,3}(?:great|nice|cool|awesome|amazing|fantastic|wonderful|excellent|lovely|brilliant|sweet|kind|beautiful|gorgeous|adorable|cute|inspiring|inspirational|impressive|incredible|interesting|exciting|helpful|perfect|tough|rough|hard|sad|terrible|awful|understandable|fun|delicious|yummy|special|powerful|super|stunning|touching|heartwarming|thoughtful)(?: (?:\w+)){0,4}|(?:i(?:'m| am) )?(?:so |really |very )?(?:happy|glad|proud|excited|sorry) (?:for|of|to hear)(?: \S+){1,4}|way to go(?: \S+){0,2}|keep (?:it up|up the \w+ work|going|me (?:posted|updated))|let me know(?: \S+){0,8}|can't wait(?: \S+){0,5}|good luck(?: \S+){0,6}|you(?:'ve)? got this|you can do it|(?:i(?:'m| am) )?(?:always )?here (?:for you|if you need)(?: \S+){0,4}|feel free(?: \S+){0,12}|(?:if |is )?there(?:'s| is)? anything else(?: \S+){0,14}|how (?:can|may) i (?:help|assist)(?: \S+){0,6}|i(?:'d be| would be|'m| am) (?:happy|glad) to (?:help|assist)(?: \S+){0,6}|enjoy(?: \S+){0,4}|(?:i )?hope (?:you|that|this|it|everything)(?: \S+){1,8}|(?:i(?:'m| am) )?all set(?: \S+){0,3}|(?:that|it) works(?: (?:for me|great|well|fine))?|(?:i(?:'ll| will) )(?:(?:check|look (?:into|for|at)|think about|gather) (?:it|that|this|them|those|these|\w+ (?:details|information))(?: and \S+(?: \S+){0,4})?|let you know|reach out|get back to you|contact you|be in touch|keep (?:that|it|this) in mind)(?: \S+){0,8}|(?:i )?appreciate (?:it|your|the|all|that)(?: \S+){0,6}|if you (?:have|need)(?: \S+){1,14})",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:(?:谢谢|感谢|多谢)[你您]?(?:的|为|能|帮|给|告诉|对)\w{0,10}|你好|您好|大家好|嗨|哈喽|早上好|早安|中午好|下午好|晚上好|晚安|早|再见|拜拜|回头见|明天见|下次见|回见|非常感谢|太感谢|感谢|谢谢|多谢|谢啦|谢了|不用谢|不客气|没关系|没事|没问题|不谢|客气了|好的|好嘞|好呀|好啊|好吧|好|行|可以|嗯+|哦+|噢+|啊+|哈+|呵+|嘿+|哇+|是的|是呀|是啊|对|对的|对呀|对啊|没错|当然|确实|的确|明白|明白了|知道了|知道|有呀|有啊|有的|了解|了解了|收到|辛苦了|加油|恭喜|太好了|真好|真棒|太棒了|不错|厉害|有意思|原来如此|这样啊|那就好|祝你\w{0,8}|祝您\w{0,8}|麻烦你?了|打扰了|请稍等|稍等|不好意思|抱歉|对不起|我知道了|我明白了|非常好|挺好|不用客气|不用了|不必了|就这样|先这样|没有了|没什么了|(?:我)?(?:已经)?(?:暂时)?没(?:有)?(?:什么|其他|别的|其它)*(?:问题|需要|要问的|事)了?|ok|真是|真的是|太|多|大概|可以的|行的|谢谢你|谢谢您|谢谢老师|您|你|啦|了|呢|吧|呀|哈|的|很|真的|那|嗯嗯)++",
    re.IGNORECASE,
)
# What ends or parts messages in the protocols of agents, and no word of anybody.
_MARK = re.compile(r"#{2,}\s?[A-Z][A-Z_ ]{1,30}#{2,}|<\|?/?[A-Za-z_]{2,20}\|?>")
_PUNCTUATION = re.compile(
    r"[\s!?.,;:…~～。！？，、；：()（）\"'“”‘’*_\-—–]+|[\U0001F000-\U0001FFFF\u2600-\u27bf\ufe0f\u200d]+"
)
_CLAUSE = re.compile(r"[!?.,;:…~。！？，、；：]+\s*|\s+[-—–]+\s+|\s+(?=(?:and|but) )", re.IGNORECASE)
_EMOTICON = re.compile(r"[\U0001F000-\U0001FFFF\u2600-\u27bf\ufe0f\u200d]|[:;=]-?[)(DPp]|<3|\^_?\^")
_COMMA = re.compile(r"[,，、]")
LONGEST_OPENING = 40
# Longer sentences say more than a phrase, whatever they begin with.
LONGEST_PHRASE = 160


def is_noise(sentence: str) -> bool:
    """Whether a sentence is nothing but greetings, acknowledgements, thanks, praise or filler."""
    bare = _MARK.sub(" ", _EMOTICON.sub(" ", sentence)).strip()
    if not _PUNCTUATION.sub("", bare):
        return True
    if len(bare) > LONGEST_PHRASE:
        return False
    if CJK.search(bare):
        return bool(_CHINESE.fullmatch(_PUNCTUATION.sub("", bare)))
    whole = bare.rstrip(" !?.,;:…~'\"").lstrip(" '\"")
    if _is_phrase(whole):
        return True
    clauses = [clause.strip(" '\"") for clause in _CLAUSE.split(whole)]
    return all(_is_phrase(clause) for clause in clauses if clause)


def without_opening(sentence: str) -> str:
    """A sentence without the interjections and the assent that it begins with: "Yeah, I did" says "I did"."""
    bare = _MARK.sub("", _EMOTICON.sub("", sentence)).strip()
    while True:
        comma = _COMMA.search(bare, 0, LONGEST_OPENING)
        head, rest = (bare[: comma.start()], bare[comma.end() :].strip()) if comma else ("", "")
        if not rest or is_question(head) or not (is_noise(head) if CJK.search(head) else _is_phrase(head.strip())):
            return bare
        bare = rest


def _is_phrase(text: str) -> bool:
    return bool(_PHRASE.fullmatch(text) or _PRAISE.fullmatch(text))
