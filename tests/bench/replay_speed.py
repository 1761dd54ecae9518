#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how fast policy replay runs on a CPU.

  replay_speed.py measure --bench build/bin/replay_bench --out DIR   # best on a machine that does nothing else
  replay_speed.py record --raw DIR                                   # writes docs/results/replay.json
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/gpu"))
import results_index  # noqa: E402
RESULT = ROOT / "docs/results/replay.json"
# Benchmarks of replay_bench.cpp and how often each runs.
RUNS = {"streamed/16384": 7, "scattered/4096": 3, "searchRecord/12": 3, "searchRecord/64": 1}


def measure(options):
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    load = os.getloadavg()[0]
    for name, runs in RUNS.items():
        subprocess.run([str(pathlib.Path(options.bench).resolve()), f"--benchmark_filter=^{name}(/|$)",
                        f"--benchmark_repetitions={runs}", "--benchmark_out_format=json",
                        f"--benchmark_out={(out / name.replace('/', '_')).resolve()}.json"], check=True, cwd=out)
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    (out / "machine.json").write_text(json.dumps({
        "cpu": model[1] if model else "unknown", "cores": len(os.sched_getaffinity(0)),
        "load_average_before": round(load, 1), "date": datetime.date.today().isoformat()}, indent=1) + "\n")


def runs_of(raw, name):
    rows = json.loads((raw / f"{name.replace('/', '_')}.json").read_text())["benchmarks"]
    return [row for row in rows if row["run_type"] == "iteration"]


def record(options):
    raw = pathlib.Path(options.raw)
    rows = {name: runs_of(raw, name) for name in RUNS}
    seconds = {name: [round(row["real_time"], 2) for row in of] for name, of in rows.items()}
    rate = lambda name: round(statistics.median(row["accesses"] / row["real_time"] for row in rows[name]))
    result = {
        **json.loads((raw / "machine.json").read_text()),
        "replay_accesses_per_second": rate("streamed/16384"),
        "scattered_accesses_per_second": rate("scattered/4096"),
        "accesses": {name: int(rows[name][0]["accesses"]) for name in ("streamed/16384", "scattered/4096")},
        "replay_peak_bytes": int(max(row["peak_bytes"] for row in rows["streamed/16384"])),
        "search_candidates_12_fields": int(rows["searchRecord/12"][0]["candidates"]),
        "search_seconds_max": max(seconds["searchRecord/12"]),
        "search_64_fields_seconds": max(seconds["searchRecord/64"]),
        "search_64_fields_cpu_seconds": round(max(row["cpu_time"] for row in rows["searchRecord/64"]), 2),
        "search_64_fields_peak_bytes": int(max(row["peak_bytes"] for row in rows["searchRecord/64"])),
        "seconds": seconds}
    RESULT.write_text(re.sub(r"\[[^][{}]*\]", lambda m: " ".join(m[0].split()), json.dumps(result, indent=1)) + "\n")
    results_index.enter(RESULT.name, "tests/bench/replay_speed.py", f"{result['cpu']}, {result['cores']} cores",
                        result["date"], "speed of the replay and of the search")
    print(json.dumps(result, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure")
    command.add_argument("--bench", required=True)
    command.add_argument("--out", required=True)
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
