#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures on a GPU what the order of an array's indices is worth, and keeps it in docs/results/index_order.json.

  index_order.py prepare --out DIR [--relayout BINARY]  # no GPU needed
  index_order.py measure --dir DIR --out RAW.json  # with nvcc and a GPU; DIR is all it needs
  index_order.py record --raw RAW.json
  index_order.py tables                            # that of docs/performance.md from the result

Programs are the samples with reference/orders.cu, which runs the sample's kernels with its arrays in several index
orders and checks each, and stencil, next to its reference/tuned.cu, which does what no layout can. With --relayout each sample is optimised from its small arguments, on the CPU, and
what the tool wrote is measured as well. `measure` runs each with the small arguments, then sample, choice and orders
in turn with the batch file's large ones: one round to warm up, then --runs of them. An order's time is that of all its
kernels in a run. What sample and choice print has to be the same but for times. Conversions of the choice's host copies are
timed by themselves (kernels/conversion.cu), next to a copy of the same bytes within device memory. Choices that pad
their rows run with the first of the large sizes one larger as well, so that no row ends where a line does, next to the
same without pads.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/index_order.json"
PERFORMANCE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- index-order:begin -->\n", "<!-- index-order:end -->"
NVCC_FLAGS = ["-O3", "-std=c++17", "-arch=native"]
TIME = re.compile(r"kernel time: ([0-9.]+) ms")
TIMES = re.compile(r"^kernel time: .*$", re.M)  # which no two runs share
# In a generated header: its order, with the extents that allocations take, and the functions of conversions.
ORDERED = re.compile(r"elements (\S.*?) as ((?:\[[^\]]*\])+)")
NAMED = re.compile(r"\[\w+:(?:([^\]=]+)=)?(\d+)\]")
MALLOC = re.compile(r"cudaError_t (\w+Malloc)\((\w+) \*view, std::size_t bytes")
KERNEL = re.compile(r"__global__ void (\w+(P|Unp)ack)\(")
LAUNCH = re.compile(r"ack<<<(\w+)\(\w+, count\).blocks\(\), (.*?)>>>")
ELEMENT = re.compile(r"Device arrays of (\w+)")
BANDWIDTH = re.compile(r"(copy|unpack|pack) ([0-9.]+) GB/s")
CONVERTED_BYTES = 256 << 20
ROUND = 128  # extents of large runs are multiples of it
ORDER = re.compile(r"^(\S+) +kernel time: ([0-9.]+) ms.*: (ok|WRONG)$", re.M)
LIMIT_S = 60


def prepare(options):
    out = pathlib.Path(options.out)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    entries = []
    for folder in sorted(ROOT.glob("samples/*")):
        orders = folder / "reference/orders.cu"
        if not orders.exists() and folder.name != "stencil":
            continue
        if options.programs and folder.name not in options.programs:
            continue
        program = json.loads((folder / "batch.json").read_text())["programs"][0]
        place = out / program["name"]
        place.mkdir()
        for source in program["sources"]:
            shutil.copy(folder / source, place)
        by_hand = orders if orders.exists() else folder / "reference/tuned.cu"
        shutil.copy(by_hand, place / "by_hand.cu")
        entry = {"program": program["name"], "sources": program["sources"], "arguments": program["large"],
                 "check": program["small"], "by_hand": by_hand.stem}
        if options.relayout:
            entry["chosen"] = optimise(options.relayout, folder, program, place)
            if (place / "unpadded").exists():
                first, size, *others = program["large"]
                entry["uneven"] = [first, str(int(size) + 1), *others]
            entry["conversions"] = conversions(place, program)
        entries.append(entry)
    (out / "programs.json").write_text(json.dumps(entries, indent=1))
    for file in ("index_order.py", "results_index.py", "check.h", "kernels/conversion.cu"):
        shutil.copy(ROOT / "tests/gpu" / file, out)


