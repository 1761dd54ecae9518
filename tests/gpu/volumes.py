#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what policy replay predicts for the samples' kernels, from traces of a GPU, with its counters.

  volumes.py measure --relayout build/bin/relayout --out DIR   # on the machine with the GPU
  volumes.py compare --raw DIR --volumes build/bin/layout_volumes [--record docs/results/decision.json]

`measure` builds every sample in its original layout and as SoA, traces it with all accesses to global memory, at the size that
batches measure with, and counts both versions without probes. `compare` predicts both versions from the one trace.
A kernel whose launches differ in size is left out: of it, counters and predictions are means of other launches.
Errors of DRAM bytes are given for kernels that get at least a tenth of what they ask of L2 from DRAM; the others find
there what an earlier launch left, which the model does not follow from kernel to kernel. Errors of L2 sectors are given
for kernels that ask L2 for more than one in a hundred of their L1 sectors, as decision.py does.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYOUTS = {"original": "aos", "soa": "soa"}
SECTOR_BYTES = 32
L1 = ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")
L2 = ("lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum")
QUANTITIES = {
    "l1_sectors": (("l1_read_sectors", "l1_write_sectors"), L1),
    "l2_sectors": (("l2_read_sectors", "l2_write_sectors"), L2),
    "dram_bytes": (("dram_read_bytes", "dram_write_bytes"), ("dram__bytes_read.sum", "dram__bytes_write.sum")),
}


def samples():
    for file in sorted((ROOT / "samples").glob("*/batch.json")):
        for program in json.loads(file.read_text())["programs"]:
            program["sources"] = [file.parent / source for source in program["sources"]]
            yield program


def call(*command, **environment):
    return subprocess.run([str(word) for word in command], env={**os.environ, **environment}, capture_output=True,
                          text=True)


def build(options, program, version):
    """The path of the program, or nothing where it cannot be built."""
    out = pathlib.Path(options.out) / "bin"
    out.mkdir(parents=True, exist_ok=True)
    binary, sources, flags = out / f"{program['name']}.{version}", program["sources"], program.get("flags", [])
    compiler = ["nvcc", "-O3", "-arch=native", *flags]
    if version == "traced":
        compiler = [options.relayout, "cc", "-q", "--all-accesses", "--", *compiler]
    elif version != "original":
        folder = out / f"{program['name']}.{version}.sources"
        call(options.relayout, "rewrite", *sources, *flags, "--layout", version, "-o", folder)
        main = next(folder.rglob(sources[0].name), None)
        if main is None:
            return None
        sources = [main.parent / source.name for source in sources]
    return binary if call(*compiler, *sources, "-o", binary).returncode == 0 else None


