# SPDX-License-Identifier: Apache-2.0
"""The steps that corpus.py takes with one program. Verdicts about them are in verdicts_of_steps.py.

| step | what it asks |
|---|---|
| original | does nvcc take the program (asked if the list does not say) |
| read | `relayout rewrite --layout soa`: is it read as it stands, is there an array of records |
| default | `relayout optimize` without options: does it run and trace on the CPU, which groups, which layouts |
| forced | the same with `--layout soa`, if there is an array of records: a choice to leave it alone hides nothing |
| repeats | if copies differed: does the original copy back the same bytes twice (`relayout verify`, with itself) |
| group N | `relayout rewrite --plan` with group N alone as SoA: rewritten, or refused with which code |
| nvcc VERSION | the diff of a version applies to the program's files, and nvcc takes the result |
| gpu trace | if the CPU gave none: `relayout cc` and `profile`, then default, groups and forced from that trace |
| gpu VERSION | the program before and after, both built by nvcc: every device-to-host copy, and kernel times |
"""
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import threading
import time

TIMED_OUT = 124
BUILD_LIMIT = 600  # seconds for a build by nvcc, whose speed is not what is asked
LIBRARIES = ["-lcurand", "-lcublas", "-lcufft", "-lcusparse", "-lgomp"]
START_TIME = str(int(time.time()))  # what programs that seed by the time of day are told, before and after alike
GPU = threading.Lock()  # one program at a time runs on the GPU


def call(command, folder, limit, stdin=None, log=None, environment=None):
    """Exit code, output and seconds. What runs too long ends with all it started."""
    started = time.monotonic()
    with open(stdin or os.devnull) as feed, subprocess.Popen(
            [str(word) for word in command], cwd=folder, stdin=feed, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, env={**os.environ, **(environment or {})}) as process:
        try:
            printed = process.communicate(timeout=limit)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed = process.communicate()
            code = TIMED_OUT
    text, complaints = (part.decode(errors="surrogateescape") for part in printed)  # a diff keeps every byte
    if log:
        log.write_bytes(b"\n".join([" ".join(map(str, command)).encode(), *printed, f"exit code {code}\n".encode()]))
    return code, text, complaints, round(time.monotonic() - started, 1)


def codes_in(text, severities="error"):
    found = re.findall(rf"\b(?:{severities}):[^\n]*\[(RL-[A-Z]\d\d)\]", text)
    return list(dict.fromkeys(found))


