"""What the rules of extraction make of real conversations, before anything is stored: `python -m bench.extraction DATA`.

Needs the sample sets and no database. Figures are of candidates, not of experiences: what is alike is joined later.
"""

import argparse
import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

from bench.conversations import Conversation
from bench.report import publish

Row = tuple[str, str, Any]

# Messages that are noise, by lists that share nothing with the product's rules.
NOISE = re.compile(
    r"(hi|hi there|hello|hello there|hey|hey there|good morning|good evening|good night|bye|bye bye|goodbye|thanks|thanks again|thank you|"
    r"thank you so much|thank you very much|thanks a lot|thanks so much|many thanks|you're welcome|no problem|no worries|ok|okay|ok thanks|"
    r"okay thanks|great|great thanks|sounds good|got it|understood|yes|yes please|no|no thanks|no thank you|sure|sure thing|perfect|awesome|cool|"
    r"nice|wow|see you|see you soon|see you later|take care|i see|me too|same here|exactly|agreed|of course|will do|"
    r"你好|您好|你好啊|大家好|早|早安|早上好|晚安|晚上好|谢谢|谢谢你|谢谢您|多谢|非常感谢|感谢|好的|好的谢谢|好的谢谢你|好的谢谢您|好|好啊|好吧|嗯|嗯嗯|嗯好的|"
    r"再见|拜拜|谢谢再见|不客气|不用谢|没问题|没事|是的|是啊|对|对的|对啊|收到|明白|明白了|知道了|了解|可以|行|哈哈|哈哈哈|辛苦了|加油|太好了|那好吧|没关系)",
    re.IGNORECASE,
)
_NO_LETTERS = re.compile(r"[^\w' ]+|_")


def main() -> None:
    """Measure every set and publish the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=os.environ.get("ARES_SAMPLE_DATA"))
    given = parser.parse_args()
    if given.data is None or not Path(given.data).is_dir():
        parser.error("say where the sample sets are, or set ARES_SAMPLE_DATA")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aresweb.settings")
    import django

    django.setup()
    publish("extraction", "Extraction by rules", ("set", "measure", "value"), measured(Path(given.data)))


def measured(data: Path) -> list[Row]:
    """The figures of every set, and of all together."""
    from bench import conversations as sets

    rows: list[Row] = []
    everything: list[Found] = []
    for name, read, measure in (
        ("swe-agent", sets.swe_agent, _one_issue),
        ("openhands", sets.openhands, _technical),
        ("bioagent-failures", sets.bioagent, _technical),
        ("claude-code", sets.claude_code, _technical),
        ("tau-bench-airline", sets.tau_bench, _actions),
        ("ALFWorld lessons", sets.alfworld, _lessons),
        ("LoCoMo", sets.locomo, lambda found: _evidence(found, data)),
        ("KdConv travel", sets.kdconv, _facts),
        ("CrossWOZ", sets.crosswoz, _goals),
        ("evermemos chat", sets.evermemos, None),
        ("MemoryBank", sets.memorybank, None),
        ("personamem", sets.personamem, _shared),
    ):
        found = [Found(each) for each in read(data)]
        everything += found
        rows += [(name, measure_, value) for measure_, value in (*_size(found), *(measure(found) if measure else ()))]
    rows += [("all", measure_, value) for measure_, value in _noise(everything)]
    return rows


class Found:
    """A conversation and what was extracted from it, and how long that took."""

    def __init__(self, told: Conversation) -> None:
        from memory.distillation.data import Rules
        from memory.distillation.extract import extract

        self.told = told
        began = time.perf_counter()
        self.extraction = extract(told.turns, Rules(), failed=told.failed)
        self.seconds = time.perf_counter() - began
        self.texts = "\n".join(each.text for each in self.extraction.candidates)

    @property
    def kept(self) -> set[str]:
        """The turns behind a candidate."""
        return {source for each in self.extraction.candidates for source in each.sources}


def _size(found: Sequence[Found]) -> Iterable[tuple[str, Any]]:
    """How many candidates, how large beside the conversations, and how fast."""
    from memory.tokens import counting

    messages = sum(len(each.told.turns) for each in found)
    history = sum(
        counting.count(f"{turn.name}: {turn.text}" if turn.name else turn.text)
        + sum(counting.count(call.arguments) for call in turn.tool_calls)
        for each in found
        for turn in each.told.turns
    )
    memories = sum(counting.count(each.text) for one in found for each in one.extraction.candidates)
    yield "messages", messages
    yield "candidates", sum(len(each.extraction.candidates) for each in found)
    yield "tokens of candidates against the history", memories / history
    yield "messages/s", messages / sum(each.seconds for each in found)


def _one_issue(found: Sequence[Found]) -> Iterable[tuple[str, Any]]:
    """How alike the candidates of the six runs of one issue are, by the local model, calibrated."""
    from memory.distillation.merge import is_same_problem
    from memory.embedding.calibration import measure
    from memory.embedding.local import LocalEmbedder

    same = [each.extraction.candidates for each in found if each.told.known]
    yield "runs of one issue", len(same)
    yield "most candidates of one of them", max(map(len, same))
    first = [candidates[0] for candidates in same if candidates]
    model = LocalEmbedder()
    calibration = measure(model)
    vectors = model.embed_passages([each.text for each in first])
    alike = [calibration.similarity(float(vectors[a] @ vectors[b])) for a, b in combinations(range(len(first)), 2)]
    yield "least similarity of two", min(alike)
    yield "mean similarity of two", mean(alike)
    yield "pairs read as one problem", mean(is_same_problem(a.problem, b.problem) for a, b in combinations(first, 2))
    yield from _technical(found)


def _technical(found: Sequence[Found]) -> Iterable[tuple[str, Any]]:
    """Requests that came with code, logs, traces or tool calls, and how many of them are behind a candidate."""
    evidence = re.compile(r"```|Traceback|Error\b|\bimport \w|\bdef \w|/\w+/\w+|\.py\b")
    kept = asked = 0
    for each in found:
        cut = _exchanges(each.told)
        for turns in cut:
            if any(evidence.search(turn.text) or turn.tool_calls for turn in turns):
                asked += 1
                kept += not each.kept.isdisjoint(turn.id for turn in turns)
    yield "rounds with code, logs or calls", asked
    yield "of them behind a candidate", kept / asked if asked else 0.0


def _exchanges(told: Conversation) -> list[list[Any]]:
    """From each user's message to the next one's, where something was answered."""
    rounds: list[list[Any]] = []
    for turn in told.turns:
        if turn.role == "user":
            rounds.append([turn])
        elif rounds and turn.role != "system":
            rounds[-1].append(turn)
    return [each for each in rounds if len(each) > 1]


def _actions(found: Sequence[Found]) -> Iterable[tuple[str, Any]]:
    """The right calls of solved runs that stand in their candidates, by name and by name with every plain argument."""
    wanted = named = whole = made = given = held = 0
    for each in found:
        if each.told.failed:
            continue
        for action in each.told.known.get("actions", ()):
            values = list(_plain_values(action["kwargs"]))
            wanted += 1
            named += action["name"] in each.texts
            whole += action["name"] in each.texts and all(value in each.texts for value in values)
            given += len(values)
            held += sum(value in each.texts for value in values)
            made += any(
                call.name == action["name"] and all(value in call.arguments for value in values)
                for turn in each.told.turns
                for call in turn.tool_calls
            )
    yield "right calls of solved runs", wanted
    yield "of them made by the run itself", made / wanted
    yield "of them named", named / wanted
    yield "of them named with all arguments", whole / wanted
    yield "named with all arguments, of those that were made", whole / made
    yield "plain arguments held", held / given
    yield from _shared(found)


def _plain_values(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _plain_values(each)
    elif isinstance(value, list):
        for each in value:
            yield from _plain_values(each)
    elif isinstance(value, str | int) and len(str(value)) < 80:
        yield str(value)


def _lessons(found: Sequence[Found]) -> Iterable[tuple[str, Any]]:
    """Lessons that are behind a candidate, and candidates that are someone else's text too."""
    yield "lessons behind a candidate", sum(len(each.kept) for each in found)


