#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `relayout profile --counters` with what kernels are known to do, and disables parts of CUPTI.

  counters.py prepare --relayout build/bin/relayout --out DIR     # no GPU needed, but nvcc
  counters.py measure --relayout bin/relayout --dir DIR --out RAW # on the machine with the GPU, as root
  counters.py record --raw RAW                                    # writes docs/results/counters.json

`measure` compares the counters of kernels/counters.cu with what that program expects of itself, launched one by one
and in a graph; in sph, of each kernel, the sectors of the range profiler with those of SASS metrics. Then it lets
`doctor` and `profile --counters` run without CUPTI, with counters forbidden (standins/), beside another subscriber
and under other tools, and measures the host memory of many launches.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs/results/counters.json"
FLAGS = ["-O3", "-std=c++17", "-arch=sm_90"]
PROGRAMS = ["tests/gpu/kernels/counters.cu", "tests/gpu/kernels/launch_forms.cu", "samples/sph/sph.cu"]
METRICS = {
    "load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    **{op: f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum"
       for op in ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma")}}
FORBIDDEN = ["cuptiProfilerGetCounterAvailability", "cuptiRangeProfilerEnable", "cuptiSassMetricsSetConfig",
             "cuptiSassMetricsEnable"]
HIDE = """for f in $(ldconfig -p | awk '/libcupti.so/{print $NF}') /usr/local/cuda/extras/CUPTI/lib64/libcupti.so.* \
/usr/local/cuda/lib64/libcupti.so.*; do [ -s $f ] && mount --bind /dev/null $(readlink -f $f); done; exec "$@" """


def prepare(options):
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    for source in PROGRAMS:
        name = pathlib.Path(source).stem
        compile_it = ["nvcc", *FLAGS, str(ROOT / source), "-lcuda", "-o"]
        subprocess.run([*compile_it, str(out / f"{name}.plain"), "-lineinfo"], check=True)
        subprocess.run([options.relayout, "cc", "-q", "--", *compile_it, str(out / f"{name}.traced")], check=True)
    sources = ROOT / "runtime/gpu/src"
    calls = set(re.findall(r"CALL\((cupti\w+)\)", (sources / "cupti_calls.h").read_text()))
    calls |= set(re.findall(r'find\("(cupti\w+)"', (sources / "counters_with_cupti.cpp").read_text()))
    lists = {"FORWARDED": sorted(calls - set(FORBIDDEN)), "FORBIDDEN": FORBIDDEN}
    (out / "cupti_calls.inc").write_text("".join(
        f"#define {name}(X) " + " ".join(f"X({call})" for call in names) + "\n" for name, names in lists.items()))
    standins = ROOT / "tests/gpu/standins"
    (out / "forbidding").mkdir(exist_ok=True)
    for source, library in ("forbidding_cupti", "forbidding/libcupti.so.13"), ("other_subscriber", "libother.so"):
        subprocess.run(["cc", "-O1", "-fPIC", "-shared", f"-I{out}", str(standins / f"{source}.c"), "-o",
                        str(out / library), "-Wl,-soname,standin.so", "-ldl"], check=True)


def profile(options, program, arguments, prefix=(), environment=None, original=True):
    """Exit code, the program's output, the report, and the seconds that all runs together took."""
    folder = pathlib.Path(options.dir).resolve()
    trace = pathlib.Path("/tmp/counters.rlt")
    report = pathlib.Path(f"{trace}.gpu.json")
    for file in trace, report:
        file.unlink(missing_ok=True)
    begin = time.time()
    done = subprocess.run(
        [*prefix, options.relayout, "profile", "--counters", "-o", str(trace),
         *(["--original", str(folder / f"{program}.plain")] if original else []), "--",
         str(folder / f"{program}.traced"), *arguments], capture_output=True, text=True, timeout=60,
        env={**os.environ, **(environment or {})})
    return {"exit": done.returncode, "output": done.stdout, "messages": done.stderr, "seconds": time.time() - begin,
            "trace": trace.exists(), "report": json.loads(report.read_text()) if report.exists() else {}}


def name_of(kernel):
    return kernel.split("(")[0]


def deviations(run, form):
    """Of each expected value, by how much the counted one differs, as a share of it; of a graph, of the whole."""
    expected = {(k, m): float(v) for k, m, v in re.findall(r"^expect (\w+) (\w+) (\d+)$", run["output"], re.M)}
    counters = run["report"]["counters"]
    told = {}
    if form == "graph":
        graph = counters["graphs"][0]
        nodes = {name_of(k["kernel"]): k["nodes"] for k in graph["kernels"]}
        for metric in {m for k, m in expected if k in nodes}:
            whole = sum(expected.get((k, metric), 0) * n for k, n in nodes.items())
            value = graph["counters"].get(METRICS[metric])
            if value is not None:
                told["graph " + metric] = value / whole - 1
        return told
    rows = {name_of(k["kernel"]): k for k in counters["kernels"]}
    for (kernel, metric), value in expected.items():
        row = rows[kernel]
        counted = row["counters"].get(METRICS[metric], 0) / row["counted_launches"]
        told[f"{kernel} {metric}"] = counted / value - 1
    return told


def sectors(run):
    """By kernel: L1 sectors a launch that loads and stores access, by the range profiler and by SASS metrics."""
    counters = run["report"]["counters"]
    rows = {}
    for kernel in counters["kernels"]:
        lines = [line for line in counters["lines"] if line["kernel"] == kernel["kernel"]]
        rows[name_of(kernel["kernel"])] = {
            kind: [kernel["counters"][METRICS[metric]] / kernel["counted_launches"],
                   sum(l["sectors"] for l in lines if l["kind"] == kind) / max([1, *(l["counted_launches"] for l in lines)])]
            for kind, metric in (("read", "load_sectors"), ("write", "store_sectors"))}
    return rows


def situations(options, only=()):
    folder = pathlib.Path(options.dir).resolve()
    real = subprocess.run("ldconfig -p | awk '/libcupti.so.13/{print $NF}'", shell=True, capture_output=True, text=True)
    real = {"REAL_CUPTI": real.stdout.split()[0]}
    ways = {
        "everything": ([], {}),
        "no CUPTI": (["unshare", "-m", "bash", "-c", HIDE, "hide"], {}),
        "counters forbidden (stand-in)": ([], {**real, "LD_LIBRARY_PATH": str(folder / "forbidding")}),
        "another subscriber": ([], {**real, "LD_PRELOAD": str(folder / "libother.so")}),
        "compute-sanitizer": (["compute-sanitizer", "--target-processes", "all"], {}),
        "ncu": (["ncu", "--target-processes", "all", "--clock-control", "none", "--metrics", "smsp__inst_executed.sum"],
                {})}
    rows = {}
    for way, (prefix, environment) in ways.items():
        if only and way not in only:
            continue
        try:
            run = profile(options, "launch_forms", ["graph"], prefix, environment, original=False)
            doctor = subprocess.run([*prefix, options.relayout, "doctor", "--json"], capture_output=True, text=True,
                                    timeout=60, env={**os.environ, **environment})
        except (OSError, subprocess.TimeoutExpired) as failure:
            rows[way] = {"not_tried": str(failure)}
            continue
        parts = re.search(r"^\{.*^\}", doctor.stdout, re.M | re.S)
        expected = re.search(r"launches (\d+) warp_accesses (\d+)", run["output"])
        launches, accesses = map(int, expected.groups()) if expected else (-1, -1)
        report = run["report"]
        rows[way] = {
            "profile_exit": run["exit"], "doctor_exit": doctor.returncode, "trace": run["trace"],
            "counted_exactly": report.get("launches", {}).get("executed") == launches and
                               report.get("warp_accesses", {}).get("executed") == accesses,
            "missing": report.get("missing"), "messages": run["messages"][-600:],
            "has": {part: len(report.get("counters", {}).get(part, []))
                    for part in ("kernel_times", "kernels", "graphs", "lines")},
            "doctor": {p["part"]: p["works"] if p["works"] else p["found"]
                       for p in json.loads(parts.group(0))["result"]["parts"]} if parts else doctor.stdout[-300:]}
    return rows


def memory(options):
    """MiB of the largest resident set, and seconds; all at once."""
    folder = pathlib.Path(options.dir).resolve()
    runs = [("plain", 1000000, 1), ("traced", 1000, 1), ("traced", 1000000, 0), ("traced", 1000000, 1),
            ("traced", 4000000, 1)]
    def run(number, kind, launches, cupti):
        begin = time.time()
        child = subprocess.Popen([str(folder / f"launch_forms.{kind}"), "many", str(launches)],
                                 stdout=subprocess.DEVNULL, env={
                                     **os.environ, "RELAYOUT_TRACE": f"/tmp/many{number}.rlt", "RELAYOUT_CUPTI": str(cupti)})
        _, status, usage = os.wait4(child.pid, 0)
        return f"{kind}, {launches} launches" + ("" if cupti else ", without CUPTI"), {
            "exit": os.waitstatus_to_exitcode(status), "mib": round(usage.ru_maxrss / 1024, 1),
            "seconds": round(time.time() - begin, 1)}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return dict(pool.map(lambda row: run(*row), [(i, *row) for i, row in enumerate(runs)]))


def measure(options):
    gpu = subprocess.run(["nvidia-smi", "-i", "0", "--query-gpu=name,driver_version", "--format=csv,noheader"], check=True,
                         capture_output=True, text=True).stdout.strip().split(", ")
    raw = {"gpu": gpu[0], "driver": gpu[1]}
    for form in "launches", "graph":
        raw[form] = profile(options, "counters", [form])
    raw["sph"] = profile(options, "sph", ["--side", "12", "--steps", "4"])
    pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        at_once = pool.submit(memory, options)
        raw["situations"] = situations(options, options.only)
        raw["memory"] = at_once.result()
    pathlib.Path(options.out).write_text(json.dumps(raw, indent=1) + "\n")


def record(options):
    raw = json.loads(pathlib.Path(options.raw).read_text())
    told = {form: deviations(raw[form], form) for form in ("launches", "graph")}
    equal = sectors(raw["sph"])
    rounded = lambda rows: {k: round(v, 5) for k, v in sorted(rows.items())}
    worst = lambda rows: max(abs(v) for k, v in rows.items() if "dram" not in k)
    result = {
        "gpu": raw["gpu"], "driver": raw["driver"],
        "summary": {
            "worst_deviation": round(max(map(worst, told.values())), 6),
            "worst_dram_deviation": round(max(abs(v) for rows in told.values()
                                              for k, v in rows.items() if "dram" in k), 4),
            "sph_sectors_worst_deviation": round(max(abs(a - b) / max(a, b, 1) for k in equal.values()
                                                     for a, b in k.values()), 4),
            "traces_complete": all(row.get("counted_exactly") for row in raw["situations"].values())},
        "deviations": {form: rounded(rows) for form, rows in told.items()},
        "seconds": {form: round(raw[form]["seconds"], 1) for form in ("launches", "graph", "sph")},
        "sph_sectors_a_launch": equal,
        "situations": {way: {k: v for k, v in row.items() if k != "messages"}
                       for way, row in raw["situations"].items()},
        "memory": raw["memory"]}
    # Where things lay on that machine is nobody's business.
    RESULT.write_text(re.sub(r"/[\w./-]*/(librelayout)", r"\1", json.dumps(result, indent=1)) + "\n")
    print(json.dumps(result["summary"], indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    for step, names in (prepare, ["relayout", "out"]), (measure, ["relayout", "dir", "out"]), (record, ["raw"]):
        options = steps.add_parser(step.__name__)
        for name in names:
            options.add_argument(f"--{name}", required=True)
        if step == measure:
            options.add_argument("--only", nargs="*", default=[], help="situations to try, of all")
        options.set_defaults(step=step)
    options = parser.parse_args()
    options.step(options)


if __name__ == "__main__":
    main()
