#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps what `relayout batch samples/` measured on a GPU in docs/results/samples.json.

  samples.py counters --batch FOLDER --relayout PROGRAM --out FOLDER   # where the batch ran
  samples.py ladders --out FOLDER                                      # on the same machine
  samples.py record --batch FOLDER [--ladders FOLDER] [--counters FOLDER] --machine FILE
  samples.py tables    # that of docs/performance.md from it
  samples.py chart     # docs/results/samples.svg from it; needs npm's vega-lite and vega-cli

FOLDER is the batch's folder of results; GPU, driver and compiler are those that it names. Programs that it has not
measured are listed as such. What the hand-tuned programs printed there becomes the ladders. `ladders` builds and runs
the reference programs that are in no batch because they solve another problem than their sample. `counters` counts
each program in its original layout, in the one that policy replay chose and, where a hand-tuned program runs one
variant only, that variant; these counts become the rooflines. They must be of this batch: a variant that changed
since has another binary. The machine file has the measured copy bandwidth.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/samples.json"
PERFORMANCE = ROOT / "docs/performance.md"
POLICIES = ("nakai", "replay")
# Vector rates without tensor cores, TFLOPS, by NVIDIA's data sheets.
PEAK_TFLOPS = {gpu: {"fp32": 66.9, "fp64": 33.5} for gpu in ("NVIDIA H100 80GB HBM3", "NVIDIA H200")}
# Bytes to and from DRAM, and operations, that one unit of the figure of merit is worth as the samples' READMEs count.
WORTH = {"drift": {"bytes": 12}, "himeno": {"bytes": 56 / 34}, "nbody": {"fp32": 1},
         "stencil": {"bytes": 64 / 147, "fp64": 1}}
# Reference programs that are in no batch, and how often each is run.
LADDERS, LADDER_RUNS = {"stencil": "samples/stencil/reference/ladder.cu"}, 3


class Program:
    """One program's variants, by name; variants of one text share their measurements."""

    def __init__(self, json_text):
        self.data = json.loads(json_text)
        self.name = self.data["program"]
        self.variants = {v["name"]: v for v in self.data["variants"]}

    def figures(self, name):
        variant = self.variants.get(name)
        return self.variants[variant["sameAs"] or name]["figures"] if variant else []

    def median(self, name):
        return statistics.median(self.figures(name)) if self.figures(name) else None

    def ratio(self, name, other):
        a, b = self.median(name), self.median(other)
        return round(a / b, 3) if a and b else None

    def kept(self, policy):
        """The variant that stands for a policy: its choice, or the fastest measured where its confidence is low."""
        return self.data["kept"].get(policy, policy)

    def best_by_hand(self):
        tuned = [n for n, v in self.variants.items() if v["state"] == "hand-tuned" and self.median(n)]
        return max(tuned, key=self.median, default=None)

    def best_layout(self):
        own = [n for n, v in self.variants.items() if v["state"] != "hand-tuned" and self.median(n)]
        return max(own, key=self.median, default=None)

    def sound(self):
        return not self.data["failure"] and all(
            v["state"] != "failed" and v.get("verifiedOnGpu", True) for v in self.variants.values())


LADDER_FIGURE = re.compile(r"([\d.]+) (iterations|ms each|ms|GFLOPS|GB/s|% of copy|[GM] \w+/s)")


def ladder_rows(text):
    """{variant: {unit: median}} of what a program of reference/ printed, once or several times."""
    rows = {}
    for line in text.splitlines():
        figures = list(LADDER_FIGURE.finditer(line))
        name = " ".join(line[:figures[0].start()].replace("kernel time:", "").split()) if figures else ""
        if not name or ":" in name:  # "copy: 3000 GB/s", "64^3 points: ... after 50 iterations"
            continue
        row = rows.setdefault(name, {})
        for figure in figures:
            row.setdefault(figure[2], []).append(float(figure[1]))
    return {name: {unit: statistics.median(values) for unit, values in row.items()} for name, row in rows.items()}


