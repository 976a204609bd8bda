"""Cost and latency far outside of what is usual in the run itself. Pure."""

from collections.abc import Iterator
from statistics import median

from memory.flight.hints.data import Found, Memory, Scene, keep
from memory.flight.hints.wording import named
from memory.vocabulary import EventType, HintRule

# The usual is the median of the newest so many; fewer than the least say nothing.
WINDOW = 50
LEAST = 10
MOST_GROUPS = 30
# Iglewicz and Hoaglin, "How to Detect and Handle Outliers" (1993): 0.6745 (x - median) / MAD, an outlier above 3.5.
# Costs and times are skewed, so that twice that is asked for here, and a multiple of the median besides.
MAD_TO_SIGMA = 0.6745
LARGEST_SCORE = 7.0
TIMES_MEDIAN = 5
# Where everything takes next to nothing, a multiple of it is nothing either.
LEAST_TOKENS = 2_000
LEAST_MILLISECONDS = 2_000.0


def outliers(scene: Scene, memory: Memory) -> Iterator[Found]:
    """One model answer that costs, or one answer of a model or a tool that takes, many times what is usual for it."""
    step = scene.step
    tokens = step.tokens[0] + step.tokens[1]
    if step.type == EventType.LLM_RESPONSE and tokens:
        usual = _unusual(memory, "tokens", tokens, LEAST_TOKENS)
        if usual is not None:
            sentence = f"This answer took {tokens:,} tokens; {usual:,.0f} are usual in this run."
            yield Found(HintRule.UNUSUAL_COST, scene.here, (step.version,), sentence)
    if step.milliseconds is not None and step.type in {EventType.LLM_RESPONSE, EventType.TOOL_RESULT}:
        group = f"tool {step.tool[:80]}" if step.type == EventType.TOOL_RESULT else "model"
        usual = _unusual(memory, group, step.milliseconds, LEAST_MILLISECONDS)
        if usual is not None:
            who = named(step.tool) if step.type == EventType.TOOL_RESULT else "The model"
            sentence = f"{who} took {step.milliseconds / 1000:,.1f} s; {usual / 1000:,.1f} s are usual in this run."
            yield Found(HintRule.UNUSUAL_LATENCY, scene.here, (step.version,), sentence)


def _unusual(memory: Memory, group: str, value: float, least: float) -> float | None:
    """The median of the values before, where this one is far above it; None where it is not."""
    if group not in memory and len(memory) >= MOST_GROUPS:
        return None
    before = list(memory.get(group, ()))
    keep(memory, group, value, WINDOW)
    if len(before) < LEAST:
        return None
    usual = median(before)
    spread = median(abs(each - usual) for each in before) or usual * 0.05
    if value - usual < least or value < TIMES_MEDIAN * usual:
        return None
    return usual if MAD_TO_SIGMA * (value - usual) / max(spread, 1e-9) > LARGEST_SCORE else None
