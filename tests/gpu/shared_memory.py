#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures on a GPU what layouts of records in shared memory are worth, and keeps it in docs/results/shared_memory.json.

  default_path.py prepare --relayout build/bin/relayout --machine h200 --out DIR --programs tests/gpu/shared   # no GPU needed
  shared_memory.py measure --dir DIR --out RAW.json    # with nvcc, ncu and a GPU; DIR is all it needs
  shared_memory.py record --raw RAW.json

`measure` times all variants as default_path.py does, and counts with ncu the wavefronts and instructions in shared memory
of one launch of each.
"""
import argparse
import csv
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import types

import default_path
import results_index

RESULT = default_path.ROOT / "docs/results/shared_memory.json"
METRICS = {"wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
           "loads": "smsp__inst_executed_op_shared_ld.sum",
           "stores": "smsp__inst_executed_op_shared_st.sum",
           "instructions": "smsp__inst_executed.sum"}


def counted(program, arguments, kernel=None):
    """The name of the kernel that is launched first, or has the name, and its counts by name of METRICS."""
    of_kernel = ["--kernel-name", kernel] if kernel else []
    done = subprocess.run(["ncu", "--csv", *of_kernel, "--launch-count", "1", "--metrics", ",".join(METRICS.values()), str(program),
                           *arguments], capture_output=True, text=True, cwd=program.parent)
    rows = list(csv.DictReader(line for line in done.stdout.splitlines() if line.startswith('"')))
    values = {row["Metric Name"]: int(row["Metric Value"].replace(",", "")) for row in rows}
    return rows[0]["Kernel Name"].split("(")[0], {name: values[metric] for name, metric in METRICS.items()}


def measure(options):
    folder = pathlib.Path(options.dir).resolve()
    default_path.measure(types.SimpleNamespace(dir=options.dir, out=options.out, runs=options.runs))
    raw = json.loads(pathlib.Path(options.out).read_text())
    for entry in raw["programs"]:
        place = folder / entry["name"]
        kernel, _ = counted(place / "original/program", entry["large"])
        for name, variant in entry["variants"].items():
            _, variant["counts"] = counted(place / (variant["same_as"] or name) / "program", entry["large"], kernel)
            print(entry["name"], kernel, name, variant["counts"], flush=True)
    pathlib.Path(options.out).write_text(json.dumps(raw, indent=1))


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    summary = {}
    for entry in raw["programs"]:
        time = default_path.times(entry)
        counts = {name: variant["counts"] for name, variant in entry["variants"].items() if variant.get("counts")}
        summary[entry["name"]] = {
            "speedup": round(time["original"] / time["choice"], 3),
            "regret": round(time["choice"] / min(time.values()), 3),
            "best": min(time, key=time.get),
            "wavefronts_an_access": {name: round(c["wavefronts"] / (c["loads"] + c["stores"]), 3)
                                     for name, c in counts.items()},
            "spread": round(max((max(v["figures"]) - min(v["figures"])) / statistics.median(v["figures"])
                                for v in entry["variants"].values() if v["figures"]), 4)}
    RESULT.write_text(json.dumps({"summary": summary, **raw}, indent=1) + "\n")
    results_index.enter(RESULT.name, "tests/gpu/shared_memory.py", raw["gpu"].replace("NVIDIA ", ""),
                        datetime.date.today().isoformat(),
                        "records in shared memory: the layout chosen from a CPU trace against the original and standard "
                        "layouts, and wavefronts of each by counters")
    print(json.dumps(summary, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure")
    command.add_argument("--dir", required=True)
    command.add_argument("--out", required=True)
    command.add_argument("--runs", type=int, default=5)
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    sys.exit(main())
