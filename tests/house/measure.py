#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/results/house.json: how the tree is kept, measured and not typed in.

What is not measured in a call keeps the figure of the last one. Builds and their test results are
taken from the build folders: run `ctest --output-junit ctest.xml` there first.

  tests/house/measure.py                         counts files, includes, places to touch
  tests/house/measure.py --functions build       ... and lengths of functions, by clang-tidy
  tests/house/measure.py --results build-asan build-tsan build-host build-llvm19 build
                                                 ... and what passed
  tests/house/measure.py --fuzz build-asan       ... and what `ninja fuzz` ran there

The time of quickstart.sh is that of `tests/gpu/first_light.py quickstart`.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/gpu"))
import results_index  # noqa: E402
RESULT = ROOT / "docs/results/house.json"
QUICKSTART = ROOT / "docs/results/first-light.json"
PRODUCT = ("runtime", "analysis", "instrument", "rewriter", "tool")
MOST_LINES = {"file": 500, "function": 60}
# Suites that hold a version of LLVM to what the front end expects of it.
FRONT_END_TESTS = ("test_instrument", "test_rewriter")


def tracked(*patterns):
    listing = subprocess.run(["git", "ls-files", "--", *patterns], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout
    return [Path(line) for line in listing.splitlines() if (ROOT / line).is_file()]


def product_sources(*suffixes):
    return [path for path in tracked(*PRODUCT) if path.suffix in suffixes]


def files_over_limit():
    """Of the whole tree, tests and samples included."""
    lengths = {str(path): len((ROOT / path).read_text().splitlines())
               for path in tracked("*.h", "*.cpp", "*.cu", "*.cuh", "*.py", "*.cmake")}
    return {path: lines for path, lines in sorted(lengths.items())
            if lines > MOST_LINES["file"]}


def places_to_touch():
    """Rows of CONTRIBUTING.md's table of recipes: the recipe, and its places in back quotes."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = re.search(r"<!-- recipes:begin -->(.*)<!-- recipes:end -->", text, re.S).group(1)
    places = {}
    for row in table.strip().splitlines()[2:]:
        recipe, listed = [cell.strip() for cell in row.strip("| ").split("|")][:2]
        places[recipe] = re.findall(r"`([^`]+)`", listed)
        for place in places[recipe]:
            if not list(ROOT.glob(place.replace("NAME", "*"))):
                raise RuntimeError(f"CONTRIBUTING.md, {recipe}: there is no {place}")
    return places


def function_lengths(build):
    """Functions whose bodies span more lines than the limit, from Clang's AST."""
    compiled = json.loads((build / "compile_commands.json").read_text())
    wanted = {ROOT / path for path in product_sources(".cpp")}
    files = sorted({Path(entry["file"]) for entry in compiled} & wanted)
    missing = wanted - set(files)
    if missing:
        print(f"{build} does not compile {len(missing)} sources, which are not counted: "
              + ", ".join(sorted(str(path.relative_to(ROOT)) for path in missing)),
              file=sys.stderr)
    tidy = shutil.which("clang-tidy-22") or shutil.which("clang-tidy")
    options = json.dumps({
        "Checks": "-*,readability-function-size",
        "HeaderFilterRegex": f"{ROOT}/({'|'.join(PRODUCT)})/.*",
        "CheckOptions": {"readability-function-size.LineThreshold": MOST_LINES["function"],
                         "readability-function-size.StatementThreshold": "none"}})

    def run(file):
        done = subprocess.run([tidy, "-p", str(build), f"--config={options}", "--quiet",
                               "--extra-arg=-Wno-everything", str(file)],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{file}: {done.stdout}{done.stderr}")
        return done.stdout

    found = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for output in pool.map(run, files):
            for where, line, name, lines in re.findall(
                    r"^(/[^:\n]+):(\d+):\d+: warning: function '(.+?)' exceeds[^\n]*\n"
                    r"(?:(?!^/[^\n]*warning:).*\n)*?^[^\n]*note: (\d+) lines", output, re.M):
                place = os.path.relpath(where, ROOT)
                found[f"{place}:{line} {name}"] = int(lines)
    return len(files), dict(sorted(found.items()))


def failures_of(build, filter_):
    """What the architecture tests report: one entry a place that breaks the rule."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([build / "bin/test_tool", f"--gtest_filter={filter_}",
                        f"--gtest_output=json:{report.name}"], capture_output=True)
        result = json.loads(Path(report.name).read_text())
    if result["tests"] == 0:
        raise RuntimeError(f"{build} has no test {filter_}")
    return [failure["failure"] for suite in result["testsuites"] for test in suite["testsuite"]
            for failure in test.get("failures", [])]


def test_results(build):
    """Suites of the last complete run: names, failures, and whether every test was in it."""
    report = build / "ctest.xml"
    listing = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True,
                                        capture_output=True, text=True).stdout)["tests"]
    known = {test["name"]: os.path.basename(test["command"][0])
             for test in listing if test.get("command")}
    ran = {case.get("name"): case.get("status") for case in xml.parse(report).iter("testcase")}
    return {
        "passed": sum(status == "run" for status in ran.values()),
        "skipped": sum(status in ("notrun", "disabled") for status in ran.values()),
        "failed": sorted(name for name, status in ran.items() if status == "fail"),
        "not_run": sorted(set(known) - set(ran)),
        "binaries": sorted({known[name] for name in ran if name in known}),
    }


def cache_value(build, name):
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.split("=", 1)[1]
    return ""


def llvm_version(build):
    match = re.search(r"llvm-(\d+)", cache_value(build, "LLVM_DIR"))
    return int(match.group(1)) if match else None


def fuzz_executions(build):
    """Executions without a finding, of each target, of all its jobs; runs may have been ended early."""
    counts = {}
    for log in sorted((build / "tests/fuzz").glob("fuzz_*.log")):
        text = log.read_text(errors="replace")
        done = re.findall(r"^stat::number_of_executed_units:\s*(\d+)", text, re.M)
        if done and "SUMMARY:" not in text:
            counts[log.stem.removeprefix("fuzz_")] = sum(map(int, done))
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=Path, metavar="BUILD",
                        help="a build folder with compile_commands.json")
    parser.add_argument("--results", type=Path, nargs="+", default=[], metavar="BUILD",
                        help="build folders with ctest.xml; named build-PRESET for presets")
    parser.add_argument("--architecture", type=Path, metavar="BUILD",
                        help="a build folder with test_tool: upward includes, GPU literals")
    parser.add_argument("--fuzz", type=Path, metavar="BUILD",
                        help="a build folder with the logs of `ninja fuzz`")
    options = parser.parse_args()

    record = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    summary = record.setdefault("summary", {})
    record["commit"] = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT,
                                      check=True, capture_output=True, text=True).stdout.strip()

    record["places_to_touch"] = places_to_touch()
    summary["places_to_touch"] = {recipe: len(places)
                                  for recipe, places in record["places_to_touch"].items()}
    record["files_over_500_lines"] = files_over_limit()
    summary["files_over_500_lines"] = len(record["files_over_500_lines"])
    if options.functions:
        record["functions_counted_in_files"], record["functions_over_60_lines"] = \
            function_lengths(options.functions.resolve())
        summary["functions_over_60_lines"] = len(record["functions_over_60_lines"])
    if options.architecture:
        for name, tests in (("upward_includes", "Arrows.*:Rooms.*"),
                            ("gpu_literals_outside_gpu", "GpuLiterals.*")):
            record[name] = failures_of(options.architecture.resolve(), tests)
            summary[name] = len(record[name])
    if options.fuzz:
        summary["fuzz_executions"] = fuzz_executions(options.fuzz)
    if options.results:
        results = record.setdefault("test_results", {})
        for build in options.results:
            build = build.resolve()
            results[build.name] = dict(test_results(build), llvm=llvm_version(build), commit=record["commit"])
        sound = {name: result for name, result in results.items()
                 if not result["failed"] and result["passed"] > 0}
        presets = [preset["name"] for preset in json.loads(
            (ROOT / "CMakePresets.json").read_text())["testPresets"] if not preset.get("hidden")]
        summary["presets_passing"] = [preset for preset in presets
                                      if not sound.get(f"build-{preset}", {"not_run": [1]})["not_run"]]
        summary["llvm_versions_passing"] = sorted({
            result["llvm"] for result in sound.values()
            if result["llvm"] and all(name in result["binaries"] for name in FRONT_END_TESTS)})
    summary["quickstart_seconds"] = json.loads(QUICKSTART.read_text())["summary"]["quickstart_seconds"]

    RESULT.write_text(json.dumps(record, indent=2) + "\n")
    results_index.enter(RESULT.name, "tests/house/measure.py", "any", datetime.date.today().isoformat(),
                        "how the tree is kept: places to touch, long functions and files, fuzz runs, presets")
    json.dump(summary, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
