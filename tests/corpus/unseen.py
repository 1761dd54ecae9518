#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures on a GPU what relayout chooses for third-party programs without one. It knows none of them.

  unseen.py prepare --relayout build/bin/relayout --list CORPUS.json --work DIR [--machine h200] [--jobs N] [NAME]...
  unseen.py measure --relayout bin/relayout --work DIR --out RAW.json [--runs N] [--gpus N] [--seconds S]
  unseen.py decide --relayout build/bin/relayout --work DIR [NAME]...
  unseen.py record --raw RAW.json... [--work DIR]      # into docs/results/decision.json

CORPUS.json is that of corpus.py. `prepare` needs no GPU: it runs `relayout optimize` with the small arguments and no
other option than the machine, keeps the trace, and writes a diff of every version: what was chosen; of the arrays of
records that the rewriter takes, the standard layouts; of each group the fastest layouts by the model other than the
choice; and of plain arrays orders of their elements. `measure` needs nvcc and a GPU, and DIR is all it needs: it builds the versions,
and runs those of a program in turn, with the arguments of its authors where the list has them. A size that the list's
"reduced" took from the text is put back. Versions of one text are built once; one that copies back other bytes
than the original does not count. `record` compares the medians of all kernel times, by CUPTI;
the programs with plain arrays among them are counted in docs/results/index_order.json: by the latest choice for each, by
the first ones (`foreign_at_first`), and those of the newest date alone (`foreign_last_draw`).

After a change of the model `decide` chooses anew from the traces that `prepare` kept; with --work, `record` judges these
choices by the times that were measured, where the new choice is one of the measured versions. Others it lists. What is
judged again has been looked at: it has keys of its own (`rejudged`), and `unseen` keeps what the first choice was worth.
The programs of the newest date are summarised by themselves, too (`unseen_last_draw`).

A version whose build or run fails, or that does not end in time, is listed and left out. A program counts if the
original and one other version were measured.
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import queue
import shutil
import statistics
import subprocess
import time

import steps

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/decision.json"
INDEX_ORDER = ROOT / "docs/results/index_order.json"
NEAR, SLOWER = 1.02, 1.01  # within 2 % of the best; slower than the original by over 1 %
FASTEST = 3  # layouts of each group that the model finds fastest, forced beside the standard ones
PLAIN_EXTENTS = (2, 8, 32, 128, 512)  # of orders that no candidate of the model needs to be
KEPT = ("program", "repository", "commit", "field")


# Which versions there are. A version is a layout for some groups, by their index; the others keep theirs.

def one_cluster(fields, alignment):
    return {"clusters": [{"fields": fields, "alignment": alignment}], "tile": 0, "padBytes": 0, "startAlignment": 0}


def standard_layouts(decision):
    soa = steps.soa_of(decision)
    exploded = {**soa, "clusters": [{**cluster, "exploded": True} for cluster in soa["clusters"]]}
    return {"aligned AoS (8)": one_cluster(decision["fields"], 8), "aligned AoS (16)": one_cluster(decision["fields"], 16),
            "SoA": soa, "exploded SoA": exploded, "AoSoA-32": {**soa, "tile": 32}}


def plain_layouts(decision):
    order = {"texts": [""], "digits": [1, 0]}
    return {f"[i][j:{extent}] as [j][i]": {**one_cluster(decision["fields"], 0), "order": {**order, "extents": [extent]}}
            for extent in PLAIN_EXTENTS}


def fastest_layouts(group, decision):
    rows = [row for row in group["candidates"] if row["layout"]]
    rows.sort(key=lambda row: row["totalNs"])
    found = {}
    for row in [group["runnerUp"], *rows]:
        if layout := row and row["layout"]:
            bare = {key: value for key, value in layout.items() if key != "name"}
            if decision["keep"] or bare != decision["layout"]:
                found.setdefault(layout["name"], bare)
    return dict(list(found.items())[:FASTEST])


