"""A small package laid out as the public one is, with words of our own."""

from __future__ import annotations

GENERATE = '''
raise SystemExit("this file is data and must never run")
async def agenerate_action(model, history, agent, temperature: float = 0.4, script=False):
    if script:
        template = """Write a play for {agent}: {history}"""
    else:
        template = """
            Be {agent}, please.
            {history}.
            Now comes turn {turn_number}: {action_list}.
            Form:
            {format_instructions}
        """
    return template
'''
FIELDS = "".join(
    f'    {name}: tuple[str, int] = Field(..., description="Look at {name}. " "Then score. '
    f'It runs from {low} to {high}.")\n'
    for name, low, high in (
        ("believability", 0, 10), ("relationship", -5, 5), ("knowledge", 0, 10),
        ("secret", -10, 0), ("social_rules", -10, 0),
        ("financial_and_material_benefits", -5, 5), ("goal", 0, 10),
    )
)  # fmt: skip
EVALUATORS = f'''
class SotopiaDimensions(BaseModel):
{FIELDS}
class SotopiaDimensionsPlus(BaseModel):
{FIELDS.replace("Then score", "Then score in bands")}
class EnvResponse(BaseModel):
    agent_1_evaluation: SotopiaDimensions
class Evaluator:
    async def __acall__(self, turn_number, temperature: float = 0.2):
        return await agenerate(template="""{{history}},
            Now judge.
            {{format_instructions}}
        """)
'''
BIO = "{profile.first_name} {profile.last_name}"
JOB = " is {profile.age}, {profile.occupation.lower()}. {profile.public_info}"
INNER = " Values: {profile.personality_and_values}"
SECRET = " Hides: {profile.secret}"


def _own(text: str) -> str:
    return "<p viewer='agent_{agent_id}'>" + text + "</p>"


PARALLEL = f'''
def _agent_profile_to_stranger_self(profile, agent_id):
    return f"<root>{_own(BIO + JOB + INNER + SECRET)}</root>"
def _agent_profile_to_name_self(profile, agent_id):
    return f"{BIO}{_own(JOB + INNER + SECRET)}"
def _agent_profile_to_aquaintance_self(profile, agent_id):
    return f"{BIO + JOB}{_own(INNER + SECRET)}"
def _agent_profile_to_friendabove_self(profile, agent_id):
    return f"{BIO + JOB + INNER}{_own(SECRET)}"
class Env:
    def reset(self):
        background_for_a.p2_goal = "Not known"
    def step(self):
        self.recv(SimpleMessage(message=f"Turn #{{self.turn_number}}"))
'''
MESSAGES = '''
ActionType = Literal["none", "speak", "non-verbal communication", "action", "leave"]
class Observation(Message):
    def to_natural_language(self):
        if self.turn_number == 0:
            return f"\\n{self.last_turn}\\nIt begins:\\n"
        return f"Turn #{self.turn_number-1}: {self.last_turn}\\n"
class ScriptBackground(Message):
    def to_natural_language(self):
        return format_docstring(f"""The place:
            Scene: {self.scenario}
            Cast: {self.p1_name} and {self.p2_name}
            {self.p1_name}'s story: {self.p1_background}
            {self.p2_name}'s story: {self.p2_background}
            {self.p1_name}'s aim: {self.p1_goal}
            {self.p2_name}'s aim: {self.p2_goal}
        """)
class AgentAction(Message):
    action_type: ActionType = Field(description="what kind")
    argument: str = Field(description="which words")
    def to_natural_language(self):
        match self.action_type:
            case "none":
                return "waited"
            case "speak":
                return f'told: "{self.argument}"'
            case "non-verbal communication":
                return f"[{self.action_type}] {self.argument}"
            case "action":
                return f"[{self.action_type}] {self.argument}"
            case "leave":
                return "went"
'''
SOURCES = {
    "sotopia/generation_utils/generate.py": GENERATE,
    "sotopia/envs/evaluators.py": EVALUATORS,
    "sotopia/envs/parallel.py": PARALLEL,
    "sotopia/messages/message_classes.py": MESSAGES,
    "sotopia-9.9.dist-info/METADATA": "Metadata-Version: 2.1\nName: sotopia\nVersion: 9.9\n",
}
