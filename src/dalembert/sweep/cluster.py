"""Chunks of a sweep on the workers of a Dask cluster: what is lost with a worker is sent again."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from dalembert.errors import ModelError, warn
from dalembert.sweep.about import version_here
from dalembert.sweep.plan import Plan, SweepWarning, Table

#: How often chunks are sent again after the workers that hold the plan are gone: a chunk that kills them would do so
#: for ever.
_TRIES = 4


def on_cluster(plan: Plan, todo: Sequence[int], address: str, threads: int | None) -> Iterator[tuple[int, Table]]:
    """Chunks as they are done, in any order."""
    try:
        from distributed import Client
    except ImportError:
        raise ModelError("a cluster needs Dask: pip install 'dalembert[cluster]'.") from None
    try:
        client = Client(address)
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(f"no scheduler of Dask answers at {address} ({error}).") from None
    with client:
        left, told = list(todo), set[str]()
        for _ in range(_TRIES):
            lost = list[int]()
            for k, table, said in _sent(client, plan, left, threads, lost):
                for text in said:
                    if text not in told:
                        told.add(text)
                        warn(text, SweepWarning)
                yield k, table
            if not lost:
                return
            left = lost
        raise ModelError(
            f"workers of the cluster were lost {_TRIES} times over chunks of this sweep: they may need more memory. "
            "What is done is kept where the sweep has a folder: resume it there."
        )


def _sent(
    client: Any, plan: Plan, todo: Sequence[int], threads: int | None, lost: list[int]
) -> Iterator[tuple[int, Table, list[str]]]:
    """Chunks and what was said of them; those whose workers took the plan with them are told in `lost`."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker, as_completed

    shared = client.scatter(plan, broadcast=True)
    futures = {client.submit(_chunk, version_here(), shared, k, threads, pure=False): k for k in todo}
    for future in as_completed(list(futures)):
        try:
            table, said = future.result()
        except (CancelledError, KilledWorker):
            lost.append(futures[future])
        except ImportError as error:
            raise ModelError(f"workers of the cluster need dalembert and what it needs: {error}.") from error
        else:
            yield futures[future], table, said
        future.release()


def _chunk(version: str, plan: Plan, k: int, threads: int | None) -> tuple[Table, list[str]]:
    """On a worker: rows of chunk k, and warnings, which nobody would read there."""
    if version != version_here():
        raise ModelError(
            f"a worker of the cluster has dalembert {version_here()}, this is {version}: its bits may differ. Install "
            "one version everywhere."
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SweepWarning)
        table = plan.run(k, threads)
    return table, [str(one.message) for one in caught if issubclass(one.category, SweepWarning)]
