#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What launch bounds are worth: docs/results/launch_bounds.json.

  launch_bounds.py measure --relayout bin/relayout --out RAW.json [--runs N] [PROGRAM]...   # with nvcc and a GPU
  launch_bounds.py record --raw RAW.json

`measure` runs `relayout optimize --on gpu` on the samples' batch.json files (all, or those named), with their large arguments as
--real-arguments. It measures the original and the choice without and with `__launch_bounds__(1024, 1)` for kernels whose
machine code gains by it, beside other layouts, and keeps the fastest. Kept is the median time of all kernels of each version,
and of each bounded kernel its registers, its time for a warp alone, and the warps that fit, both over what they are without."""
import argparse
import datetime
import json
import pathlib
import subprocess
import tempfile

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/launch_bounds.json"


def samples():
    for file in sorted((ROOT / "samples").glob("*/batch.json")):
        for program in json.loads(file.read_text())["programs"]:
            yield program, file.parent


def measure(options):
    ask = ["nvidia-smi", "-i", "0", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip().split(", ")
    rows = {}
    for program, folder in samples():
        if options.names and program["name"] not in options.names:
            continue
        with tempfile.TemporaryDirectory() as out:
            command = [pathlib.Path(options.relayout).resolve(), "optimize", "--on", "gpu", "--runs", str(options.runs), "-q", "-o", out,
                       "--real-arguments", " ".join(program["large"]), *program["sources"], "--", *program.get("small", [])]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
            report = pathlib.Path(out) / "report.json"
            if done.returncode != 0 or not report.exists():
                rows[program["name"]] = {"failure": done.stderr[-300:]}
                continue
            report = json.loads(report.read_text())
        measured = next((group["measured"] for group in report["groups"] if group.get("measured")), [])
        rows[program["name"]] = {"measured": measured, "bounds": report.get("launchBoundsOf", {})}
        print(program["name"], json.dumps(rows[program["name"]])[:400], flush=True)
        pathlib.Path(options.out).write_text(json.dumps(
            {"gpu": gpu, "driver": driver, "runs": options.runs, "programs": rows}, indent=1))


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    gain = {}
    for name, row in raw["programs"].items():
        time = {version["version"]: version["ms"] for version in row.get("measured", []) if version.get("ms")}
        for own in ("original", "choice"):
            if own in time and f"{own}-bounded" in time:
                gain.setdefault(name, {})[own] = round(time[own] / time[f"{own}-bounded"], 3)
    today = datetime.date.today().isoformat()
    RESULT.write_text(json.dumps({"summary": {"speedup_by_bounds": gain}, "date": today, **raw}, indent=1) + "\n")
    results_index.enter("launch_bounds.json", "tests/gpu/launch_bounds.py", raw["gpu"].replace("NVIDIA ", ""), today,
                        "the original and the choice without and with launch bounds, measured by `optimize --on gpu`")
    print(json.dumps(gain, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("measure")
    command.add_argument("--relayout", required=True)
    command.add_argument("--out", required=True)
    command.add_argument("--runs", type=int, default=3)
    command.add_argument("names", nargs="*")
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
