"""A seat played by OpenAI's Agents SDK, with a tool of its own:
bridge:python openai_agents_agent.py"""

import json
import os
import sys

from agents import Agent, Runner, function_tool, set_tracing_disabled

set_tracing_disabled(True)  # traces would go to OpenAI, not to the run

notes: list[str] = []


@function_tool
def remember(note: str) -> str:
    """Write down what the other one has said that matters later."""
    notes.append(note)
    return "noted"


for line in sys.stdin:
    seen = json.loads(line)
    system, user = (message["content"] for message in seen["messages"])
    if notes:
        user = f"Your notes: {'; '.join(notes)}\n\n{user}"
    agent = Agent(
        name=seen["seat"],
        instructions=system,
        model=os.environ["SOCIOLAB_MODEL"],
        tools=[remember] if seen["asked"] == "act" else [],
    )
    print(Runner.run_sync(agent, user).final_output, flush=True)
