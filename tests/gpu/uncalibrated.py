#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far predicted ratios are off with rates that are not calibrated.

Changes one kind of rate of a machine file at a time, predicts the micro-benchmark with it, and
compares the ratios with those measured on the GPU (docs/results/decision.json). Needs no GPU.

  uncalibrated.py --predictions build/bin/layout_predictions
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

CHANGES = {
    "L2 rates": (("l2_read_sectors_per_ns", "l2_scattered_read_sectors_per_ns",
                  "l2_write_sectors_per_ns", "l2_scattered_write_sectors_per_ns"), 2),
    "scattered DRAM": (("dram_scattered_granules_per_ns",), 1.5),
    "DRAM": (("dram_bytes_per_ns", "copy_bytes_per_ns"), 1.15),
    "SM": (("wavefronts_per_ns_per_sm", "instructions_per_ns_per_sm"), 1.33),
    "latencies": (("l1_latency_ns", "l2_latency_ns", "dram_latency_ns"), 1.5),
    "L2 size": (("l2_scattered_bytes",), 1.5),
}


def ratio_errors(rows, measured):
    """Of each layout's time to that of the first layout of its pattern."""
    errors, source = [], None
    for row in rows:
        case = (row["pattern"], row["fields"])
        times = row["total_ms"], measured[(*case, row["layout"])]
        if source is None or source[0] != case:
            source = (case, times)
            continue
        errors.append(abs(times[0] / source[1][0] / (times[1] / source[1][1]) - 1))
    return sorted(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--predictions", required=True, help="the program layout_predictions")
    parser.add_argument("--machine", default=ROOT / "analysis/machines/h200.json")
    options = parser.parse_args()
    machine = json.loads(pathlib.Path(options.machine).read_text())
    results = json.loads((ROOT / "docs/results/decision.json").read_text())
    measured = {(case["pattern"], case["fields"], case["layout"]): case["measured_ms"]
                for case in results["micro_benchmark"][machine["name"]]["cases"]}

    def errors_with(changed):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(changed, file)
            file.flush()
            rows = subprocess.run([options.predictions, file.name], check=True,
                                  capture_output=True, text=True).stdout
        return ratio_errors(json.loads(rows), measured)

    def two_thirds(errors):
        return errors[2 * len(errors) // 3]

    calibrated = two_thirds(errors_with(machine))
    print(f"calibrated: two of three ratios within {100 * calibrated:.1f} %")
    for name, (keys, factor) in CHANGES.items():
        for by in (1 / factor, factor):
            changed = dict(machine)
            for key in keys:
                changed[key] = type(machine[key])(machine[key] * by)
            errors = two_thirds(errors_with(changed))
            print(f"{name} x {by:.2f}: {100 * errors:.1f} %, {errors / calibrated:.1f} times")


if __name__ == "__main__":
    main()
