#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what tracing on a GPU costs, and compares its traces with those of the CPU executor.

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
    "sph": ("samples/sph/sph.cu", ["--side", "100", "--steps", "10"], None,
            ["--side", "12", "--steps", "2"]),
    "drift": ("samples/drift/drift.cu", ["--buoys", "16777216", "--steps", "20"], None,
              ["--buoys", "10000", "--steps", "3"]),
}
# In sampled blocks probes stand between a product and the sum it is part of, so nvcc may fuse another product into that
# sum: himeno's output then differs in the last digits. Without fusing it is the same.
MORE_FLAGS = {"himeno": ["-fmad=false"]}
# More samples that are timed only: source files, arguments.
TIMED = {
    "nbody": (["samples/nbody/nbody.cu"], ["--bodies", "65536", "--steps", "4"]),
    "stencil": (["samples/stencil/stencil.cu"], ["--orbitals", "4096", "--steps", "4"]),
    "himeno": (["samples/himeno/himeno.cu"], ["--size", "M", "--sweeps", "20"]),
    "cfd": (["samples/cfd/cfd.cu", "samples/cfd/gas.cu"], ["--edge", "64", "--steps", "20"]),
    "particlefilter": (["samples/particlefilter/particlefilter.cu"], ["--particles", "1048576", "--frames", "5"]),
}
# Arguments with which the kernels of a program take about a second: what it costs where a sample is soon full.
LONG = {
    "cfd": ["--edge", "64", "--steps", "2400"],
    "drift": ["--buoys", "16777216", "--steps", "4000"],
    "himeno": ["--size", "M", "--sweeps", "8000"],
    "idw": ["--stations", "65536", "--queries", "262144", "--repeats", "300"],
    "nbody": ["--bodies", "65536", "--steps", "120"],
    "particlefilter": ["--particles", "1048576", "--frames", "4000"],
    "sph": ["--side", "100", "--steps", "350"],
    "stencil": ["--orbitals", "4096", "--steps", "50"],
}
# Compared only.
LOOPS = ("tests/gpu/kernels/loops.cu", ["1000"])
COMPARED = {"loops": LOOPS[1], **{name: check for name, (_, _, _, check) in PROGRAMS.items()}}
# Counts of the version without records, against the CPU's: of the above, and of what makes no difference between the
# floating-point arithmetic of CPU and GPU.
COUNTED = {**COMPARED, **{name: ["--check"] for name in ("nbody", "stencil", "himeno", "cfd")}}
FULL_BYTES = str(8 << 30)
SHORT_BYTES = str(1 << 20)  # ends in the middle of loops
FORMS = "tests/gpu/kernels/launch_forms.cu"
LINKED = "tests/gpu/kernels/linked"  # -rdc=true; one of its files has no probes
# Cases of launch_forms that end in order, and what their exit codes must be.
ENDINGS = {"ex": 0, "graph": 0, "late_graph": 0, "shared": 0, "cooperative": 0, "driver": 0, "streams": 0, "reset": 0,
           "unsynchronised": 0, "devices": 0, "fork": 0, "exit3": 3}
MANY_LAUNCHES = "1000000"
BILLION = "31000"  # reads a thread of 32,768 warps: 1.016e9 warp accesses
# Of other files about the same machine; kept when this one is written.
KEPT = ["sector_mismatches"]


