#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `relayout optimize --on gpu` and `relayout verify --on gpu` over programs, and keeps what came of it in
docs/results/one_command.json.

  one_command.py measure --relayout bin/relayout --out RAW.json [--only NAME,NAME] [--runs N] [--seconds N]
                         [--programs FOLDER]...                             # with nvcc and a GPU
  one_command.py record --raw RAW.json

Programs are those of the batch.json files below each FOLDER [samples], each with its large arguments. `measure` adds to
RAW.json what it has not got yet, so that it can go on later; with --seconds it starts no further program after that
time. Where optimize keeps the original, verify compares SoA with it, if the rewriter makes that.
"""
import argparse
import datetime
import json
import pathlib
import re
import shutil
import subprocess
import time

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/one_command.json"
SLOWER = 1.01  # over 1 %


def programs_of(folders):
    for folder in folders:
        for file in sorted(pathlib.Path(folder).resolve().rglob("batch.json")):
            for program in json.loads(file.read_text())["programs"]:
                yield program, file.parent


def run(command, folder, limit):
    began = time.monotonic()
    try:
        done = subprocess.run([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=limit)
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        code, out, err = None, "", f"timed out after {limit} s"
    return {"exit_code": code, "seconds": round(time.monotonic() - began, 1), "out": out, "err": err}


def versions_in(report):
    """Version -> milliseconds, layouts by group, and which one was kept; as the report's groups have them."""
    versions = {}
    for group in report.get("groups", []):
        for row in group.get("measured", []):
            version = versions.setdefault(row["version"], {"ms": row["ms"], "deviation_ms": row["deviationMs"],
                                                           "kept": row["kept"], "layouts": []})
            version["layouts"].append(row["layout"])
    return versions


def measure_program(options, program, folder):
    work = options.work / program["name"]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    sources = [folder / name for name in program["sources"]]
    words = [*sources, *program.get("flags", []), "--on", "gpu"]
    arguments = ["--", *program.get("large", [])]
    entry = {"name": program["name"], "arguments": program.get("large", [])}
    done = run([options.relayout, "optimize", *words, "-o", work / "out", "--runs", options.runs, *arguments], work,
               options.limit)
    (work / "optimize.log").write_text(done["out"] + done["err"])
    report = work / "out/report.json"
    entry["optimize"] = {"exit_code": done["exit_code"], "seconds": done["seconds"],
                         "stages": {what.strip(): float(seconds) for what, seconds in
                                    re.findall(r"\[\d+/\d+\] (.*?) +([0-9.]+) s$", done["err"], re.M)},
                         "diagnostics": re.findall(r".*\[RL-\w+\]$", done["err"], re.M),
                         "verified": (re.search(r"^(?:not )?verified.*$", done["out"], re.M) or [None])[0],
                         "not_comparable": (re.search(r"^not comparable.*$", done["out"], re.M) or [None])[0],
                         "versions": versions_in(json.loads(report.read_text())) if report.exists() else {}}
    new = work / "out/rewritten"
    entry["compared"] = "the version kept"
    if not new.exists():
        new, entry["compared"] = work / "soa", "soa"
        run([options.relayout, "rewrite", *sources, *program.get("flags", []), "--layout", "soa", "-o", new], work,
            options.limit)
    if new.exists():
        done = run([options.relayout, "verify", *words, "--rewritten", new, "-o", work / "verify", *arguments], work,
                   options.limit)
        (work / "verify.log").write_text(done["out"] + done["err"])
        entry["verify"] = {"exit_code": done["exit_code"], "seconds": done["seconds"],
                           "text": (done["out"] or done["err"]).strip().splitlines()[:3]}
    for log in ("optimize.log", "verify.log"):
        if (work / log).exists():
            shutil.copy(work / log, options.work / f"{program['name']}.{log}")
    shutil.rmtree(work)
    return entry


def measure(options):
    options.relayout = pathlib.Path(options.relayout).resolve()
    options.work = pathlib.Path(options.work).resolve()
    out = pathlib.Path(options.out)
    ask = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip().split("\n")[0].split(", ")
    raw = json.loads(out.read_text()) if out.exists() else {"programs": []}
    raw |= {"gpu": gpu, "driver": driver, "runs": options.runs}
    have = {entry["name"] for entry in raw["programs"]}
    began = time.monotonic()
    for program, folder in programs_of(options.programs or [ROOT / "samples"]):
        if program["name"] in have or (options.only and program["name"] not in options.only.split(",")):
            continue
        if options.seconds and time.monotonic() - began > options.seconds:
            print(f"{program['name']} and what follows: left for another call", flush=True)
            break
        entry = measure_program(options, program, folder)
        raw["programs"].append(entry)
        out.write_text(json.dumps(raw, indent=1) + "\n")
        print(entry["name"], entry["optimize"]["exit_code"], f"{entry['optimize']['seconds']} s;",
              entry["optimize"]["verified"], entry["optimize"]["diagnostics"],
              {name: version["ms"] for name, version in entry["optimize"]["versions"].items()}, "; verify:",
              entry.get("verify"), flush=True)


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    speedup, kept, regret, failed, unverified, not_comparable, seconds = {}, {}, {}, [], [], [], {}
    for entry in raw["programs"]:
        name, optimize, versions = entry["name"], entry["optimize"], entry["optimize"]["versions"]
        seconds[name] = optimize["seconds"]
        if optimize["exit_code"] != 0:
            failed.append(name)
            continue
        if optimize["not_comparable"]:
            not_comparable.append(name)
        best = next((version for version, row in versions.items() if row["kept"]), "original")
        kept[name] = best
        if versions:
            speedup[name] = round(versions["original"]["ms"] / versions[best]["ms"], 3)
            regret[name] = round(versions[best]["ms"] / min(row["ms"] for row in versions.values()), 3)
        if (best != "original" and not (optimize["verified"] or "").startswith("verified")) or (
                entry.get("verify", {"exit_code": 0})["exit_code"] != 0):
            unverified.append(name)
    summary = {"gpu": raw["gpu"], "driver": raw["driver"], "runs": raw["runs"], "programs": len(raw["programs"]),
               "kept": kept, "speedup": speedup, "regret": regret, "failed": failed, "not_verified": unverified,
               "not_comparable": not_comparable, "seconds": seconds,
               "slower_than_original": sorted(n for n, ratio in speedup.items() if ratio < 1 / SLOWER)}
    RESULT.write_text(json.dumps({"summary": summary, **raw}, indent=1) + "\n")
    results_index.enter("one_command.json", "tests/gpu/one_command.py", raw["gpu"].replace("NVIDIA ", ""),
                        datetime.date.today().isoformat(),
                        "`optimize --on gpu` and `verify --on gpu` over the samples: what was kept, times, verdicts")
    print(json.dumps(summary, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure")
    command.add_argument("--relayout", required=True)
    command.add_argument("--out", required=True)
    command.add_argument("--work", default="one-command", help="folder for what is built, and for logs")
    command.add_argument("--only", default="")
    command.add_argument("--programs", action="append")
    command.add_argument("--runs", type=int, default=5)
    command.add_argument("--seconds", type=float, default=0)
    command.add_argument("--limit", type=float, default=300, help="seconds for one command")
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
