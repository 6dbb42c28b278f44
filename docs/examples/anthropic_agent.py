"""A seat played through Anthropic's SDK: bridge:python anthropic_agent.py"""

import json
import os
import sys

from anthropic import Anthropic

client = Anthropic()

for line in sys.stdin:
    seen = json.loads(line)
    system, user = (message["content"] for message in seen["messages"])
    with client.messages.stream(
        model=os.environ["SOCIOLAB_MODEL"],
        max_tokens=1000,
        system=system,
        messages=[{"role": "user", "content": user}],
    ) as stream:
        print(stream.get_final_text(), flush=True)
