#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what tracing on a GPU costs, and holds its traces against those of the CPU executor.

  tracing.py prepare --relayout build/bin/relayout --out DIR   # no GPU needed, but nvcc
  tracing.py measure --dir DIR --out RAW.json --traces DIR2    # on the machine with the GPU
  tracing.py record --relayout build/bin/relayout --dir DIR --raw RAW.json --traces DIR2

`prepare` builds every program with nvcc alone and through `relayout cc`, and traces it on the CPU.
`measure` runs all variants in turn. `record` compares the traces and writes docs/results/tracing.json.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/tracing.json"
FLAGS = ["-O3", "-std=c++17", "-arch=sm_90"]
# Source, arguments for timing, arguments for the full trace that is timed, for the comparison.
PROGRAMS = {
    "micro": ("tests/gpu/kernels/micro.cu", ["8388608", "7"], ["1048576", "3"], ["3000", "1"]),
    "idw": ("samples/idw/idw.cu", ["--stations", "65536", "--queries", "262144", "--repeats", "3"],
            None, ["--check"]),
    "sph": ("samples/sph/sph.cu", ["--side", "100", "--steps", "10"], None, ["--check"]),
    "drift": ("samples/drift/drift.cu", ["--buoys", "16777216", "--steps", "20"], None, ["--check"]),
}
COMPARED = ["micro", "idw"]
FULL_BYTES = str(8 << 30)


def prepare(options):
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    library = pathlib.Path(options.relayout).resolve().parents[1] / "lib/relayout/librelayout_gpu.so"
    shutil.copy(library, out)
    for name, (source, _, _, check) in PROGRAMS.items():
        compile_it = ["nvcc", *FLAGS, str(ROOT / source), "-o"]
        subprocess.run([*compile_it, str(out / f"{name}.plain")], check=True)
        subprocess.run([options.relayout, "cc", "-q", "--", *compile_it, str(out / f"{name}.traced")], check=True)
        if name in COMPARED:
            folder = out / f"{name}.cpu"
            subprocess.run([options.relayout, "instrument", ROOT / source, "-o", folder], check=True,
                           stdout=subprocess.DEVNULL)
            subprocess.run([options.relayout, "run", folder, "-o", out / f"{name}.cpu.rlt", "--trace", "full",
                            "--max-bytes", FULL_BYTES, "--", *check], check=True, stdout=subprocess.DEVNULL)
            shutil.rmtree(folder)


def times_of(text):
    """Milliseconds by kernel, or of all kernels where the program tells only their sum."""
    times = {k: float(ms) for k, ms in re.findall(r"^time (\w+) ([\d.]+)$", text, re.M)}
    if not times:
        times = {"all": float(re.search(r"kernel time: ([\d.]+) ms", text).group(1))}
    return times


def run(folder, program, kind, arguments, **settings):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder),
                   **{f"RELAYOUT_{k}".upper(): str(v) for k, v in settings.items()}}
    done = subprocess.run([str(folder / f"{program}.{kind}"), *arguments], check=True, capture_output=True,
                          text=True, env=environment)
    return done.stdout, times_of(done.stdout + done.stderr)


def without_times(text):
    return [line for line in text.splitlines() if not line.startswith("kernel time:")]


def measure(options):
    folder = pathlib.Path(options.dir).resolve()
    traces = pathlib.Path(options.traces).resolve()
    traces.mkdir(parents=True, exist_ok=True)
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], check=True,
                         capture_output=True, text=True).stdout.strip().split(", ")
    raw = {"gpu": gpu[0], "driver": gpu[1], "flags": FLAGS, "programs": {}}
    for program, (_, timing, full, check) in PROGRAMS.items():
        rows = {"plain": [], "default": [], "counts": [], "plain_small": [], "full": []}
        sizes, reports, same_output = [], [], True
        for _ in range(options.runs + 1):  # the first round warms up and is left out
            text, times = run(folder, program, "plain", timing)
            rows["plain"].append(times)
            trace = pathlib.Path("/tmp") / f"{program}.rlt"
            traced_text, times = run(folder, program, "traced", timing, trace=trace)
            rows["default"].append(times)
            same_output &= without_times(text) == without_times(traced_text)
            sizes.append(trace.stat().st_size)
            reports.append(json.loads(pathlib.Path(f"{trace}.gpu.json").read_text()))
            rows["counts"].append(run(folder, program, "traced", timing, trace=trace, trace_mode="counts")[1])
        if full:
            for _ in range(3):
                rows["plain_small"].append(run(folder, program, "plain", full)[1])
                rows["full"].append(run(folder, program, "traced", full, trace=trace, trace_mode="full",
                                        max_bytes=FULL_BYTES)[1])
        raw["programs"][program] = {
            "command": " ".join([program, *timing]), "same_output": same_output, "trace_bytes": sizes[1:],
            "warp_accesses": [r["warp_accesses"] for r in reports[1:]],
            "damaged_records": sum(r["record_bytes"]["damaged_records"] for r in reports),
            "missing": reports[-1]["missing"],
            "times_ms": {k: v[1:] for k, v in rows.items() if v}}
        print(program, {k: {m: round(statistics.median(r[m] for r in v), 4) for m in v[0]}
                        for k, v in raw["programs"][program]["times_ms"].items()}, sizes[-1], same_output, flush=True)
        if program in COMPARED:
            run(folder, program, "traced", check, trace=traces / f"{program}.gpu.rlt", trace_mode="full",
                max_bytes=FULL_BYTES)
    pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")