def versions_of(plan, report, rewritable):
    """Name -> layouts by group. The choice comes first, then what is nearest to it."""
    decisions = plan["decisions"]
    chosen = {i: d["layout"] for i, d in enumerate(decisions) if not d["keep"]}
    versions = {"choice": chosen} if chosen else {}
    for kind, layouts_of in ((False, standard_layouts), (True, plain_layouts)):
        groups = [i for i in rewritable if steps.is_plain(decisions[i]) == kind]
        for name in layouts_of(decisions[groups[0]]) if groups else ():
            versions[name] = {i: layouts_of(decisions[i])[name] for i in groups}
    for i in rewritable:
        if i < len(report["groups"]):
            for name, layout in fastest_layouts(report["groups"][i], decisions[i]).items():
                versions[f"{i}: {name}"] = {**chosen, i: layout}
    return versions


def plan_with(plan, layouts):
    decisions = [{**decision, "keep": i not in layouts, "layout": layouts.get(i, decision["layout"])}
                 for i, decision in enumerate(plan["decisions"])]
    return {**plan, "policy": "fixed", "decisions": decisions}


def decisions_of(plan):
    return [{key: decision[key] for key in ("record", "reason", "keep")} for decision in plan["decisions"]]


class Preparation:
    def __init__(self, options, program):
        self.trial = steps.Trial(options, program, {}, None)
        self.trial.kept_files += ("trace.rlt",)
        self.program, self.options = program, options

    def rewrite(self, plan, layouts, name):
        """The diff of a version; nothing if the rewriter refuses or nothing changes."""
        folder = self.trial.work / "versions"
        folder.mkdir(exist_ok=True)
        file = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:12]}.json"
        file.write_text(json.dumps(plan_with(plan, layouts)))
        done, text = self.trial.relayout(file.stem, ["rewrite", *self.trial.what(), "--plan", file], self.options.limit)
        start = min((at for at in (text.find("diff --git"), text.find("--- ")) if at >= 0), default=-1)
        if done["code"] != 0 or start < 0:
            return None
        content = text[start:].encode(errors="surrogateescape")
        diff = folder / f"{hashlib.sha256(content).hexdigest()[:16]}.diff"
        diff.write_bytes(content)
        return diff.name

    def run(self):
        entry = {key: self.program[key] for key in KEPT if key in self.program}
        entry |= {key: self.program[key] for key in ("units", "flags", "arguments", "real_arguments", "stdin", "reduced")
                  if key in self.program}
        traced = self.trial.optimize("default", ["--machine", self.options.machine])
        plan, report = self.trial.plan_of("default"), self.trial.work / "default/report.json"
        entry["default"] = {key: traced[key] for key in ("code", "seconds", "codes", "warnings")}
        if not plan or not report.exists():
            return {**entry, "versions": {}}
        report = json.loads(report.read_text())
        entry["decided"] = decisions_of(plan)
        rewritable = [i for i, d in enumerate(plan["decisions"])
                      if self.rewrite(plan, {i: next(iter((plain_layouts if steps.is_plain(d) else standard_layouts)(d)
                                                          .values()))}, f"group {i}")]
        entry["rewritable"] = rewritable
        entry["versions"] = {}
        for name, layouts in versions_of(plan, report, rewritable).items():
            if len(entry["versions"]) == self.options.versions:
                break
            diff = self.rewrite(plan, layouts, name)
            if diff and diff not in entry["versions"].values():
                entry["versions"][name] = diff
        entry["choice"] = entry["versions"].get("choice")  # none also where the rewriter refuses it
        return entry