def prepare(options):
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    library = pathlib.Path(options.relayout).resolve().parents[1] / "lib/relayout/librelayout_gpu.so"
    shutil.copy(library, out)
    for kind, tracer in {"plain": [], "traced": [options.relayout, "cc", "-q", "--"]}.items():
        subprocess.run([*tracer, "nvcc", *FLAGS, str(ROOT / FORMS), "-lcuda", "-o", str(out / f"forms.{kind}")],
                       check=True)
    for kind, tracer in {"plain": [], "traced": [options.relayout, "cc", "-q", "--"]}.items():
        objects = []
        for source in sorted((ROOT / LINKED).glob("*.cu")):
            objects.append(str(out / f"{source.stem}.o"))
            subprocess.run([*(tracer if source.stem != "untraced" else []), "nvcc", *FLAGS, "-dc", str(source), "-o",
                            objects[-1]], check=True)
        subprocess.run([*tracer, "nvcc", *FLAGS, *objects, "-o", str(out / f"linked.{kind}")], check=True)
        for file in objects:
            os.remove(file)
    programs = {**{name: sources for name, (sources, _) in TIMED.items()},
                **{name: [source] for name, (source, *_) in PROGRAMS.items()}, "loops": [LOOPS[0]]}
    for name, sources in programs.items():
        sources = [str(ROOT / source) for source in sources]
        compile_it = ["nvcc", *FLAGS, *MORE_FLAGS.get(name, []), *sources, "-o"]
        subprocess.run([*compile_it, str(out / f"{name}.plain")], check=True)
        subprocess.run([options.relayout, "cc", "-q", "--", *compile_it, str(out / f"{name}.traced")], check=True)
        if name in COUNTED:
            folder = out / f"{name}.cpu"
            # As `relayout cc` does, which gives plain arrays no probes.
            subprocess.run([options.relayout, "instrument", "--arrays", "records", *sources, "-o", folder], check=True,
                           stdout=subprocess.DEVNULL)
            subprocess.run([options.relayout, "run", folder, "-o", out / f"{name}.cpu.rlt", "--trace",
                            "full" if name in COMPARED else "counts", "--max-bytes", FULL_BYTES, "--",
                            *COUNTED[name]], check=True, stdout=subprocess.DEVNULL)
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


def run_form(folder, kind, case, program="forms", trace=pathlib.Path("/tmp/forms.rlt"), **settings):
    """Exit code, output, largest resident set in KiB, and the report of a traced run (None: it wrote none)."""
    report = pathlib.Path(f"{trace}.gpu.json")
    report.unlink(missing_ok=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), "RELAYOUT_TRACE": str(trace),
                   **{f"RELAYOUT_{k}".upper(): str(v) for k, v in settings.items()}}
    child = subprocess.Popen([str(folder / f"{program}.{kind}"), *case], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, env=environment)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    return (os.waitstatus_to_exitcode(status), output, usage.ru_maxrss,
            json.loads(report.read_text()) if report.exists() else None)


def is_counted(output, report):
    """Whether the report has the launches and warp accesses that the program says it made, each accounted for."""
    launches, accesses = map(int, re.search(r"expect launches (\d+) warp_accesses (\d+)", output).groups())
    found = report["warp_accesses"]
    return (report["launches"]["executed"] == launches and found["executed"] == accesses and
            found["recorded"] + found["dropped"] == accesses)


def check_robustness(folder):
    results = {}
    for cupti in 1, 0:
        for case, code in ENDINGS.items():
            plain_code, plain_output, _, _ = run_form(folder, "plain", [case])
            traced_code, output, _, report = run_form(folder, "traced", [case], cupti=cupti)
            missing = [] if cupti else ["kernel times"]
            results[f"{case}{'' if cupti else '_without_cupti'}"] = (
                plain_code == traced_code == code and plain_output == output and report is not None and
                is_counted(output, report) and [m["part"] for m in report["missing"]] == missing)
    plain = run_form(folder, "plain", [], "linked")
    for mode in "sampled", "full":
        traced = run_form(folder, "traced", [], "linked", trace_mode=mode)
        results[f"linked_device_code_{mode}"] = (plain[:2] == traced[:2] and plain[0] == 0 and
                                                 is_counted(traced[1], traced[3]))
    for case in "abort", "fault":
        plain, traced = run_form(folder, "plain", [case]), run_form(folder, "traced", [case])
        results[f"{case}_leaves_output_and_code"] = plain[:2] == traced[:2]
    _, _, plain_kib, _ = run_form(folder, "plain", ["many", "1000"])
    for cupti in 1, 0:
        _, output, kib, report = run_form(folder, "traced", ["many", MANY_LAUNCHES], cupti=cupti)
        name = "million_launches" + ("" if cupti else "_without_cupti")
        results[f"{name}_counted"] = is_counted(output, report)
        results[f"{name}_extra_mib"] = round((kib - plain_kib) / 1024, 1)
    _, output, _, report = run_form(folder, "traced", ["much", BILLION])
    results["billion_counted"] = is_counted(output, report)
    results["billion_executed"] = report["warp_accesses"]["executed"]
    _, output, _, report = run_form(folder, "traced", ["much", "1000"], trace_mode="full", max_bytes=1 << 20)
    results["overflow_accounted_for"] = is_counted(output, report) and report["warp_accesses"]["dropped"] > 0
    results["overflow_dropped"] = report["warp_accesses"]["dropped"]
    return results


