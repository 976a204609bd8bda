"""Relative dates become days: what was said "yesterday" must still be true when it is read in a year. Pure."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PREPOSITION = re.compile(r"\b(?:from|since|until|till|by|for|of|before|after|than|on|in|at|during) $", re.IGNORECASE)
_BEGINNING = re.compile(r"(?:^|[.!?]\s+)$")
_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "zero 零",
            "one a an 一",
            "two 二 两",
            "three 三",
            "four 四",
            "five 五",
            "six 六",
            "seven 七",
            "eight 八",
            "nine 九",
            "ten 十",
        )
    )
    for word in words.split()
} | {"couple of": 2, "a couple of": 2}
_NUMBER = r"\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True))
# The months in which seasons end, on the northern half of the Earth.
_SEASONS = {"winter": 2, "spring": 5, "summer": 8, "autumn": 11, "fall": 11}
_CHINESE_WEEKDAYS = "一二三四五六日天"


def absolute(text: str, said_at: datetime) -> str:
    """The text with days, weeks, months and years that are relative to when it was said written out."""
    today = said_at.date()
    for pattern, resolve in _RULES:
        text = pattern.sub(lambda found, resolve=resolve: _fitted(found, resolve(found, today)), text)  # type: ignore[misc]
    return text


def _fitted(found: re.Match[str], day: str) -> str:
    """The day as it stands in its place: without a second preposition, large at the beginning of a sentence."""
    before = found.string[max(0, found.start() - 12) : found.start()]
    if not day:
        return found[0]
    if _PREPOSITION.search(before):
        return day.removeprefix("on ").removeprefix("in ")
    return day[0].upper() + day[1:] if _BEGINNING.search(before) and found[0][0].isupper() else day


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _chinese(day: date) -> str:
    return f"{day.year}年{day.month}月{day.day}日"


def _months(today: date, months: int) -> date:
    """The first of the month that lies so many months away."""
    place = today.year * 12 + today.month - 1 + months
    return date(min(max(place // 12, 1), 9999), place % 12 + 1, 1)


def _number(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS[word.lower()]


def _shift(today: date, days: int) -> date | None:
    try:
        return today + timedelta(days=days)
    except OverflowError:
        return None


def _on(days: int, form: Callable[[date], str], prefix: str = "") -> "Resolve":
    def resolve(found: re.Match[str], today: date) -> str:
        day = _shift(today, days)
        return f"{prefix}{form(day)}" if day else ""

    return resolve


def _weekday(found: re.Match[str], today: date) -> str:
    wanted = next(place for place, day in enumerate(_WEEKDAYS) if day.startswith(found["day"].lower()))
    away = (wanted - today.weekday()) % 7 or 7
    day = _shift(today, away if found["which"].lower() in ("next", "this", "this coming", "coming") else away - 7)
    if day == today:
        day = _shift(today, -7)
    return f"on {_day(day)}" if day else ""


def _ago(found: re.Match[str], today: date) -> str:
    count, unit = _number(found["count"]), found["unit"].lower()
    return _distant(today, -count, unit, ago=True)


def _few(found: re.Match[str], today: date) -> str:
    """How many a few are nobody knows: what is known is the day they are counted from."""
    unit = found["unit"].lower()
    anchor = {"year": str(today.year), "month": f"{today:%B %Y}"}.get(unit, _day(today))
    return f"a few {unit}s before {anchor}"


def _season(found: re.Match[str], today: date) -> str:
    season = found["season"].lower()
    last_month = _SEASONS[season]
    over = today.month > last_month
    year = (
        today.year
        + {"last": 0 if over else -1, "this": 0, "next": 1 if over or today.month > last_month - 3 else 0}[
            found["which"].lower()
        ]
    )
    return f"in the {season} of {year}"


def _hence(found: re.Match[str], today: date) -> str:
    return _distant(today, _number(found["count"]), found["unit"].lower(), ago=False)


def _distant(today: date, count: int, unit: str, *, ago: bool) -> str:
    if unit == "day":
        day = _shift(today, count)
        return f"on {_day(day)}" if day else ""
    if unit == "week":
        day = _shift(today, 7 * count)
        return f"around {_day(day)}" if day else ""
    if unit == "month":
        return f"in {_months(today, count):%B %Y}"
    return f"in {today.year + count}"


def _near(found: re.Match[str], today: date) -> str:
    step = {"last": -1, "this": 0, "next": 1}[found["which"].lower()]
    unit = found["unit"].lower()
    if unit == "year":
        return f"in {today.year + step}"
    if unit == "month":
        return f"in {_months(today, step):%B %Y}"
    monday = _shift(today, 7 * step - today.weekday())
    if monday is None:
        return ""
    if unit == "weekend":
        saturday = _shift(monday, 5)
        return f"on the weekend of {_day(saturday)}" if saturday else ""
    return f"in the week of {_day(monday)}"


def _chinese_near(found: re.Match[str], today: date) -> str:
    step = {"上": -1, "这": 0, "本": 0, "下": 1}[found["which"]]
    unit = found["unit"]
    if unit.endswith("月"):
        month = _months(today, step)
        return f"{month.year}年{month.month}月"
    monday = _shift(today, 7 * step - today.weekday())
    if monday is None:
        return ""
    weekday = found["day"]
    if weekday:
        day = _shift(monday, min(_CHINESE_WEEKDAYS.index(weekday), 6))
        return _chinese(day) if day else ""
    return f"{_chinese(monday)}那周"


def _chinese_ago(found: re.Match[str], today: date) -> str:
    count = _number(found["count"]) * (-1 if found["way"] == "前" else 1)
    unit = found["unit"]
    if unit == "天":
        day = _shift(today, count)
        return _chinese(day) if day else ""
    if unit in ("周", "个星期", "星期"):
        day = _shift(today, 7 * count)
        return f"{_chinese(day)}前后" if day else ""
    if unit == "个月":
        month = _months(today, count)
        return f"{month.year}年{month.month}月"
    return f"{today.year + count}年"


Resolve = Callable[[re.Match[str], date], str]

_RULES: tuple[tuple[re.Pattern[str], Resolve], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), resolve)
    for pattern, resolve in (
        (r"\bthe day before yesterday\b", _on(-2, _day, "on ")),
        (r"\bthe day after tomorrow\b", _on(2, _day, "on ")),
        (r"\byesterday\b", _on(-1, _day, "on ")),
        (r"\blast night\b", _on(-1, _day, "on the night of ")),
        (r"\b(?:today(?!['’]s)|tonight|this (?:morning|afternoon|evening))\b", _on(0, _day, "on ")),
        (r"\btomorrow\b", _on(1, _day, "on ")),
        (rf"\b(?P<count>{_NUMBER})\s(?P<unit>day|week|month|year)s?\s(?:ago|back)\b", _ago),
        (r"\b(?:a )?few\s(?P<unit>day|week|month|year)s\s(?:ago|back)\b", _few),
        (rf"\b(?:in )?(?P<which>last|this|next)\s(?P<season>{'|'.join(_SEASONS)})\b", _season),
        (rf"\bin\s(?P<count>{_NUMBER})\s(?P<unit>day|week|month|year)s?(?:'\s?time)?\b", _hence),
        (
            rf"\b(?:on |this past |the past )?(?P<which>last|next|this|this coming|coming)\s(?P<day>{'|'.join(_WEEKDAYS)}|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b",
            _weekday,
        ),
        (r"\b(?:over |on |in )?(?:the )?(?P<which>last|next|this)\s(?P<unit>weekend|week|month|year)\b", _near),
        (r"前天", _on(-2, _chinese)),
        (r"昨天|昨日|昨晚", _on(-1, _chinese)),
        (r"今天|今日|今早|今晚", _on(0, _chinese)),
        (r"明天|明日|明晚", _on(1, _chinese)),
        (r"后天", _on(2, _chinese)),
        (r"去年", lambda _, today: f"{today.year - 1}年"),
        (r"今年", lambda _, today: f"{today.year}年"),
        (r"明年", lambda _, today: f"{today.year + 1}年"),
        (
            r"(?P<count>\d{1,3}|[一二两三四五六七八九十])(?P<unit>天|周|个星期|星期|个月|年)(?:以|之)?(?P<way>前|后)",
            _chinese_ago,
        ),
        (
            r"(?P<which>上|这|本|下)个?(?P<unit>周|星期|礼拜|月)(?P<day>[一二三四五六日天])?(?!\w*[份底初])",
            _chinese_near,
        ),
    )
)