def dump(relayout, trace):
    """Counts by site and kernel, and every warp access with its addresses relative to its first."""
    text = subprocess.run([relayout, "trace", "dump", trace, "--accesses", str(1 << 30)], check=True,
                          capture_output=True, text=True).stdout
    counts, accesses = {}, []
    for line in text.splitlines():
        row = re.match(r" +(\d+) (?:read|write|atomic) .*? (\d+) +(\d+) +(\d+) +(\d+)  (\S+),", line)
        if row:
            site, warps, lanes, recorded, dropped = map(int, row.groups()[:5])
            assert recorded + dropped == warps, line
            counts[row.group(6), site] = (warps, lanes, recorded)
        elif line.startswith("  launch "):
            accesses.append(re.sub(r" at 0x[0-9a-f]+", "", line.strip()))
    return counts, sorted(accesses)


def compare(options, program):
    cpu_counts, cpu = dump(options.relayout, pathlib.Path(options.dir) / f"{program}.cpu.rlt")
    gpu_counts, gpu = dump(options.relayout, pathlib.Path(options.traces) / f"{program}.gpu.rlt")
    differing = sorted(k for k in cpu_counts.keys() | gpu_counts.keys() if cpu_counts.get(k) != gpu_counts.get(k))
    # Which side of a branch runs first, and in which order operands are read, is the machine's to choose.
    def unordered(accesses):
        return collections.Counter(re.sub(r" #\d+ ", " ", line) for line in accesses)
    different = (unordered(cpu) - unordered(gpu)) + (unordered(gpu) - unordered(cpu))
    affine = sum(" a lane" in line or bin(int(re.search(r"mask (\w+)", line).group(1), 16)).count("1") == 1
                 for line in gpu)
    trace_bytes = (pathlib.Path(options.traces) / f"{program}.gpu.rlt").stat().st_size
    return {"agree": not differing and not different, "site_rows": len(cpu_counts), "warp_accesses": len(cpu),
            "differing_accesses": sum(different.values()),
            "at_another_place_in_the_order": sum((collections.Counter(cpu) - collections.Counter(gpu)).values()),
            "affine_accesses": affine, "trace_bytes": trace_bytes,
            "differing_counts": [f"{k}: cpu {cpu_counts.get(k)} gpu {gpu_counts.get(k)}" for k in differing]}


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    slowdowns, full_slowdowns = {}, {}
    for program, data in raw["programs"].items():
        times = data["times_ms"]
        def ratio(kind, base, kernel):
            return statistics.median(r[kernel] for r in times[kind]) / statistics.median(
                r[kernel] for r in times[base])
        for kernel in times["plain"][0]:
            slowdowns[f"{program}/{kernel}"] = round(ratio("default", "plain", kernel), 3)
            if "full" in times:
                full_slowdowns[f"{program}/{kernel}"] = round(ratio("full", "plain_small", kernel), 3)
    agreement = {program: compare(options, program) for program in COMPARED}
    summary = {
        "gpu": raw["gpu"], "driver": raw["driver"],
        "slowdown_geomean": round(math.exp(statistics.mean(math.log(s) for s in slowdowns.values())), 3),
        "slowdown_max": max(slowdowns.values()),
        "full_trace_slowdown_max": max(full_slowdowns.values()),
        "largest_default_trace_bytes": max(max(d["trace_bytes"]) for d in raw["programs"].values()),
        "same_output": all(d["same_output"] for d in raw["programs"].values()),
        # Of the program all of whose accesses are affine.
        "bytes_per_affine_access": round(min(a["trace_bytes"] / a["warp_accesses"] for a in agreement.values()
                                             if a["affine_accesses"] == a["warp_accesses"]), 4),
        "cpu_gpu_agree": all(a["agree"] for a in agreement.values()),
    }
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps({"summary": summary, "slowdowns": slowdowns, "full_slowdowns": full_slowdowns,
                                  "agreement": agreement, **raw}, indent=1) + "\n")
    print(json.dumps(summary, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("prepare")
    p.add_argument("--relayout", required=True)
    p.add_argument("--out", required=True)
    p.set_defaults(run=prepare)
    m = commands.add_parser("measure")
    m.add_argument("--dir", required=True)
    m.add_argument("--out", required=True)
    m.add_argument("--traces", required=True)
    m.add_argument("--runs", type=int, default=7)
    m.set_defaults(run=measure)
    r = commands.add_parser("record")
    r.add_argument("--relayout", required=True)
    r.add_argument("--dir", required=True)
    r.add_argument("--raw", required=True)
    r.add_argument("--traces", required=True)
    r.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
