#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures on a GPU what the order of an array's indices is worth, and keeps it in docs/results/index_order.json.

  index_order.py prepare --out DIR                 # no GPU needed
  index_order.py measure --dir DIR --out RAW.json  # with nvcc and a GPU; DIR is all it needs
  index_order.py record --raw RAW.json
  index_order.py tables                            # that of docs/performance.md from the result

Programs are the samples with reference/orders.cu, which runs the sample's kernels with its arrays in several index
orders and checks each. `measure` runs each sample with --check, then sample and orders in turn with the batch file's
large arguments: one round to warm up, then --runs of them. An order's time is that of all its kernels in a run.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/index_order.json"
PERFORMANCE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- index-order:begin -->\n", "<!-- index-order:end -->"
NVCC_FLAGS = ["-O3", "-std=c++17", "-arch=native"]
TIME = re.compile(r"kernel time: ([0-9.]+) ms")
ORDER = re.compile(r"^(\S+) +kernel time: ([0-9.]+) ms.*: (ok|WRONG)$", re.M)
LIMIT_S = 60


def prepare(options):
    out = pathlib.Path(options.out)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    entries = []
    for orders in sorted(ROOT.glob("samples/*/reference/orders.cu")):
        folder = orders.parents[1]
        if options.programs and folder.name not in options.programs:
            continue
        program = json.loads((folder / "batch.json").read_text())["programs"][0]
        place = out / program["name"]
        place.mkdir()
        for source in program["sources"]:
            shutil.copy(folder / source, place)
        shutil.copy(orders, place)
        entries.append({"program": program["name"], "sources": program["sources"], "arguments": program["large"],
                        "check": program["small"]})
    (out / "programs.json").write_text(json.dumps(entries, indent=1))
    for file in ("index_order.py", "results_index.py"):
        shutil.copy(ROOT / "tests/gpu" / file, out)


def build(folder, sources, binary):
    subprocess.run(["nvcc", *NVCC_FLAGS, *sources, "-o", binary], cwd=folder, check=True)


def run(folder, binary, arguments):
    """What a program prints; it ends with 0, or this one ends."""
    done = subprocess.run([str(folder / binary), *arguments], capture_output=True, text=True, timeout=LIMIT_S,
                          env={**os.environ, "CUDA_MODULE_LOADING": "EAGER"})
    if done.returncode != 0:
        raise SystemExit(f"{folder.name}/{binary}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def measure_program(folder, entry, runs):
    print(run(folder, "sample", entry["check"]).strip(), flush=True)
    sample, orders = [], {}
    for turn in range(runs + 1):
        found = float(TIME.search(run(folder, "sample", entry["arguments"])).group(1))
        rows = ORDER.findall(run(folder, "orders", entry["arguments"]))
        if turn == 0:  # warms up
            continue
        sample.append(found)
        for name, ms, _ in rows:
            orders.setdefault(name, []).append(float(ms))
    medians = {order: statistics.median(ms) for order, ms in orders.items()}
    print(entry["program"], statistics.median(sample), medians, flush=True)
    return {**entry, "original_ms": sample, "orders_ms": orders}


def measure(options):
    folder = pathlib.Path(options.dir).resolve()
    entries = json.loads((folder / "programs.json").read_text())
    jobs = [(folder / entry["program"], *job) for entry in entries
            for job in ((entry["sources"], "sample"), (["orders.cu"], "orders"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: build(*job), jobs))
    ask = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip().split(", ")
    version = subprocess.run(["nvcc", "--version"], check=True, capture_output=True, text=True).stdout
    raw = {"gpu": gpu, "driver": driver, "nvcc": re.search(r"V([0-9.]+)", version).group(1), "nvcc_flags": NVCC_FLAGS,
           "runs": options.runs, "programs": []}
    for entry in entries:
        raw["programs"].append(measure_program(folder / entry["program"], entry, options.runs))
        pathlib.Path(options.out).write_text(json.dumps(raw, indent=1))


def figure(ms):
    """Median and spread, which is the range over the median."""
    median = statistics.median(ms)
    return {"ms": ms, "runs": len(ms), "median": round(median, 4), "spread": round((max(ms) - min(ms)) / median, 4)}


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    machine = raw["gpu"].replace("NVIDIA ", "")
    orders, best = {}, {}
    for entry in raw["programs"]:
        name = entry["program"]
        figures = {order: figure(ms) for order, ms in entry["orders_ms"].items()}
        original = figure(entry["original_ms"])
        orders[name] = {"machine": machine, "driver": raw["driver"], "nvcc": raw["nvcc"],
                        "command": " ".join(["nvcc", *raw["nvcc_flags"], f"samples/{name}/reference/orders.cu", "-o",
                                             "orders && ./orders", *entry["arguments"]]),
                        "sample": original, "orders": figures}
        fastest = min(figures, key=lambda order: figures[order]["median"])
        best[name] = {"order": fastest, "over_original": round(original["median"] / figures[fastest]["median"], 2)}
    result = json.loads(RESULT.read_text()) if RESULT.exists() else {"summary": {}}
    result["summary"].setdefault("best_by_hand", {}).update(best)
    result.setdefault("orders", {}).update(orders)
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    results_index.enter("index_order.json", "tests/gpu/index_order.py", machine, datetime.date.today().isoformat(),
                        "`orders`: kernels on plain arrays with their indices in several orders, by hand")
    print(json.dumps(best, indent=1))


def table(orders):
    """A row an order, from the fastest; the sample itself first."""
    lines = ["| program | index order | kernel ms | against the sample |", "|---|---|---|---|"]
    for name, program in sorted(orders.items()):
        whole = program["sample"]["median"]
        rows = sorted(program["orders"].items(), key=lambda row: row[1]["median"])
        for order, row in [("**the sample**", program["sample"])] + rows:
            lines.append(f"| `{name}` | {order} | {row['median']:.4g} ± {50 * row['spread']:.1f} % | "
                         f"{whole / row['median']:.2f} |")
    first = next(iter(orders.values()))
    runs = max(row["runs"] for row in first["orders"].values())
    return lines + ["", f"{first['machine']}, driver {first['driver']}, nvcc {first['nvcc']} `-O3`; medians of {runs} runs, "
                    "± half the range. Source: [results/index_order.json](results/index_order.json)."]


def tables(_):
    lines = table(json.loads(RESULT.read_text())["orders"])
    head, rest = PERFORMANCE.read_text().split(BEGIN)
    PERFORMANCE.write_text(head + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("prepare")
    command.add_argument("--out", required=True)
    command.add_argument("--programs", nargs="*", help="these samples [all]; record keeps the others' results")
    command.set_defaults(run=prepare)
    command = commands.add_parser("measure")
    command.add_argument("--dir", required=True)
    command.add_argument("--out", required=True)
    command.add_argument("--runs", type=int, default=5)
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    commands.add_parser("tables").set_defaults(run=tables)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
