#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the L1 sectors and the access counts of traces with what the hardware counted.

  sectors.py prepare --relayout build/bin/relayout --out DIR   # no GPU needed, but nvcc
  sectors.py measure --dir DIR --out DIR2                      # on the machine with the GPU
  sectors.py record --sectors build/bin/trace_sectors --raw DIR2

`prepare` builds every program with nvcc alone (-lineinfo) and through `relayout cc`. `measure` traces the latter in
full and runs the former under counters (librelayout_counters.so): whole kernels `--runs` times, source lines once.
`record` writes docs/results/sectors.json and the number of micro-kernels that differ into docs/results/tracing.json.
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/sectors.json"
SUMMARY = ROOT / "docs/results/tracing.json"
MACHINE = ROOT / "analysis/machines/h100.json"
FLAGS = ["-O3", "-std=c++17", "-arch=sm_90"]
# Every access of the first is one machine access; the compiler merged or kept apart those of the others.
PROGRAMS = {
    "sectors": ("tests/gpu/kernels/sectors.cu", ["100003"]),
    "micro": ("tests/gpu/kernels/micro.cu", ["30000", "1"]),
    "idw": ("samples/idw/idw.cu", ["--check"]),
    "sph": ("samples/sph/sph.cu", ["--check"]),
    "drift": ("samples/drift/drift.cu", ["--check"]),
}
LOADED = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
STORED = ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"]


def prepare(options):
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    libraries = pathlib.Path(options.relayout).resolve().parents[1] / "lib/relayout"
    for library in ("librelayout_gpu.so", "librelayout_counters.so"):
        shutil.copy(libraries / library, out)
    for name, (source, _) in PROGRAMS.items():
        compile_it = ["nvcc", *FLAGS, str(ROOT / source), "-o"]
        subprocess.run([*compile_it, str(out / f"{name}.plain"), "-lineinfo"], check=True)
        subprocess.run([options.relayout, "cc", "-q", "--", *compile_it, str(out / f"{name}.traced")], check=True)


