#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures on a GPU what relayout chooses without one, and keeps it in docs/results/default_path.json.

  default_path.py prepare --relayout build/bin/relayout --machine h200 --out DIR [--real] [--programs FOLDER]...
                                                                        # no GPU needed
  default_path.py measure --dir DIR --out RAW.json                      # with nvcc and a GPU; DIR is all it needs
  default_path.py record --raw RAW.json
  default_path.py predict --relayout build/bin/relayout --work DIR      # no GPU needed

Programs are those of the batch.json files below each FOLDER [samples]. `prepare` runs `relayout optimize` on each with
its small arguments and no other option than the machine (`--real`: and its large ones as --real-arguments), and
rewrites it into each standard layout, into the choice with its elements in the orders that bricks.json names, and into the
choice without launch bounds where it has some (`unbounded`). `measure` builds
all with nvcc, and runs the variants of a program in turn with its large arguments, so that drift of the machine meets
all alike; then with the other arguments that sizes.json names (`at_sizes` in the results). A program outside this repository counts as unseen. Programs of one text are built once. `predict` compares what
is predicted today from the small arguments with what was measured, once from that run alone and once with a run of the
arguments in other_sizes.json beside it (`--scale-with`): the choice, and the error of its time over the original's.
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/default_path.json"
BRICKS = json.loads((ROOT / "tests/gpu/bricks.json").read_text()) if (ROOT / "tests/gpu/bricks.json").exists() else {}
LLAMA = json.loads((ROOT / "tests/gpu/llama.json").read_text())
SIZES = json.loads((ROOT / "tests/gpu/sizes.json").read_text())
LAYOUTS = ["aligned-aos", "soa", "exploded-soa", "aosoa-32", "aosoa-128"]
NVCC_FLAGS = ["-O3", "-std=c++17", "-arch=native"]
NEAR, SLOWER = 1.02, 1.01  # within 2 % of the best; slower than the original by over 1 %


def programs_of(folders):
    for folder in folders:
        for file in sorted(pathlib.Path(folder).resolve().rglob("batch.json")):
            for program in json.loads(file.read_text())["programs"]:
                yield program, file.parent, ROOT in file.parents


def run(command, log, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", **options)
    log.write_text(done.stdout)
    return done.returncode


def prepare_program(options, program, folder, own):
    work = options.out / program["name"]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    sources = [folder / name for name in program["sources"]]
    flags = program.get("flags", [])
    entry = {"name": program["name"], "own": own, "large": program.get("large", []), "figure": program["figure"],
             "smallerIsBetter": program.get("smallerIsBetter", False), "flags": flags, "variants": {}}
    shutil.copytree(folder, work / "original", ignore=shutil.ignore_patterns("relayout-out", ".git"))
    entry["variants"]["original"] = {"sources": program["sources"]}
    chosen = work / "chosen"
    real = ["--real-arguments", " ".join(entry["large"])] if options.real else []
    code = run([options.relayout, "optimize", *sources, *flags, "--on", "cpu", "--machine", options.machine, *real, "-o", chosen, "-q",
                "--", *program.get("small", [])], work / "optimize.log", cwd=folder, stdin=subprocess.DEVNULL)
    plan_file = chosen / "plan.json"
    plan = json.loads(plan_file.read_text()) if plan_file.exists() else None
    entry["exit_code"] = code
    if plan:
        entry["choices"] = choices_in(plan_file)
    for name in LAYOUTS:
        code = run([options.relayout, "rewrite", *sources, *flags, "--layout", name, "-o", work / name],
                   work / f"{name}.log", cwd=folder)
        if code == 0:
            entry["variants"][name] = {"sources": program["sources"]}
    for name, orders in BRICKS.get(program["name"], {}).items() if own and plan else ():
        for decision in plan["decisions"]:
            if not decision["keep"] and decision["record"] in orders:
                decision["layout"] = {**decision["layout"], "order": {"texts": [], **orders[decision["record"]]}}
        (work / f"{name}.json").write_text(json.dumps(plan))
        if run([options.relayout, "rewrite", *sources, *flags, "--plan", work / f"{name}.json", "-o", work / name],
               work / f"{name}.log", cwd=folder) == 0:
            entry["variants"][name] = {"sources": program["sources"]}
    if plan and plan.pop("launchBounds", None):
        (work / "unbounded.json").write_text(json.dumps(plan))
        if run([options.relayout, "rewrite", *sources, *flags, "--plan", work / "unbounded.json", "-o", work / "unbounded"],
               work / "unbounded.log", cwd=folder) == 0:
            entry["variants"]["unbounded"] = {"sources": program["sources"]}
    if (chosen / "rewritten").exists():
        shutil.move(chosen / "rewritten", work / "choice")
        entry["variants"]["choice"] = {"sources": program["sources"]}
    shutil.rmtree(chosen, ignore_errors=True)
    for name in entry["variants"]:  # what the rewriting left out is read from the original
        if name != "original":
            for file in (work / "original").rglob("*"):
                target = work / name / file.relative_to(work / "original")
                if file.is_file() and not target.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, target)
    print(f"{program['name']}: {', '.join(entry['variants'])}", flush=True)
    return entry