def prepare(options):
    options.relayout = pathlib.Path(options.relayout).resolve()
    options.work = pathlib.Path(options.work).resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    listed = json.loads(pathlib.Path(options.list).read_text())
    programs = [program for program in listed["programs"]
                if program.get("nvcc_builds", True) and (not options.names or program["program"] in options.names)]

    def one(program):
        file = options.work / program["program"] / "entry.json"
        if file.exists():
            return
        shutil.rmtree(file.parent, ignore_errors=True)
        program["folder"] = str((pathlib.Path(options.list).parent / program["folder"]).resolve())
        try:
            entry = Preparation(options, program).run()
        except Exception as fault:  # a fault of this script must not end the others' runs
            print(f"{program['program']}: {type(fault).__name__}: {fault}", flush=True)
            return
        file.write_text(json.dumps(entry, indent=1) + "\n")
        print(f"{program['program']}: {', '.join(entry['versions']) or 'no version'}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, programs))
    (options.work / "head.json").write_text(json.dumps({
        "rule": listed["rule"], "machine": options.machine, "limit_seconds": options.limit,
        "relayout": subprocess.run([options.relayout, "--version"], capture_output=True, text=True).stdout.strip()}))


def decide(options):
    """A new choice from the trace of each program; its versions stay those that were measured."""
    options.relayout = pathlib.Path(options.relayout).resolve()
    options.work = pathlib.Path(options.work).resolve()
    machine = json.loads((options.work / "head.json").read_text())["machine"]
    for file in sorted(options.work.glob("*/entry.json")):
        entry = json.loads(file.read_text())
        if not entry["versions"] or (options.names and entry["program"] not in options.names):
            continue
        preparation = Preparation(options, {**entry, "folder": ""})
        out = preparation.trial.work / "default"
        done, _ = preparation.trial.relayout("decide", ["analyze", out / "trace.rlt", "--machine", machine, "-o",
                                                        out / "plan.json"], options.limit)
        if done["code"] != 0:
            raise SystemExit(f"{entry['program']}: the trace was not analysed")
        plan = preparation.trial.plan_of("default")
        entry["decided"] = decisions_of(plan)
        chosen = {i: d["layout"] for i, d in enumerate(plan["decisions"]) if not d["keep"]}
        entry["choice"] = preparation.rewrite(plan, chosen, "choice") if chosen else None
        file.write_text(json.dumps(entry, indent=1) + "\n")
        print(f"{entry['program']}: {entry['choice'] or 'original'}", flush=True)


# On the GPU

class Measurement:
    """One program's versions: built, then run in turn."""

    def __init__(self, options, entry):
        self.entry, self.options = entry, options
        self.trial = steps.Trial(options, {**entry, "folder": ""}, {}, None)
        self.failures = {}

    def put_back_size(self, folder):
        """What was reduced for the CPU; whether all of it was found."""
        whole = True
        for name, real, reduced in self.entry.get("reduced", []):
            text = (folder / name).read_text(errors="surrogateescape")
            whole &= text.count(reduced) == 1
            (folder / name).write_text(text.replace(reduced, real), errors="surrogateescape")
        return whole

    def build(self, name, is_real_size):
        diff = self.entry["versions"].get(name)
        folder = self.trial.work / "builds" / (pathlib.Path(diff).stem if diff else "original")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.trial.source, folder / "text", symlinks=True)
        failure = None
        if diff and steps.call(["git", "apply", "--whitespace=nowarn", self.trial.work / "versions" / diff],
                               folder / "text", 60)[0] != 0:
            failure = "the diff does not apply"
        elif is_real_size and not self.put_back_size(folder / "text"):
            failure = "the size could not be put back"
        elif self.trial.nvcc(folder / "text", folder / "program", f"nvcc {folder.name}", "native")["code"] != 0:
            failure = "nvcc rejects it"
        shutil.rmtree(folder / "text")
        return name, folder / "program", failure

    def build_all(self, pool, is_real_size=True):
        return [pool.submit(self.build, name, is_real_size) for name in ("original", *self.entry["versions"])]

    def programs_of(self, builds):
        programs = {}
        for name, program, failure in (build.result() for build in builds):
            if failure:
                self.failures[name] = failure
            else:
                programs[name] = program
        return programs if "original" in programs and len(programs) > 1 else {}

    def ends_in_time(self, program, gpu):
        return self.trial.run_on_gpu(program, f"gpu {gpu}", gpu)["code"] == 0

    def run(self, builds, gpu, pool):
        programs, size = self.programs_of(builds), "real"
        if programs and not self.ends_in_time(programs["original"], gpu):
            size = "reduced"
            if "real_arguments" in self.entry:
                self.trial.program["real_arguments"] = self.entry["arguments"]
            programs = self.programs_of(self.build_all(pool, False)) if self.entry.get("reduced") else programs
        runs, copies = {name: [] for name in programs}, {name: set() for name in programs}
        for _ in range(self.options.runs):
            for name in list(runs):
                done = self.trial.run_on_gpu(programs[name], f"gpu {gpu}", gpu)
                if done["code"] != 0:
                    self.failures[name] = "timed out" if done["code"] == steps.TIMED_OUT else "the run failed"
                    del runs[name]
                    if name == "original":
                        runs.clear()
                        break
                    continue
                runs[name].append(done["ms"])
                copies[name].add(done["copies"])
        return self.result(runs, copies, size)

    def result(self, runs, copies, size):
        row = {key: self.entry[key] for key in (*KEPT, "default", "decided", "versions", "choice") if key in self.entry}
        row |= {"size": size, "failures": self.failures,
                "ms": {name: [round(ms, 6) for ms in of] for name, of in runs.items()}}
        if runs:
            row["original_repeats"] = len(copies["original"]) == 1
            row["differ"] = [name for name in runs if row["original_repeats"] and copies[name] != copies["original"]]
        return row