def measure(options):
    folder = pathlib.Path(options.dir).resolve()
    out = pathlib.Path(options.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    def run(program, arguments, **environment):
        subprocess.run([str(folder / program), *arguments], check=True, capture_output=True,
                       env={**os.environ, "LD_LIBRARY_PATH": str(folder), **environment})
    def counted(program, arguments, mode):
        file = pathlib.Path("/tmp") / "counters.json"
        file.unlink(missing_ok=True)
        run(f"{program}.plain", arguments, CUDA_INJECTION64_PATH=str(folder / "librelayout_counters.so"),
            RELAYOUT_COUNTERS=str(file), RELAYOUT_COUNTERS_MODE=mode)
        return json.loads(file.read_text())
    raw = {}
    for program, (_, arguments) in PROGRAMS.items():
        run(f"{program}.traced", arguments, RELAYOUT_TRACE=str(out / f"{program}.rlt"), RELAYOUT_TRACE_MODE="full",
            RELAYOUT_MAX_BYTES=str(8 << 30))
        runs = options.runs if program == "sectors" else 1
        raw[program] = {"ranges": [counted(program, arguments, "ranges") for _ in range(runs)],
                        "lines": counted(program, arguments, "lines")}
        print(program, (out / f"{program}.rlt").stat().st_size, flush=True)
    (out / "counters.json").write_text(json.dumps(raw) + "\n")


def kernel_of(name):
    return name.split("(")[0].split("<")[0].split()[-1].split("::")[-1]


def kernels(trace, ranges):
    """Sectors of each kernel: from the trace, and the median of what the hardware counted in several runs."""
    rows = {}
    for kernel in trace["kernels"]:
        name = kernel_of(kernel["kernel"])
        runs = [next(k for k in run["kernels"] if kernel_of(k["kernel"]) == name) for run in ranges]
        if any(k["launches"] != k["counted_launches"] for k in runs):
            continue
        loaded = [k["counters"][LOADED] for k in runs]
        stored = [sum(k["counters"][metric] for metric in STORED) for k in runs]
        rows[name] = {
            "trace": [kernel["read_sectors"], kernel["write_sectors"]],
            "hardware": [int(statistics.median(loaded)), int(statistics.median(stored))],
            "hardware_lowest": [min(loaded), min(stored)], "hardware_highest": [max(loaded), max(stored)]}
        # The hardware's own counts of gathers differ from run to run.
        rows[name]["equal"] = all(abs(traced - median) <= highest - lowest for traced, median, lowest, highest in zip(
            rows[name]["trace"], rows[name]["hardware"], rows[name]["hardware_lowest"], rows[name]["hardware_highest"]))
        rows[name]["equal_to_the_unit"] = rows[name]["trace"] == rows[name]["hardware"]
    return rows


def lines(trace, counted):
    """Accesses and sectors by source line and kind, traced and executed by machine instructions, of the kernels all
    of whose launches were counted. What the compiler inlines is part of every kernel that calls it, so kernels are
    taken together."""
    sums = collections.defaultdict(lambda: collections.Counter())
    whole = {kernel_of(line["kernel"]) for line in counted["lines"] if line["launches"] == line["counted_launches"]}
    for line in trace["lines"]:
        if kernel_of(line["kernel"]) not in whole:
            continue
        row = sums[pathlib.Path(line["file"]).name, line["line"], line["kind"]]
        row["accesses"] += line["warp_accesses"]
        row["sectors"] += line["sectors"]
        row["dropped"] += line["warp_accesses"] - line["recorded"]
    for line in counted["lines"]:
        if kernel_of(line["kernel"]) not in whole:
            continue
        row = sums[pathlib.Path(line["file"]).name, line["line"], line["kind"]]
        row["instructions"] += line["warp_instructions"]
        row["instruction_sectors"] += line["sectors"]
    table = []
    for (file, line, kind), row in sorted(sums.items()):
        if not row["accesses"]:
            continue  # no record is accessed here
        entry = {"line": f"{file}:{line}", "kind": kind, "traced_accesses": row["accesses"]}
        if kind == "atomic" and not row["instructions"]:
            table.append(entry)  # inlined from CUDA's header, under whose line it stands
            continue
        entry |= {"executed_instructions": row["instructions"],
                  "instructions_per_access": round(row["instructions"] / row["accesses"], 4)}
        if not row["dropped"]:
            entry |= {"traced_sectors": row["sectors"], "executed_sectors": row["instruction_sectors"],
                      "sector_ratio": round(row["instruction_sectors"] / row["sectors"], 4)}
        table.append(entry)
    return {"kernels": sorted(whole), "rows": table}


def record(options):
    raw = json.loads((pathlib.Path(options.raw) / "counters.json").read_text())
    results = {"gpu": raw["sectors"]["lines"]["gpu"], "cupti": raw["sectors"]["lines"]["cupti"], "flags": FLAGS,
               "runs": len(raw["sectors"]["ranges"]), "loads": LOADED, "stores": STORED, "kernels": {}, "lines": {}}
    for program, (_, arguments) in PROGRAMS.items():
        trace = json.loads(subprocess.run([options.sectors, pathlib.Path(options.raw) / f"{program}.rlt", MACHINE],
                                          check=True, capture_output=True, text=True).stdout)
        if program == "sectors":
            results["kernels"] = kernels(trace, raw[program]["ranges"])
        results["lines"][program] = {"arguments": arguments, **lines(trace, raw[program]["lines"])}
        missing = raw[program]["lines"]["missing"] + raw[program]["ranges"][0]["missing"]
        if missing:
            results.setdefault("missing", {})[program] = missing
    differing = sorted(name for name, row in results["kernels"].items() if not row["equal"])
    line_rows = results["lines"]["sectors"]["rows"]
    summary = {"micro_kernels": len(results["kernels"]), "sector_mismatches": len(differing), "differing": differing,
               "equal_to_the_unit": sum(row["equal_to_the_unit"] for row in results["kernels"].values()),
               "lines": len(line_rows),
               "line_sector_mismatches": sum(
                   row["traced_sectors"] != row["executed_sectors"] for row in line_rows if "executed_sectors" in row)}
    RESULT.write_text(json.dumps({"summary": summary, **results}, indent=1) + "\n")
    tracing = json.loads(SUMMARY.read_text())
    tracing["summary"]["sector_mismatches"] = len(differing)
    SUMMARY.write_text(json.dumps(tracing, indent=1) + "\n")
    print(json.dumps(summary, indent=1))
    for name in differing:
        print(name, results["kernels"][name])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    p = commands.add_parser("prepare")
    p.add_argument("--relayout", required=True)
    p.add_argument("--out", required=True)
    p.set_defaults(run=prepare)
    m = commands.add_parser("measure")
    m.add_argument("--dir", required=True)
    m.add_argument("--out", required=True)
    m.add_argument("--runs", type=int, default=7)
    m.set_defaults(run=measure)
    r = commands.add_parser("record")
    r.add_argument("--sectors", required=True)
    r.add_argument("--raw", required=True)
    r.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