def _evidence(found: Sequence[Found], data: Path) -> Iterable[tuple[str, Any]]:
    """Evidence of the questions in categories 1 to 4 that is behind a candidate, and answers that stand in the evidence
    word for word and still do in what was made of it."""
    text: dict[tuple[str, str], str] = {}
    made: dict[tuple[str, str], str] = {}
    for each in found:
        text |= {(each.told.known, each.told.places[turn.id]): turn.text.lower() for turn in each.told.turns}
        for candidate in each.extraction.candidates:
            for source in candidate.sources:
                place = (each.told.known, each.told.places[source])
                made[place] = f"{made.get(place, '')}\n{candidate.text.lower()}"
    wanted: set[tuple[str, str]] = set()
    verbatim = held = 0
    for sample in json.loads((data / "locomo" / "locomo10.json").read_text()):
        for question in sample["qa"]:
            if question["category"] > 4:
                continue
            places = {(sample["sample_id"], each) for each in re.findall(r"D\d+:\d+", " ".join(question["evidence"]))}
            places &= text.keys()
            wanted |= places
            answer = str(question["answer"]).lower().strip(" .")
            if any(answer in text[place] for place in places):
                verbatim += 1
                held += any(answer in made.get(place, "") for place in places)
    yield "evidence turns", len(wanted)
    yield "of them behind a candidate", len(wanted & made.keys()) / len(wanted)
    yield "answers that stand in the evidence", verbatim
    yield "of them in a candidate", held / verbatim


def _facts(found: Sequence[Found]) -> Iterable[tuple[str, Any]]:
    """Annotated values that were said, and stand in a candidate."""
    said = held = 0
    for each in found:
        whole = "\n".join(turn.text for turn in each.told.turns)
        for _, relation, value, _ in each.told.known:
            if relation != "Information" and value in whole:
                said += 1
                held += value in each.texts
    yield "annotated values that were said", said
    yield "of them in a candidate", held / said


def _goals(found: Sequence[Found]) -> Iterable[tuple[str, Any]]:
    """Values of the goals that were said, and stand in a candidate."""
    said = held = 0
    for each in found:
        whole = "\n".join(turn.text for turn in each.told.turns)
        for _, _, _, value, _ in each.told.known:
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str) and one and one in whole:
                    said += 1
                    held += one in each.texts
    yield "values of goals that were said", said
    yield "of them in a candidate", held / said


def _shared(found: Sequence[Found]) -> Iterable[tuple[str, Any]]:
    """Candidates of people who speak of themselves that would be everybody's."""
    yield "shared", sum(not each.personal for one in found for each in one.extraction.candidates)


def _noise(found: Sequence[Found]) -> Iterable[tuple[str, Any]]:
    """Greetings, thanks and acknowledgements, and how many a candidate says or rests on alone."""
    noise = alone = 0
    for each in found:
        lone = Counter(c.sources for c in each.extraction.candidates)
        for turn in each.told.turns:
            if turn.role != "tool" and NOISE.fullmatch(_NO_LETTERS.sub("", turn.text).strip()):
                noise += 1
                alone += (turn.id,) in lone
    yield "greetings, thanks, acknowledgements", noise
    yield "of them became memories", alone


if __name__ == "__main__":
    main()
