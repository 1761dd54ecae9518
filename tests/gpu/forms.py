#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks whether one stencil gains the same in whichever form its program is written, in docs/results/forms.json.

  forms.py prepare --relayout build/bin/relayout --out DIR       # no GPU needed
  forms.py record --raw RAW.json --machine "H200"

forms/ has a program for each form: who allocates, and where the extents are kept. `prepare` lets relayout decide from a small
run on the CPU; tests/corpus/versions.py measures before and after: `versions.py measure --dir DIR --libraries LIB --out RAW.json`.
Times are those of all kernels, conversions among them.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/forms.json"
FORMS = ROOT / "tests/gpu/forms"
TRACED, MEASURED = "24 24 24", "384 384 384"


def prepare(options):
    for source in sorted(FORMS.glob("*.cu")):
        folder = options.out / source.stem
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(FORMS, folder / "original", ignore=lambda _, names: [
            name for name in names if name.endswith(".cu") and name != source.name])
        (folder / "args").write_text(MEASURED + "\n")
        (folder / "repository").write_text("relayout\n")
        (folder / "build").write_text(f"nvcc -O3 -std=c++17 {source.name} -o program\n")
        run = folder / "run"
        subprocess.run([options.relayout, "optimize", folder / "original" / source.name, "-o", run, "--", *TRACED.split()],
                       check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(run / "rewritten", folder / "choice")
        shutil.rmtree(run)


def median_ms(runs):
    return statistics.median(run["ms"] for run in runs[1:])


def record(options):
    raw = json.loads(options.raw.read_text())
    rows = {}
    for name, of in sorted(raw["programs"].items()):
        before, after = (median_ms(of["versions"][version]) for version in ("original", "choice"))
        digests = {run["digest"] for runs in of["versions"].values() for run in runs}
        rows[name] = {"original_ms": round(before, 4), "choice_ms": round(after, 4), "speedup": round(before / after, 3),
                      "same_copies": len(digests) == 1}
    speedups = [row["speedup"] for row in rows.values()]
    result = {"summary": {"forms": len(rows), "least_speedup": min(speedups), "largest_speedup": max(speedups),
                          "silent_differences": sum(not row["same_copies"] for row in rows.values())},
              "traced": TRACED, "measured": MEASURED, **{key: raw[key] for key in ("gpu", "driver", "date", "runs")},
              "results": rows, "raw": raw["programs"]}
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    results_index.enter(RESULT.name, "tests/gpu/forms.py", options.machine, raw["date"],
                        "a stencil in nine forms of the same program: before and after, decided from small runs on the CPU")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    preparing = steps.add_parser("prepare")
    preparing.add_argument("--relayout", type=pathlib.Path, required=True)
    preparing.add_argument("--out", type=pathlib.Path, required=True)
    recording = steps.add_parser("record")
    recording.add_argument("--raw", type=pathlib.Path, required=True)
    recording.add_argument("--machine", required=True)
    options = parser.parse_args()
    {"prepare": prepare, "record": record}[options.step](options)


if __name__ == "__main__":
    main()
