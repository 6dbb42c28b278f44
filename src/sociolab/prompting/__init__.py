"""Strict prompt templates, and replies read into typed values."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.prompting.made_up import (
        Draw as Draw,
        SchemaError as SchemaError,
        sample_value as sample_value,
    )
    from sociolab.prompting.prefixes import PromptPrefixes as PromptPrefixes
    from sociolab.prompting.sets import (
        PromptFile as PromptFile,
        PromptSet as PromptSet,
        load_set as load_set,
    )
    from sociolab.prompting.structured import (
        extract_spoken as extract_spoken,
        parse_reply_text as parse_reply_text,
        retry_text as retry_text,
        schema_of as schema_of,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
