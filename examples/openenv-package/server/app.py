"""Bargains with a fixed partner, as an OpenEnv environment. Choose another world, partner or seat
here; `sociolab serve-env` serves the same without a package."""

from __future__ import annotations

from sociolab import Arena
from sociolab.training.openenv import create_app

app = create_app(
    Arena("sotopia", tasks="bargain", partner="haggler:3", split_by="scenario:0.3", seed=1)
)


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
