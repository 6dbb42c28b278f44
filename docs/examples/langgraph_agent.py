"""A seat played by a LangGraph program that thinks before it speaks, over two streamed calls:
bridge:python langgraph_agent.py"""

import json
import os
import sys
from typing import Any, TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph

model = ChatOpenAI(model=os.environ["SOCIOLAB_MODEL"], streaming=True)


class State(TypedDict):
    messages: list[dict[str, str]]
    schema: dict[str, Any]
    thought: str
    reply: str


def think(state: State) -> dict[str, str]:
    question = {"role": "user", "content": "What does the other one want? One sentence."}
    return {"thought": str(model.invoke([*state["messages"], question]).content)}


def reply(state: State) -> dict[str, str]:
    thought = {"role": "user", "content": f"(You think: {state['thought']})"}
    schema = {"name": "reply", "schema": state["schema"]}
    bound = model.bind(response_format={"type": "json_schema", "json_schema": schema})
    return {"reply": str(bound.invoke([*state["messages"], thought]).content)}


graph = StateGraph(State)
graph.add_node("think", think)
graph.add_node("reply", reply)
graph.add_edge(START, "think")
graph.add_edge("think", "reply")
graph.add_edge("reply", END)
program = graph.compile()

for line in sys.stdin:
    seen = json.loads(line)
    state = {"messages": seen["messages"], "schema": seen["schema"]}
    print(program.invoke(state)["reply"], flush=True)
