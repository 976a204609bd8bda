"""`python -m bench [name …]`: all benchmarks, or those named."""

import sys

from bench import (
    append,
    causes,
    compaction,
    distillation,
    extraction,
    hints,
    neighbours,
    pages,
    recall,
    recovery,
    savings,
    search,
    startup,
    state,
    verify,
)
from bench.server import installation

BENCHMARKS = {
    "append": append,
    "state": state,
    "compaction": compaction,
    "pages": pages,
    "verify": verify,
    "recovery": recovery,
    "causes": causes,
    "extraction": extraction,
    "distillation": distillation,
    "hints": hints,
    "recall": recall,
    "search": search,
    "savings": savings,
    "neighbours": neighbours,
    "startup": startup,
}


def main(names: list[str]) -> None:
    """Run the benchmarks named, or all, on one fresh installation."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(unknown)}. There are: {', '.join(BENCHMARKS)}.")
    with installation() as place:
        for name in names or BENCHMARKS:
            BENCHMARKS[name].run(place)


main(sys.argv[1:])
