#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures versions of third-party programs on a GPU: the original, what relayout chose, a forced layout. Knows none.

  versions.py measure --dir DIR --libraries LIB --out RAW.json [--runs N] [--limit S] [NAME]...
  versions.py record --dir DIR --raw RAW.json --machine NAME [--rule FILE]... [--left-alone NAME]...
                                                                # adds to docs/results/versions.json

DIR has a folder for each program: `original` and one folder a version, with all files of the program or those that
changed; `build`, the line that builds it (nvcc, its flags, the units first to last); `args`, the arguments of a run of
the size that its authors run, and `repository`, "owner/name". LIB has librelayout_copies.so and librelayout_counters.so.
Versions run in turn; the first run of each warms up. Times are those of all kernels by CUPTI, conversions among them. A
version whose copies to the host are not those of the original, which repeats its own, is built once more, as the original is,
with -fmad=false: which products and sums nvcc contracts to FMAs depends on the surrounding code, so that programs that compute
the same round differently. If the copies still differ, it is a silent difference. `--left-alone`
names programs that relayout, repaired since they were measured, leaves as they are.
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/gpu"))
import results_index  # noqa: E402
import steps  # noqa: E402

RESULT = ROOT / "docs/results/versions.json"
ORIGINAL = "original"


def folder_of(root, unit):
    """The folder below root that the unit's path is relative to; None where it is not there."""
    parts = pathlib.Path(unit).parts
    found = [path for path in root.rglob(parts[-1]) if path.parts[-len(parts):] == parts]
    return min(found, key=lambda path: len(path.parts)).parents[len(parts) - 1] if found else None


