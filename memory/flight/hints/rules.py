"""The one table of rules: what each finds, how much it matters, what would silence it, and who looks for it."""

from dataclasses import dataclass

from memory.flight.hints import amounts, claims, contexts, goals, loops, measures, memories, results, tools
from memory.flight.hints.data import Family
from memory.vocabulary import HintRule, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, described for whoever reads its hints."""

    name: HintRule
    severity: Severity
    finds: str
    silenced_by: str


RULES = {
    rule.name: rule
    for rule in (
        Rule(
            HintRule.EMPTY_RESULT,
            Severity.HIGH,
            "A result that was empty, null or said that nothing was found, and an answer that goes on as if it had.",
            "The answer admits that something is missing, the tool is asked again, or another search finds something.",
        ),
        Rule(
            HintRule.HIDDEN_ERROR,
            Severity.HIGH,
            "An error inside of a result that was reported as good, and an answer that goes on as if it were.",
            "The answer speaks of it, the same tool is asked again, or the result is recorded with its `error`.",
        ),
        Rule(
            HintRule.TRUNCATED_RESULT,
            Severity.MEDIUM,
            "A result that was cut off, and a final answer that does not say that it rests on a part.",
            "The answer says so, or the rest is asked for.",
        ),
        Rule(
            HintRule.IGNORED_RESULT,
            Severity.MEDIUM,
            "A result that is in none of the two prompts after it, neither by its call's id nor by its text.",
            "The result is in a prompt. Runs in which several agents ask models are passed over.",
        ),
        Rule(
            HintRule.REPEATED_CALL,
            Severity.MEDIUM,
            "The same call with the same answer three times in a row or four times of 24, or the same words of one "
            "speaker three times of 24.",
            "The answer changes, a person asks for something, or the tool's name says that it waits or looks after a "
            "status.",
        ),
        Rule(
            HintRule.FUTILE_RETRY,
            Severity.MEDIUM,
            "A call that failed is made again without a change, and fails the same way: once, or three times where the "
            "error may go away by itself.",
            "The arguments or the error change, or another call comes between.",
        ),
        Rule(
            HintRule.ALTERNATION,
            Severity.MEDIUM,
            "Two calls that take turns three times, with the same results each time.",
            "One of the results changes, or a person asks for something.",
        ),
        Rule(
            HintRule.UNKNOWN_TOOL,
            Severity.MEDIUM,
            "A call of a tool that no prompt offered, or of which the answer says that it does not exist.",
            "The prompts are recorded with the tool among their `tools`.",
        ),
        Rule(
            HintRule.BROKEN_ARGUMENTS,
            Severity.MEDIUM,
            "Arguments that break the schema which a prompt offered, or that the tool itself complains about.",
            "The arguments are an object that has every required name, and values of the types of the schema.",
        ),
        Rule(
            HintRule.CONTRADICTED_RESULT,
            Severity.HIGH,
            "A number, date or identifier in an answer that differs from the one that a result before it names alike.",
            "The value occurs anywhere before, is rounded or called approximate, or the result has two of that name.",
        ),
        Rule(
            HintRule.UNSUPPORTED_AMOUNT,
            Severity.LOW,
            "An amount of money in an answer that no earlier event holds, and that the answer does not reckon from "
            "amounts before it.",
            "A tool's result, a request or the instructions hold the amount, the answer shows what it is the sum, "
            "difference or multiple of, or it is called an estimate.",
        ),
        Rule(
            HintRule.UNEARNED_SUCCESS,
            Severity.HIGH,
            "An answer that claims success after a call that failed and was not repaired, or a task completed right "
            "after a step that failed.",
            "The same tool succeeds before the claim, or the answer says what went wrong.",
        ),
        Rule(
            HintRule.DROPPED_GOAL,
            Severity.HIGH,
            "A task that is open when the agent stops, or a request about which nothing was said or done when the run "
            "ends.",
            "The task is completed or reported as failed, and the request is answered, before the agent stops.",
        ),
        Rule(
            HintRule.SILENT_AGENT,
            Severity.LOW,
            "Five minutes or more, and 20 times what is usual in the run, without an event while a task was open and "
            "it was the agent's turn.",
            "A person was asked, a tool or a model was at work, or the agent records what it waits for.",
        ),
        Rule(
            HintRule.OVERFLOWED_CONTEXT,
            Severity.HIGH,
            "A prompt that the model refused as too long, or an answer that breaks off for want of room.",
            "The prompt is shortened before it is sent, or the model may answer at more length.",
        ),
        Rule(
            HintRule.DROPPED_MESSAGE,
            Severity.HIGH,
            "A prompt without the request that earlier prompts of the same conversation held.",
            "The request, or a summary with three of five of its words, is in the prompt.",
        ),
        Rule(
            HintRule.CONTRADICTED_MEMORY,
            Severity.MEDIUM,
            "A recalled memory of which a later result says otherwise, or that an answer calls wrong or out of date.",
            "The memory is corrected, so that it is no longer recalled as it was.",
        ),
        Rule(
            HintRule.UNUSUAL_COST,
            Severity.LOW,
            "A model's answer that took five times the tokens usual in the run, and far outside of their spread.",
            "Fewer than ten answers before, fewer than 2,000 tokens more than usual, or a run that varies as much.",
        ),
        Rule(
            HintRule.UNUSUAL_LATENCY,
            Severity.LOW,
            "An answer of a model or a tool that took five times what is usual for it in the run, and far outside of "
            "the spread.",
            "Fewer than ten answers before, less than 2 s more than usual, or a run that varies as much.",
        ),
    )
}

# Who looks for what, in the order in which hints about the same event are told; the name is that of its memory.
FAMILIES: dict[str, Family] = {
    "results": results.doubtful_results,
    "unread": results.unread_results,
    "claims": claims.contradictions,
    "amounts": amounts.unsupported_amounts,
    "success": claims.unearned_success,
    "circles": loops.circles,
    "tools": tools.impossible_calls,
    "goals": goals.dropped_goals,
    "silences": goals.silences,
    "overflows": contexts.overflows,
    "requests": contexts.dropped_messages,
    "memories": memories.contradicted_memories,
    "measures": measures.outliers,
}
