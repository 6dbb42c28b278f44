"""Questions as forms for people."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from sociolab.agents import fields_of
from sociolab.core import FieldWording, Question, Wording


class Answer(BaseModel):
    facts: list[str]
    sure: int = Field(ge=1, le=7, description="How sure you are.")
    mood: Literal["calm", "cross"]
    known: bool = False
    more: dict[str, int] = Field(default_factory=dict)
    note: str = ""
    price: Annotated[float, Field(ge=0)] | None


def test_a_question_becomes_a_form_with_a_field_for_each_part_of_its_answer() -> None:
    fields = {field.name: field for field in fields_of(Question("state", "How are you?", Answer))}
    assert [field.kind for field in fields.values()] == [
        "lines", "number", "choice", "check", "json", "text", "number",
    ]  # fmt: skip
    assert (fields["sure"].low, fields["sure"].high, fields["sure"].whole) == (1, 7, True)
    assert fields["sure"].hint == "How sure you are."
    assert fields["mood"].choices == ("calm", "cross")
    assert [name for name, field in fields.items() if field.required] == ["sure", "mood"]
    assert [name for name, field in fields.items() if field.nullable] == ["price"]


def test_its_wording_names_the_fields_and_says_when_each_is_asked_for() -> None:
    bad = ("mood", ("cross",))
    wording = Wording(
        "Tell us.",
        (
            FieldWording("mood", "And you?", choices=(("calm", "Fine"), ("cross", "Angry"))),
            FieldWording("price", "For how much?", "In dollars.", only_if=bad),
            FieldWording("note", "Which line was it?", is_line=True, only_if=bad),
        ),
    )
    question = Question("state", "How are you?", Answer, optional=True, wording=wording)
    fields = {field.name: field for field in fields_of(question)}
    mood, price, note = (fields[name] for name in ("mood", "price", "note"))
    assert (mood.kind, mood.label, mood.words) == ("radio", "And you?", ("Fine", "Angry"))
    assert mood.choices == ("calm", "cross")
    assert (price.kind, price.hint, price.only_if) == ("number", "In dollars.", bad)
    assert price.required  # once it is asked for; null means that it is not
    assert (note.kind, note.required) == ("line", False)
    assert fields["sure"].label == "Sure"
