#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what relayout makes of third-party programs. It knows none of them.

  verdicts.py run --relayout build/bin/relayout --list PROGRAMS.json --out RAW.json [--limit SECONDS] [--jobs N]
  verdicts.py record --raw RAW.json      # writes docs/results/third-party.json
  verdicts.py table                      # the tables of docs/third-party.md from it

PROGRAMS.json is a list of {"program", "repository", "commit", "folder", "sources", "flags", "arguments"}: a checkout
of the program, its source files, and the options that nvcc gets there. `run` rewrites each program in every layout and,
where the rewriter refuses none, lets `relayout optimize` verify it on the CPU. Kept are names, commits, verdicts and
diagnostic codes; neither text of the programs nor how they are built.
"""
import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/gpu"))
import results_index  # noqa: E402
RESULT = ROOT / "docs/results/third-party.json"
PAGE = ROOT / "docs/third-party.md"
TABLE = ROOT / "runtime/base/include/relayout/base/diagnostics.def"
LAYOUTS = ("soa", "aligned-aos-32", "aosoa-32")
VERIFIED_LAYOUT = "soa"
REFUSED, TIMED_OUT = 3, 124
# Verdicts, best first, as docs/third-party.md explains them.
VERDICTS = ("verified", "out of bounds", "nothing copied back", "differs", "rewritten, run failed",
            "rewritten, timed out", "refused", "not read", "timed out", "crashed")
OF_RUN = {"RL-V01": "differs", "RL-V02": "nothing copied back", "RL-V03": "out of bounds"}


def call(options, command, folder):
    """Exit code, and the codes of errors in the order of the messages. What runs too long ends with all it started."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as process:
        try:
            text, _ = process.communicate(timeout=options.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return TIMED_OUT, []
    codes = [m[2] for m in re.finditer(r"(error|warning):[^\n]*\[(RL-[A-Z]\d\d)\]", text) if m[1] == "error"]
    return process.returncode, list(dict.fromkeys(codes))


def steps_of(options, program):
    folder = pathlib.Path(program["folder"])
    what = [*program["sources"], *program["flags"]]
    steps = {}
    with tempfile.TemporaryDirectory() as out:
        for layout in LAYOUTS:
            steps[layout] = call(options, [options.relayout, "rewrite", *what, "--layout", layout, "-o",
                                           f"{out}/{layout}"], folder)
        if all(code == 0 for code, _ in steps.values()):
            steps["optimize"] = call(options, [options.relayout, "optimize", *what, "--layout", VERIFIED_LAYOUT, "-o",
                                               f"{out}/optimize", "--", *program["arguments"]], folder)
    return steps


def verdict(steps):
    failed = next((step for layout, step in steps.items() if layout != "optimize" and step[0] != 0), None)
    if failed:
        code, codes = failed
        if code == TIMED_OUT:
            return "timed out", codes
        if code == REFUSED:
            return "refused", codes
        return ("not read" if codes else "crashed"), codes
    code, codes = steps["optimize"]
    if code == 0:
        return "verified", codes
    if code == TIMED_OUT:
        return "rewritten, timed out", codes
    return next((OF_RUN[c] for c in codes if c in OF_RUN), "rewritten, run failed"), codes


def run(options):
    options.relayout = str(pathlib.Path(options.relayout).resolve())
    programs = json.loads(pathlib.Path(options.list).read_text())
    version = subprocess.run([options.relayout, "--version"], capture_output=True, text=True)
    raw = {"date": datetime.date.today().isoformat(), "relayout": version.stdout.strip(), "limit_seconds": options.limit,
           "results": []}
    if pathlib.Path(options.out).exists():
        raw["results"] = json.loads(pathlib.Path(options.out).read_text())["results"]
    done = {row["program"] for row in raw["results"]}

    def one(program):
        steps = steps_of(options, program)
        print(program["program"], steps, flush=True)
        return {**{key: program[key] for key in ("program", "repository", "commit")}, "steps": steps}

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(one, [program for program in programs if program["program"] not in done]):
            raw["results"].append(row)
            pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    rows = []
    for row in raw["results"]:
        said, codes = verdict(row["steps"])
        rows.append({"program": row["program"], "repository": row["repository"], "verdict": said,
                     **({"codes": codes} if codes else {})})
    counts = collections.Counter(row["verdict"] for row in rows)
    result = {
        "summary": {"programs": len(rows), "by_verdict": {v: counts[v] for v in VERDICTS if counts[v]},
                    "rewritten_in_every_layout": sum(
                        all(row["steps"][layout][0] == 0 for layout in LAYOUTS) for row in raw["results"])},
        "date": raw["date"], "relayout": raw["relayout"], "limit_seconds": raw["limit_seconds"],
        "layouts": LAYOUTS, "verified_layout": VERIFIED_LAYOUT,
        "commits": {row["repository"]: row["commit"] for row in raw["results"]}, "results": rows}
    text = re.sub(r"\{[^{}]*\}", lambda m: " ".join(m[0].split()), json.dumps(result, indent=1))
    RESULT.write_text(text + "\n")
    results_index.enter(RESULT.name, "tests/corpus/verdicts.py", "CPU executor", raw["date"],
                        "verdicts on third-party programs")
    print(json.dumps(result["summary"], indent=1))


def titles():
    return dict(re.findall(r'DIAGNOSTIC\("(RL-\w\d\d)",\s*\w+,\s*\w+,\s*\w+,\s*"([^"]*)"', TABLE.read_text()))


def table(_):
    result = json.loads(RESULT.read_text())
    by_verdict, by_code = collections.defaultdict(list), collections.defaultdict(list)
    for row in result["results"]:
        by_verdict[row["verdict"]].append(row["program"])
        if row["verdict"] not in ("verified", "rewritten, timed out") and row.get("codes"):
            by_code[row["codes"][0]].append(row["program"])
    lines = ["| verdict | programs | number |", "|---|---|---|"]
    lines += [f"| {v} | {', '.join(sorted(by_verdict[v]))} | {len(by_verdict[v])} |" for v in VERDICTS if by_verdict[v]]
    lines += ["", "| first code | meaning | programs |", "|---|---|---|"]
    lines += [f"| {code} | {titles()[code]} | {', '.join(sorted(by_code[code]))} |" for code in sorted(by_code)]
    head, rest = PAGE.read_text().split("<!-- verdicts:begin -->\n")
    _, tail = rest.split("<!-- verdicts:end -->")
    PAGE.write_text(head + "<!-- verdicts:begin -->\n" + "\n".join(lines) + "\n<!-- verdicts:end -->" + tail)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    for name in ("relayout", "list", "out"):
        command.add_argument(f"--{name}", required=True)
    command.add_argument("--limit", type=float, default=100, help="seconds for each step [%(default)s]")
    command.add_argument("--jobs", type=int, default=1, help="programs at a time [%(default)s]")
    command.set_defaults(run=run)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    commands.add_parser("table").set_defaults(run=table)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
