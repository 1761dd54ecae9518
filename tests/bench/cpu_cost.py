#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what relayout costs on a CPU: kernels on the executor against the same loops in C++, a rewrite of many lines
against Clang's own parse, an optimisation of a sample and, where nvcc is, compilation with probes against compilation without.

  cpu_cost.py measure --relayout build/bin/relayout --clang clang++-22 --out RAW.json
  cpu_cost.py record --raw RAW.json      # writes docs/results/cpu_cost.json, and its keys of projects.json

Processor seconds throughout, so that what else runs on the machine counts little; `load_average` says how much that was.
"""
import argparse
import collections
import datetime
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/gpu"))
import results_index  # noqa: E402

RESULT = ROOT / "docs/results/cpu_cost.json"
PROJECTS = ROOT / "docs/results/projects.json"
BENCH = ROOT / "tests/bench/executor_over_cpp.cu"
LINES, STATEMENTS = 50_000, 20_000


def run(command, **options):
    """Output, processor seconds and peak bytes of a command and all it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["/usr/bin/env", "bash", "-c", 'ulimit -c 0; exec "$@"', "run", *map(str, command)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout, seconds


def peak_of(command):
    """Peak resident bytes of one command, and its processor seconds."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, "
            "stderr=subprocess.DEVNULL); u = resource.getrusage(resource.RUSAGE_CHILDREN); "
            "print(u.ru_maxrss * 1024, u.ru_utime + u.ru_stime)")
    out, _ = run([sys.executable, "-c", code, *command])
    peak, seconds = out.split()
    return int(peak), float(seconds)


def executor(options, folder):
    """Nanoseconds an element: as a kernel, and as a loop."""
    run([options.relayout, "optimize", BENCH, "--layout", "soa", "-q", "-o", folder / "bench"])
    text, _ = run([folder / "bench/original/program"], env=os.environ | {"RELAYOUT_WORKERS": "1"})
    return {name: [float(kernel), float(loop)] for name, kernel, loop in (line.split() for line in text.splitlines())}


def many_lines():
    """A program of LINES lines; STATEMENTS of them change with the layout."""
    lines = ["struct Body { float x, y, z, w; };"]
    kernels = LINES // 250
    each = STATEMENTS // kernels
    for k in range(kernels):
        lines += [f"__global__ void kernel{k}(Body *bodies, float *out, int n) {{", f"  int i = threadIdx.x + {k};"]
        lines += [f"  bodies[i + {s}].x += bodies[i].y * {k}.{s}f;" for s in range(each)]
        lines += [f"  out[i + {s}] = out[i] * {s}.0f;" for s in range(250 - each - 3)]
        lines += ["}"]
    lines += ["int main() {", "  Body *bodies;", "  float *out;", "  cudaMalloc(&bodies, 4096 * sizeof(Body));",
              "  cudaMalloc(&out, 4096 * sizeof(float));"]
    lines += [f"  kernel{k}<<<1, 32>>>(bodies, out, 32);" for k in range(kernels)] + ["}"]
    return "\n".join(lines) + "\n"


def rewrite(options, folder):
    source = folder / "many.cu"
    source.write_text(many_lines())
    headers = options.relayout.parent.parent / "include/relayout-cuda"
    parse = [options.clang, "-x", "cuda", "-std=c++17", "--cuda-host-only", "-nocudainc",
             "-foffload-implicit-host-device-templates", "-isystem", str(headers),
             "-include", "cuda_runtime.h", "-fsyntax-only", "-w", str(source)]
    parse_peak, parse_seconds = peak_of(parse)
    peak, seconds = peak_of([str(options.relayout), "rewrite", str(source), "--layout", "soa", "-o", str(folder / "out")])
    changed = (collections.Counter(source.read_text().splitlines())
               - collections.Counter((folder / "out/many.cu").read_text().splitlines())).total()
    return {"lines": source.read_text().count("\n"), "changed_lines": changed, "seconds": seconds, "peak_bytes": peak,
            "syntax_only_seconds": parse_seconds, "syntax_only_peak_bytes": parse_peak}


def compilation(options, folder):
    """Of each sample's CUDA files: processor seconds of nvcc, and of relayout cc in front of it."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc is None:
        return {}
    seconds = {}
    for source in sorted((ROOT / "samples").glob("*/*.cu")):
        words = [nvcc, "-O3", "-std=c++17", "-arch=sm_90", "-c", source, "-o", folder / "unit.o"]
        plain, probed = run(words)[1], run([options.relayout, "cc", "--", *words])[1]
        seconds[str(source.relative_to(ROOT))] = [round(plain, 2), round(probed, 2)]
    return seconds


def measure(options):
    options.relayout = pathlib.Path(options.relayout).resolve()
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        himeno = ROOT / "samples/himeno/himeno.cu"
        raw = {"cpu": model[1] if model else "unknown", "cores": len(os.sched_getaffinity(0)),
               "load_average": round(os.getloadavg()[0], 1), "date": datetime.date.today().isoformat(),
               "relayout": run([options.relayout, "--version"])[0].strip(),
               "executor_ns": executor(options, folder), "rewrite": rewrite(options, folder),
               "optimize_himeno_seconds": run([options.relayout, "optimize", himeno, "-q", "-o", folder / "himeno",
                                               "--", "--check"])[1],
               "compilation_seconds": compilation(options, folder)}
    pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")


def enter_in_projects(summary):
    """What a project pays for relayout is in its results too."""
    kept = json.loads(PROJECTS.read_text())
    for key in ("executor_over_cpp", "rewrite_over_syntax_only", "rewrite_peak_bytes", "cc_compile_ratio_max"):
        if key in summary:
            kept["summary"][key] = summary[key]
    PROJECTS.write_text(json.dumps(kept, indent=1) + "\n")


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    kernels = raw["executor_ns"]
    cost = raw["rewrite"]
    summary = {"executor_over_cpp": {name: round(kernel / loop, 2) for name, (kernel, loop) in kernels.items() if loop},
               "barrier_ns_a_thread": round(kernels["barrier"][0], 1),
               "rewrite_over_syntax_only": round(cost["seconds"] / cost["syntax_only_seconds"], 1),
               "rewrite_peak_bytes": cost["peak_bytes"],
               "optimize_himeno_cpu_seconds": round(raw["optimize_himeno_seconds"], 1)}
    if raw["compilation_seconds"]:
        ratios = {unit: round(probed / plain, 2) for unit, (plain, probed) in raw["compilation_seconds"].items()}
        summary |= {"cc_compile_ratio_max": max(ratios.values()), "cc_compile_ratio": ratios}
    RESULT.write_text(json.dumps({"summary": summary, **raw}, indent=1) + "\n")
    results_index.enter(RESULT.name, "tests/bench/cpu_cost.py", f"{raw['cpu']}, {raw['cores']} cores", raw["date"],
                        "the executor against loops in C++, a rewrite of many lines against Clang's parse, himeno optimised")
    enter_in_projects(summary)
    print(json.dumps(summary, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure")
    command.add_argument("--relayout", required=True)
    command.add_argument("--clang", default="clang++-22")
    command.add_argument("--out", required=True)
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
