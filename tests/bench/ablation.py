#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each term of policy replay's model is worth: what gets worse where the term is missing. Needs no GPU.

  ablation.py traces --relayout BINARY --out DIR      # of the samples' small arguments, on the CPU
  ablation.py measure --relayout BINARY --predictions build/bin/layout_predictions --traces DIR
  ablation.py table                                   # that of docs/policy-replay.md from the result

A term is left out by a machine file in which its rate has no end, or its time is zero. Two sets of data stand behind
each row of docs/results/ablation.json. The micro-kernels of docs/results/decision.json, which the model was fitted on:
regret of the layouts chosen among those measured, and errors of the ratios of times. The samples of
docs/results/default_path.json, which were looked at: whether `relayout analyze` still chooses the same from the same
trace, and by how much the measured time of what it chooses instead exceeds that of the full model's choice.
"""
import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/gpu"))
import decision
import default_path
import results_index

RESULT = ROOT / "docs/results/ablation.json"
PAGE = ROOT / "docs/policy-replay.md"
BEGIN, END = "<!-- ablation:begin -->\n", "<!-- ablation:end -->"
MACHINE = ROOT / "analysis/machines/h200.json"
ENDLESS = 1e9
STANDARD = ["aligned-aos", "soa", "exploded-soa", "aosoa-32", "aosoa-128"]


def without(machine):
    """Machine files by the name of the term that they leave out."""
    def changed(**values):
        return {**machine, **values}

    streamed = {name: machine[name.replace("_scattered", "")] for name in machine if name.startswith("l2_scattered_")
                and name.endswith("_per_ns")}
    l2 = {name: ENDLESS for name in machine if name.startswith("l2_") and name.endswith("_per_ns")}
    return {
        "none": machine,
        "instruction issue": changed(instructions_per_ns_per_sm=ENDLESS),
        "L1 wavefronts": changed(wavefronts_per_ns_per_sm=ENDLESS),
        "L1 reuse": changed(l1_bytes=1024),
        "L2 rates": changed(**l2),
        "slower L2 for scattered sectors": changed(**streamed),
        "L2 reuse of scattered sectors at its own size": changed(l2_scattered_bytes=machine["l2_bytes"]),
        "DRAM": changed(dram_bytes_per_ns=ENDLESS, dram_scattered_granules_per_ns=ENDLESS),
        "scattered DRAM granules": changed(dram_scattered_granules_per_ns=ENDLESS),
        "latency of few warps": changed(l1_latency_ns=0.01, l2_latency_ns=0.01, dram_latency_ns=0.01),
        "block start": changed(block_start_ns=0.001),
        "conversions of host copies": changed(copy_bytes_per_ns=ENDLESS),
    }


def run(words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def traces(options):
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    for program, folder, _ in default_path.programs_of([ROOT / "samples"]):
        run([options.relayout, "instrument", *(folder / source for source in program["sources"]), *program.get("flags", []),
             "-o", out / program["name"]])
        run([options.relayout, "run", out / program["name"], "--", *program["small"]])
        print(program["name"], flush=True)


def micro(predictions, file, measured):
    """Regret and errors of ratios over all cases."""
    predicted = {decision.key(row): row for row in json.loads(run([predictions, file]))}
    regret, errors = [], []
    for case in sorted({key[:2] for key in measured}):
        layouts = [key for key in measured if key[:2] == case]
        chosen, base = decision.choice(layouts, predicted), (*case, "aos")
        regret.append(measured[chosen] / min(measured[key] for key in layouts))
        errors += [decision.error(predicted[key]["total_ms"] / predicted[base]["total_ms"], measured[key] / measured[base])
                   for key in layouts if key != base]
    return {"regret_geomean": round(statistics.geometric_mean(regret), 4), "regret_max": round(max(regret), 4),
            "ratio_error_median": round(statistics.median(errors), 4), "ratio_error_max": round(max(errors), 4)}


def decisions_of(plan):
    return [(d["record"], d["arrays"], d["keep"] or d["layout"]) for d in json.loads(plan.read_text())["decisions"]]


def chosen_variant(relayout, trace, file, standards, full):
    """The name of the measured variant that a choice is; None where it was not measured."""
    with tempfile.TemporaryDirectory() as scratch:
        plan = pathlib.Path(scratch) / "plan.json"
        run([relayout, "analyze", trace, "--machine", file, "-o", plan])
        found = decisions_of(plan)
    if full is None or found == full:
        return "choice", found
    if all(decided is True for _, _, decided in found):
        return "original", found
    return next((name for name, plan in standards.items() if plan == found), None), found


def measure(options):
    machine = json.loads(MACHINE.read_text())
    terms = without(machine)
    cases = json.loads((ROOT / "docs/results/decision.json").read_text())["micro_benchmark"][machine["name"]]["cases"]
    measured = {decision.key(case): case["measured_ms"] for case in cases}
    entries = {entry["name"]: entry for entry in json.loads(default_path.RESULT.read_text())["runs"]["small arguments"]["programs"]}
    rows, full, standards = [], {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "machine.json"
        for term, changed in terms.items():
            file.write_text(json.dumps(changed))
            row = {"without": term, "micro": micro(options.predictions, file, measured), "samples": {}}
            for trace in sorted(pathlib.Path(options.traces).glob("*/trace.rlt")):
                name = trace.parent.name
                if name not in entries:
                    continue
                if name not in standards:
                    standards[name] = {}
                    for layout in STANDARD:
                        plan = pathlib.Path(scratch) / "standard.json"
                        run([options.relayout, "analyze", trace, "--layout", layout, "-o", plan])
                        standards[name][layout] = decisions_of(plan)
                variant, found = chosen_variant(options.relayout, trace, file, standards[name], full.get(name))
                full.setdefault(name, found)
                times = default_path.times(entries[name])
                kept = times.get("choice", times["original"])
                row["samples"][name] = {"chosen": variant, "over_full": round(times[variant] / kept, 4)
                                        if variant in times else 1.0 if variant == "choice" else None}
            others = [of for of in row["samples"].values() if of["chosen"] != "choice"]
            known = [of["over_full"] for of in others if of["over_full"] is not None]
            row["samples_changed"], row["of_which_measured"] = len(others), len(known)
            row["samples_loss_max"] = max(known, default=1.0)
            rows.append(row)
            print(row["without"], row["micro"], row["samples_changed"], row["samples_loss_max"], flush=True)
    RESULT.write_text(json.dumps({"machine": machine["name"], "samples": len(full), "rows": rows}, indent=1) + "\n")
    results_index.enter("ablation.json", "tests/bench/ablation.py", machine["name"].replace("NVIDIA ", ""),
                        datetime.date.today().isoformat(), "the model without one of its terms at a time: regret, errors, choices")


def table(_):
    rows = json.loads(RESULT.read_text())["rows"]
    lines = ["| without | regret, mean | worst | ratio error, median | worst | samples with another choice | their worst loss |",
             "|---|---|---|---|---|---|---|"]
    for row in rows:
        of = row["micro"]
        loss = "–" if not row["of_which_measured"] else f"{row['samples_loss_max']:.2f}"
        lines.append(f"| {row['without']} | {of['regret_geomean']:.3f} | {of['regret_max']:.2f} | {100 * of['ratio_error_median']:.1f} % | "
                     f"{100 * of['ratio_error_max']:.0f} % | {row['samples_changed']} ({row['of_which_measured']} measured) | {loss} |")
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("traces")
    command.add_argument("--relayout", required=True)
    command.add_argument("--out", required=True)
    command.set_defaults(run=traces)
    command = commands.add_parser("measure")
    command.add_argument("--relayout", required=True)
    command.add_argument("--predictions", required=True)
    command.add_argument("--traces", required=True)
    command.set_defaults(run=measure)
    commands.add_parser("table").set_defaults(run=table)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
