#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures on a GPU what `relayout optimize --remap` gains, and keeps it in docs/results/remap.json.

  remap.py prepare --relayout BINARY --out DIR      # no GPU needed
  remap.py measure --dir DIR --out RAW.json         # with nvcc and a GPU; DIR is all it needs
  remap.py record --raw RAW.json

The program is kernels/rows_by_x.cu: three kernels whose threadIdx.x numbers the rows of a row-major grid, with blocks of
three shapes. `prepare` remaps it from small arguments on the CPU; arrays that would change their order too are an error.
A third version, by hand, exchanges the blocks' roles too, which the tool does not, as a grid has at most 65,535 blocks along y.
`measure` runs them with large arguments in turn: one round to warm up, then --runs of them. What they print has to be the
same but for times.
"""
import argparse
import datetime
import json
import pathlib
import re
import shutil
import statistics
import subprocess

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/remap.json"
PROGRAM = "rows_by_x.cu"
SMALL, LARGE = ["96", "80", "2"], ["16384", "16384", "20"]
NVCC_FLAGS = ["-O3", "-std=c++17", "-arch=native"]
VERSIONS = ["original", "remapped", "blocks_too"]
BLOCKS_TOO = [("blockIdx.x * blockDim.y", "blockIdx.?y * blockDim.y"), ("blockIdx.y * blockDim.x", "blockIdx.x * blockDim.x"),
              ("blockIdx.?y", "blockIdx.y")]
GRID = re.compile(r"dim3\(\(rows \+ (\d+)\) / (\d+), \(columns \+ (\d+)\) / (\d+)\)")
TIME = re.compile(r"^(\w+): ([0-9.]+) ms$", re.M)
PREDICTED = re.compile(r"threads of '(\w+)' .*: ([0-9.]+) ms become ([0-9.]+) ms")


def prepare(options):
    out = pathlib.Path(options.out)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    shutil.copy(ROOT / "tests/gpu/kernels" / PROGRAM, out / "original.cu")
    done = subprocess.run([options.relayout, "optimize", "original.cu", "--on", "cpu", "--machine", "h200", "--remap",
                           "-q", "-o", "work", "--", *SMALL], cwd=out, check=True, capture_output=True, text=True)
    if list((out / "work/rewritten").glob("*_layout.h")):
        raise SystemExit("arrays change their order as well")
    shutil.copy(out / "work/rewritten/original.cu", out / "remapped.cu")
    text = (out / "remapped.cu").read_text()
    for old, new in BLOCKS_TOO:
        text = text.replace(old, new)
    (out / "blocks_too.cu").write_text(GRID.sub(r"dim3((columns + \3) / \4, (rows + \1) / \2)", text))
    shutil.rmtree(out / "work")
    predicted = {kernel: round(float(before) / float(after), 3) for kernel, before, after in PREDICTED.findall(done.stdout)}
    (out / "predicted.json").write_text(json.dumps(predicted))
    for file in ("remap.py", "results_index.py"):
        shutil.copy(ROOT / "tests/gpu" / file, out)


def measure(options):
    folder = pathlib.Path(options.dir).resolve()
    for name in VERSIONS:
        if not (folder / name).exists():
            subprocess.run(["nvcc", *NVCC_FLAGS, f"{name}.cu", "-o", name], cwd=folder, check=True)
    ask = ["nvidia-smi", "-i", "0", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip().split(", ")
    times, results = {}, set()
    for turn in range(options.runs + 1):
        for name in VERSIONS:
            printed = subprocess.run([folder / name, *LARGE], check=True, capture_output=True, text=True).stdout
            results.add(TIME.sub("", printed))
            for kernel, ms in TIME.findall(printed):
                if turn:
                    times.setdefault(kernel, {}).setdefault(name, []).append(float(ms))
    raw = {"gpu": gpu, "driver": driver, "nvcc_flags": NVCC_FLAGS, "arguments": LARGE, "runs": options.runs,
           "same_results": len(results) == 1, "predicted": json.loads((folder / "predicted.json").read_text()), "ms": times}
    pathlib.Path(options.out).write_text(json.dumps(raw, indent=1))
    print(json.dumps(raw))


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    median = {kernel: {name: statistics.median(ms) for name, ms in of.items()} for kernel, of in raw["ms"].items()}
    summary = {"gpu": raw["gpu"], "driver": raw["driver"], "runs": raw["runs"], "same_results": raw["same_results"],
               "speedup": {kernel: round(of["original"] / of["remapped"], 3) for kernel, of in median.items()},
               "predicted": raw["predicted"],
               "speedup_blocks_too": {kernel: round(of["original"] / of["blocks_too"], 3) for kernel, of in median.items()},
               "spread_max": round(max((max(ms) - min(ms)) / statistics.median(ms) for of in raw["ms"].values()
                                       for ms in of.values()), 4)}
    RESULT.write_text(json.dumps({"summary": summary, "raw": raw}, indent=1) + "\n")
    results_index.enter("remap.json", "tests/gpu/remap.py", raw["gpu"].replace("NVIDIA ", ""),
                        datetime.date.today().isoformat(), "kernels whose threads exchange the roles of x and y, before and after")
    print(json.dumps(summary, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("prepare")
    command.add_argument("--relayout", required=True)
    command.add_argument("--out", required=True)
    command.set_defaults(run=prepare)
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
    main()
