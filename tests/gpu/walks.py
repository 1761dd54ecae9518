#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what machine code lets relayout predict of all-pairs programs with a GPU, in docs/results/walks.json.

  walks.py prepare --relayout build/bin/relayout --machine h200 --out DIR [NAME]...    # with nvcc, no GPU needed
  walks.py record --dir DIR --raw RAW.json --machine "H200"

Every thread of these programs (walks/, and samples/nbody) reads all elements of an array, as all other threads do. `prepare`
traces 2048 elements on the CPU, predicts for every size (`--scale`), and writes the versions; tests/corpus/versions.py
measures them: `versions.py measure --dir DIR --libraries LIB --out RAW.json`. RESULT has, by program, size and version,
the predicted and the measured time over the original's.
"""
import argparse
import datetime
import json
import math
import pathlib
import shutil
import statistics
import subprocess

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/walks.json"
TRACED = 2048
SIZES = [2048, 8192, 16384, 32768, 65536, 131072, 262144]
LAYOUTS = {"soa": "SoA", "aligned-aos": "aligned AoS (16)"}
PROGRAMS = {
    "boids": (ROOT / "tests/gpu/walks/boids.cu", "{}", "flock::in"),
    "collide": (ROOT / "tests/gpu/walks/collide.cu", "{}", "interact::in"),
    "knn": (ROOT / "tests/gpu/walks/knn.cu", "{}", "nearest::points"),
    "nbody": (ROOT / "samples/nbody/nbody.cu", "--bodies {} --steps 2", "kick::bodies"),
}  # source, arguments, and the array that all threads read
FLAGS = ["-std=c++17", "--expt-relaxed-constexpr"]


def predicted(group, name):
    return next(candidate["sizes"][0]["ratio"] for candidate in group["candidates"]
                if candidate["layout"] and candidate["layout"]["name"] == name)


def prepare(options):
    known = options.out / "predictions.json"
    predictions = json.loads(known.read_text()) if known.exists() else {}
    for program, (source, arguments, array) in PROGRAMS.items():
        if options.names and program not in options.names:
            continue
        for size in SIZES:
            folder = options.out / f"{program}-{size}"
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "original").mkdir(parents=True)
            shutil.copy(source, folder / "original")
            (folder / "args").write_text(arguments.format(size) + "\n")
            (folder / "repository").write_text("relayout\n")
            (folder / "build").write_text(f"nvcc {' '.join(FLAGS)} {source.name} -o program\n")
            run = folder / "run"
            subprocess.run([options.relayout, "optimize", source, *FLAGS, "--machine", options.machine, "--scale",
                            str(size // TRACED), "--repeat", "1", "-o", run, "--", *arguments.format(TRACED).split()],
                           check=True, stdout=subprocess.DEVNULL)
            report = json.loads((run / "report.json").read_text())
            group = next(group for group in report["groups"] if array in group["arrays"])
            row = {"choice": "original" if group["keep"] else group["layout"]["name"]}
            for layout, name in LAYOUTS.items():
                row[layout] = predicted(group, name)
                subprocess.run([options.relayout, "rewrite", source, *FLAGS, "--layout", layout, "-o", folder / layout],
                               check=True, stdout=subprocess.DEVNULL)
            if (run / "rewritten").exists() and row["choice"] not in LAYOUTS.values():
                shutil.copytree(run / "rewritten", folder / "choice")
                row["choice-ratio"] = predicted(group, row["choice"])
            shutil.rmtree(run)
            predictions[f"{program}-{size}"] = row
            known.write_text(json.dumps(predictions, indent=1) + "\n")
            print(program, size, row, flush=True)


def median_ms(runs):
    return statistics.median(run["ms"] for run in runs[1:])


def record(options):
    raw = json.loads(options.raw.read_text())
    predictions = json.loads((options.dir / "predictions.json").read_text())
    rows, errors = [], []
    for name, of in raw["programs"].items():
        before = median_ms(of["versions"]["original"])
        told = predictions[name]
        row = {"program": name, "original_ms": round(before, 4), "chosen": told["choice"], "versions": {}}
        for version, runs in of["versions"].items():
            if version == "original":
                continue
            measured = median_ms(runs) / before
            expected = told["choice-ratio" if version == "choice" else version]
            row["versions"][version] = {"predicted": round(expected, 3), "measured": round(measured, 3),
                                        "same_copies": runs[0]["digest"] == of["versions"]["original"][0]["digest"]}
            errors.append(abs(math.log(expected / measured)))
        rows.append(row)
    summary = {"programs": len(PROGRAMS), "sizes": SIZES, "predictions": len(errors),
               "ratio_error_median": round(statistics.median(errors), 3), "ratio_error_max": round(max(errors), 3)}
    RESULT.write_text(json.dumps({"gpu": raw["gpu"], "driver": raw["driver"], "date": datetime.date.today().isoformat(),
                                  "command": "tests/gpu/walks.py", "runs": raw["runs"], "summary": summary, "results": rows},
                                 indent=1) + "\n")
    results_index.enter(RESULT.name, "tests/gpu/walks.py", options.machine, datetime.date.today().isoformat(),
                        "all-pairs programs at seven sizes: predicted from machine code, and measured")
    print(summary)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("prepare")
    make.add_argument("--relayout", required=True)
    make.add_argument("--machine", default="h200")
    make.add_argument("--out", type=pathlib.Path, required=True)
    make.add_argument("names", nargs="*", metavar="NAME")
    make.set_defaults(run=prepare)
    keep = commands.add_parser("record")
    keep.add_argument("--dir", type=pathlib.Path, required=True)
    keep.add_argument("--raw", type=pathlib.Path, required=True)
    keep.add_argument("--machine", required=True)
    keep.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


main()
