"""No module imports one that imports it, late imports and those for types included."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp


def test_no_modules_import_each_other() -> None:
    graph = grimp.build_graph("sociolab", cache_dir=None)
    imports = {one: graph.find_modules_directly_imported_by(one) for one in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names them