def ladders_of(batch, folder):
    """By "sample/source", what the hand-tuned programs of a batch and of a folder printed."""
    ladders = {}
    for program in described_programs().values():
        for k, tuned in enumerate(program.get("handTuned", [])):
            output = batch / program["name"] / "gpu" / f"hand-tuned-{k}.output.txt"
            if len(tuned["figures"]) > 1 and output.exists():
                ladders[f"{program['name']}/{tuned['source']}"] = ladder_rows(output.read_text())
    for output in sorted(folder.glob("*_ladder.txt")) if folder else []:
        ladders[f"{output.stem.removesuffix('_ladder')}/reference/ladder.cu"] = ladder_rows(output.read_text())
    return ladders


def of_ladders(ladders, copy, peaks):
    """The summary's figures from them."""
    summary = {}
    if hpcg := ladders.get("hpcg/reference/ladder.cu"):
        summary["hpcg_colouring"] = {name: {unit: hpcg[name][unit] for unit in ("iterations", "ms")}
                                     for name in ("transposed", "hierarchical")}
    if stencil := ladders.get("stencil/reference/ladder.cu"):
        best = max(stencil.values(), key=lambda row: row["GFLOPS"])
        summary["stencil_copy_fraction"] = round(best["GB/s"] / copy, 3)
        if peaks:
            summary["stencil_peak_flops_fraction"] = round(best["GFLOPS"] / (peaks["fp64"] * 1000), 3)
    return summary


def described_programs():
    return {p["name"]: p for f in sorted((ROOT / "samples").glob("*/batch.json"))
            for p in json.loads(f.read_text())["programs"]}


def by_policy(programs, value):
    table = {policy: {p.name: value(p, policy) for p in programs} for policy in POLICIES}
    return {policy: {k: v for k, v in row.items() if v is not None} for policy, row in table.items()}


def rows(program):
    result = {}
    for name, variant in program.variants.items():
        figures = program.figures(name)
        row = {"layout": variant["layout"], "state": variant["state"], "same_as": variant["sameAs"],
               "identical_on_gpu": variant.get("verifiedOnGpu"), "figures": variant["figures"]}
        if figures:
            median = statistics.median(figures)
            row |= {"median": median, "spread": round((max(figures) - min(figures)) / median, 4)}
        if variant["reason"]:
            row["reason"] = variant["reason"]
        result[name] = row
    return result


# Launches of a kernel differ in size where the longest takes so many times the mean.
ALIKE = 1.5


def roofline(report, copy, peaks):
    """Shares of the measured copy bandwidth and of the peak rates, over all kernels of a run.

    The first launches of a kernel are counted. Where its launches differ in size, as on the levels of a multigrid, the
    mean of these is compared with the longest one, so the kernel's shares are at least those."""
    counted = json.loads(report.read_text())["counters"]
    counts = {k["kernel"]: k for k in counted["kernels"] if k["counted_launches"]}
    times = [k for k in counted["kernel_times"] if k["kernel"] in counts]
    nanoseconds = sum(k["all_ns"] for k in times)

    def total(names):
        summed = 0
        for k in times:
            mean = k["all_ns"] / k["launches"]
            of_counted = k["most_ns"] if k["most_ns"] > ALIKE * mean else mean
            kernel = counts[k["kernel"]]
            one = sum(weight * kernel["counters"].get(name, 0) for name, weight in names.items()) / kernel["counted_launches"]
            summed += one / of_counted * k["all_ns"]
        return summed

    flops = lambda letter: total({f"smsp__sass_thread_inst_executed_op_{letter}{op}_pred_on.sum": weight
                                  for op, weight in (("add", 1), ("mul", 1), ("fma", 2))})
    dram = total({"dram__bytes_read.sum": 1, "dram__bytes_write.sum": 1})
    counts_flops = any("_op_ffma_" in name for k in counted["kernels"] for name in k["counters"])
    return {"dram_of_copy_bandwidth": round(dram / nanoseconds / copy, 3),
            **{f"{name}_of_peak": round(flops(letter) / nanoseconds / 1000 / peaks[name], 3)
               for name, letter in (("fp32", "f"), ("fp64", "d")) if counts_flops and name in peaks}}


