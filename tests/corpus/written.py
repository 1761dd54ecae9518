#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what unseen.py measured for programs that are nobody's: written for the trial, by somebody who does not know relayout.

  written.py --raw RAW.json [--again RAW.json] [--result NAME.json]     # of docs/results [written_programs.json]

`--again` is what was measured after a change that the programs led to.
"""
import argparse
import json
import pathlib
import statistics
import sys

import unseen

sys.path.append(str(unseen.ROOT / "tests/gpu"))
import results_index  # noqa: E402

RESULTS = unseen.ROOT / "docs/results"
HOW = ("rule", "relayout", "machine", "gpu", "driver", "runs", "date")
KEPT = ("program", "size", "chosen", "best", "ms", "spread")


def summary_of(rows):
    """Of the programs that were changed: the original's time over the choice's."""
    gains = {row["program"]: row["speedup"] for row in rows if row["changed"]}
    return {"programs": len(rows), "changed": len(gains),
            "slower": sum(row["speedup"] < 1 / unseen.SLOWER and not row["may_equal_original"] for row in rows),
            "speedup_geomean": round(statistics.geometric_mean(gains.values()), 4), "speedups": gains}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", required=True)
    parser.add_argument("--again")
    parser.add_argument("--result", default="written_programs.json",
                        choices=("written_programs.json", "written_programs_second.json", "written_programs_third.json",
                                 "written_programs_fourth.json"))
    options = parser.parse_args()
    result = {"summary": {}}
    for name, file in (("at_first", options.raw), ("again", options.again)):
        if not file:
            continue
        raw = json.loads(pathlib.Path(file).read_text())
        judged = (unseen.judged({**row, "date": raw["date"]}) for row in raw["programs"])
        rows = sorted((row for row in judged if row), key=lambda row: row["program"])
        result["summary"][name] = summary_of(rows)
        result[name] = {**{key: raw[key] for key in HOW}, "programs": [{key: row[key] for key in KEPT} for row in rows]}
    (RESULTS / options.result).write_text(json.dumps(result, indent=1) + "\n")
    results_index.enter(options.result, "tests/corpus/written.py", raw["gpu"].removeprefix("NVIDIA "), raw["date"],
                        "programs written for the trial by somebody who does not know relayout: what is chosen without a GPU, measured")
    print(json.dumps(result["summary"], indent=1))


if __name__ == "__main__":
    main()
