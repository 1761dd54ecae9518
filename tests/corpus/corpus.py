#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what relayout makes of a corpus of third-party programs, on the CPU and on a GPU. It knows none of them.

  corpus.py run --relayout build/bin/relayout --list CORPUS.json --out RAW.json [--jobs N] [--limit S] [--on cpu|gpu]
                [--work DIR] [NAME]...
  corpus.py record --raw RAW.json [--result corpus_first_draw.json]       # writes that of docs/results [corpus.json]

CORPUS.json is {"rule", "programs"}: how the programs were chosen before any was tried, and a list of {"program",
"repository", "commit", "field", "folder", "units", "flags", "arguments", "nvcc_builds"}, and where there are such
"real_arguments" and "stdin", a file in the folder: a folder with the program's files (relative to CORPUS.json), its
units and the options of nvcc relative to it, and the arguments of a small run and of one of the size that its authors
run.

`run` takes the steps of steps.py. Each has a limit and a process group of its own; what it printed is kept below --work
[RAW.json.work], outside the repository. Results are written after each step: a run that was killed goes on where it
stopped, and one with `--on gpu` goes on from one on the CPU, also on another machine that was given RAW.json and the
folder of --work: diffs and plans are there, and only what needs the GPU is left. Kept are names, commits, verdicts,
times and diagnostic codes; neither text of the programs nor how they are built. Programs that nvcc rejects are listed,
and counted nowhere.
"""
import argparse
import collections
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import threading

import steps
import verdicts_of_steps as verdicts

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/gpu"))
import results_index  # noqa: E402

# One a draw, and two of the latest: as relayout was when it was drawn, and after what it had shown was repaired.
RESULT_FILES = ("corpus.json", "corpus_at_first.json", "corpus_first_draw.json", "corpus_second_draw.json",
                "corpus_tenth_draw.json", "corpus_eleventh_draw.json", "corpus_twelfth_draw.json",
                "corpus_thirteenth_draw.json", "corpus_fourteenth_draw.json", "corpus_fifteenth_draw.json",
                "corpus_sixteenth_draw.json", "corpus_seventeenth_draw.json", "corpus_eighteenth_draw.json",
                "corpus_eighteenth_at_first.json", "corpus_nineteenth_draw.json", "corpus_nineteenth_at_first.json",
                "corpus_twentieth_draw.json", "corpus_twentieth_at_first.json", "corpus_twentyfirst_draw.json",
                "corpus_twentyfirst_at_first.json", "corpus_twentysecond_draw.json", "corpus_twentysecond_at_first.json",
                "corpus_twentythird_draw.json", "corpus_twentythird_at_first.json",
                "corpus_twentyfourth_draw.json", "corpus_twentyfourth_at_first.json",
                "corpus_twentyfifth_draw.json", "corpus_twentyfifth_at_first.json",
                "corpus_twentysixth_draw.json", "corpus_twentysixth_at_first.json",
                "corpus_twentyseventh_draw.json", "corpus_twentyseventh_at_first.json",
                "corpus_twentyeighth_draw.json", "corpus_twentyeighth_at_first.json",
                "corpus_twentyninth_draw.json", "corpus_twentyninth_at_first.json",
                "corpus_thirtieth_draw.json", "corpus_thirtieth_at_first.json",
                "corpus_thirtyfirst_draw.json", "corpus_thirtyfirst_at_first.json",
                "corpus_thirtysecond_draw.json", "corpus_thirtysecond_at_first.json",
                "corpus_thirtythird_draw.json", "corpus_thirtythird_at_first.json")

KEPT = ("program", "repository", "commit", "field", "nvcc_builds")


class Raw:
    """The file of raw results, whole after every write. Several threads may add to it."""

    def __init__(self, file, head):
        self.file = pathlib.Path(file)
        self.lock = threading.Lock()
        known = json.loads(self.file.read_text()) if self.file.exists() else {"results": {}}
        goes_to_gpu = head["on"] == "gpu" and known.get("on") == "cpu"
        if not goes_to_gpu and known.get("relayout_digest", head["relayout_digest"]) != head["relayout_digest"]:
            sys.exit(f"'{file}' has results of another relayout; write to another file, or remove it")
        self.content = {**head, "results": known["results"]}

    def steps_of(self, program):
        with self.lock:
            known = {key: program[key] for key in KEPT if key in program}
            return self.content["results"].setdefault(program["program"], {**known, "steps": {}})["steps"]

    def keep(self, taken, name, result):
        with self.lock:
            taken[name] = result
            scratch = self.file.with_suffix(".part")
            scratch.write_text(json.dumps(self.content, indent=1) + "\n")
            scratch.replace(self.file)


def head_of(options, listed):
    version = subprocess.run([options.relayout, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    head = {"rule": listed["rule"], "date": datetime.date.today().isoformat(), "relayout": version,
            "relayout_digest": hashlib.sha256(options.relayout.read_bytes()).hexdigest(),
            "limit_seconds": options.limit, "on": options.on}
    if options.on == "gpu":
        ask = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        names = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip().split("\n")
        head["gpu"], head["driver"] = names[0].split(", ")
    return head


def run(options):
    options.relayout = pathlib.Path(options.relayout).resolve()
    options.work = pathlib.Path(options.work or options.out + ".work").resolve()
    options.libraries = steps.libraries_beside(options.relayout) if options.on == "gpu" else {}
    listed = json.loads(pathlib.Path(options.list).read_text())
    programs = [program for program in listed["programs"] if not options.names or program["program"] in options.names]
    for program in programs:
        program["folder"] = str((pathlib.Path(options.list).parent / program["folder"]).resolve())
    if unknown := set(options.names) - {program["program"] for program in programs}:
        sys.exit(f"not in the list: {', '.join(sorted(unknown))}")
    raw = Raw(options.out, head_of(options, listed))

    def one(program):
        if not program.get("nvcc_builds", True):
            raw.keep(raw.steps_of(program), "left out", {"code": 0, "codes": []})
            return
        taken = raw.steps_of(program)
        trial = steps.Trial(options, program, taken, lambda name, result: raw.keep(taken, name, result))
        try:
            trial.run_all()
        except Exception as fault:  # a fault of this script must not end the others' runs
            print(f"{program['program']}: {type(fault).__name__}: {fault}", flush=True)
            return
        print(f"{program['program']}: {verdicts.of_program(taken)}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, programs))


def summary_of(rows):
    counted = [row for row in rows if row["nvcc_builds"]]
    groups = [group for row in counted for group in row["groups"]]
    records = [group for group in groups if not group["plain"]]
    codes = collections.Counter(group["code"] for group in records if group["verdict"] == "refused")
    return {
        "programs": len(counted), "repositories": len({row["repository"] for row in counted}),
        "rejected_by_nvcc": len(rows) - len(counted),
        "by_field": dict(collections.Counter(row["field"] for row in counted).most_common()),
        "read_unchanged": sum(row["read_unchanged"] for row in counted),
        "ran_on_cpu": sum(row["ran_on_cpu"] for row in counted),
        "traced": sum(row["traced_on_cpu"] or row["traced_on_gpu"] for row in counted),
        "traced_on_cpu": sum(row["traced_on_cpu"] for row in counted),
        "traced_on_gpu": sum(row["traced_on_gpu"] for row in counted),
        "timed_out": sum(bool(row["timed_out"]) for row in counted),
        "groups": len(records), "plain_groups": len(groups) - len(records),
        "rewritten": sum(group["verdict"] == "rewritten" for group in records),
        "refused": sum(codes.values()), "refused_by_code": dict(codes.most_common()),
        "not_tried": sum(group["verdict"] == "not tried" for group in records),
        "verified_cpu": sum(group["verified_cpu"] for group in records),
        "verified_cpu_in_part": sum(group["verified_cpu_in_part"] for group in records),
        "verified_gpu": sum(group["verified_gpu"] for group in records),
        "changed_by_default": sum(group["decided"] not in ("original", "") for group in groups),
        "programs_run_on_gpu_before_and_after": sum(bool(row["gpu"]) for row in counted),
        "outputs": sum(row["outputs"] for row in counted),
        "outputs_rejected_by_nvcc": sum(row["outputs_rejected_by_nvcc"] for row in counted),
        "silent_differences": sum(len(row["differences"]) for row in counted),
        "random_originals": sum(row["random"] for row in counted),
        "tool_crashes": sum(len(row["crashes"]) for row in counted),
    }


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    rows = []
    for row in raw["results"].values():
        known = {key: row[key] for key in KEPT if key in row}
        known.setdefault("nvcc_builds", row["steps"].get("original", {}).get("code", 0) == 0)
        rows.append({**known, **verdicts.of_program(row["steps"])})
    rows.sort(key=lambda row: row["program"])
    summary = summary_of(rows)
    curand = ROOT / "docs/results/curand.json"
    if curand.exists():
        summary["curand_mismatches"] = json.loads(curand.read_text())["summary"]["curand_mismatches"]
    del raw["results"]
    (results_index.RESULTS / options.result).write_text(
        json.dumps({"summary": summary, **raw, "results": rows}, indent=1) + "\n")
    machine = "CPU executor" + (", " + raw["gpu"].replace("NVIDIA ", "") if "gpu" in raw else "")
    results_index.enter(options.result, "tests/corpus/corpus.py", machine, raw["date"],
                        "verdicts on third-party programs drawn by a rule: read, run, traced, rewritten, verified")
    print(json.dumps(summary, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    for name in ("relayout", "list", "out"):
        command.add_argument(f"--{name}", required=True)
    command.add_argument("--work", help="folder for logs and versions of the programs [beside the results]")
    command.add_argument("--limit", type=float, default=120, help="seconds for each step [%(default)s]")
    command.add_argument("--jobs", type=int, default=1, help="programs at a time [%(default)s]")
    command.add_argument("--workers", type=int, help="CPU threads of a traced run [cores / jobs]")
    command.add_argument("--on", choices=("cpu", "gpu"), default="cpu",
                         help="gpu: also trace and compare with nvcc's builds on this machine's GPU")
    command.add_argument("--gpu-runs", type=int, default=3, help="timed runs of each version [%(default)s]")
    command.add_argument("names", nargs="*", help="only these programs")
    command.set_defaults(run=run)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.add_argument("--result", default="corpus.json", choices=RESULT_FILES)
    command.set_defaults(run=record)
    options = parser.parse_args()
    if "jobs" in options and options.workers is None:
        options.workers = max(1, (os.cpu_count() or 1) // options.jobs)
    options.run(options)


if __name__ == "__main__":
    main()
