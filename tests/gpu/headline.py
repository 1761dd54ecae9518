#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes README's table of results and its chart: what relayout chooses from a small run on the CPU.

  headline.py table     # of README.md
  headline.py chart     # docs/results/default_path.svg; needs npm's vega-lite and vega-cli

Both are made of docs/results/default_path.json. Of plain arrays the best is the best order of elements by hand
(docs/results/index_order.json), as the standard layouts of records say nothing of them.
"""
import argparse
import json
import pathlib
import subprocess

import default_path

ROOT = pathlib.Path(__file__).resolve().parents[2]
README, CHART = ROOT / "README.md", ROOT / "docs/results/default_path.svg"
ORDERS = ROOT / "docs/results/index_order.json"
BEGIN, END = "<!-- headline:begin -->\n", "<!-- headline:end -->"
VARIANTS = ["SoA", "relayout", "best measured"]
COLOURS = ["#b8c4d0", "#1f6f8b", "#e0a030"]


def speedups():
    """Program -> variant -> speed over the original, slowest choice last; and the run they are from."""
    run = json.loads(default_path.RESULT.read_text())["runs"]["small arguments"]
    over_best = json.loads(ORDERS.read_text())["summary"]["choice_over_best"]
    found = {}
    for entry in run["programs"]:
        name, time = entry["name"], default_path.times(entry)
        chosen = time.get("choice", time["original"])
        best = chosen / over_best[name] if name in over_best else min(time.values())
        row = {"relayout": chosen, "best measured": best}
        if entry["variants"]["soa"]["same_as"] != "original":
            row["SoA"] = time["soa"]
        found[name] = {variant: time["original"] / row[variant] for variant in VARIANTS if variant in row}
    return dict(sorted(found.items(), key=lambda item: -item[1]["relayout"])), run


def table(_):
    found, run = speedups()
    lines = ["| program | SoA | **relayout** | best layout measured |", "|---|---|---|---|"]
    for name, row in found.items():
        soa = f"{row['SoA']:.2f}" if "SoA" in row else "–"
        lines.append(f"| `{name}` | {soa} | **{row['relayout']:.2f}** | {row['best measured']:.2f} |")
    lines += ["", f"Speed over the original; {run['gpu']}, driver {run['driver']}, medians of at least {run['runs']} runs. –: plain "
              "arrays, which have no fields.",
              "Best: of the original, the choice, and the standard layouts of records, or the best order of indices by hand."]
    head, rest = README.read_text().split(BEGIN)
    README.write_text(head + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])


def chart(_):
    found, run = speedups()
    values = [{"program": name, "variant": variant, "speed": round(speed, 3)}
              for name, row in found.items() for variant, speed in row.items()]
    specification = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": f"Speed over the original, chosen from a small run on the CPU; {run['gpu']}",
        "width": 860, "height": 260,
        "data": {"values": values},
        "mark": {"type": "bar"},
        "encoding": {
            "x": {"field": "program", "type": "nominal", "title": None, "sort": None, "axis": {"labelAngle": -30}},
            "xOffset": {"field": "variant", "sort": VARIANTS, "scale": {"paddingOuter": 0.1}},
            "y": {"field": "speed", "type": "quantitative", "title": "speed over the original",
                  "scale": {"type": "log", "domain": [0.5, 32]}, "axis": {"values": [0.5, 1, 2, 4, 8, 16, 32]}},
            "y2": {"datum": 1},
            "color": {"field": "variant", "type": "nominal", "sort": VARIANTS, "title": None,
                      "scale": {"domain": VARIANTS, "range": COLOURS}},
        }}
    CHART.write_text(subprocess.run(["vl2svg"], input=json.dumps(specification), check=True, capture_output=True,
                                    text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    commands.add_parser("table").set_defaults(run=table)
    commands.add_parser("chart").set_defaults(run=chart)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