def build(program, version, scratch, *more):
    words = (program / "build").read_text().split("#")[0].split()[1:]
    output = words.index("-o") if "-o" in words else len(words)
    words = [word for word in words[:output] + words[output + 2:] if not word.startswith("-arch")]
    unit = next(word for word in words if word.endswith(".cu"))
    place = scratch / program.name / "-".join([version, *more])
    shutil.copytree(program / ORIGINAL, place)
    folder = folder_of(place, unit)
    if version != ORIGINAL:
        shutil.copytree(folder_of(program / version, unit) or program / version, folder, dirs_exist_ok=True)
    done = subprocess.run(["nvcc", "-w", "-arch=native", "-cudart", "shared", *more, *words, "-o", "program"], cwd=folder,
                          capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{program.name}, {version}: not built: {done.stderr[-300:]}", flush=True)
    return folder if done.returncode == 0 else None


def run(folder, arguments, options, scratch):
    done = steps.run_counted(["./program", *arguments], folder, options.limit, options.libraries, scratch)
    text = done.pop("copies")
    return {**done, "copies": text.count("\n"), "digest": hashlib.sha256(text.encode()).hexdigest()}


def differing(taken):
    """Versions whose copies are not the original's, where it repeats its own."""
    digests = {version: {run["digest"] for run in runs} for version, runs in taken.items() if runs}
    repeats = len(digests.get(ORIGINAL, ())) == 1
    return [version for version, of in digests.items() if repeats and of != digests[ORIGINAL]]


def digests_without_fma(program, versions, arguments, options, scratch):
    """Of the original and the versions, built without FMA contraction."""
    folders = {version: build(program, version, scratch, "-fmad=false") for version in [ORIGINAL, *versions]}
    return {version: run(folder, arguments, options, scratch)["digest"] for version, folder in folders.items() if folder}


def measure(options):
    options.libraries = {name: (options.libraries / f"librelayout_{name}.so").resolve() for name in ("copies", "counters")}
    programs = [path for path in sorted(options.dir.iterdir())
                if (path / "build").exists() and (not options.names or path.name in options.names)]
    ask = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.split("\n")[0].split(", ")
    raw = {"gpu": gpu, "driver": driver, "date": datetime.date.today().isoformat(), "runs": options.runs, "programs": {}}
    with tempfile.TemporaryDirectory() as temporary:
        scratch = pathlib.Path(temporary)
        jobs = [(program, path.name) for program in programs for path in sorted(program.iterdir()) if path.is_dir()]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            folders = dict(zip(jobs, pool.map(lambda job: build(*job, scratch), jobs)))
        for program in programs:
            built = {version: folder for (of, version), folder in folders.items() if of == program and folder}
            arguments = (program / "args").read_text().split() if (program / "args").exists() else []
            taken = {version: [] for version in built}
            for _ in range(options.runs + 1):
                for version, folder in built.items():
                    if all(done["code"] == 0 for done in taken[version]):
                        taken[version].append(run(folder, arguments, options, scratch))
            raw["programs"][program.name] = {"arguments": arguments, "versions": taken}
            if unlike := differing(taken):
                raw["programs"][program.name]["without_fma"] = digests_without_fma(program, unlike, arguments, options, scratch)
            options.out.write_text(json.dumps(raw, indent=1) + "\n")
            print(program.name, *(f"{version} {[round(done['ms'], 4) for done in of[1:]]}" for version, of in taken.items()),
                  flush=True)


def row_of(name, of, repository, date):
    """Medians; none of a version that failed."""
    row = {"program": name, "repository": repository, "date": date, "arguments": of["arguments"], "versions": {}}
    whole = {version: runs for version, runs in of["versions"].items()
             if len(runs) > 1 and all(run["code"] == 0 for run in runs)}
    digests = {version: {run["digest"] for run in runs} for version, runs in whole.items()}
    if ORIGINAL not in whole:
        return row
    row["repeats"] = len(digests[ORIGINAL]) == 1
    before = statistics.median(run["ms"] for run in whole[ORIGINAL][1:])
    without_fma = of.get("without_fma", {})
    for version, runs in whole.items():
        times = [run["ms"] for run in runs[1:]]
        after = statistics.median(times)
        row["versions"][version] = {
            "ms": round(after, 4), "spread": round((max(times) - min(times)) / after, 4) if after else 0,
            "copies": runs[0]["copies"], "same_copies": digests[version] == digests[ORIGINAL] if row["repeats"] else None,
            "speedup": round(before / after, 3) if after else None}
        if version in without_fma and version != ORIGINAL:
            row["versions"][version]["same_copies_without_fma"] = without_fma[version] == without_fma.get(ORIGINAL)
    return row


def record(options):
    raw = json.loads(options.raw.read_text())
    repositories = {name: (options.dir / name / "repository").read_text().strip() for name in raw["programs"]}
    known = json.loads(RESULT.read_text())
    if known["gpu"] != raw["gpu"]:
        sys.exit(f"{RESULT.name} is of an {known['gpu']}")
    rows = {row["program"]: {"date": known["date"], **row} for row in known["results"]}
    rows |= {name: row_of(name, of, repositories[name], raw["date"]) for name, of in raw["programs"].items()}
    for name in options.left_alone or []:
        rows[name]["chosen_since"] = ORIGINAL
    rows = [rows[name] for name in sorted(rows)]
    measured = [row for row in rows if row["versions"]]
    choices = {row["program"]: row["versions"]["choice"]["speedup"] for row in measured if "choice" in row["versions"]}
    unlike = {f"{row['program']}, {version}": of.get("same_copies_without_fma", False) for row in measured
              for version, of in row["versions"].items() if of["same_copies"] is False}
    result = {"summary": {"programs": len(measured), "repositories": len({row["repository"] for row in measured}),
                          "choices": choices, "slower": sorted(name for name, ratio in choices.items() if ratio < 0.99),
                          "slower_and_still_chosen": sorted(
                              row["program"] for row in measured if choices.get(row["program"], 1) < 0.99
                              and "chosen_since" not in row),
                          "differing_by_fma_contraction": sorted(name for name, same in unlike.items() if same),
                          "silent_differences": sorted(name for name, same in unlike.items() if not same)},
              "rules": known["rules"] + [file.read_text() for file in options.rule],
              **{key: raw[key] for key in ("gpu", "driver", "date", "runs")}, "results": rows}
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    results_index.enter(RESULT.name, "tests/corpus/versions.py", options.machine, raw["date"],
                        "third-party programs of eight draws: what was chosen from small runs on the CPU, and SoA, "
                        "against the original")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure")
    command.add_argument("--dir", type=pathlib.Path, required=True)
    command.add_argument("--libraries", type=pathlib.Path, required=True)
    command.add_argument("--out", type=pathlib.Path, required=True)
    command.add_argument("--runs", type=int, default=3)
    command.add_argument("--limit", type=int, default=25)
    command.add_argument("names", nargs="*")
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--dir", type=pathlib.Path, required=True)
    command.add_argument("--raw", type=pathlib.Path, required=True)
    command.add_argument("--machine", required=True)
    command.add_argument("--rule", type=pathlib.Path, action="append", default=[])
    command.add_argument("--left-alone", action="append")
    command.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