def measure(options):
    out = pathlib.Path(options.out)
    libraries = pathlib.Path(options.relayout).resolve().parents[1] / "lib"
    counters = next(libraries.rglob("librelayout_counters.so"))
    jobs = [(program, version) for program in samples() for version in ("traced", *LAYOUTS)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        built = list(pool.map(lambda job: build(options, *job), jobs))
    for (program, version), binary in zip(jobs, built):
        name = f"{program['name']}.{version}"
        if binary is None:
            print(name, "was not built", flush=True)
        elif version == "traced":
            call(options.relayout, "profile", "-o", out / f"{program['name']}.rlt", "--", binary, *program["large"])
        else:
            for mode in ("ranges", "times"):
                done = call(binary, *program["large"], CUDA_INJECTION64_PATH=str(counters),
                            RELAYOUT_COUNTERS=str(out / f"{name}.{mode}.json"), RELAYOUT_COUNTERS_MODE=mode)
                print(name, mode, done.returncode, flush=True)


def short(kernel):
    """The kernel's own name, without its type, template arguments and parameters."""
    return kernel.split("(")[0].split("<")[0].split(" ")[-1].split("::")[-1]


def rows_of(options, program):
    raw, name = pathlib.Path(options.raw), program["name"]
    if not (raw / f"{name}.rlt").exists():
        return
    told = subprocess.run([options.volumes, options.machine, str(raw / f"{name}.rlt")], check=True,
                          capture_output=True, text=True).stdout
    predictions = {(row["layout"], short(row["kernel"])): row for row in json.loads(told)}
    for version, layout in LAYOUTS.items():
        ranges, times = (raw / f"{name}.{version}.{mode}.json" for mode in ("ranges", "times"))
        if not (ranges.exists() and times.exists()):
            continue
        durations = {short(k["kernel"]): k for k in json.loads(times.read_text())["kernel_times"]}
        all_ns = sum(k["all_ns"] for k in durations.values())
        for kernel in json.loads(ranges.read_text())["kernels"]:
            predicted = predictions.get((layout, short(kernel["kernel"])))
            if predicted is None or predicted["sizes"] != 1 or not kernel["counted_launches"]:
                continue
            time = durations[short(kernel["kernel"])]
            row = {"program": name, "layout": layout, "kernel": short(kernel["kernel"]),
                   "share_of_time": round(time["all_ns"] / all_ns, 3)}
            for quantity, (ours, theirs) in QUANTITIES.items():
                row[quantity] = {
                    "measured": round(sum(kernel["counters"].get(c, 0) for c in theirs) / kernel["counted_launches"]),
                    "predicted": round(sum(predicted[p] for p in ours))}
            row["us"] = {"measured": round(time["all_ns"] / time["launches"] * 1e-3, 2),
                         "predicted": round(predicted["total_us"], 2)}
            yield row


def gpu_of(options):
    """The GPU that the counters are from."""
    return json.loads(next(pathlib.Path(options.raw).glob("*.ranges.json")).read_text())["gpu"]


def compare(options):
    rows = [row for program in samples() for row in rows_of(options, program)]
    off = lambda row, quantity: row[quantity]["predicted"] / max(row[quantity]["measured"], 1e-9) - 1
    lives_in_l1 = lambda row: row["l2_sectors"]["measured"] < 0.01 * row["l1_sectors"]["measured"]
    lives_in_l2 = lambda row: row["dram_bytes"]["measured"] < 0.1 * SECTOR_BYTES * row["l2_sectors"]["measured"]
    summary = {}
    for quantity in (*QUANTITIES, "us"):
        told = [row for row in rows if not (quantity == "dram_bytes" and lives_in_l2(row)
                                            or quantity == "l2_sectors" and lives_in_l1(row))]
        errors = [abs(off(row, quantity)) for row in told]
        heavy = [abs(off(row, quantity)) for row in told if row["share_of_time"] >= 0.1]
        summary[quantity] = {"kernels": len(errors), "median": round(statistics.median(errors), 4),
                             "max": round(max(errors), 4), "of_a_tenth_of_the_time_or_more": {
                                 "kernels": len(heavy), "median": round(statistics.median(heavy), 4),
                                 "max": round(max(heavy), 4)}}
    for row in sorted(rows, key=lambda r: (r["program"], r["kernel"], r["layout"])):
        print(f"{row['program']:15s}{row['kernel']:22s}{row['layout']:5s} {100 * row['share_of_time']:4.0f} % "
              + "".join(f"  {quantity} {off(row, quantity):+7.1%}" for quantity in (*QUANTITIES, "us")))
    print(f"{len(rows)} kernels; errors: {json.dumps(summary)}")
    if options.record:
        path = pathlib.Path(options.record)
        results = json.loads(path.read_text())
        results["samples"] = {gpu_of(options): {
            "how": "tests/gpu/volumes.py: traces of the GPU at the batch's sizes, all accesses (drift, idw-adaptive and "
                   "nbody: of records, they have no others); one launch of each kernel",
            "errors": summary, "kernels": rows}}
        path.write_text(json.dumps(results, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure")
    command.add_argument("--relayout", required=True)
    command.add_argument("--out", required=True)
    command.set_defaults(run=measure)
    command = commands.add_parser("compare")
    command.add_argument("--raw", required=True)
    command.add_argument("--volumes", required=True)
    command.add_argument("--machine", required=True, help="machine file of the GPU that DIR is from")
    command.add_argument("--record")
    command.set_defaults(run=compare)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
