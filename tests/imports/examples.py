"""A small file of each format, as a starting point for tests: name → file name and the records that it holds.

Every function builds a new value, so that a test may change it.
"""

import json
from datetime import UTC, datetime
from typing import Any

from memory.events.chain import genesis, link, timestamp
from memory.events.draft import content_digest


def call(call_id: str = "call_1", name: str = "lookup", arguments: str = '{"city": "Lima"}') -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def chat_messages() -> list[Any]:
    return [
        {"role": "system", "content": "Help with trips."},
        {"role": "user", "content": "What is the weather in Lima?"},
        {"role": "assistant", "content": None, "tool_calls": [call()]},
        {"role": "tool", "tool_call_id": "call_1", "name": "lookup", "content": "sunny"},
        {"role": "assistant", "content": "It is sunny."},
    ]


def tau_bench_run(reward: Any = 1.0, trial: int = 0) -> dict[str, Any]:
    task = {
        "user_id": "ana_1",
        "instruction": "You want to know the weather.",
        "actions": [{"name": "lookup", "kwargs": {"city": "Lima"}}],
        "outputs": ["sunny"],
    }
    info = {"task": task, "source": "user", "user_cost": 0.1, "reward_info": {"reward": reward, "info": {"r": 1.0}}}
    return {"task_id": 4, "reward": reward, "info": info, "traj": chat_messages(), "trial": trial}


def swe_agent_run() -> dict[str, Any]:
    """Two steps; the history lacks the first one, whose answer had to be asked for again."""
    issue = "Here's the issue text:\nISSUE:\nRounding is wrong\nSee code.\n\nINSTRUCTIONS:\nSolve it."
    return {
        "environment": "swe_main",
        "trajectory": [
            {
                "action": "edti 1\n",
                "observation": "no such command",
                "response": "Edit.\n```\nedti 1\n```",
                "state": "{}",
            },
            {
                "action": "submit\n",
                "observation": "diff",
                "response": "Done.\n```\nsubmit\n```",
                "thought": "Done.",
                "state": '{"open_file": "a.py"}',
                "execution_time": 0.25,
            },
        ],
        "history": [
            {"role": "system", "content": "SETTING: a shell.", "agent": "primary"},
            {"role": "assistant", "content": "Look.\n```\nls\n```", "action": "ls\n", "is_demo": True},
            {"role": "user", "content": issue, "agent": "primary"},
            {"role": "assistant", "content": "Done.\n```\nsubmit\n```", "action": "submit\n", "thought": "Done."},
            {"role": "user", "content": "diff\n(Open file: a.py)\nbash-$"},
        ],
        "info": {
            "exit_status": "submitted",
            "submission": "diff",
            "model_stats": {"tokens_sent": 700, "tokens_received": 30, "api_calls": 3},
        },
        "replay_config": {"agent": {"model": {"name": "gpt-4o"}}, "problem_statement": {"id": "proj-1"}},
    }


def openhands_response(number: int, function: str, arguments: str) -> dict[str, Any]:
    asked = call(f"toolu_{number}", function, arguments)
    message = {"role": "assistant", "content": f"Thought {number}.", "tool_calls": [asked]}
    return {
        "id": f"gen-{number}",
        "model": "some-model",
        "choices": [{"finish_reason": "tool_calls", "message": message}],
        "usage": {"prompt_tokens": 100 * number, "completion_tokens": number},
    }


def openhands_action(number: int, action: str, function: str, args: dict[str, Any]) -> dict[str, Any]:
    metadata = {
        "function_name": function,
        "tool_call_id": f"toolu_{number}",
        "model_response": openhands_response(number, function, '{"command": "ls"}'),
        "total_calls_in_response": 1,
    }
    return {
        "id": number,
        "timestamp": f"2025-04-30T16:45:{number:02}.500000",
        "source": "agent",
        "message": "",
        "action": action,
        "tool_call_metadata": metadata,
        "args": {"thought": f"Thought {number}.", **args},
    }


def openhands_events() -> list[Any]:
    return [
        {
            "id": 0,
            "timestamp": "2025-04-30T16:45:00.000000",
            "source": "user",
            "message": "Fix it",
            "action": "message",
            "args": {"content": "Fix it", "image_urls": None},
        },
        {
            "id": 1,
            "timestamp": "2025-04-30T16:45:01",
            "source": "user",
            "action": "recall",
            "args": {"query": "Fix it"},
        },
        {
            "id": 2,
            "timestamp": "2025-04-30T16:45:02",
            "source": "environment",
            "cause": 1,
            "observation": "recall",
            "content": "Added context",
            "extras": {"recall_type": "workspace_context"},
        },
        openhands_action(5, "run", "execute_bash", {"command": "ls"}),
        {
            "id": 6,
            "timestamp": "2025-04-30T16:45:06",
            "source": "agent",
            "cause": 5,
            "observation": "run",
            "content": "ls: cannot access",
            "extras": {"command": "ls", "metadata": {"exit_code": 2}},
            "success": False,
        },
        {
            "id": 7,
            "timestamp": "2025-04-30T16:45:07",
            "source": "agent",
            "observation": "error",
            "content": "Bad parameter",
        },
        openhands_action(8, "finish", "finish", {"final_thought": "Done", "task_completed": "true", "outputs": {}}),
    ]


