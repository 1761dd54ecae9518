#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the predictions of policy replay with times and counters of a GPU.

  decision.py measure --bench layout_bench --calibrate calibrate --out DIR   # on a machine with a GPU; ncu if allowed
  decision.py compare --raw DIR --predictions FILE [--record docs/results/decision.json]
  decision.py compare --gpu "NVIDIA H200" --predictions FILE --record docs/results/decision.json   # times measured before; no GPU
  decision.py programs --batch FOLDER --volumes build/bin/layout_volumes --machine FILE [--record docs/results/decision.json]
  decision.py collect      # figures that default_path.json, one_command.json, ablation.json, tracing.json and replay.json hold, into
                           # the summary of their GPU

`layout_bench` is tests/gpu/layout_bench.cu, `calibrate` runtime/gpu/calibration/calibrate.cu, whose output is a
machine file; FILE is what tests/bench/layout_predictions prints for it. `programs` takes what `relayout batch samples/`
left in FOLDER on a GPU, traces and plans included, and the machine file it decided with.
"""
import argparse
import csv
import itertools
import json
import pathlib
import statistics
import subprocess
import sys

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs/results"
METRICS = {
    "requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "instructions": "smsp__inst_executed.sum",
    "l1_read_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1_write_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_write_sectors": "lts__t_sectors_srcunit_tex_op_write.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
}
SUMMARY_KEYS = ("l1_sector_error_max", "l2_sector_error_max",
                "dram_error_stream_max", "dram_error_irregular_max", "time_ratio_error_median", "time_ratio_error_max")
KERNELS = "regex:streamed|gathered|broadcast|mixed|Mixed|strided|relaxed|update|Update|addTo"
# A layout may be chosen among these for a case; all of them are measured.
IRREGULAR = {"gather", "local", "mixed", "small gather", "small local", "small mixed"}


def measure(options):
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    for name, command in (("calibrate", [options.calibrate]), ("time", [options.bench, "time"])):
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        (out / f"{name}.json").write_text(text)
    profiled = subprocess.run(
        ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "-k", KERNELS,
         "--metrics", ",".join(METRICS.values()), options.bench, "once"], capture_output=True, text=True)
    if profiled.returncode != 0:
        print(f"no hardware counters: {profiled.stderr.strip()[-300:]}", file=sys.stderr)
        return
    # The program's own output stands among the rows.
    rows = [line for line in profiled.stdout.splitlines() if line.startswith('"')]
    (out / "ncu.csv").write_text("\n".join(rows) + "\n")


def key(row):
    return row["pattern"], row["fields"], row["layout"]


def read_measured(raw):
    times = json.loads((raw / "time.json").read_text())
    measured = {key(row): {"ms": row["median_ms"]} for row in times}
    if (raw / "ncu.csv").exists():
        lines = [line for line in open(raw / "ncu.csv") if line.startswith('"')]
        counters = list(csv.DictReader(lines))[1:]  # the first row holds the units
        if len(counters) != len(times):
            sys.exit(f"{len(counters)} kernels were profiled, {len(times)} timed")
        for row, counter in zip(times, counters):
            for name, metric in METRICS.items():
                measured[key(row)][name] = float(counter[metric].replace(",", ""))
    return measured


def error(predicted, true):
    return abs(predicted - true) / true if true else (0.0 if not predicted else float("inf"))


def kendall(pairs):
    """Tau-b over pairs of (predicted, measured); measured times within 1 % are ties."""
    agree = disagree = 0
    for (p, m), (q, n) in itertools.combinations(pairs, 2):
        if abs(m - n) <= 0.01 * max(m, n):
            continue
        if (p - q) * (m - n) > 0:
            agree += 1
        else:
            disagree += 1
    return agree, disagree


def choice(layouts, predicted):
    """What policy replay chooses among the measured layouts; layout_predictions asks it."""
    return next(k for k in layouts if predicted[k]["chosen"])


def compare(options):
    if options.raw:
        measured = read_measured(pathlib.Path(options.raw))
    else:
        cases = json.loads((RESULTS / "decision.json").read_text())["micro_benchmark"][options.gpu]["cases"]
        measured = {key(case): {"ms": case["measured_ms"]} for case in cases}
    predicted = {key(row): row for row in json.loads(pathlib.Path(options.predictions).read_text())}
    if set(measured) != set(predicted):
        sys.exit(f"cases differ: {sorted(set(measured) ^ set(predicted))}")
    errors = {name: [] for name in ("l1_sectors", "l2_sectors", "dram_stream", "dram_irregular", "time", "ratio")}
    regret, agree, disagree, served_by_l1 = [], 0, 0, 0
    cases = sorted({k[:2] for k in measured})
    table = []
    for case in cases:
        layouts = [k for k in measured if k[:2] == case]
        pairs = [(predicted[k]["total_ms"], measured[k]["ms"]) for k in layouts]
        a, d = kendall(pairs)
        agree, disagree = agree + a, disagree + d
        best = min(m for _, m in pairs)
        chosen = choice(layouts, predicted)
        regret.append((measured[chosen]["ms"] / best, (*case, chosen[2])))
        base = (case[0], case[1], "aos")
        for k in layouts:
            m, p = measured[k], predicted[k]
            if k != base:
                ratio = error(p["total_ms"] / predicted[base]["total_ms"], m["ms"] / measured[base]["ms"])
                errors["ratio"].append((ratio, k))
            errors["time"].append((error(p["total_ms"], m["ms"]), k))
            if "l2_read_sectors" in m:
                l1 = error(p["l1_read_sectors"] + p["l1_write_sectors"], m["l1_read_sectors"] + m["l1_write_sectors"])
                errors["l1_sectors"].append((l1, k))
                l2_sectors = m["l2_read_sectors"] + m["l2_write_sectors"]
                if l2_sectors > 0.01 * m["l1_read_sectors"]:
                    l2 = error(p["l2_read_sectors"] + p["l2_write_sectors"], l2_sectors)
                    errors["l2_sectors"].append((l2, k))
                else:  # L1 serves all but the first touch
                    served_by_l1 += 1
                if case[0] != "broadcast":  # a table of kilobytes moves nothing worth a rate
                    kind = "dram_irregular" if case[0] in IRREGULAR else "dram_stream"
                    errors[kind].append((error(p["dram_read_bytes"] + p["dram_write_bytes"],
                                               m["dram_read_bytes"] + m["dram_write_bytes"]), k))
            table.append((k, m, p))
    if options.table:
        for k, m, p in table:
            print(f"{k[0]:9s} {k[1]} {k[2]:12s} ms {m['ms']:7.4f} {p['total_ms']:7.4f} {100 * (p['total_ms'] / m['ms'] - 1):+6.1f}%"
                  f" | issue {p['issue_ms']:.3f} l1 {p['l1_ms']:.3f} l2 {p['l2_read_ms']:.3f} {p['l2_write_ms']:.3f} dram {p['dram_ms']:.3f} start {p['start_ms']:.3f} lat {p['latency_ms']:.3f}"
                  + (f" | inst {m['instructions'] / 1e6:.1f} {p['instructions'] / 1e6:.1f} l1 {m['l1_read_sectors'] / 1e6:.2f} {p['l1_read_sectors'] / 1e6:.2f}"
                     f" hit {m['l1_hits'] / 1e6:.2f} {p['l1_hits'] / 1e6:.2f} l2r {m['l2_read_sectors'] / 1e6:.2f} {p['l2_read_sectors'] / 1e6:.2f}"
                     f" l2w {m['l2_write_sectors'] / 1e6:.2f} {p['l2_write_sectors'] / 1e6:.2f}"
                     f" dram {(m['dram_read_bytes'] + m['dram_write_bytes']) / 1e6:.0f} {(p['dram_read_bytes'] + p['dram_write_bytes']) / 1e6:.0f}"
                     if "l2_read_sectors" in m else ""))
    summary = {
        "cases": len(cases),
        "layouts_measured": len(measured),
        "regret_max": max(regret)[0],
        "regret_geomean": statistics.geometric_mean(r for r, _ in regret),
        "kendall_tau": (agree - disagree) / (agree + disagree),
        "time_ratio_error_median": statistics.median(e for e, _ in errors["ratio"]),
        "time_ratio_error_max": max(errors["ratio"])[0],
        "time_error_median": statistics.median(e for e, _ in errors["time"]),
        "time_error_max": max(errors["time"])[0],
    }
    for name in ("l1_sectors", "l2_sectors", "dram_stream", "dram_irregular"):
        if errors[name]:
            label = name.replace("sectors", "sector_error") if "sectors" in name else name.replace("dram", "dram_error")
            summary[f"{label}_max"] = max(errors[name])[0]
            summary[f"{label}_median"] = statistics.median(e for e, _ in errors[name])
    summary["l2_cases_served_by_l1_left_out"] = served_by_l1
    summary = {k: round(v, 4) if isinstance(v, float) else v for k, v in summary.items()}
    print(json.dumps(summary, indent=2))
    for name, values in errors.items():
        worst = sorted(values, reverse=True)[:options.worst]
        print(f"worst {name}: " + ", ".join(f"{'/'.join(k)} {100 * e:.1f}%" for e, k in worst))
    print("worst regret: " + ", ".join(f"{'/'.join(c)} {r:.3f}" for r, c in sorted(regret, reverse=True)[:options.worst]))
    if options.record:
        path = pathlib.Path(options.record)
        results = json.loads(path.read_text()) if path.exists() else {}
        name = options.gpu or json.loads((pathlib.Path(options.raw) / "calibrate.json").read_text())["name"]
        results.setdefault("summary", {}).setdefault(name, {}).update(
            {"micro_kernels": len(measured), **{k: summary[k] for k in SUMMARY_KEYS if k in summary}})
        gpu = results.setdefault("micro_benchmark", {}).setdefault(name, {})
        gpu["summary"] = summary if options.raw else {**gpu["summary"], **summary, "l2_cases_served_by_l1_left_out":
                                                      gpu["summary"]["l2_cases_served_by_l1_left_out"]}
        if options.raw:
            gpu["counters"] = "l2_read_sectors" in next(iter(measured.values()))
        gpu["order"] = {"agree": agree, "disagree": disagree}
        gpu["choices"] = [{"pattern": c[0], "fields": c[1], "chosen": c[2], "regret": round(r, 4)} for r, c in sorted(regret, reverse=True)]
        gpu["cases"] = [{"pattern": k[0], "fields": k[1], "layout": k[2],
                         "measured_ms": m["ms"], "predicted_ms": round(p["total_ms"], 4)} for k, m, p in table]
        summarise(results, name)
        path.write_text(json.dumps(results, indent=1) + "\n")


def summarise(results, gpu):
    """What micro-kernels and programs have in common: each is a choice among layouts that were all measured."""
    micro = results.get("micro_benchmark", {}).get(gpu, {})
    programs = results.get("programs", {}).get(gpu, {})
    regrets = [c["regret"] for c in micro.get("choices", [])] + [p["regret"] for p in programs.get("choices", [])]
    agree = sum(part["order"]["agree"] for part in (micro, programs) if part)
    disagree = sum(part["order"]["disagree"] for part in (micro, programs) if part)
    results["summary"].setdefault(gpu, {}).update({
        "programs": len(regrets), "of_which_samples": len(programs.get("choices", [])),
        "regret_max": max(regrets),
        "regret_of_prediction_max": max(c.get("regret_of_prediction", c["regret"]) for part in (micro, programs)
                                        for c in part.get("choices", [])),
        "regret_geomean": round(statistics.geometric_mean(regrets), 4),
        "within_2_percent": sum(r <= 1.02 for r in regrets),
        "kendall_tau": round((agree - disagree) / max(agree + disagree, 1), 4)})


def figures_of(variants, name):
    variant = variants[name]
    return variants[variant["sameAs"]]["figures"] if variant["sameAs"] else variant["figures"]


def predicted_times(volumes, machine, folder):
    """Predicted milliseconds of all launches, by the variant's name in the batch."""
    plans = {name: str(folder / f"{name}.plan.json") for name in ("nakai", "replay")
             if (folder / f"{name}.plan.json").exists()}
    text = subprocess.run([volumes, machine, str(folder / "trace.rlt"), *plans.values()],
                          check=True, capture_output=True, text=True).stdout
    times = {}
    for row in json.loads(text):
        times[row["layout"]] = times.get(row["layout"], 0) + row["total_us"] * row["launches"] * 1e-3
    names = {"original": "aos", "aligned-aos": "aligned-aos", "soa": "soa", "exploded-soa": "exploded-soa", **plans}
    return {variant: times[name] for variant, name in names.items() if name in times}