def useful_shares(name, medians, copy, peaks):
    """By variant, which part of the copy bandwidth and of the peak rates the useful work of its figure is."""
    bounds = {"bytes": ("copy_bandwidth", copy), **{rate: (f"{rate}_peak", peak * 1000) for rate, peak in peaks.items()}}
    return {variant: {bounds[what][0]: round(worth * figure / bounds[what][1], 3)
                      for what, worth in WORTH[name].items() if what in bounds}
            for variant, figure in medians.items() if figure}


def counters(options):
    """Hardware counters and kernel times of the programs that a batch built."""
    batch, out = pathlib.Path(options.batch), pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    described = described_programs()
    for name in options.programs or sorted(described):
        file = batch / name / "result.json"
        if not file.exists():
            continue
        program = Program(file.read_text())
        large = described[program.name]["large"]
        kept = program.variants[program.kept("replay")]
        runs = {"original": ("original", large), "replay": (kept["sameAs"] or kept["name"], large)}
        for k, tuned in enumerate(described[program.name].get("handTuned", [])):
            if len(tuned["figures"]) == 1:
                runs["hand-tuned"] = (f"hand-tuned-{k}", tuned.get("arguments", large))
        for name, (binary, arguments) in runs.items():
            path = file.parent / "gpu" / binary
            if path.exists():
                done = subprocess.run([options.relayout, "profile", "--counters", "-o", out / f"{program.name}.{name}.rlt",
                                       "--", path.resolve(), *arguments], capture_output=True, text=True)
                print(program.name, name, "counted" if done.returncode in (0, 4) else done.stderr[-400:], flush=True)


def ladders(options):
    """What the reference programs outside of batches print, several runs in a file."""
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    for name, source in LADDERS.items():
        binary = out / f"{name}_ladder"
        subprocess.run(["nvcc", "-O3", "-arch=native", ROOT / source, "-o", binary], check=True)
        text = "".join(subprocess.run([binary.resolve()], check=True, capture_output=True, text=True).stdout
                       for _ in range(LADDER_RUNS))
        (out / f"{name}_ladder.txt").write_text(text)
        binary.unlink()


def rooflines(folder, copy, peaks):
    shares = {}
    for report in sorted(pathlib.Path(folder).glob("*.gpu.json")):
        program, variant = report.name.split(".")[:2]
        shares.setdefault(program, {})[variant] = roofline(report, copy, peaks)
    return shares


def record(options):
    folder = pathlib.Path(options.batch)
    programs = sorted((Program(f.read_text()) for f in folder.glob("*/result.json")), key=lambda p: p.name)
    measured = [p for p in programs if p.median("original")]
    machine = json.loads((folder / "results.json").read_text())["machine"]
    peaks = PEAK_TFLOPS.get(machine["gpu"], {})
    copy = json.loads(pathlib.Path(options.machine).read_text())["copy_bytes_per_ns"]
    named = {p.name: p for p in measured}
    summary = {
        "gpu": machine["gpu"],
        "samples": [p.name for p in measured],
        "not_measured": [p.name for p in programs if p not in measured],
        "all_verified": all(p.sound() for p in programs),
        "choices": {p.name: {policy: p.variants[p.kept(policy)]["layout"] for policy in POLICIES} for p in programs},
        "choices_not_kept": {p.name: {policy: p.variants[policy]["layout"] for policy in POLICIES
                                      if p.kept(policy) != policy}
                             for p in programs if any(p.kept(policy) != policy for policy in POLICIES)},
        "speedup_over_aos": by_policy(measured, lambda p, policy: p.ratio(p.kept(policy), "original")),
        "speedup_over_soa": by_policy(measured, lambda p, policy: p.ratio(p.kept(policy), "soa")),
        "speedup_over_hand_tuned": by_policy(
            measured, lambda p, policy: p.ratio(p.kept(policy), p.best_by_hand()) if p.best_by_hand() else None),
        "best_measured_over_choice": by_policy(measured, lambda p, policy: p.ratio(p.best_layout(), p.kept(policy))),
        "best_measured_over_prediction": by_policy(measured, lambda p, policy: p.ratio(p.best_layout(), policy)),
    }
    summary["useful_share"] = {
        p.name: useful_shares(p.name, {"original": p.median("original"), "aligned-aos": p.median("aligned-aos"), "soa": p.median("soa"),
                                       **{policy: p.median(p.kept(policy)) for policy in POLICIES},
                                       "hand-tuned": p.median(p.best_by_hand())}, copy, peaks)
        for p in measured if p.name in WORTH}
    if options.counters:
        summary["roofline"] = rooflines(options.counters, copy, peaks)
    if "himeno" in named:
        gigabytes = WORTH["himeno"]["bytes"] * max(
            named["himeno"].median(n) for n in named["himeno"].variants if named["himeno"].median(n))
        summary["himeno_copy_fraction"] = round(gigabytes / copy, 3)
    if "nbody" in named:
        best = named["nbody"].median(named["nbody"].kept("replay"))
        summary["nbody_gflops"] = {"replay": best, "hand-tuned": named["nbody"].median(
            named["nbody"].best_by_hand()), "fp32_peak": peaks.get("fp32", 0) * 1000}
    ladders = ladders_of(folder, pathlib.Path(options.ladders) if options.ladders else None)
    summary |= of_ladders(ladders, copy, peaks)
    RESULT.write_text(json.dumps({"summary": summary, "driver": machine["driver"], "nvcc": machine["nvcc"],
                                  "copy_bytes_per_ns": copy, "ladders": ladders,
                                  "programs": {p.name: {"unit": p.data["unit"], "traced": p.data["traced"], "kept": p.data["kept"],
                                                        "variants": rows(p)} for p in programs}},
                                 indent=1) + "\n")
    print(f"{RESULT.relative_to(ROOT)}: {len(measured)} of {len(programs)} programs measured")