def openhands_run() -> dict[str, Any]:
    usages = [
        {"model": "m", "prompt_tokens": 500, "completion_tokens": 5, "cache_read_tokens": 400, "response_id": "gen-5"},
        {"model": "m", "prompt_tokens": 700, "completion_tokens": 7, "cache_read_tokens": 0, "response_id": "gen-lost"},
        {"model": "m", "prompt_tokens": 800, "completion_tokens": 8, "cache_read_tokens": 0, "response_id": "gen-8"},
    ]
    return {
        "instance_id": "proj__proj-1",
        "test_result": {"git_patch": "diff"},
        "instruction": "Fix it",
        "instance": {"repo": "proj/proj", "base_commit": "abc", "problem_statement": "Sum is wrong\nSee code."},
        "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "openai/m", "api_key": "**********"}},
        "metrics": {
            "accumulated_cost": 0.5,
            "accumulated_token_usage": {"prompt_tokens": 2000, "completion_tokens": 20},
            "token_usages": usages,
            "response_latencies": [{"model": "m", "latency": 1.5, "response_id": "gen-5"}],
        },
        "error": None,
        "history": openhands_events(),
    }


def openhands_old_run() -> dict[str, Any]:
    """The older shape: events without ids, arguments beside the action."""
    return {
        "issue": {"owner": "o", "repo": "r", "number": 1, "title": "Add dark mode", "body": "Please."},
        "instruction": "Please fix the issue.",
        "git_patch": "diff",
        "history": [
            {"action": "message", "content": "Please fix the issue.", "images_urls": None},
            {"action": "run", "command": "ls", "thought": "Let me look.", "is_confirmed": "confirmed"},
            {"observation": "run", "content": "a.txt", "command": "ls", "exit_code": 1, "command_id": -1},
            {"action": "finish", "outputs": {}, "thought": "All done."},
        ],
        "metrics": {"accumulated_cost": 1.5, "costs": [1.0, 0.5]},
        "success": False,
        "result_explanation": "The toggle is missing.",
        "error": None,
    }


def claude_line(number: int, kind: str, content: Any, parent: int | None = None, **fields: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **fields.pop("message", {})}
    return {
        "parentUuid": None if parent is None else f"uuid-{parent}",
        "isSidechain": False,
        "cwd": "/tmp/project",
        "sessionId": "0f1e",
        "version": "2.1.0",
        "gitBranch": "main",
        "type": kind,
        "message": message,
        "uuid": f"uuid-{number}",
        "timestamp": f"2026-01-21T06:19:{number:02}.000Z",
        **fields,
    }


def claude_answer(number: int, answer: str, part: dict[str, Any], parent: int, output: int = 9) -> dict[str, Any]:
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": output,
    }
    message = {"id": answer, "model": "claude-x", "stop_reason": None, "usage": usage}
    return claude_line(number, "assistant", [part], parent, message=message)


def claude_result(number: int, call_id: str, content: Any, parent: int, **fields: Any) -> dict[str, Any]:
    part = {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}
    return claude_line(number, "user", [part], parent, toolUseResult={"stdout": content, "durationMs": 40})


def claude_lines() -> list[Any]:
    def use(call_id: str) -> dict[str, Any]:
        return {"type": "tool_use", "id": call_id, "name": "Read", "input": {"path": call_id}}

    return [
        {"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-01-21T06:19:00Z", "sessionId": "0f1e"},
        claude_line(1, "user", "Caveat: what follows is the program's.", isMeta=True),
        claude_line(2, "user", "Add a function.", 1),
        claude_answer(3, "msg_1", {"type": "text", "text": "I look first."}, 2),
        claude_answer(4, "msg_1", use("toolu_a"), 3),
        claude_answer(5, "msg_1", use("toolu_b"), 4),
        claude_result(6, "toolu_a", "a.py", 4),
        claude_result(7, "toolu_b", "no such file", 5, is_error=True),
        claude_answer(8, "msg_2", {"type": "text", "text": "Done."}, 7),
    ]


def inspect_message(number: int, role: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"id": f"m{number}", "role": role, "content": content, **fields}


def inspect_model_event(second: int, asked: list[Any], answer: dict[str, Any], usage: Any) -> dict[str, Any]:
    choices = [{"message": answer, "stop_reason": "stop"}]
    return {
        "event": "model",
        "timestamp": f"2025-05-12T20:27:{second:02}-04:00",
        "completed": f"2025-05-12T20:27:{second + 1:02}-04:00",
        "model": "openai/m",
        "input": asked,
        "tools": [{"name": "lookup"}],
        "output": {"model": "m-1", "choices": choices, "usage": usage, "time": 1.25},
        "call": {"request": {}, "response": {}},
        "span_id": "s1",
    }