def check_sanitizers(folder):
    """compute-sanitizer over the armed recorder: it holds the place CUPTI would take."""
    results = {}
    for mode in "sampled", "full":
        for tool in "memcheck", "racecheck", "synccheck":
            trace = pathlib.Path("/tmp/sanitized.rlt")
            done = subprocess.run(["compute-sanitizer", "--tool", tool, str(folder / "micro.traced"), "3000", "1"],
                                  capture_output=True, text=True, env={
                                      **os.environ, "LD_LIBRARY_PATH": str(folder), "RELAYOUT_TRACE": str(trace),
                                      "RELAYOUT_TRACE_MODE": mode})
            report = json.loads(pathlib.Path(f"{trace}.gpu.json").read_text())
            summary = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (.*)", done.stdout + done.stderr)
            row = {"summary": summary.group(1) if summary else "none", "recorded": report["warp_accesses"]["recorded"],
                   "missing": [m["part"] for m in report["missing"]]}
            for kind in "errors", "warnings":
                found = re.search(rf"(\d+) {kind}", row["summary"])
                row[kind] = int(found.group(1)) if found else None
            results[f"{tool}_{mode}"] = row
    return results


def measure_long(folder, program, runs):
    rows, same_output = {"plain": [], "traced": []}, True
    for _ in range(runs):
        found = {kind: run(folder, program, kind, LONG[program], **({"trace": f"/tmp/{program}.rlt"} if kind == "traced" else {}))
                 for kind in rows}
        same_output &= without_times(found["plain"][0]) == without_times(found["traced"][0])
        for kind, (_, times) in found.items():
            rows[kind].append(round(sum(times.values()), 3))
    print(program, rows, same_output, flush=True)
    return {"command": " ".join([program, *LONG[program]]), "same_output": same_output, "times_ms": rows}


def measure(options):
    folder = pathlib.Path(options.dir).resolve()
    traces = pathlib.Path(options.traces).resolve()
    traces.mkdir(parents=True, exist_ok=True)
    gpu = subprocess.run(["nvidia-smi", "-i", "0", "--query-gpu=name,driver_version", "--format=csv,noheader"], check=True,
                         capture_output=True, text=True).stdout.strip().split(", ")
    raw = {"gpu": gpu[0], "driver": gpu[1], "flags": FLAGS, "programs": {}}
    for program, check in COUNTED.items():
        outputs = [run_form(folder, "plain", check, program)[:2]]
        modes = {"counts": {"trace_mode": "counts"}, "short": {"trace_mode": "full", "max_bytes": SHORT_BYTES},
                 **({"gpu": {"trace_mode": "full", "max_bytes": FULL_BYTES}} if program in COMPARED else {})}
        for name, mode in modes.items():
            outputs.append(run_form(folder, "traced", check, program, traces / f"{program}.{name}.rlt", **mode)[:2])
        if program == "loops":
            raw["loops_same_output"] = len(set(outputs)) == 1
    plan = {**{name: (timing, full) for name, (_, timing, full, _) in PROGRAMS.items()},
            **{name: (timing, None) for name, (_, timing) in TIMED.items()}}
    for program, (timing, full) in plan.items():
        if options.only and program not in options.only:
            continue
        rows = {"plain": [], "default": [], "plain_small": [], "full": []}
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
    raw["long"] = {program: measure_long(folder, program, options.long_runs) for program in LONG
                   if not options.only or program in options.only}
    pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")
    if not options.only:
        raw["sanitizers"] = check_sanitizers(folder)
        print(json.dumps(raw["sanitizers"]), flush=True)
        pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")
        raw["robustness"] = check_robustness(folder)
        print(json.dumps(raw["robustness"]), flush=True)
    pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")


def dump(relayout, trace):
    """Counts by kernel, place and kind of access, and every warp access with its addresses relative to its first. What is
    at one place is numbered in the order of its sites, whose own numbers a unit compiled by itself gives anew."""
    text = subprocess.run([relayout, "trace", "dump", trace, "--accesses", str(1 << 30)], check=True,
                          capture_output=True, text=True).stdout
    counts, accesses = {}, []
    for line in text.splitlines():
        row = re.match(r" +\d+ (read|write|atomic) +(.*?) +(\d+) +(\d+) +(\d+) +(\d+)  (\S+), (\S+)", line)
        if row:
            warps, lanes, recorded, dropped = map(int, row.groups()[2:6])
            assert recorded + dropped == warps, line
            at = (row[7], row[8], row[1], row[2])
            counts[*at, sum(key[:4] == at for key in counts)] = (warps, lanes, recorded)
        elif line.startswith("  launch "):
            accesses.append(re.sub(r" at 0x[0-9a-f]+", "", line.strip()))
    return counts, sorted(accesses)