def chart(options):
    """Bars of the speed-up over SoA, as figures 19 and 20 of Nakai & Ohno (2017) draw it."""
    data = json.loads(RESULT.read_text())
    order = ["original", "aligned-aos", "soa", *POLICIES, "hand-tuned"]
    values = []
    for name in data["summary"]["samples"]:
        variants = data["programs"][name]["variants"]
        median = lambda row: row.get("median") or variants[row["same_as"]].get("median")
        kept = data["programs"][name]["kept"]
        bars = {v: median(variants[kept.get(v, v)]) for v in order if v in variants}
        by_hand = [row["median"] for row in variants.values() if row["state"] == "hand-tuned"]
        if by_hand:
            bars["hand-tuned"] = max(by_hand)
        values += [{"program": name, "variant": v, "speedup": round(m / bars["soa"], 3)}
                   for v, m in bars.items()]
    specification = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": f"Speed-up over SoA, {data['summary']['gpu']}",
        "width": 720, "height": 240,
        "data": {"values": values},
        "mark": "bar",
        "encoding": {
            "x": {"field": "program", "type": "nominal", "title": None, "sort": None, "axis": {"labelAngle": 0}},
            "xOffset": {"field": "variant", "sort": order},
            "y": {"field": "speedup", "type": "quantitative", "title": "speed-up over SoA"},
            "color": {"field": "variant", "type": "nominal", "sort": order, "title": None},
        }}
    svg = subprocess.run(["vl2svg"], input=json.dumps(specification), check=True, capture_output=True,
                         text=True).stdout
    RESULT.with_suffix(".svg").write_text(svg)


def ladder_sentence(data):
    """What the papers' own programs reach, in a line; of those that were run."""
    summary, parts = data["summary"], []
    percent = lambda share: f"{100 * share:.0f} %"
    if "himeno_copy_fraction" in summary:
        parts.append(f"`himeno`'s best variant moves {percent(summary['himeno_copy_fraction'])} of the measured copy bandwidth "
                     "(Naruse and others: 81 % of the peak on a GTX 280)")
    if "stencil_copy_fraction" in summary:
        parts.append(f"`stencil`'s ladder reaches {percent(summary['stencil_peak_flops_fraction'])} of the FP64 rate and "
                     f"{percent(summary['stencil_copy_fraction'])} of copy bandwidth (Hirokawa and others: 32 % of peak on a V100)")
    if colouring := summary.get("hpcg_colouring"):
        plain, groups = colouring["transposed"], colouring["hierarchical"]
        parts.append(f"`hpcg` takes {plain['iterations']:.0f} iterations and {plain['ms']:.0f} ms with plain colouring, "
                     f"{groups['iterations']:.0f} and {groups['ms']:.0f} ms with hierarchical colouring")
    if nbody := summary.get("nbody_gflops"):
        parts.append(f"`nbody` computes {nbody['replay'] / 1000:.1f} TFLOPS by layout and {nbody['hand-tuned'] / 1000:.1f} by hand "
                     f"of {nbody['fp32_peak'] / 1000:.1f} (FP32 rate)")
    return "\n" + "; ".join(parts) + "." if parts else ""