def measure(options):
    options.work = pathlib.Path(options.work).resolve()
    options.libraries = steps.libraries_beside(pathlib.Path(options.relayout).resolve())
    options.limit = options.run_limit
    began = time.monotonic()
    entries = [json.loads(file.read_text()) for file in sorted(options.work.glob("*/entry.json"))]
    entries = [entry for entry in entries
               if entry["versions"] and (not options.names or entry["program"] in options.names)]
    # What changes first, then arrays of records, then plain ones: time may end.
    entries.sort(key=lambda entry: ("choice" not in entry["versions"], "SoA" not in entry["versions"]))
    ask = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip().split("\n")[0].split(", ")
    raw = {**json.loads((options.work / "head.json").read_text()), "gpu": gpu, "driver": driver, "runs": options.runs,
           "date": datetime.date.today().isoformat(), "programs": []}
    gpus = queue.SimpleQueue()
    for slot in range(options.gpus * options.together):
        gpus.put(slot % options.gpus)

    def one(job):
        if options.seconds and time.monotonic() - began > options.seconds:
            return None
        measurement, builds = job
        concurrent.futures.wait(builds)
        number = gpus.get()
        try:
            row = measurement.run(builds, number, building)
        finally:
            gpus.put(number)
        print(row["program"], row["size"], {name: round(statistics.median(ms), 4) for name, ms in row["ms"].items()},
              row["failures"], row.get("differ"), flush=True)
        return row

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as building, \
            concurrent.futures.ThreadPoolExecutor(options.gpus * options.together) as running:
        jobs = [(measurement, measurement.build_all(building))
                for measurement in (Measurement(options, entry) for entry in entries)]
        for row in running.map(one, jobs):
            if row:
                raw["programs"].append(row)
                pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")
        building.shutdown(cancel_futures=True)


# What came of it

