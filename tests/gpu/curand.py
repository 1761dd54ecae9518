#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the CPU executor's cuRAND against NVIDIA's on a GPU, draw by draw.

  curand.py [--draws 1000000] [--out docs/results/curand.json]   # on the machine with the GPU; needs nvcc and g++

tests/gpu/kernels/curand.cu is built twice: by nvcc, to draw on the GPU, and by g++ against runtime/host, to draw the
same on the CPU and to count the differences. A mismatch is a draw that differs in any bit.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import tempfile

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/gpu/kernels/curand.cu"
RUNTIME = ROOT / "runtime/host"
EXACT = ("bits", "bits4", "uniform", "uniform4", "uniformDouble", "uniform2Double", "poisson8", "poisson4",
         "poisson5000")


def compare(draws):
    with tempfile.TemporaryDirectory() as folder:
        gpu, cpu = f"{folder}/gpu", f"{folder}/cpu"
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=sm_90", str(SOURCE), "-o", gpu, "-lcurand"], check=True)
        subprocess.run(["g++", "-std=c++20", "-O2", "-ffp-contract=off", "-w", f"-I{RUNTIME}/cuda", f"-I{RUNTIME}/src",
                        "-x", "c++", str(SOURCE), str(RUNTIME / "src/sine_unit.cpp"),
                        *map(str, sorted((RUNTIME / "src/random").glob("*.cpp"))), "-o", cpu], check=True)
        subprocess.run([gpu, folder, str(draws)], check=True)
        return json.loads(subprocess.run([cpu, folder, str(draws)], check=True, capture_output=True, text=True).stdout)


def summary(rows):
    exact = [row for row in rows if row["name"].split(".")[-1] in EXACT]
    rounded = [row for row in rows if row not in exact]
    return {"exact_distributions": len(exact), "exact_draws": sum(row["draws"] for row in exact),
            "curand_mismatches": sum(row["mismatches"] for row in exact),
            "transcendental_distributions": len(rounded), "transcendental_draws": sum(row["draws"] for row in rounded),
            "transcendental_bit_equal": sum(row["draws"] - row["mismatches"] for row in rounded),
            "transcendental_beyond_2_ulp": sum(row["beyond_2_ulp"] for row in rounded),
            "transcendental_worst_ulp": max(row["worst_ulp"] for row in rounded)}


def gpu_name():
    listed = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    return listed.stdout.strip().split("\n")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000000)
    parser.add_argument("--out", default=str(ROOT / "docs/results/curand.json"))
    options = parser.parse_args()
    rows = compare(options.draws)
    head = json.dumps({"gpu": gpu_name(), "summary": summary(rows)}, indent=1)
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    out = pathlib.Path(options.out)
    out.write_text(f'{head[:-2]},\n "distributions": [\n  {lines}\n ]\n}}\n')
    if out.resolve().parent == results_index.RESULTS:
        results_index.enter(out.name, "tests/gpu/curand.py", gpu_name(), datetime.date.today().isoformat(),
                            "draws of the CPU executor's cuRAND against NVIDIA's: mismatches and ulp by generator and "
                            "distribution")
    print(head)


if __name__ == "__main__":
    main()