def programs(options):
    """Regret of what the batch keeps, and of what replay predicts to be best: the best figure of merit of any layout
    over that one's. The two differ where replay's confidence is low and the batch measured something faster."""
    batch = pathlib.Path(options.batch)
    overview = json.loads((batch / "results.json").read_text())
    gpu = overview["machine"]["gpu"]
    choices, agree, disagree = [], 0, 0
    for file in sorted(batch.glob("*/result.json")):
        result = json.loads(file.read_text())
        variants = {v["name"]: v for v in result["variants"]}
        figures = {n: statistics.median(figures_of(variants, n)) for n, v in variants.items()
                   if v["state"] != "hand-tuned" and figures_of(variants, n)}
        if "replay" not in figures:
            print(f"{result['program']}: its choice was not measured: {result['failure'] or 'no figures'}", file=sys.stderr)
            continue
        predicted = predicted_times(options.volumes, options.machine, file.parent)
        # Variants of one text are one layout.
        told = [(predicted[n], 1 / f) for n, f in figures.items() if n in predicted and not variants[n]["sameAs"]]
        a, d = kendall(told)
        agree, disagree = agree + a, disagree + d
        best = max(figures, key=figures.get)
        kept = result["kept"].get("replay", "replay")
        choices.append({
            "program": result["program"], "unit": result["unit"], "kept": kept,
            "regret": round(figures[best] / figures[kept], 4),
            "regret_of_prediction": round(figures[best] / figures["replay"], 4), "best": best, "order": {"agree": a, "disagree": d},
            "variants": [{"name": n, "same_as": variants[n]["sameAs"], "layout": variants[n]["layout"], "figure": f,
                          "predicted_ms": round(predicted[n], 4) if n in predicted else None}
                         for n, f in figures.items()]})
    for choice in choices:
        print(f"{choice['program']:15s} regret {choice['regret']:.3f} best {choice['best']:12s} order {choice['order']}  "
              + ", ".join(f"{v['name']} {v['figure']:.5g} ({v['predicted_ms']} ms)" for v in choice["variants"]))
    if not choices:
        sys.exit(f"no program of '{batch}' was measured")
    print(f"{len(choices)} programs, regret max {max(c['regret'] for c in choices):.4f}, geometric mean "
          f"{statistics.geometric_mean(c['regret'] for c in choices):.4f}, tau {(agree - disagree) / max(agree + disagree, 1):.3f}")
    if options.record:
        path = pathlib.Path(options.record)
        results = json.loads(path.read_text())
        results.setdefault("programs", {})[gpu] = {
            "how": "figures of merit of `relayout batch samples/`, medians, larger is better; predicted for the traced run",
            "order": {"agree": agree, "disagree": disagree}, "choices": choices}
        summarise(results, gpu)
        path.write_text(json.dumps(results, indent=1) + "\n")


