"""A run on a Ray cluster of two nodes, one of which is killed at random moments.

    python tests/ray_runs.py JSON

In a process of its own, since Ray opens sockets of all kinds. JSON: the fields of the run, `kills`,
and the seed `chance` of their moments; with `judging`, its fields, a stored run is judged. Prints
what there is to know as JSON. The nodes are 127.0.0.2 and 127.0.0.3.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from pathlib import Path
from typing import Any

from sociolab import JudgeConfig, RunConfig, judge_run, run
from sociolab.core import SociolabError

MEMORY = 80_000_000


def main() -> None:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.cluster_utils import Cluster

    given: dict[str, Any] = json.loads(sys.argv[1])
    kills, chance = given.pop("kills"), random.Random(given.pop("chance"))
    judging = given.pop("judging", None)
    head = {"num_cpus": 1, "object_store_memory": MEMORY, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={**head, "node_ip_address": "127.0.0.2"})
    other = {"num_cpus": 1, "object_store_memory": MEMORY, "node_ip_address": "127.0.0.3"}
    node = cluster.add_node(**other)
    ray.init(address=cluster.address, log_to_driver=False, _node_ip_address="127.0.0.2")
    told: dict[str, Any] = {"kills": 0}

    def play() -> None:
        try:
            if judging is not None:
                config = JudgeConfig(on="ray", store=Path(given["store"]), **judging)
                told["calls"] = judge_run(given["name"], config, repeats=1).result.calls
            else:
                result = run(RunConfig(on="ray", **given)).result
                told["calls"], told["stopped"] = result.calls, result.stopped
        except SociolabError as error:
            told["error"] = f"{type(error).__name__}: {error}"

    played = threading.Thread(target=play)
    played.start()
    while told["kills"] < kills:
        played.join(2.0 + 4.0 * chance.random())
        if not played.is_alive():
            break
        cluster.remove_node(node, allow_graceful=False)
        told["kills"] += 1
        time.sleep(0.5)
        node = cluster.add_node(**other)
    played.join()
    ray.shutdown()
    cluster.shutdown()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