def prepare(options):
    options.out = pathlib.Path(options.out).resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    options.relayout = pathlib.Path(options.relayout).resolve()
    entries = [prepare_program(options, *found) for found in programs_of(options.programs or [ROOT / "samples"])]
    (options.out / "programs.json").write_text(json.dumps(
        {"machine": options.machine, "path": "real arguments" if options.real else "small arguments",
         "programs": entries}, indent=1))


def digest(folder):
    text = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.suffix in (".cu", ".cuh", ".h", ".hpp", ".cpp", ".c"):
            text.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    return text.hexdigest()


def build(folder, entry, name):
    place = folder / entry["name"] / name
    sources = [place / source for source in entry["variants"][name]["sources"]]
    done = subprocess.run(["nvcc", *NVCC_FLAGS, *entry["flags"], *map(str, sources), "-o", str(place / "program")],
                          capture_output=True, text=True, cwd=place)
    return None if done.returncode == 0 else (done.stdout + done.stderr)[-2000:]


def figures_of(folder, entry, arguments, runs):
    """Variant -> what it printed in each run; of variants of one text, the first alone."""
    figures = {}
    for turn in range(runs + 1):  # the first round warms up and is left out
        for name, variant in entry["variants"].items():
            program, place = variant["same_as"]
            binary = folder / program / place / "program"
            if not binary.exists() or (program == entry["name"] and place != name):
                continue
            try:
                done = subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=120,
                                      cwd=binary.parent, env={**os.environ, "CUDA_MODULE_LOADING": "EAGER"})
                found = re.search(entry["figure"], done.stdout)
            except subprocess.TimeoutExpired:
                found = None
            if found and turn:
                figures.setdefault(name, []).append(float(found.group(1)))
    return figures