def optimise(relayout, folder, program, place):
    """The layouts that the tool chose on the default path; what it wrote is in `place`/rewritten."""
    work = place / "work"
    subprocess.run([relayout, "optimize", *(str(folder / source) for source in program["sources"]), "--on", "cpu", "--machine", "h200",
                    "-q", "-o", str(work), "--", *program["small"]], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    shutil.copytree(work / "rewritten", place / "rewritten")
    plan = json.loads((work / "plan.json").read_text())
    orders = [decision["layout"]["order"] for decision in plan["decisions"] if "order" in decision["layout"]]
    if any([order.pop("multiples", None) for order in orders]):
        (work / "unpadded.json").write_text(json.dumps(plan))
        subprocess.run([relayout, "rewrite", *(str(folder / source) for source in program["sources"]), "-q", "--plan",
                        str(work / "unpadded.json"), "-o", str(place / "unpadded")], check=True)
    groups = json.loads((work / "report.json").read_text())["groups"]
    shutil.rmtree(work)
    return [{"array": group["arrays"][0], "layout": group["layout"]["name"]} for group in groups if not group["keep"]]


def conversions(place, program):
    """Writes a source with what conversion.cu has to be told for each header whose elements lie in another order."""
    large = program["large"]
    extents = {name.lstrip("-"): int(value) for name, value in zip(large, large[1:]) if name.startswith("--")}
    found = []
    for header in sorted((place / "rewritten").glob("*_layout.h")):
        text = header.read_text().replace("\n// ", " ")
        ordered, malloc = ORDERED.search(text), MALLOC.search(text)
        launch = LAUNCH.search(text)
        if not (ordered and malloc and launch):
            continue
        below, arguments = 1, []
        for name, value in reversed(NAMED.findall(ordered.group(1))):  # from the fastest index
            extent = eval(name, {"__builtins__": {}}, extents) if name else int(value)
            below *= extent
            arguments += [extent] if name else []
        record = ELEMENT.search(text).group(1)
        kernels = {kernel.group(2).upper() + "ACK": kernel.group(1) for kernel in KERNEL.finditer(text)}
        defined = {"RECORD": record, "VIEW": malloc.group(2), "MALLOC": malloc.group(1), **kernels, "TILES": launch.group(1),
                   "THREADS": launch.group(2), "EXTENTS": "".join(f", {extent}" for extent in arguments),
                   "ELEMENTS": f"({CONVERTED_BYTES} / sizeof({record}) / {below} / {ROUND} * {ROUND} * {below})"}
        lines = ["#define main programMain", f'#include "rewritten/{program["sources"][0]}"', "#undef main",
                 *(f"#define {name} {value}" for name, value in defined.items()), '#include "../conversion.cu"', ""]
        (place / f"conversion{len(found)}.cu").write_text("\n".join(lines))
        found.append({"order": ordered.group(0)})
    return found


def converted(folder, number):
    """Bandwidths, read and written bytes together, of a header's conversions and of a plain copy."""
    return {f"{way}_gb_s": float(rate) for way, rate in BANDWIDTH.findall(run(folder, f"conversion{number}", []))}


def build(folder, sources, binary):
    subprocess.run(["nvcc", *NVCC_FLAGS, *sources, "-o", binary], cwd=folder, check=True)


def run(folder, binary, arguments):
    """What a program prints; it ends with 0, or this one ends."""
    done = subprocess.run([str(folder / binary), *arguments], capture_output=True, text=True, timeout=LIMIT_S,
                          env={**os.environ, "CUDA_MODULE_LOADING": "EAGER"})
    if done.returncode != 0:
        raise SystemExit(f"{folder.name}/{binary}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def measure_program(folder, entry, runs):
    checked = run(folder, "sample", entry["check"])
    print(checked.strip(), flush=True)
    differences = 0
    if "chosen" in entry:
        again = run(folder, "choice", entry["check"])
        print(again.strip(), flush=True)
        differences += TIMES.sub("", again) != TIMES.sub("", checked)
    sample, choice, orders = [], [], {}
    for turn in range(runs + 1):
        printed = run(folder, "sample", entry["arguments"])
        found = float(TIME.search(printed).group(1))
        rows = ORDER.findall(run(folder, "by_hand", entry["arguments"]))
        chosen = None
        if "chosen" in entry:
            again = run(folder, "choice", entry["arguments"])
            chosen = float(TIME.search(again).group(1))
            differences += TIMES.sub("", again) != TIMES.sub("", printed)
        if turn == 0:  # warms up
            continue
        sample.append(found)
        if chosen is not None:
            choice.append(chosen)
        for name, ms, _ in rows:
            orders.setdefault(name, []).append(float(ms))
    medians = {order: statistics.median(ms) for order, ms in orders.items()}
    print(entry["program"], statistics.median(sample), choice, medians, flush=True)
    uneven = {}
    for _ in range(runs if "uneven" in entry else 0):
        printed = {binary: run(folder, binary, entry["uneven"]) for binary in ("sample", "choice", "without_pads")}
        differences += len({TIMES.sub("", text) for text in printed.values()}) - 1
        for binary, text in printed.items():
            uneven.setdefault(binary, []).append(float(TIME.search(text).group(1)))
    print(entry["program"], "uneven", uneven, flush=True)
    measured = [{**conversion, **converted(folder, number)}
                for number, conversion in enumerate(entry.get("conversions", []))]
    for row in measured:
        print("conversion", row, flush=True)
    return {**entry, "original_ms": sample, "choice_ms": choice, "orders_ms": orders, "conversions": measured,
            "uneven_ms": uneven, "differences": differences}


def measure(options):
    folder = pathlib.Path(options.dir).resolve()
    entries = json.loads((folder / "programs.json").read_text())
    jobs = [(folder / entry["program"], *job) for entry in entries
            for job in ((entry["sources"], "sample"),
                        (["by_hand.cu"], "by_hand"),
                        *([([f"rewritten/{source}" for source in entry["sources"]], "choice")]
                          if "chosen" in entry else []),
                        *([([f"unpadded/{source}" for source in entry["sources"]], "without_pads")]
                          if "uneven" in entry else []))]
    jobs += [(folder / entry["program"], [f"conversion{number}.cu"], f"conversion{number}") for entry in entries
             for number in range(len(entry.get("conversions", [])))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: build(*job), jobs))
    ask = ["nvidia-smi", "-i", "0", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip().split(", ")
    version = subprocess.run(["nvcc", "--version"], check=True, capture_output=True, text=True).stdout
    raw = {"gpu": gpu, "driver": driver, "nvcc": re.search(r"V([0-9.]+)", version).group(1), "nvcc_flags": NVCC_FLAGS,
           "runs": options.runs, "programs": []}
    for entry in entries:
        raw["programs"].append(measure_program(folder / entry["program"], entry, options.runs))
        pathlib.Path(options.out).write_text(json.dumps(raw, indent=1))


def figure(ms):
    """Median and spread, which is the range over the median."""
    median = statistics.median(ms)
    return {"ms": ms, "runs": len(ms), "median": round(median, 4), "spread": round((max(ms) - min(ms)) / median, 4)}


def summarise(result):
    """Of the tool's choices: the gain, how far from the best order by hand, and what pads are worth where rows need them."""
    summary = result["summary"]
    for key in ("speedup", "choice_over_best", "choice_over_hand"):
        summary[key] = {}
    for name, row in result["choices"].items():
        chosen = row["choice"]["median"]
        summary["speedup"][name] = round(row["sample"]["median"] / chosen, 2)
        if "tuned" in row:
            summary["choice_over_tuned"] = {f"{name} {way}": round(chosen / ms["median"], 3)
                                            for way, ms in row["tuned"].items()}
        if name in result["orders"]:
            hand = min(order["median"] for order in result["orders"][name]["orders"].values())
            summary["choice_over_best"][name] = round(chosen / hand, 3)
            summary["choice_over_hand"][name] = round(hand / chosen, 3)
    summary["pads"] = {name: round(row["without_pads"]["median"] / row["choice"]["median"], 3)
                       for name, row in result.get("uneven", {}).items()}
    # The slowest of all conversions in either direction.
    parts = [row[way] / row["copy_gb_s"] for choice in result["choices"].values()
             for row in choice.get("conversions", []) for way in ("unpack_gb_s", "pack_gb_s") if way in row]
    if parts:
        summary["conversion_over_copy_bandwidth"] = round(min(parts), 3)
    summary["silent_differences"] = sum(choice.get("differences", 0) for choice in result["choices"].values())
    summary["refusal_cases"] = len(refusals())


def refusals():
    """Hazards of plain arrays: each has a test that a line is refused with its code and that no byte changes."""
    return [case.name for case in sorted((ROOT / "tests/rewriter/refuse").glob("plain_*"))
            if "// refused: RL-" in (case / "input.cu").read_text()]


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    machine = raw["gpu"].replace("NVIDIA ", "")
    orders, best, choices, uneven = {}, {}, {}, {}
    for entry in raw["programs"]:
        name = entry["program"]
        figures = {order: figure(ms) for order, ms in entry["orders_ms"].items()}
        original = figure(entry["original_ms"])
        if entry["uneven_ms"]:
            uneven[name] = {"machine": machine, "driver": raw["driver"], "nvcc": raw["nvcc"], "arguments": entry["uneven"],
                            **{binary: figure(ms) for binary, ms in entry["uneven_ms"].items()}}
        if entry["choice_ms"]:
            choices[name] = {"machine": machine, "driver": raw["driver"], "nvcc": raw["nvcc"],
                             "command": " ".join([f"relayout optimize samples/{name}/{entry['sources'][0]} --machine "
                                                  "h200 --", *entry["check"]]),
                             "arguments": entry["arguments"], "sample": original, "choice": figure(entry["choice_ms"]),
                             "layouts": entry["chosen"], "differences": entry["differences"],
                             "conversions": entry["conversions"]}
        if entry["by_hand"] == "tuned":
            choices[name]["tuned"] = figures
            continue
        orders[name] = {"machine": machine, "driver": raw["driver"], "nvcc": raw["nvcc"],
                        "command": " ".join(["nvcc", *raw["nvcc_flags"], f"samples/{name}/reference/orders.cu", "-o",
                                             "orders && ./orders", *entry["arguments"]]),
                        "sample": original, "orders": figures}
        fastest = min(figures, key=lambda order: figures[order]["median"])
        best[name] = {"order": fastest, "over_original": round(original["median"] / figures[fastest]["median"], 2)}
    result = json.loads(RESULT.read_text()) if RESULT.exists() else {"summary": {}}
    result["summary"].setdefault("best_by_hand", {}).update(best)
    result.setdefault("orders", {}).update(orders)
    result.setdefault("choices", {}).update(choices)
    result.setdefault("uneven", {}).update(uneven)
    summarise(result)
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    results_index.enter("index_order.json", "tests/gpu/index_order.py", machine, datetime.date.today().isoformat(),
                        "`orders`: kernels on plain arrays with their indices in several orders, by hand; `uneven`: rows with and "
                        "without pads")
    print(json.dumps(best, indent=1))


def table(orders):
    """A row an order, from the fastest; the sample itself first."""
    lines = ["| program | index order | kernel ms | against the sample |", "|---|---|---|---|"]
    for name, program in sorted(orders.items()):
        whole = program["sample"]["median"]
        rows = sorted(program["orders"].items(), key=lambda row: row[1]["median"])
        for order, row in [("**the sample**", program["sample"])] + rows:
            lines.append(f"| `{name}` | {order} | {row['median']:.4g} ± {50 * row['spread']:.1f} % | "
                         f"{whole / row['median']:.2f} |")
    first = next(iter(orders.values()))
    runs = max(row["runs"] for row in first["orders"].values())
    return lines + ["", f"{first['machine']}, driver {first['driver']}, nvcc {first['nvcc']} `-O3`; medians of {runs} runs, "
                    "± half the range. Source: [results/index_order.json](results/index_order.json)."]


def table_of_choices(result):
    """A row a program: what the tool chose from a small run on the CPU, and the best order by hand."""
    lines = ["| program | chosen | kernel ms | against the sample | best by hand, ms |", "|---|---|---|---|---|"]
    for name, row in sorted(result["choices"].items()):
        hand = result["orders"].get(name, {}).get("orders", {}).values()
        best = f"{min(order['median'] for order in hand):.4g}" if hand else ""
        layouts = ", ".join(sorted({f"`{layout['layout']}`" for layout in row["layouts"]}))
        lines.append(f"| `{name}` | {layouts} | {row['choice']['median']:.4g} | "
                     f"{result['summary']['speedup'][name]:.2f} | {best} |")
    return lines


def tables(_):
    result = json.loads(RESULT.read_text())
    lines = [*table_of_choices(result), "", *table(result["orders"])]
    head, rest = PERFORMANCE.read_text().split(BEGIN)
    PERFORMANCE.write_text(head + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("prepare")
    command.add_argument("--out", required=True)
    command.add_argument("--programs", nargs="*", help="these samples [all]; record keeps the others' results")
    command.add_argument("--relayout", help="measure what this binary chooses as well")
    command.set_defaults(run=prepare)
    command = commands.add_parser("measure")
    command.add_argument("--dir", required=True)
    command.add_argument("--out", required=True)
    command.add_argument("--runs", type=int, default=5)
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    commands.add_parser("tables").set_defaults(run=tables)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
