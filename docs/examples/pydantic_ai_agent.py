"""A seat played by pydantic-ai, with a typed reply: bridge:python pydantic_ai_agent.py"""

import json
import os
import sys
from typing import Literal

from pydantic import BaseModel
from pydantic_ai import Agent


class Turn(BaseModel):
    action: Literal["speak", "non-verbal communication", "physical action", "none", "leave"]
    text: str


agent = Agent(f"openai:{os.environ['SOCIOLAB_MODEL']}", output_type=Turn)

for line in sys.stdin:
    seen = json.loads(line)
    if seen["asked"] != "act":
        print("{}", flush=True)  # the optional closing question, which this agent leaves
        continue
    system, user = (message["content"] for message in seen["messages"])
    result = agent.run_sync(user, instructions=system)
    print(result.output.model_dump_json(), flush=True)
