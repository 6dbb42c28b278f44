"""How often a comparison was looked at as it grew: each look is another chance of a false alarm."""

from __future__ import annotations

import json
from dataclasses import replace

from sociolab.analysis.compare_runs import Conclusions
from sociolab.core.errors import StoreError
from sociolab.report.words import plural
from sociolab.store.store import Store


def with_looks(store: Store, found: Conclusions) -> Conclusions:
    """The conclusions of a comparison whose looks are planned, with a caution where the same two
    agents were compared with more numbers of pairs than that. The look is kept in the store, unless
    that cannot be written."""
    one = found.comparison
    if one is None:
        return found
    (run, agent), (other, against) = sorted((side.run, side.agent) for side in (one.a, one.b))
    about = json.dumps([agent, against, one.judge, one.match])
    pairs = max(metric.test.pairs for metric in one.metrics.values())
    try:
        sizes = store.look((run, other), about, pairs)
    except StoreError:
        return found
    if len(sizes) <= one.looks:
        return found
    first, *others = found.sections
    caution = (
        f"This is look {len(sizes)} at this comparison as it grew ({', '.join(map(str, sizes))} "
        f"pairs), and p is corrected for {plural(one.looks, 'look')}. Where there is no "
        "difference, six looks at p < 0.05 find one in about 16 of 100 studies: plan the number of "
        "looks, and correct for it by --looks N."
    )
    first = replace(first, cautions=(*first.cautions, caution))
    return replace(found, sections=(first, *others))