def judged(row):
    """The program's figures; nothing if no choice was measured."""
    runs = {name: ms for name, ms in row["ms"].items() if name not in row.get("differ", []) and ms and min(ms) > 0}
    names = {diff: name for name, diff in row["versions"].items()}
    chosen = names.get(row["choice"]) if row["choice"] else "original"
    if "original" not in runs or chosen not in runs or len(runs) < 2:
        return None
    median = {name: statistics.median(ms) for name, ms in runs.items()}
    best = min(median, key=median.get)
    plain = [decision for decision in row["decided"] if steps.is_plain(decision)]
    return {"program": row["program"], "field": row["field"], "size": row["size"], "changed": chosen != "original",
            "date": row["date"], "plain": bool(plain), "plain_changed": any(not decision["keep"] for decision in plain),
            "layouts": len(runs), "ms": {name: round(ms, 6) for name, ms in median.items()}, "chosen": chosen, "best": best,
            "regret": round(median[chosen] / median[best], 4), "speedup": round(median["original"] / median[chosen], 4),
            # Their runs overlap: what is called best, or slower, may be chance.
            "may_be_best": min(runs[chosen]) <= max(runs[best]),
            "may_equal_original": min(runs[chosen]) <= max(runs["original"]),
            "spread": round((max(runs[chosen]) - min(runs[chosen])) / median[chosen], 4)}


def summary_of(rows):
    return {
        "unseen_programs": len(rows), "unseen_changed": sum(row["changed"] for row in rows),
        "unseen_with_six_layouts": sum(row["layouts"] >= 6 for row in rows),
        "unseen_within_2_percent": sum(row["regret"] <= NEAR for row in rows),
        "unseen_within_2_percent_or_spread": sum(row["regret"] <= NEAR or row["may_be_best"] for row in rows),
        "unseen_slower": sum(row["speedup"] < 1 / SLOWER and not row["may_equal_original"] for row in rows),
        "unseen_regret_geomean": round(statistics.geometric_mean(row["regret"] for row in rows), 4),
        "unseen_regret": {row["program"]: row["regret"] for row in sorted(rows, key=lambda row: -row["regret"])},
        "unseen_speedup_of_changed": {row["program"]: row["speedup"] for row in rows if row["changed"]}}


def last_draw(rows):
    """Those of the newest date, which no earlier change of the model has seen."""
    newest = max(row.get("date", "") for row in rows)
    return [row for row in rows if row.get("date", "") == newest]


def plain_summary_of(rows):
    """Of programs with plain arrays; of those, the ones where the choice changes such an array."""
    plain = [row for row in rows if row.get("plain")]
    changed = [row for row in plain if row["plain_changed"]]
    return {"foreign_programs": len(plain), "foreign_rewritten": len(changed),
            "foreign_slower": summary_of(changed)["unseen_slower"] if changed else 0,
            "foreign_speedup": {row["program"]: row["speedup"] for row in changed}}


def foreign_summary_of(first, again):
    """By the latest judgement of each program; by the first ones alone, before any choice had been looked at."""
    def inner(rows):
        return {name.removeprefix("foreign_"): value for name, value in plain_summary_of(rows).items()}
    latest = {row["program"]: row for row in [*first, *again]}
    return {**plain_summary_of(latest.values()), "foreign_at_first": inner(first), "foreign_last_draw": inner(last_draw(first))}