def regret_of_choice(versions):
    """Of what was chosen from the GPU's trace, before anything was measured."""
    times = {name: version["ms"] for name, version in versions.items() if version.get("ms")}
    return round(times.get("choice", times["original"]) / min(times.values()), 4)


def ratio_errors(choices):
    """Of predicted to measured time over the original's, for each layout of each program."""
    errors = []
    for choice in choices:
        known = {v["name"]: v for v in choice["variants"] if v["predicted_ms"] and not v["same_as"]}
        original = known.pop("original", None)
        errors += [error(v["predicted_ms"] / original["predicted_ms"], original["figure"] / v["figure"])
                   for v in known.values() if original]
    return errors


def collect(_):
    """Keeps nothing that is not in the other results: a figure stands in the summary of the GPU that it was measured on."""
    results = json.loads((RESULTS / "decision.json").read_text())
    summaries = results["summary"]

    def figures_in(name):
        file = RESULTS / name
        return json.loads(file.read_text()) if file.exists() else None

    if (paths := figures_in("default_path.json")) and (small := paths["summary"].get("small arguments")):
        summaries.setdefault(small["gpu"], {}).update(
            {key: small[key] for key in ("default_path_regret", "slower_than_original", "llama_best_over_choice")})
    if paths and (predicted := paths.get("predicted")):
        alone = predicted["summary"]["alone"]
        summaries.setdefault(predicted["gpu"], {}).update(
            {"ratio_error_median": alone["ratio_error_median"], "ratio_error_max": alone["ratio_error_max"],
             "ratio_error_of": "choices of the samples from small CPU traces"})
    if command := figures_in("one_command.json"):
        summaries.setdefault(command["gpu"], {})["gpu_trace_regret"] = {
            program["name"]: regret_of_choice(program["optimize"]["versions"]) for program in command["programs"]}
    for gpu, programs in results.get("programs", {}).items():
        errors = ratio_errors(programs["choices"])
        summaries[gpu].update({
            "gpu_trace_regret": {choice["program"]: choice["regret_of_prediction"] for choice in programs["choices"]},
            "ratio_error_median": round(statistics.median(errors), 4), "ratio_error_max": round(max(errors), 4),
            "ratio_error_of": "all layouts of the samples from GPU traces"})
    if tracing := figures_in("tracing.json"):
        summaries.setdefault(tracing["summary"]["gpu"], {}).update(
            {**{f"tracing_{what}": tracing["summary"][f"long_slowdown_{what}"] for what in ("geomean", "max")},
             "tracing_of": "runs of about a second"})
    if ablation := figures_in("ablation.json"):
        full = ablation["rows"][0]["micro"]
        summaries.setdefault(ablation["machine"], {})["ablation"] = {
            row["without"]: round(row["micro"]["regret_geomean"] / full["regret_geomean"] - 1, 4) for row in ablation["rows"][1:]}
    if replay := figures_in("replay.json"):  # of a CPU: the same for all
        for summary in summaries.values():
            summary["search_64_fields_seconds"] = replay["search_64_fields_seconds"]
    (RESULTS / "decision.json").write_text(json.dumps(results, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure")
    command.add_argument("--bench", required=True)
    command.add_argument("--calibrate", required=True)
    command.add_argument("--out", required=True)
    command.set_defaults(run=measure)
    command = commands.add_parser("compare")
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument("--raw")
    where.add_argument("--gpu", help="whose times the results hold")
    command.add_argument("--predictions", required=True)
    command.add_argument("--record")
    command.add_argument("--table", action="store_true")
    command.add_argument("--worst", type=int, default=6)
    command.set_defaults(run=compare)
    commands.add_parser("collect").set_defaults(run=collect)
    command = commands.add_parser("programs")
    command.add_argument("--batch", required=True)
    command.add_argument("--volumes", required=True)
    command.add_argument("--machine", required=True)
    command.add_argument("--record")
    command.set_defaults(run=programs)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