def is_plain(decision):
    """Groups of plain arrays have the name of a built-in type."""
    return set(decision["record"].split()) <= {
        "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "__half", "__nv_bfloat16"}


def soa_of(decision):
    return {"clusters": [{"fields": [field], "alignment": 0} for field in decision["fields"]], "tile": 0, "padBytes": 0,
            "startAlignment": 0}


def libraries_beside(relayout):
    """The libraries that see a program's copies and time its kernels."""
    found = {name: next(relayout.parent.parent.rglob(f"librelayout_{name}.so"), None)
             for name in ("copies", "counters")}
    if None in found.values():
        raise SystemExit(f"there are no librelayout_copies.so and librelayout_counters.so beside '{relayout}'")
    return found


def run_counted(command, folder, limit, libraries, scratch, stdin=None, log=None, gpu=0):
    """Exit code, seconds, what the program copies back, and the time of all its kernels by CUPTI."""
    copies, times = scratch / "copies.txt", scratch / "times.json"
    for file in (copies, times):
        file.unlink(missing_ok=True)
    environment = {"LD_PRELOAD": str(libraries["copies"]), "RELAYOUT_COPIES": str(copies), "RELAYOUT_TRACE": "",
                   "CUDA_INJECTION64_PATH": str(libraries["counters"]), "RELAYOUT_COUNTERS": str(times),
                   "RELAYOUT_COUNTERS_MODE": "times", "CUDA_MODULE_LOADING": "EAGER",
                   "RELAYOUT_START_TIME": START_TIME, "CUDA_VISIBLE_DEVICES": str(gpu)}
    code, _, _, seconds = call(command, folder, limit, stdin, log, environment)
    kernels = json.loads(times.read_text()).get("kernel_times", []) if times.exists() else []
    return {"code": code, "seconds": seconds, "copies": copies.read_text() if copies.exists() else "",
            "ms": sum(kernel.get("all_ns", 0) for kernel in kernels) * 1e-6}


class Trial:
    """One program's steps. `taken` has those that were taken before; `keep` is told of each new one."""

    def __init__(self, options, program, taken, keep):
        self.options, self.program, self.taken, self.keep = options, program, taken, keep
        self.work = options.work / program["program"]
        self.source = self.work / "source"
        self.logs = self.work / "logs"
        self.units, self.flags = program["units"], program["flags"]
        self.stdin = self.source / program["stdin"] if "stdin" in program else None
        if not self.source.exists():
            self.copy_of_program(self.source)
        self.logs.mkdir(exist_ok=True)
        self.kept_files = ("plan.json", "report.json", "changes.diff")

    def copy_of_program(self, target):
        """A copy with a repository of its own, whose root is where diffs start."""
        shutil.copytree(self.program["folder"], target, symlinks=True)
        subprocess.run(["git", "init", "-q", target], check=True)

    def step(self, name, action):
        if name not in self.taken:
            self.keep(name, action())
        return self.taken[name]

    def run_all(self):
        if "nvcc_builds" not in self.program and self.step("original", self.build_original)["code"] != 0:
            return
        self.step("read", self.read)
        self.step("default", lambda: self.optimize("default", []))
        self.decide_groups("")
        if self.options.on == "gpu":
            self.groups_from_gpu()
        if any("RL-V01" in step["codes"] for step in self.taken.values()):
            self.step("repeats", self.repeat)
        for version in self.versions():
            self.step(f"nvcc {version}", lambda v=version: self.build_version(v))
        if self.options.on == "gpu":
            for version in self.versions():
                if self.taken[f"nvcc {version}"]["code"] == 0:
                    self.step(f"gpu {version}", lambda v=version: self.before_and_after(v))

    def groups_from_gpu(self):
        if self.plan_of("default") or self.step("gpu trace", self.trace_on_gpu)["code"] != 0:
            return
        trace = ["--trace-file", self.work / "gpu.rlt"]
        self.step("default from gpu", lambda: self.optimize("default from gpu", trace))
        self.decide_groups(" from gpu", trace)

    # What relayout makes of it

    def relayout(self, name, words, limit, arguments=None):
        command = [self.options.relayout, *words, *([] if arguments is None else ["--", *arguments])]
        code, text, complaints, seconds = call(command, self.source, limit, self.stdin, self.logs / f"{name}.log")
        return {"code": code, "seconds": seconds, "codes": codes_in(complaints),
                "warnings": codes_in(complaints, "warning")}, text

    def what(self):
        return [*self.units, *self.flags]

    def read(self):
        result, text = self.relayout("read", ["rewrite", *self.what(), "--layout", "soa"], self.options.limit)
        start = re.search(r"^(diff --git|--- )", text, re.MULTILINE)
        if result["code"] == 0 and start:
            (self.work / "read.diff").write_bytes(text[start.start():].encode(errors="surrogateescape"))
        return result

    def optimize(self, name, words):
        out = self.work / name
        shutil.rmtree(out, ignore_errors=True)
        workers = [] if "--trace-file" in words else ["--workers", str(self.options.workers)]
        result, text = self.relayout(name, ["optimize", *self.what(), "-q", "--on", "cpu", *workers, *words, "-o", out],
                                     self.options.limit, self.program["arguments"])
        result["verified"] = bool(re.search(r"^(not )?verified:", text, re.MULTILINE))
        result["verified_in_part"] = bool(re.search(r"^(not )?verified in part:", text, re.MULTILINE))
        result["rewritten"] = (out / "changes.diff").exists()
        result["traced"] = (out / "plan.json").exists() or result["code"] == 0  # no plan: there is no array
        for made in out.iterdir() if out.exists() else ():  # traces and builds are large
            if made.is_dir():
                shutil.rmtree(made)
            elif made.name not in self.kept_files:
                made.unlink()
        return result

    def repeat(self):
        out = self.work / "repeats"
        result, _ = self.relayout("repeats", ["verify", *self.units, *self.units, *self.flags, "-o", out],
                                  self.options.limit, self.program["arguments"])
        shutil.rmtree(out, ignore_errors=True)
        return result

    def plan_of(self, name):
        file = self.work / name / "plan.json"
        return json.loads(file.read_text()) if file.exists() else None

    def decide_groups(self, suffix, trace=()):
        """The groups of a trace, each of records alone as SoA; then all of them at once, run and compared."""
        plan = self.plan_of("default" + suffix)
        if not plan:
            return
        report = self.work / ("default" + suffix) / "report.json"
        chosen = json.loads(report.read_text())["groups"] if report.exists() else []
        groups = []
        for index, decision in enumerate(plan["decisions"]):
            name = "original"
            if not decision["keep"]:
                name = (chosen[index]["best"]["layout"] or {}).get("name", "other") if index < len(chosen) else "other"
            groups.append({"record": decision["record"], "arrays": len(decision["arrays"]),
                           "plain": is_plain(decision), "decided": name})
        self.step("groups" + suffix, lambda: {"code": 0, "codes": [], "groups": groups})
        for index, group in enumerate(groups):
            if not group["plain"]:
                self.step(f"group {index}{suffix}", lambda i=index: self.group_alone(plan, i, f"group {i}{suffix}"))
        if any(not group["plain"] for group in groups):
            words = ["--layout", "soa", "--arrays", "records", *trace]
            self.step("forced" + suffix, lambda: self.optimize("forced" + suffix, words))

    def group_alone(self, plan, index, name):
        decisions = [{**decision, "keep": i != index, **({"layout": soa_of(decision)} if i == index else {})}
                     for i, decision in enumerate(plan["decisions"])]
        file = self.work / f"{name}.json"
        file.write_text(json.dumps({**plan, "policy": "fixed", "decisions": decisions}))
        return self.relayout(name, ["rewrite", *self.what(), "--plan", file], self.options.limit)[0]

    def trace_on_gpu(self):
        traced = self.work / "traced"
        build, _ = self.relayout("gpu build", ["cc", "--allow-unprobed"], BUILD_LIMIT,
                                 ["nvcc", "-O2", "-arch=native", *self.what(), *LIBRARIES, "-o", traced])
        if build["code"] != 0:
            return build
        with GPU:
            return self.relayout("gpu trace", ["profile", "-o", self.work / "gpu.rlt"], self.options.limit,
                                 [traced, *self.program["arguments"]])[0]

    # What nvcc makes of it

    def nvcc(self, folder, program, name, architecture, more=()):
        command = ["nvcc", "-O3", "-w", f"-arch={architecture}", "-cudart", "shared", *self.what(), *more, *LIBRARIES,
                   "-o", program]
        code, _, _, seconds = call(command, folder, BUILD_LIMIT, log=self.logs / f"{name}.log")
        return {"code": code, "seconds": seconds, "codes": []}

    def build_original(self):
        return self.nvcc(self.source, self.work / "before", "original", "sm_90")

    def diff_of(self, version):
        file = self.work / "read.diff" if version == "read" else self.work / version / "changes.diff"
        return file if file.exists() and file.stat().st_size else None

    def versions(self):
        """What every array of records as SoA and what the default path makes of it; without a run, what `read` does."""
        found = [next((name for name in names if self.diff_of(name)), None)
                 for names in (("forced", "forced from gpu", "read"), ("default", "default from gpu"))]
        return [name for name in found if name]

    def build_version(self, version, keep=None, more=()):
        folder = self.work / f"after {version}"
        shutil.rmtree(folder, ignore_errors=True)
        self.copy_of_program(folder)
        applied = call(["git", "apply", "--whitespace=nowarn", self.diff_of(version)], folder, 60,
                       log=self.logs / f"apply {version}.log")[0]
        if applied != 0:
            return {"code": applied, "codes": [], "diff_applies": False}
        result = self.nvcc(folder, keep or folder / "program", f"nvcc {version}", "native" if keep else "sm_90", more)
        shutil.rmtree(folder)
        if result["code"] != 0:  # the list's nvcc may have had another compiler for the host
            result["original_rejected"] = self.nvcc(self.source, self.work / "original", "original", "sm_90")["code"] != 0
        return {**result, "diff_applies": True}

    # What the GPU makes of it

    def before_and_after(self, version):
        """To be replaced by a subcommand of relayout that does the same."""
        before, after = self.work / "before", self.work / "after"
        if not before.exists():
            built = self.nvcc(self.source, before, "original", "native")
            if built["code"] != 0:
                return {**built, "failed": "before, to build"}
        built = self.build_version(version, keep=after)
        if built["code"] != 0:
            return {**built, "failed": "after, to build"}
        runs = {"before": [], "after": []}
        with GPU:
            for turn in range(self.options.gpu_runs + 1):  # the first warms up; in turn, so that drift meets both alike
                for name, program in (("before", before), ("after", after)):
                    done = self.run_on_gpu(program, f"gpu {version} {name}")
                    if done["code"] != 0:
                        return {"code": done["code"], "seconds": done["seconds"], "codes": [], "failed": name}
                    runs[name].append(done)
        copies = {name: [done.pop("copies") for done in of] for name, of in runs.items()}
        result = {"code": 0, "codes": [], "copied_back": bool(copies["before"][0]),
                  "original_repeats": len(set(copies["before"])) == 1,
                  "identical": set(copies["before"]) == set(copies["after"])}
        for name, of in runs.items():
            result[f"{name}_ms"] = statistics.median(done["ms"] for done in of[1:]) if of[1:] else of[0]["ms"]
        if result["original_repeats"] and not result["identical"]:
            result["identical_without_fma"] = self.are_same_without_fma(version)
        if not result["identical"] and not result.get("identical_without_fma"):
            result["original_out_of_bounds"] = self.is_out_of_bounds(before)
        return result

    def is_out_of_bounds(self, program):
        """Whether compute-sanitizer finds accesses of the original to memory that is not its own: what it copies back
        then depends on where its arrays happen to lie."""
        arguments = self.program.get("real_arguments", self.program["arguments"])
        with GPU:
            # Padding keeps what lies beyond one allocation out of the next.
            code = call(["compute-sanitizer", "--padding", "1048576", "--error-exitcode", "86", program, *arguments],
                        self.source, 4 * self.options.limit, self.stdin, self.logs / "compute-sanitizer.log")[0]
        return code == 86

    def are_same_without_fma(self, version):
        """As relayout compares again: which products the compiler adds in one operation depends on the code around."""
        before, after = self.work / "before without fma", self.work / "after without fma"
        builds = (self.nvcc(self.source, before, "original without fma", "native", ["-fmad=false"]),
                  self.build_version(version, after, ["-fmad=false"]))
        if any(built["code"] != 0 for built in builds):
            return False
        with GPU:
            done = [self.run_on_gpu(program, f"gpu {version} {program.name}") for program in (before, after)]
        return all(run["code"] == 0 for run in done) and done[0]["copies"] == done[1]["copies"]

    def run_on_gpu(self, program, name, gpu=0):
        arguments = self.program.get("real_arguments", self.program["arguments"])
        return run_counted([program, *arguments], self.source, self.options.limit, self.options.libraries, self.work,
                           self.stdin, self.logs / f"{name}.log", gpu)