ROOFLINES = {"dram_of_copy_bandwidth": "copy bandwidth", "fp32_of_peak": "FP32 peak", "fp64_of_peak": "FP64 peak",
             "copy_bandwidth": "copy bandwidth*", "fp32_peak": "FP32 peak*", "fp64_peak": "FP64 peak*"}


class Row:
    """A program's speed over its original, by variant, as text."""

    def __init__(self, data, name):
        program, summary = data["programs"][name], data["summary"]
        self.variants, self.unit = program["variants"], program["unit"]
        self.base = self.variants["original"]["median"]
        self.kept = program["kept"].get("replay", "replay")
        self.choice = summary["choices"][name]["replay"].replace("|", "\\|").replace("as it is", "original")
        by_hand = [row["median"] for row in self.variants.values() if row["state"] == "hand-tuned"]
        self.by_hand = f"{max(by_hand) / self.base:.2f}" if by_hand else "–"
        shares = summary.get("roofline", {}).get(name, {}).get("replay") or \
            summary.get("useful_share", {}).get(name, {}).get("replay", {})
        bound = max(shares, key=shares.get, default=None)
        self.roofline = f"{100 * shares[bound]:.0f} % of {ROOFLINES[bound]}" if bound else "–"

    def median(self, name):
        row = self.variants[name]
        return row.get("median") or self.variants[row["same_as"]].get("median")

    def ratio(self, name):
        return f"{self.median(name) / self.base:.2f}"


def machine_line(data):
    runs = max(len(row["figures"]) for row in data["programs"][data["summary"]["samples"][0]]["variants"].values())
    return f"{data['summary']['gpu']}, driver {data['driver']}, nvcc {data['nvcc']}, medians of {runs} runs"


def long_table(data):
    lines = ["| program | original | aligned AoS | SoA | `nakai` | `replay` | hand-tuned | roofline | layout chosen by `replay` |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name in data["summary"]["samples"]:
        row = Row(data, name)
        note = "" if row.kept == "replay" else \
            f" (measured and kept, as the model's confidence is low; its own choice: {row.ratio('replay')})"
        cells = [f"`{name}`", f"{row.base:.4g} {row.unit}", row.ratio("aligned-aos"), row.ratio("soa"), row.ratio("nakai"),
                 f"**{row.ratio(row.kept)}**", row.by_hand, row.roofline, row.choice + note]
        lines.append("| " + " | ".join(cells) + " |")
    return lines + ["", f"{machine_line(data)}; speed over the original. Source: `relayout batch samples/`, "
                    "[results/samples.json](results/samples.json). Roofline: the nearest bound of `replay`'s variant, by hardware "
                    "counters over all its kernels; *: of the work that the figure of merit counts.", ladder_sentence(data)]


def put(page, lines):
    begin, end = "<!-- samples:begin -->\n", "<!-- samples:end -->"
    head, rest = page.read_text().split(begin)
    page.write_text(head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])


def tables(_):
    data = json.loads(RESULT.read_text())
    put(PERFORMANCE, long_table(data))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    keep = commands.add_parser("record")
    keep.add_argument("--batch", required=True)
    keep.add_argument("--ladders")
    keep.add_argument("--counters")
    keep.add_argument("--machine", required=True, help="machine file of the batch's GPU")
    keep.set_defaults(run=record)
    count = commands.add_parser("counters")
    for option in ("--batch", "--relayout", "--out"):
        count.add_argument(option, required=True)
    count.add_argument("--programs", nargs="*", help="these, in this order [all]")
    count.set_defaults(run=counters)
    run_ladders = commands.add_parser("ladders")
    run_ladders.add_argument("--out", required=True)
    run_ladders.set_defaults(run=ladders)
    commands.add_parser("tables").set_defaults(run=tables)
    commands.add_parser("chart").set_defaults(run=chart)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
