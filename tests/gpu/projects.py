#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the projects of tests/projects through their own builds on a machine with nvcc and a GPU, and keeps what came of
it in docs/results/projects.json.

  projects.py measure --relayout bin/relayout --package FOLDER --out RAW.json    # FOLDER: where relayout is installed
  projects.py record --raw RAW.json

CMake: Ninja and Makefiles, relocatable device code on and off. Make: with -MD, run a second time. Each is built and run as
it is, built with probes and profiled, optimised with a layout that changes it, built again by its own build, and run:
what the programs print has to be the same. `verify --on gpu` compares the copies.
"""
import argparse
import datetime
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/projects.json"
GENERATORS = ("Ninja", "Unix Makefiles")


class Steps:
    """Runs commands one after the other; after one that fails, none."""

    def __init__(self, folder, environment):
        self.folder, self.environment, self.results, self.log = folder, environment, {}, ""

    def run(self, name, *words, where=""):
        """Standard output; nothing once a step has failed."""
        if any(result != "done" for result in self.results.values()):
            return ""
        done = subprocess.run(list(map(str, words)), cwd=self.folder / where, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        self.results[name] = "done" if done.returncode == 0 else f"exit code {done.returncode}"
        if done.returncode != 0:
            self.log += done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    def expect(self, name, is_so):
        if all(result == "done" for result in self.results.values()):
            self.results[name] = "done" if is_so else "not so"


def optimise(steps, relayout, inputs, rebuild, program, arguments, before):
    """From the profile on: the same for both build systems. `inputs` are words of `relayout`."""
    copies = steps.run("optimize", relayout, "optimize", *inputs, "--on", "gpu", "--layout", "soa", "--runs", "3", "-o",
                       "out", "--", *arguments)
    steps.expect("copies identical on the GPU", "verified on " in copies and "identical" in copies)
    steps.run("apply the diff", "git", "apply", "out/changes.diff")
    rebuild("build the rewritten program")
    after = steps.run("run the rewritten program", program, *arguments)
    steps.expect("prints the same", after == before)


def cmake_project(options, folder, generator, rdc):
    shutil.copytree(ROOT / "tests/projects/cmake", folder, dirs_exist_ok=True)
    steps = Steps(folder, os.environ | {"PATH": os.environ["PATH"] + ":/usr/local/cuda/bin",
                                        "GIT_CEILING_DIRECTORIES": str(folder.parent)})
    program, arguments = folder / "build/drifters", ["500"]

    def build(name, build_folder="build", *definitions):
        steps.run(f"{name}: configure", "cmake", "-S", ".", "-B", build_folder, "-G", generator, f"-DRDC={rdc}",
                  *definitions)
        steps.run(name, "cmake", "--build", build_folder, "-j", "8")

    build("build")
    before = steps.run("run", program, *arguments)
    build("build with probes", "profiled", "-DPROFILE=ON", f"-DCMAKE_PREFIX_PATH={options.package}")
    steps.run("profile", options.relayout, "profile", "-o", "drifters.rlt", "--", "profiled/drifters", *arguments)
    steps.run("analyze the profile", options.relayout, "analyze", "drifters.rlt")
    optimise(steps, options.relayout, ["-p", "build"], build, program, arguments, before)
    return {"project": "cmake", "generator": generator, "rdc": rdc == "ON", "steps": steps.results, "log": steps.log}


def make_project(options, folder):
    shutil.copytree(ROOT / "tests/projects/make", folder, dirs_exist_ok=True)
    steps = Steps(folder, os.environ | {"PATH": os.environ["PATH"] + ":/usr/local/cuda/bin",
                                        "GIT_CEILING_DIRECTORIES": str(folder.parent)})
    steps.run("build", "make")
    before = steps.run("run", "./heat")
    steps.run("clean", "make", "clean")
    launcher = f"{options.relayout} cc --record {folder} --"
    compilers = [f"NVCC={launcher} nvcc", f"CXX={launcher} g++"]
    steps.run("build with probes", "make", *compilers)
    again = steps.run("make again", "make", *compilers)
    steps.expect("nothing is compiled again", " -c " not in again)
    steps.run("profile", options.relayout, "profile", "-o", "heat.rlt", "--", "./heat")
    steps.run("analyze the profile", options.relayout, "analyze", "heat.rlt")
    steps.run("clean again", "make", "clean")

    def build(name):
        steps.run(name, "make")

    optimise(steps, options.relayout, ["-p", "."], build, "./heat", [], before)
    return {"project": "make", "steps": steps.results, "log": steps.log}


def measure(options):
    options.relayout, options.package = options.relayout.resolve(), options.package.resolve()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for generator, rdc in itertools.product(GENERATORS, ("OFF", "ON")):
            rows.append(cmake_project(options, scratch / f"{generator.split()[0]}-{rdc}", generator, rdc))
        rows.append(make_project(options, scratch / "make"))
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                         text=True).stdout.splitlines()[0]
    raw = {"gpu": gpu, "date": datetime.date.today().isoformat(), "own_projects": rows}
    options.out.write_text(json.dumps(raw, indent=1) + "\n")
    for row in rows:
        print({key: value for key, value in row.items() if key not in ("steps", "log")},
              {name: result for name, result in row["steps"].items() if result != "done"} or "all done", row["log"])


def record(options):
    raw = json.loads(options.raw.read_text())
    kept = json.loads(RESULT.read_text())
    kept |= {"own_projects": {"gpu": raw["gpu"], "date": raw["date"],
                              "runs": [{key: value for key, value in row.items() if key != "log"}
                                       for row in raw["own_projects"]]}}
    sound = [row for row in raw["own_projects"] if all(result == "done" for result in row["steps"].values())]
    kept["summary"]["cmake_generators"] = [
        generator for generator in GENERATORS
        if sum(row.get("generator") == generator for row in sound) == 2]  # relocatable device code on and off
    kept["summary"]["make_project"] = any(row["project"] == "make" for row in sound)
    RESULT.write_text(json.dumps(kept, indent=1) + "\n")
    print(json.dumps(kept["summary"], indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure")
    command.add_argument("--relayout", type=pathlib.Path, required=True)
    command.add_argument("--package", type=pathlib.Path, required=True)
    command.add_argument("--out", type=pathlib.Path, required=True)
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--raw", type=pathlib.Path, required=True)
    command.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