def inspect_sample() -> dict[str, Any]:
    asked_call = {"id": "call_1", "function": "lookup", "arguments": {"city": "Lima"}}
    question = inspect_message(1, "user", "attachment://0a1b", source="input")
    asking = inspect_message(2, "assistant", "", tool_calls=[asked_call])
    result = inspect_message(3, "tool", "sunny", tool_call_id="call_1", function="lookup")
    answer = inspect_message(4, "assistant", "It is sunny.")
    usage = {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105, "input_tokens_cache_read": 60}
    tool = {
        "event": "tool",
        "timestamp": "2025-05-12T20:27:42-04:00",
        "completed": "2025-05-12T20:27:45-04:00",
        "id": "call_1",
        "function": "lookup",
        "arguments": {"city": "Lima"},
        "result": "sunny",
        "working_time": 2.5,
    }
    sandbox = {"event": "sandbox", "timestamp": "2025-05-12T20:27:43-04:00", "action": "exec", "cmd": "ls", "result": 0}
    score = {"value": "C", "answer": "sunny", "explanation": "right"}
    return {
        "id": 1,
        "epoch": 1,
        "uuid": "Uu1",
        "input": "What is the weather in Lima?",
        "target": "sunny",
        "messages": [question, asking, result, answer],
        "output": {"model": "m-1", "choices": [{"message": answer}], "usage": usage},
        "scores": {"includes": score},
        "events": [
            {
                "event": "span_begin",
                "timestamp": "2025-05-12T20:27:39-04:00",
                "id": "s1",
                "type": "solver",
                "name": "go",
            },
            inspect_model_event(40, [question], asking, usage),
            tool,
            sandbox,
            inspect_model_event(46, [question, asking, result], answer, dict(usage)),
            {"event": "score", "timestamp": "2025-05-12T20:27:50-04:00", "score": score, "target": "sunny"},
        ],
        "model_usage": {"openai/m": {"input_tokens": 200, "output_tokens": 10}},
        "total_time": 12.5,
        "attachments": {"0a1b": "What is the weather in Lima?"},
    }


def inspect_log() -> dict[str, Any]:
    evaluation = {"run_id": "R1", "task": "weather", "task_id": "T1", "model": "openai/m", "created": "2025-05-12"}
    return {"version": 2, "status": "success", "eval": evaluation, "plan": {}, "samples": [inspect_sample()]}


def locomo_sample() -> dict[str, Any]:
    return {
        "qa": [{"question": "Who?", "answer": 3, "evidence": ["D1:1"], "category": 4}],
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "Hey Ben!"},
                {
                    "speaker": "Ben",
                    "dia_id": "D1:2",
                    "text": "Look!",
                    "blip_caption": "a photo of a dog",
                    "img_url": ["u"],
                },
            ],
            "session_2_date_time": "12:09 am on 13 September, 2023",
            "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Hi again."}],
            "session_3_date_time": "4:10 pm on 26 October, 2023",
        },
        "sample_id": "conv-1",
    }


def aresweb_lines() -> list[Any]:
    """An export of a stream with two events."""
    lines: list[Any] = []
    moment = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
    previous = genesis("weather")
    for version, payload in enumerate(
        ({"role": "user", "content": "Sunny?"}, {"role": "assistant", "content": "Yes."}), 1
    ):
        text = json.dumps(payload, sort_keys=True, separators=(",", ":"))
        digest = content_digest(text, "{}")
        name = f"evt_{version}"
        previous = link(previous, digest, version, name, "message.added", moment, moment, "", "")
        times = {"occurred_at": timestamp(moment), "recorded_at": timestamp(moment), "erased_at": None}
        links = {"causation_id": "", "correlation_id": "", "digest": digest.hex(), "hash": previous.hex()}
        lines.append(
            {
                "version": version,
                "id": name,
                "type": "message.added",
                "payload": payload,
                "metadata": {},
                **times,
                **links,
            }
        )
    header = {"format": "aresweb", "format_version": 1, "stream": "weather", "version": 2, "hash": previous.hex()}
    return [header, *lines]


EXAMPLES: dict[str, Any] = {
    "aresweb": lambda: ("weather.jsonl", aresweb_lines()),
    "tau_bench": lambda: ("small-model-airline.json", [tau_bench_run(), tau_bench_run(0.0, trial=1)]),
    "swe_agent": lambda: ("proj-1.traj", swe_agent_run()),
    "openhands": lambda: ("output.jsonl", openhands_run()),
    "claude_code": lambda: ("0f1e.jsonl", claude_lines()),
    "inspect_log": lambda: ("2025-05-12_weather.json", inspect_log()),
    "locomo": lambda: ("locomo10.json", [locomo_sample()]),
    "chat": lambda: ("chat.json", {"id": "c1", "title": "Lima", "messages": chat_messages()}),
}
