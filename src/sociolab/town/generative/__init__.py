"""The mind of Generative Agents (arXiv 2304.03442): one module a subject.

`stream`: memory, retrieval, reflection. `planning`: the identity and the plans of a day. `life`:
acting, perceiving, reacting, talking.
"""

MERGES = {
    "importance": "all memories of a moment are rated in one call",
    "hours": "the hours of a day are planned in one call",
    "place": "building and room are chosen in one call",
    "relationship": "one summary of the relationship a conversation, not one an utterance",
    "memo": "summary, importance and change of plan after a conversation in one call",
    "identity": "the identity is revised in one call, without the two notes",
}
"""Calls that can be merged, and how."""

ABLATIONS = {
    "observation": "nothing that is done or seen is kept in memory",
    "reflection": "no reflection",
    "planning": "no plan: each hour is decided when it comes",
}
"""Parts of the mind that can be left out."""
