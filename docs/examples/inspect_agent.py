"""A seat played by an agent of Inspect: -T agent=inspect/inspect_agent:thinks_first"""

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessageUser, get_model


@agent
def thinks_first(
    question: str = "What does the other side want most? One sentence, no JSON yet.",
) -> Agent:
    async def execute(state: AgentState) -> AgentState:
        asked = state.messages[-1]
        thought = await get_model().generate([*state.messages, ChatMessageUser(content=question)])
        hint = f"{asked.text}\n\nYour own note, which nobody sees: {thought.completion}"
        state.output = await get_model().generate(
            [*state.messages[:-1], ChatMessageUser(content=hint)]
        )
        state.messages.append(state.output.message)
        return state

    return execute
