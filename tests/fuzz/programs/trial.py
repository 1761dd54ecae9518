# SPDX-License-Identifier: Apache-2.0
"""Trials: the program of a seed, rewritten with several layouts and compared."""
import json
import pathlib
import random
import shutil
import traceback

import outcomes
from layouts import random_plan
from program import Program
from steps import Step

RUNS = ((1, 3), (7, 1), (32, 2), (100, 5), (257, 4), (0, 9))  # n, seed of the data
NAMED_LAYOUTS = ("soa", "soa", "exploded-soa", "exploded-soa", "aosoa-32", "aosoa-8", "aligned-aos", "aligned-aos-32")
RUN_LIMIT_S, NVCC_LIMIT_S = 60, 300


class Trial:
    """A program, the runs of the original, and the versions it is rewritten to, with an outcome for each."""

    def __init__(self, seed, options):
        self.seed, self.options = seed, options
        self.folder = pathlib.Path(options.out).resolve() / str(seed)
        self.program = Program(seed)
        self.rng = random.Random(seed * 7919 + 1)
        self.tried = set()
        self.outcomes = []

    def note(self, layout, outcome, codes=(), text=""):
        self.outcomes.append({"layout": layout, "class": outcome, "codes": sorted(set(codes)), "text": text})

    def write(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        files = self.program.files()
        for name, text in files.items():
            (self.folder / name).write_text(text)
        self.units = [name for name in files if name.endswith(".cu")]

    def relayout(self, *words, folder=None):
        return Step([self.options.relayout, *words], folder or self.folder)

    def run(self):
        self.write()
        original = self.folder / "original.traced"
        lowered = self.relayout("instrument", *self.units, "-o", str(original))
        versions = []
        if lowered.code == 0:
            versions = self.rewrite_all(json.loads((original / "sites.json").read_text()))
            if not versions:
                return
        if not self.build("original", self.folder, lowered):
            return
        runs = self.execute(original)
        if any(code not in range(5) for _, code in runs) or any(b"error" in out for out, _ in runs):
            self.note("original", "INVALID", text=str(runs)[-2000:])
            return
        for version in versions:
            self.compare(*version, runs)

    def rewrite_all(self, sites):
        versions = []
        for k in range(self.options.layouts):
            version = self.rewrite(k, sites)
            if version:
                versions.append(version)
            elif self.outcomes[-1]["class"] == "REFUSED":
                break  # other layouts are most likely refused as well
        return versions

    def build(self, name, folder, lowered=None):
        """The folder of the program for the executor, or None if it is not one."""
        built = self.folder / (name + ".traced")
        step = lowered or self.relayout("instrument", *self.units, "-o", str(built), folder=folder)
        if step.code == 0:
            step = self.relayout("run", str(built), "--trace", "counts", "--workers", "2", "--", "1", "1",
                                 folder=folder)
        if not (built / "program").exists():
            outcome = "CRASH" if step.crashed else "INVALID" if name == "original" else "NOT COMPILED"
            self.note(name, outcome, step.codes(), step.tail())
            log = built / "build.log"
            if log.exists():
                self.outcomes[-1]["log"] = log.read_text(errors="replace")[-4000:]
            return None
        return built

    def execute(self, built):
        runs = []
        for n, data in RUNS:
            step = Step([str(built / "program"), str(n), str(data)], built, RUN_LIMIT_S)
            runs.append((step.out, "timeout" if step.timed_out else step.code))
        return runs

    def rewrite(self, k, sites):
        """Name, layout and codes of a version to compare, or None if there is none."""
        if self.rng.random() < .5 or not sites["groups"]:
            layout = self.rng.choice([name for name in NAMED_LAYOUTS if name not in self.tried])
            self.tried.add(layout)
            words = ["--layout", layout]
        else:
            layout = f"plan{k}.json"
            (self.folder / layout).write_text(json.dumps(random_plan(self.rng, sites), indent=1))
            words = ["--plan", layout]
        target = self.folder / f"rewritten{k}"
        step = self.relayout("rewrite", *self.units, *words, "-o", str(target))
        (self.folder / f"rewritten{k}.log").write_bytes(step.err)
        if step.crashed:
            return self.note(layout, "CRASH", step.codes(), step.tail())
        if step.code == 3:
            return self.note(layout, "REFUSED", step.codes(), step.tail())
        if step.code != 0:
            outcome = "NOT COMPILED" if "RL-V04" in step.codes() else "FAILED"
            return self.note(layout, outcome, step.codes(), step.tail())
        codes = [c for c in step.codes() if c.startswith(("RL-R", "RL-P"))]
        if not target.exists():
            return self.note(layout, "UNCHANGED", codes)
        return target.name, layout, codes, step.err.decode(errors="replace")[-3000:] if codes else ""

    def compare(self, name, layout, codes, text, expected):
        target = self.folder / name
        built = self.build(name, target)
        if built is None:
            self.outcomes[-1].update(layout=layout, folder=name)
            return
        runs = self.execute(built)
        if runs != expected:
            self.note(layout, "DIFFERENT", codes, self.difference(expected, runs))
            return
        if self.options.nvcc and self.rng.random() < self.options.nvcc_share:
            message = self.message_of_nvcc(target)
            if message and self.message_of_nvcc(self.folder):
                self.note("original", "INVALID", ["nvcc"], message)
            elif message:
                self.note(layout, "NOT COMPILED", ["nvcc"], message)
                return
        self.note(layout, "PARTLY" if codes else "PASS", codes, text)

    def difference(self, expected, runs):
        for (n, data), (out, code), (new, new_code) in zip(RUNS, expected, runs):
            if (out, code) != (new, new_code):
                pairs = zip(out.decode().split("\n"), new.decode(errors="replace").split("\n"))
                lines = [f"-{a} +{b}" for a, b in pairs if a != b]
                return f"arguments {n} {data}: exit codes {code}, {new_code}\n" + "\n".join(lines[:20])
        return ""

    def message_of_nvcc(self, folder):
        """What nvcc says of a unit that it does not compile, or None."""
        for unit in self.units:
            command = [self.options.nvcc, "-std=c++17", "--extended-lambda", "-w", "-c", unit, "-o", "/dev/null"]
            step = Step(command, folder, NVCC_LIMIT_S)
            if step.code != 0:
                return step.tail()
        return None

    def finish(self):
        """The result; the folder stays if there is something to look at."""
        failed = not all(outcomes.is_accepted(outcome) for outcome in self.outcomes)
        result = {"seed": self.seed, "features": sorted(self.program.used), "outcomes": self.outcomes}
        if failed or self.options.keep_all:
            (self.folder / "result.json").write_text(json.dumps(result, indent=1))
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
        return result


def try_seed(seed, options):
    try:
        trial = Trial(seed, options)
        trial.run()
        return trial.finish()
    except Exception:  # a fault of this script must not end the trials of other seeds
        outcome = {"layout": "", "class": "SCRIPT", "codes": [], "text": traceback.format_exc()}
        return {"seed": seed, "features": [], "outcomes": [outcome]}
