#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the samples in every layout on a GPU and keeps the numbers in docs/results/.

  first_light.py prepare --relayout build/bin/relayout --out DIR   # no GPU needed
  first_light.py measure --dir DIR --copies librelayout_copies.so --out RAW.json   # with nvcc and a GPU
  first_light.py record --raw RAW.json                             # docs/results/first-light.json
  first_light.py quickstart                                        # and there how long quickstart.sh takes
  first_light.py table                                             # the table of docs/performance.md from it

`prepare` lets relayout rewrite each sample; DIR can be carried to a machine without relayout.
`measure` builds there with nvcc, runs all variants of a program in turn (so that drift of the
machine meets all alike), and compares the digests of every device-to-host copy. `quickstart` runs
quickstart.sh on a fresh clone of what is committed, where all packages are there already.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/first-light.json"
PAGE = ROOT / "docs/performance.md"
NVCC_FLAGS = ["-O3", "-arch=sm_90"]
LAYOUTS = ["aos", "aligned-aos", "soa", "chosen"]
# Sample, arguments for the trace that decides (on the CPU), arguments for the timing.
PROGRAMS = {
    "idw": (["--check"], ["--stations", "65536", "--queries", "262144", "--repeats", "20"]),
    "sph": (["--check"], ["--side", "100", "--steps", "50"]),
    "drift": (["--check"], ["--buoys", "16777216", "--steps", "200"]),
}


def describe(decision):
    """The layout as the report names it: AoS, SoA, or the clusters and their alignment."""
    clusters = decision["layout"]["clusters"]
    if decision["keep"]:
        return "AoS, unchanged"
    if all(len(cluster["fields"]) == 1 for cluster in clusters) and len(clusters) > 1:
        return "SoA"
    return " ".join("{" + " ".join(cluster["fields"]) + "}" for cluster in clusters)


def prepare(options):
    out = pathlib.Path(options.out)
    choices = {}
    for program, (trace_arguments, _) in PROGRAMS.items():
        source = ROOT / f"samples/{program}/{program}.cu"
        work = out / program
        (work / "aos").mkdir(parents=True, exist_ok=True)
        (work / "aos" / f"{program}.cu").write_text(source.read_text())
        for layout in ("aligned-aos", "soa"):
            subprocess.run([options.relayout, "rewrite", source, "--layout", layout, "-o", work / layout],
                           check=True, stdout=subprocess.DEVNULL)
            verified = subprocess.run(
                [options.relayout, "verify", source, work / layout / f"{program}.cu", "-o",
                 work / "verify", "--", *trace_arguments],
                check=True, capture_output=True, text=True).stdout.strip()
            print(f"{program} {layout}: {verified}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            text = subprocess.run([options.relayout, "optimize", source, "--on", "cpu", "--policy", "nakai", "-o", folder, "--", *trace_arguments],
                                  check=True, capture_output=True, text=True).stdout
            plan = json.loads((pathlib.Path(folder) / "plan.json").read_text())
            (work / "chosen").mkdir(exist_ok=True)
            for file in (pathlib.Path(folder) / "rewritten").iterdir():
                (work / "chosen" / file.name).write_text(file.read_text())
        choices[program] = {d["record"]: describe(d)
                            for d in plan["decisions"] if d["fields"] and not d["reason"].startswith("no kernel")}
        verified = next(line for line in text.splitlines() if line.startswith("verified:"))
        print(f"{program} chosen {choices[program]}: {verified}", flush=True)
        subprocess.run(["rm", "-rf", work / "verify"], check=True)
    (out / "choices.json").write_text(json.dumps(choices, indent=2) + "\n")


def build(folder, program, layout, shared):
    binary = folder / program / layout / ("shared" if shared else "program")
    command = ["nvcc", *NVCC_FLAGS, *(["-cudart", "shared"] if shared else []),
               str(folder / program / layout / f"{program}.cu"), "-o", str(binary)]
    subprocess.run(command, check=True)
    return binary