def compare_counts(options, program, kind):
    """Warp accesses and lanes of each site and kernel where no block is recorded ("counts"), or none to its end
    ("short")."""
    cpu, _ = dump(options.relayout, pathlib.Path(options.dir) / f"{program}.cpu.rlt")
    gpu, _ = dump(options.relayout, pathlib.Path(options.traces) / f"{program}.{kind}.rlt")
    differing = sorted(k for k in cpu.keys() | gpu.keys() if cpu.get(k, ())[:2] != gpu.get(k, ())[:2])
    return {"agree": not differing, "site_rows": len(cpu), "warp_accesses": sum(c[0] for c in cpu.values()),
            "recorded": sum(c[2] for c in gpu.values()),
            "differing_counts": [f"{k}: cpu {cpu.get(k)} gpu {gpu.get(k)}" for k in differing]}


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
    raw = json.loads(pathlib.Path(options.raw[0]).read_text())
    for more in options.raw[1:]:
        again = json.loads(pathlib.Path(more).read_text())
        for part in ("programs", "long"):
            raw.setdefault(part, {}).update(again.get(part, {}))
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
    counts_agreement = {f"{program}.{kind}": compare_counts(options, program, kind)
                        for program in COUNTED for kind in ("counts", "short")}
    summary = {
        "gpu": raw["gpu"], "driver": raw["driver"],
        "slowdown_geomean": round(math.exp(statistics.mean(math.log(s) for s in slowdowns.values())), 3),
        "slowdown_max": max(slowdowns.values()),
        "full_trace_slowdown_max": max(full_slowdowns.values()),
        "largest_default_trace_bytes": max(max(d["trace_bytes"]) for d in raw["programs"].values()),
        "same_output": all(d["same_output"] for d in raw["programs"].values()) and raw["loops_same_output"],
        # The most, of the programs all of whose accesses are affine; of the trace file.
        "bytes_per_affine_access": round(max(a["trace_bytes"] / a["warp_accesses"] for a in agreement.values()
                                             if a["affine_accesses"] == a["warp_accesses"]), 4),
        "cpu_gpu_agree": all(a["agree"] for a in [*agreement.values(), *counts_agreement.values()]),
    }
    long = {program: round(statistics.median(data["times_ms"]["traced"]) / statistics.median(data["times_ms"]["plain"]), 3)
            for program, data in raw["long"].items()}
    summary |= {"long_slowdown_geomean": round(statistics.geometric_mean(long.values()), 3),
                "long_slowdown_max": max(long.values()),
                "long_same_output": all(data["same_output"] for data in raw["long"].values())}
    # Spread: the middle half of the runs, as a part of the median.
    spreads = {}
    for program, data in raw["programs"].items():
        for kernel in data["times_ms"]["plain"][0]:
            for kind in "plain", "default":
                quarters = statistics.quantiles([r[kernel] for r in data["times_ms"][kind]], n=4)
                spreads.setdefault(f"{program}/{kernel}", {})[kind] = round((quarters[2] - quarters[0]) / quarters[1], 4)
    summary["robust"] = all(v for v in raw["robustness"].values() if isinstance(v, bool))
    for kind in "errors", "warnings":
        summary[f"sanitizer_{kind}"] = sum(r[kind] or 0 for r in raw["sanitizers"].values())
    if RESULT.exists():
        before = json.loads(RESULT.read_text())["summary"]
        if before["gpu"] == summary["gpu"]:
            summary.update({key: before[key] for key in KEPT if key in before})
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps({"summary": summary, "slowdowns": slowdowns, "long_slowdowns": long, "full_slowdowns": full_slowdowns,
                                  "spreads": spreads, "agreement": agreement, "counts_agreement": counts_agreement, **raw}, indent=1) + "\n")
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
    m.add_argument("--long-runs", type=int, default=3, help="of about a second")
    m.add_argument("--only", nargs="+", help="these programs, and neither robustness nor sanitizers")
    m.set_defaults(run=measure)
    r = commands.add_parser("record")
    r.add_argument("--relayout", required=True)
    r.add_argument("--dir", required=True)
    r.add_argument("--raw", required=True, nargs="+", help="of `measure`; programs of later ones replace or add")
    r.add_argument("--traces", required=True)
    r.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