def record(options):
    parts = [json.loads(pathlib.Path(file).read_text()) for file in options.raw]
    raw, rows, not_measured = parts[0], [], []
    for row in ({**row, "date": part["date"]} for part in parts for row in part["programs"]):
        if options.work:
            entry = json.loads((pathlib.Path(options.work) / row["program"] / "entry.json").read_text())
            row |= {key: entry[key] for key in ("choice", "decided") if key in entry}
        judgement = judged(row)
        if judgement:
            rows.append(judgement)
        else:
            not_measured.append({"program": row["program"], "choice": row["choice"], "failures": row["failures"]})
    result = json.loads(RESULT.read_text())
    kind = "rejudged" if options.work else "unseen"
    # Programs of other calls keep what these found.
    known = result.setdefault(kind, {}).get(raw["gpu"], {"rule": "", "programs": [], "not_measured": [], "differ": {}})
    now = {row["program"] for part in parts for row in part["programs"]}
    rows = sorted([row for row in known["programs"] if row["program"] not in now] + rows, key=lambda row: row["program"])
    not_measured += [row for row in known["not_measured"] if row["program"] not in now]
    result["summary"].setdefault(raw["gpu"], {}).update(
        {name.replace("unseen", kind): value for name, value in summary_of(rows).items()})
    if kind == "unseen":
        result["summary"][raw["gpu"]]["unseen_last_draw"] = {
            name.removeprefix("unseen_"): value for name, value in summary_of(last_draw(rows)).items()}
    how = {key: raw[key] for key in ("relayout", "machine", "driver", "runs", "date")}
    rules = [rule for rule in known["rule"].split("; and ") if rule] + [part["rule"] for part in parts]
    how["rule"] = "; and ".join(dict.fromkeys(rules))
    differ = {program: names for program, names in known["differ"].items() if program not in now}
    differ |= {row["program"]: row["differ"] for part in parts for row in part["programs"] if row.get("differ")}
    result[kind][raw["gpu"]] = {**how, "programs": rows, "not_measured": not_measured, "differ": differ}
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    orders = json.loads(INDEX_ORDER.read_text())
    orders["summary"] = {name: value for name, value in orders["summary"].items() if not name.startswith("foreign_")}
    orders["summary"] |= foreign_summary_of(result["unseen"][raw["gpu"]]["programs"],
                                            result.get("rejudged", {}).get(raw["gpu"], {}).get("programs", []))
    INDEX_ORDER.write_text(json.dumps(orders, indent=1) + "\n")
    for row in sorted(rows, key=lambda row: -row["regret"]):
        print(f"{row['program']:45s} regret {row['regret']:.3f} speedup {row['speedup']:.3f} {row['layouts']} layouts, "
              f"chosen {row['chosen']}, best {row['best']}, {row['ms'][row['best']]:.4g} ms")
    print(json.dumps(summary_of(rows), indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("prepare")
    for name in ("relayout", "list", "work"):
        command.add_argument(f"--{name}", required=True)
    command.add_argument("--machine", default="h200")
    command.add_argument("--limit", type=float, default=120, help="seconds for each step [%(default)s]")
    command.add_argument("--jobs", type=int, default=1, help="programs at a time [%(default)s]")
    command.add_argument("--versions", type=int, default=9, help="of a program at most [%(default)s]")
    command.add_argument("names", nargs="*", help="only these programs")
    command.set_defaults(run=prepare)
    command = commands.add_parser("measure")
    for name in ("relayout", "work", "out"):
        command.add_argument(f"--{name}", required=True)
    command.add_argument("--runs", type=int, default=5)
    command.add_argument("--gpus", type=int, default=1, help="GPUs to spread the programs over [%(default)s]")
    command.add_argument("--together", type=int, default=1, help="programs at a time on a GPU: those that run for "
                         "milliseconds and take half a second to start seldom meet [%(default)s]")
    command.add_argument("--run-limit", type=float, default=20, help="seconds of one run: a program that takes longer is "
                         "measured with its small size [%(default)s]")
    command.add_argument("--seconds", type=float, help="start no further program after that time")
    command.add_argument("names", nargs="*", help="only these programs")
    command.set_defaults(run=measure)
    command = commands.add_parser("decide")
    for name in ("relayout", "work"):
        command.add_argument(f"--{name}", required=True)
    command.add_argument("--limit", type=float, default=120, help="seconds for each step [%(default)s]")
    command.add_argument("names", nargs="*", help="only these programs")
    command.set_defaults(run=decide)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True, nargs="+", help="of several calls of 'measure'")
    command.add_argument("--work", help="judge the choices of 'decide' in this folder")
    command.set_defaults(run=record)
    options = parser.parse_args()
    if "jobs" in options:
        options.workers = max(1, (os.cpu_count() or 1) // options.jobs)
    options.run(options)


if __name__ == "__main__":
    main()