def measure(options):
    folder = pathlib.Path(options.dir).resolve()
    prepared = json.loads((folder / "programs.json").read_text())
    entries = prepared["programs"]
    first, jobs = {}, []
    for entry in entries:
        for name in entry["variants"]:
            key = digest(folder / entry["name"] / name)
            entry["variants"][name]["same_as"] = first.setdefault(key, (entry["name"], name))
            if first[key] == (entry["name"], name):
                jobs.append((entry, name))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = list(pool.map(lambda job: build(folder, *job), jobs))
    for (entry, name), failure in zip(jobs, failures):
        if failure:
            entry["variants"][name]["build_failure"] = failure
    ask = ["nvidia-smi", "-i", "0", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip().split(", ")
    done_with = []
    for entry in entries:
        figures = figures_of(folder, entry, entry["large"], options.runs)
        at_sizes = [{"arguments": other, "figures": figures_of(folder, entry, other, options.runs)}
                    for other in SIZES.get(entry["name"], [])]
        if at_sizes:
            entry["at_sizes"] = at_sizes
        for name, variant in entry["variants"].items():
            program, place = variant.pop("same_as")
            variant["same_as"] = place if program == entry["name"] and place != name else None
            variant["figures"] = figures.get(place if program == entry["name"] else name, [])
        print(entry["name"], {n: statistics.median(v["figures"]) for n, v in entry["variants"].items() if v["figures"]},
              flush=True)
        done_with.append(entry)
        pathlib.Path(options.out).write_text(json.dumps(
            {"path": prepared["path"], "gpu": gpu, "driver": driver, "nvcc_flags": NVCC_FLAGS, "runs": options.runs,
             "programs": done_with}, indent=1))


def times(entry):
    """Variant -> time, in units of the program's own figure."""
    found = {n: statistics.median(v["figures"]) for n, v in entry["variants"].items() if v["figures"]}
    return found if entry["smallerIsBetter"] else {n: 1 / figure for n, figure in found.items()}


def enter_in_index(gpu):
    results_index.enter("default_path.json", "tests/gpu/default_path.py", gpu.replace("NVIDIA ", ""),
                        datetime.date.today().isoformat(),
                        "what is chosen from CPU traces, small and sampled ones of the real size, against the original "
                        "and standard layouts; `predicted`: what is predicted of the small ones, alone and with a second run")


def over_llama(gpu, speedup):
    """Program -> time of LLAMA's fastest mapping over the choice's, both against the original's of their own run."""
    if gpu != LLAMA["gpu"]:
        return {}
    return {name: round(LLAMA["best"][name] / LLAMA["original"][name] * speedup[name], 3)
            for name in LLAMA["best"] if name in speedup}


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    result = json.loads(RESULT.read_text()) if RESULT.exists() else {"summary": {}, "runs": {}}
    before = result["runs"].get(raw["path"], {})
    if (before.get("gpu"), before.get("driver")) == (raw["gpu"], raw["driver"]):  # programs measured earlier stay
        measured = {entry["name"] for entry in raw["programs"]}
        raw["programs"] += [entry for entry in before["programs"] if entry["name"] not in measured]
        raw["programs"].sort(key=lambda entry: entry["name"])
        raw["runs"] = min(raw["runs"], before["runs"])
    regret, speedup, unseen, missing = {}, {}, [], []
    for entry in raw["programs"]:
        time = times(entry)
        kept = "choice" if "choice" in time else "original"
        if "original" not in time or ("choice" in entry["variants"] and "choice" not in time):
            missing.append(entry["name"])
            continue
        regret[entry["name"]] = round(time[kept] / min(time.values()), 3)
        speedup[entry["name"]] = round(time["original"] / time[kept], 3)
        if not entry["own"]:
            unseen.append(entry["name"])
    slower = sorted(name for name, ratio in speedup.items() if ratio < 1 / SLOWER)
    summary = {"gpu": raw["gpu"], "driver": raw["driver"], "runs": raw["runs"], "default_path_regret": regret,
               "speedup": speedup, "slower_than_original": slower,
               "llama_best_over_choice": over_llama(raw["gpu"], speedup),
               "within_2_percent": sum(ratio <= NEAR for ratio in regret.values()), "programs": len(regret),
               "unseen_programs": len(unseen), "unseen_within_2_percent": sum(regret[n] <= NEAR for n in unseen),
               "unseen_slower": sum(n in slower for n in unseen), "not_measured": missing}
    result["summary"][raw["path"]] = summary
    result["runs"][raw["path"]] = raw
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    enter_in_index(raw["gpu"])
    print(json.dumps(summary, indent=1))


def command_of(relayout, *words):
    return subprocess.run([str(word) for word in (relayout, *words)], capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL)


def layouts_in(plan):
    """By record and arrays; True: kept."""
    return [(d["record"], d["arrays"], d["keep"] or d["layout"]) for d in json.loads(plan.read_text())["decisions"]]


def predicted_ratio(report):
    """Of all kernels' times with the choice to those of the original. A kernel of several groups has in each the layouts
    that were decided before, so it begins with the longest time and has the factors of all."""
    before, factor = {}, {}
    for group in report["groups"]:
        for row in group["kernels"]:
            now, then = row["before"]["totalNs"], row["after"]["totalNs"]
            before[row["kernel"]] = max(before.get(row["kernel"], 0), now)
            if not group["keep"]:
                factor[row["kernel"]] = factor.get(row["kernel"], 1) * then / now
    after = sum(ns * factor.get(kernel, 1) for kernel, ns in before.items())
    return after / sum(before.values()) if before else 1.0


def choices_in(plan):
    return {d["record"]: d.get("name") or d["layout"] for d in json.loads(plan.read_text())["decisions"]}


def is_as_measured(plan, entry):
    """Whether the plan is the choice that was measured. Arrays that relayout did not look at then are to be kept."""
    then, now = entry.get("choices", {}), choices_in(plan)
    kept = {d["record"] for d in json.loads(plan.read_text())["decisions"] if d["keep"]}
    return "choice" in entry["variants"] and all(now.get(record) == layout for record, layout in then.items()) and \
        all(record in then or record in kept for record in now)


def predict_program(options, program, folder, entry, other):
    time = times(entry)
    work = options.work / program["name"]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    call = lambda *words: command_of(options.relayout, *words)
    call("instrument", *(folder / source for source in program["sources"]), *program.get("flags", []), "-o", work / "traced")
    call("run", work / "traced", "-o", work / "small.rlt", "--", *program.get("small", []))
    call("run", work / "traced", "-o", work / "other.rlt", "--", *other.split())
    standards = {}
    for name in LAYOUTS:
        if call("analyze", work / "small.rlt", "--layout", name, "-o", work / f"{name}.json").returncode == 0:
            standards[name] = layouts_in(work / f"{name}.json")
    row = {"other": other}
    for way, words in (("alone", []), ("with_second_run", ["--scale-with", work / "other.rlt"])):
        done = call("analyze", work / "small.rlt", *words, "--machine", options.machine, "--json", "-o", work / f"{way}.json")
        if done.returncode != 0:
            print(program["name"], done.stderr[-500:])
            return None
        found = layouts_in(work / f"{way}.json")
        if all(layout is True for _, _, layout in found):
            name = "original"
        elif is_as_measured(work / f"{way}.json", entry):
            name = "choice"
        else:
            name = next((name for name, layouts in standards.items() if layouts == found and name in time), None)
        ratio = predicted_ratio(json.loads(done.stdout)["result"]["report"])
        row[way] = {"variant": name, "predicted": round(ratio, 3)}
        if name in time:
            measured = time[name] / time["original"]
            row[way].update({"measured": round(measured, 3), "error": round(abs(ratio / measured - 1), 3),
                             "regret": round(time[name] / min(time.values()), 3)})
    print(program["name"], row, flush=True)
    return row


def predict(options):
    options.work = pathlib.Path(options.work).resolve()
    options.relayout = pathlib.Path(options.relayout).resolve()
    others = json.loads((ROOT / "tests/gpu/other_sizes.json").read_text())
    result = json.loads(RESULT.read_text())
    measured = {entry["name"]: entry for entry in result["runs"]["small arguments"]["programs"]}
    rows = {}
    for program, folder, _ in programs_of([ROOT / "samples"]):
        name = program["name"]
        if name not in measured or name not in others or (options.only and name not in options.only):
            continue
        row = predict_program(options, program, folder, measured[name], others[name])
        if row:
            rows[name] = row
    summary = {}
    for way in ("alone", "with_second_run"):
        # What stays as it is takes as long as it does by definition.
        errors = [row[way]["error"] for row in rows.values() if "error" in row[way] and row[way]["variant"] != "original"]
        regrets = [row[way]["regret"] for row in rows.values() if "regret" in row[way]]
        summary[way] = {"programs": len(rows), "not_measured": [n for n, row in rows.items() if "error" not in row[way]],
                        "original": [n for n, row in rows.items() if row[way]["variant"] == "original"],
                        "ratio_error_median": round(statistics.median(errors), 3), "ratio_error_max": round(max(errors), 3),
                        "within_2_percent": sum(regret <= NEAR for regret in regrets)}
    print(json.dumps(summary, indent=1))
    if options.only:
        return
    gpu = result["runs"]["small arguments"]["gpu"]
    result["predicted"] = {"gpu": gpu, "date": datetime.date.today().isoformat(), "summary": summary, "programs": rows}
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    enter_in_index(gpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("prepare")
    command.add_argument("--relayout", required=True)
    command.add_argument("--machine", default="h200")
    command.add_argument("--out", required=True)
    command.add_argument("--programs", action="append")
    command.add_argument("--real", action="store_true")
    command.set_defaults(run=prepare)
    command = commands.add_parser("measure")
    command.add_argument("--dir", required=True)
    command.add_argument("--out", required=True)
    command.add_argument("--runs", type=int, default=5)
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    command = commands.add_parser("predict")
    command.add_argument("--relayout", required=True)
    command.add_argument("--machine", default="h200")
    command.add_argument("--work", required=True)
    command.add_argument("--only", action="append", help="this program; nothing is recorded")
    command.set_defaults(run=predict)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