def measure(options):
    folder = pathlib.Path(options.dir).resolve()
    jobs = [(p, l, s) for p in PROGRAMS for l in LAYOUTS for s in (False, True)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        binaries = dict(zip(jobs, pool.map(lambda job: build(folder, *job), jobs)))
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                         check=True, capture_output=True, text=True).stdout.strip().split(", ")
    nvcc = re.search(r"V([\d.]+)", subprocess.run(["nvcc", "--version"], check=True,
                                                  capture_output=True, text=True).stdout).group(1)
    raw = {"gpu": gpu[0], "driver": gpu[1], "nvcc": nvcc, "flags": NVCC_FLAGS,
           "choices": json.loads((folder / "choices.json").read_text()), "programs": {}}
    for program, (_, arguments) in PROGRAMS.items():
        times = {layout: [] for layout in LAYOUTS}
        for _ in range(options.runs + 1):  # the first round warms up and is left out
            for layout in LAYOUTS:
                # Without eager loading the first launch of each kernel is timed with its loading.
                text = subprocess.run([binaries[program, layout, False], *arguments], check=True,
                                      capture_output=True, text=True,
                                      env={**os.environ, "CUDA_MODULE_LOADING": "EAGER"}).stdout
                times[layout].append(float(re.search(r"kernel time: ([\d.]+) ms", text).group(1)))
        copies = {}
        for layout in LAYOUTS:
            with tempfile.NamedTemporaryFile() as log:
                subprocess.run([binaries[program, layout, True], *arguments], check=True,
                               stdout=subprocess.DEVNULL,
                               env={**os.environ, "LD_PRELOAD": os.path.abspath(options.copies),
                                    "RELAYOUT_COPIES": log.name})
                copies[layout] = pathlib.Path(log.name).read_text().splitlines()
        if not copies["aos"]:
            sys.exit(f"{program}: no device-to-host copy was seen")
        raw["programs"][program] = {
            "command": " ".join([program, *arguments]),
            "copies": len(copies["aos"]),
            "copied_bytes": sum(int(line.split()[0]) for line in copies["aos"]),
            "layouts": {layout: {"kernel_ms": times[layout][1:],
                                 "verified": copies[layout] == copies["aos"]}
                        for layout in LAYOUTS}}
        for layout in LAYOUTS:
            print(f"{program:6} {layout:12} median {statistics.median(times[layout][1:]):9.4f} ms  "
                  f"{'identical' if copies[layout] == copies['aos'] else 'DIFFERENT'}", flush=True)
    pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")


def spread(times):
    """Largest minus smallest, as a share of the median."""
    return (max(times) - min(times)) / statistics.median(times)


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    median = {p: {l: statistics.median(d["layouts"][l]["kernel_ms"]) for l in LAYOUTS}
              for p, d in raw["programs"].items()}
    for program, data in raw["programs"].items():
        for layout, row in data["layouts"].items():
            row["median_ms"] = median[program][layout]
            row["spread"] = round(spread(row["kernel_ms"]), 4)
    summary = {
        "gpu": raw["gpu"],
        "driver": raw["driver"],
        "all_verified": all(row["verified"] for d in raw["programs"].values() for row in d["layouts"].values()),
        "choices": raw["choices"],
        "speedup_over_aos": {p: round(m["aos"] / m["chosen"], 3) for p, m in median.items()},
        "speedup_over_soa": {p: round(m["soa"] / m["chosen"], 3) for p, m in median.items()},
    }
    if RESULT.exists():
        before = json.loads(RESULT.read_text())["summary"]
        summary |= {key: value for key, value in before.items() if key.startswith("quickstart_")}
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps({"summary": summary, **raw}, indent=1) + "\n")


def quickstart(_):
    with tempfile.TemporaryDirectory() as folder:
        clone = pathlib.Path(folder) / "relayout"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        started = time.monotonic()
        subprocess.run(["./quickstart.sh"], cwd=clone, check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"CCACHE_DISABLE": "1"})
        elapsed = time.monotonic() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = json.loads(RESULT.read_text())
    result["summary"] |= {"quickstart_seconds": round(elapsed, 1),
                          "quickstart_cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
                          "quickstart_cores": len(os.sched_getaffinity(0)),
                          "quickstart_load_average": round(os.getloadavg()[1], 1)}
    RESULT.write_text(json.dumps(result, indent=1) + "\n")


def table(options):
    result = json.loads(RESULT.read_text())
    lines = ["| program | original AoS | aligned AoS | SoA | chosen by `nakai` | layout chosen | copies |",
             "|---|---|---|---|---|---|---|"]
    for program, data in result["programs"].items():
        cells = []
        for layout in LAYOUTS:
            row = data["layouts"][layout]
            cells.append(f"{row['median_ms']:.2f} ms ± {50 * row['spread']:.1f} %")
        choice = "; ".join(f"`{record}`: {layout}" for record, layout in result["choices"][program].items())
        identical = all(row["verified"] for row in data["layouts"].values())
        lines.append(f"| `{data['command']}` | {' | '.join(cells)} | {choice} | "
                     f"{'identical' if identical else 'DIFFERENT'} |")
    runs = len(next(iter(next(iter(result["programs"].values()))["layouts"].values()))["kernel_ms"])
    lines.append("")
    lines.append(f"{result['gpu']}, driver {result['driver']}, nvcc {result['nvcc']} "
                 f"`{' '.join(result['flags'])}`; median of {runs} runs, ± half the range; kernel time as the "
                 "program prints it. Raw numbers: [results/first-light.json](results/first-light.json).")
    text = PAGE.read_text()
    begin, end = "<!-- first-light:begin -->", "<!-- first-light:end -->"
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    PAGE.write_text(head + begin + "\n" + "\n".join(lines) + "\n" + end + tail)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("prepare")
    p.add_argument("--relayout", required=True)
    p.add_argument("--out", required=True)
    p.set_defaults(run=prepare)
    m = commands.add_parser("measure")
    m.add_argument("--dir", required=True)
    m.add_argument("--copies", required=True)
    m.add_argument("--out", required=True)
    m.add_argument("--runs", type=int, default=9)
    m.set_defaults(run=measure)
    r = commands.add_parser("record")
    r.add_argument("--raw", required=True)
    r.set_defaults(run=record)
    commands.add_parser("quickstart").set_defaults(run=quickstart)
    commands.add_parser("table").set_defaults(run=table)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
