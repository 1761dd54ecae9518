#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what relayout makes of third-party programs of several files. It knows none of them.

  projects.py run --relayout build/bin/relayout --list PROJECTS.json --out RAW.json [--limit SECONDS] [--jobs N] [--gpu]
  projects.py record --raw RAW.json      # writes docs/results/projects.json

PROJECTS.json is {"rule", "projects"}: how the programs were chosen before any was tried, and a list of {"program",
"repository", "commit", "folder", "units", "arguments", "build"}: a folder with the program's files and the
compile_commands.json of its own build, the arguments of a small run, and the command that builds it. `run` asks for
arrays of structs as SoA, so that a choice to leave a program alone hides nothing. Where the output is written, its diff
has to apply in a copy of the folder, and the program's own build has to take it; with --gpu, what was verified on the CPU, in
part or whole, is compared on the GPU as well. Kept are names, commits, verdicts and
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
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/gpu"))
import results_index  # noqa: E402

RESULT = ROOT / "docs/results/projects.json"
LAYOUT = "soa"
REFUSED, TIMED_OUT = 3, 124
VERIFIED = re.compile(r"^verified(?P<part> in part)?( on [^:\n]+)?:", re.MULTILINE)


def call(command, folder, limit, **options):
    """Exit code and output. What runs too long ends with all it started."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                          **options) as process:
        try:
            text, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return TIMED_OUT, ""
    return process.returncode, text


def verdict_of(code, text, is_written):
    codes = re.findall(r"error:[^\n]*\[(RL-[A-Z]\d\d)\]", text)
    if code == TIMED_OUT:
        return "timed out", codes
    if code < 0 or "RL-X00" in codes or "RL-X03" in codes:
        return "fault of relayout", codes
    if found := VERIFIED.search(text):
        return "verified" + (found["part"] or ""), codes
    if code == REFUSED:
        return "refused", codes
    if is_written:
        return "rewritten, " + {"RL-V01": "differs", "RL-X04": "run failed"}.get(codes[0] if codes else "", "not compared"), codes
    if "nothing to rewrite" in text:
        return "nothing to rewrite", codes
    first = codes[0] if codes else ""
    return {"RL-X04": "run failed", "RL-A01": "no record accessed", "RL-C04": "no array of records"}.get(first, "not read"), codes


def compare_on_gpu(options, project, out):
    code, text = call([str(options.relayout), "verify", "-p", project["folder"], "--rewritten", str(out / "rewritten"), "-o",
                       str(out / "gpu"), "--on", "gpu", "--", *project["arguments"]], project["folder"], options.limit)
    codes = re.findall(r"error:[^\n]*\[(RL-[A-Z]\d\d)\]", text)
    if code == 0 and "verified on " in text:
        return "identical"
    return "differs" if "RL-V01" in codes else "timed out" if code == TIMED_OUT else "not compared " + " ".join(codes)


def try_project(options, project):
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "out"
        code, text = call([str(options.relayout), "optimize", "-p", project["folder"], "--on", "cpu", "--layout", LAYOUT, "-q",
                           "-o", str(out), "--", *project["arguments"]], project["folder"], options.limit)
        diff = out / "changes.diff"
        verdict, codes = verdict_of(code, text, diff.exists())
        result = {key: project[key] for key in ("program", "repository", "commit", "units")}
        result |= {"verdict": verdict, "codes": list(dict.fromkeys(codes))}
        if diff.exists():
            copy = pathlib.Path(scratch) / "copy"
            shutil.copytree(project["folder"], copy, symlinks=True)
            applied, _ = call(["git", "apply", str(diff)], copy, options.limit,
                              env=os.environ | {"GIT_CEILING_DIRECTORIES": scratch})
            built = applied == 0 and call(["bash", "-c", project["build"]], copy, options.limit)[0] == 0
            result |= {"diff_applies": applied == 0, "built_by_own_build": built}
        if options.gpu and verdict.startswith("verified"):
            result["on_gpu"] = compare_on_gpu(options, project, out)
    print(f"{project['program']}: {result['verdict']} {result['codes']} {result.get('built_by_own_build', '')}", flush=True)
    return result


def run(options):
    options.relayout = pathlib.Path(options.relayout).resolve()
    listed = json.loads(pathlib.Path(options.list).read_text())
    version = subprocess.run([options.relayout, "--version"], capture_output=True, text=True).stdout.strip()
    raw = {"rule": listed["rule"], "relayout": version, "layout": LAYOUT, "limit_seconds": options.limit,
           "date": datetime.date.today().isoformat(),
           "results": list(concurrent.futures.ThreadPoolExecutor(options.jobs).map(
               lambda project: try_project(options, project), listed["projects"]))}
    pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    results = raw["results"]
    by_verdict = collections.Counter(result["verdict"] for result in results)
    written = [result for result in results if "built_by_own_build" in result]
    summary = {
        "programs": len(results),
        "units": sum(result["units"] for result in results),
        "by_verdict": dict(by_verdict.most_common()),
        "read_unchanged": len(results) - by_verdict["not read"] - by_verdict["fault of relayout"] - by_verdict["timed out"],
        "rewritten": len(written),
        "refused_with_reason": by_verdict["refused"],
        "outputs_built_by_own_build": sum(result["built_by_own_build"] for result in written),
        "outputs_rejected": sum(not result["built_by_own_build"] for result in written),
        "false_faults": by_verdict["fault of relayout"],
        "compared_on_gpu": sum(result.get("on_gpu") in ("identical", "differs") for result in results),
        "silent_differences": sum(result.get("on_gpu") == "differs" for result in results),
    }
    kept = json.loads(RESULT.read_text()) if RESULT.exists() else {"summary": {}}
    summary = kept["summary"] | summary  # tests/gpu/projects.py and tests/bench/cpu_cost.py add theirs
    RESULT.write_text(json.dumps(kept | {"summary": summary, **raw}, indent=1) + "\n")
    results_index.enter("projects.json", "tests/corpus/projects.py", "CPU executor", raw["date"],
                        "verdicts on third-party programs of several files, by their own builds")
    print(json.dumps(summary, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.add_argument("--relayout", required=True)
    command.add_argument("--list", required=True)
    command.add_argument("--out", required=True)
    command.add_argument("--limit", type=float, default=180)
    command.add_argument("--jobs", type=int, default=1)
    command.add_argument("--gpu", action="store_true")
    command.set_defaults(run=run)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
