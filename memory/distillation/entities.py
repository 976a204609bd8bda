"""The names, numbers, ids and paths that a text is about. Pure."""

import re

MOST = 24
LONGEST = 80
_NAMED = re.compile(
    r"`([^`\n]{2,80})`|\"([^\"\n]{2,60})\"|[《「“]([^》」”\n]{1,40})[》」”]"
    r"|((?:[\w.-]+/)+[\w.-]+|\b[\w-]+\.[a-z]{1,4}\b)"
    r"|\b([A-Z][\w'&-]*(?: (?:of |the |de |van )?[A-Z][\w'&-]*){0,4})\b"
    r"|\b([A-Za-z]*\d[\w.:/-]*\w|\d)\b"
)
_BEGINNING = re.compile(r"(?:^|[.!?:;\n]\s*|[\"'(]\s*)$")
_NO_NAME = frozenset(
    [
        "I",
        "I'm",
        "I've",
        "I'd",
        "I'll",
        "The",
        "A",
        "An",
        "It",
        "It's",
        "This",
        "That",
        "These",
        "Those",
        "There",
        "Here",
        "We",
        "You",
        "He",
        "She",
        "They",
        "My",
        "Your",
        "Our",
        "His",
        "Her",
        "Their",
        "And",
        "But",
        "Or",
        "So",
        "If",
        "In",
        "On",
        "At",
        "To",
        "For",
        "From",
        "With",
        "When",
        "What",
        "Why",
        "How",
        "Who",
        "Where",
        "Which",
        "Is",
        "Are",
        "Was",
        "Were",
        "Do",
        "Does",
        "Did",
        "Can",
        "Could",
        "Will",
        "Would",
        "Should",
        "Yes",
        "No",
        "Not",
        "Please",
        "Thanks",
        "Thank",
        "Hi",
        "Hello",
        "Hey",
        "Ok",
        "Okay",
        "Well",
        "Just",
        "Also",
        "Then",
        "Now",
        "After",
        "Before",
        "As",
        "Let",
        "Some",
        "Any",
        "All",
        "Each",
        "Every",
        "Steps",
        "Did",
    ]
)


def entities(text: str) -> tuple[str, ...]:
    """What is named in a text, each once, in its order, at most MOST."""
    found: dict[str, None] = {}
    for match in _NAMED.finditer(text):
        name = next(group for group in match.groups() if group)
        if match[5] and (name in _NO_NAME or (" " not in name and name.islower())):
            continue
        if match[5] and " " not in name and _BEGINNING.search(text[max(0, match.start() - 3) : match.start()]):
            continue  # the first word of a sentence is written large, whatever it is
        found.setdefault(name.strip()[:LONGEST])
        if len(found) == MOST:
            break
    return tuple(found)
