#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what the model assumes about caches, tag banks, GPCs and stalls of a GPU.

  microarchitecture.py measure --out DIR [STEP ...]  # on a machine with a GPU, nvcc and ncu; about three minutes
  microarchitecture.py record --raw DIR              # anywhere: writes the files below

`measure` builds the programs of microarchitecture/ with nvcc and keeps what they print, and what ncu counted, in DIR.
`record` makes docs/results/l1.json, waits.json, placing.json, migration.json, conversions.json, tag_banks.json and sm_sharing.json from it, and their rows in the
README there. Each file holds one entry a GPU, and only that of the GPU measured is replaced.
"""
import argparse
import collections
import csv
import datetime
import json
import pathlib
import re
import statistics
import subprocess

import results_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results"
SOURCES = ROOT / "tests/gpu/microarchitecture"
PROGRAMS = ("l1_chains", "row_walks", "wait_bench", "atomic_wavefronts", "sm_sharing", "placing", "page_migration",
            "conversions")
L2_READS = "lts__t_sectors_srcunit_tex_op_read.sum"
WALKED = {"l2_reads": L2_READS, "dram_reads": "dram__bytes_read.sum", "dram_writes": "dram__bytes_write.sum",
          "ns": "gpu__time_duration.sum"}
PASSED = {"reduce": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
          "fetch": "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"}
WAVEFRONTS = {"reduce": "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_red.sum",
              "fetch": "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_atom.sum"}
WALK_BLOCKS = (1, 2, 3, 4, 6, 9, 12, 16)
DELAYS_NS = (0, 64, 128, 192, 256, 320, 384, 512, 768, 1024)
SECTOR_BYTES = 32
LINE_WORDS, SECTOR_WORDS = 32, 8
NEIGHBOUR_DISTANCES = (1, 2, 4, 8, 16, 66, 132, 264, 528, 1056)


# --- measure -----------------------------------------------------------------------------------------------------------

def output_of(*command, **keywords):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **keywords).stdout


def device():
    name, driver = output_of("nvidia-smi", "-i", "0", "--query-gpu=name,driver_version", "--format=csv,noheader").strip().split(", ")
    release = re.search(r"V([\d.]+)", output_of("nvcc", "--version"))
    return {"gpu": name, "driver": driver, "nvcc": release.group(1), "date": datetime.date.today().isoformat()}


def counted(out, name, metrics, *command, **keywords):
    """The program's output; ncu's counters of its launches, in order, lie in NAME.csv."""
    text = output_of("ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw",
                     "--print-units", "base", "--metrics", ",".join(metrics), "--log-file", out / f"{name}.csv",
                     *command, **keywords)
    return "\n".join(line for line in text.splitlines() if not line.startswith("==PROF==")) + "\n"


def available(metrics):
    """Those of the metrics that ncu knows for this GPU."""
    known = output_of("ncu", "--query-metrics")
    return [metric for metric in metrics if metric.split(".")[0] in known]


def gpcs_of(clusters):
    """SMs by GPC: those that a thread-block cluster ever held together."""
    of = {}
    for cluster in clusters:
        merged = set(cluster).union(*(of.get(sm, set()) for sm in cluster))
        for sm in merged:
            of[sm] = merged
    return sorted({tuple(sorted(sms)) for sms in of.values()})


def pairs(gpcs):
    """SM 0 with itself, with others of its GPC, and with one SM of each other GPC, at each delay."""
    own = next(sms for sms in gpcs if 0 in sms)
    others = [own[i] for i in range(1, len(own), max(len(own) // 6, 1))][:6]
    apart = [sms[0] for sms in gpcs if 0 not in sms]
    return [(0, 0, 0)] + [(0, sm, delay) for sm in (*others, *apart) for delay in DELAYS_NS]


def measure(options):
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "device.json").write_text(json.dumps(device(), indent=1) + "\n")
    for name in PROGRAMS:
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=native", SOURCES / f"{name}.cu", "-o", out / name], check=True)
    # Each step is kept by itself: one that fails takes no other with it.
    steps = {
        "chains": lambda: output_of(out / "l1_chains"),
        "waits": lambda: output_of(out / "wait_bench"),
        "placing": lambda: output_of(out / "placing"),
        "migration": lambda: output_of(out / "page_migration"),
        "conversions": lambda: output_of(out / "conversions"),
        "clusters": lambda: output_of(out / "sm_sharing", "clusters"),
        "placement": lambda: output_of(out / "sm_sharing", "placement"),
        "atomics": lambda: counted(out, "atomics", available([*PASSED.values(), *WAVEFRONTS.values()]), out / "atomic_wavefronts"),
        "requests": lambda: counted(
            out, "requests", [L2_READS], out / "sm_sharing", "requests",
            input="\n".join("{} {} {}".format(*p) for p in pairs(gpcs_of(json.loads((out / "clusters.json").read_text()))))),
        **{f"walks{blocks}": lambda blocks=blocks: counted(out, f"walks{blocks}", WALKED.values(), out / "row_walks", blocks)
           for blocks in WALK_BLOCKS},
    }
    for name, step in steps.items():
        if options.steps and name not in options.steps:
            continue
        try:
            (out / f"{name}.json").write_text(step())
            print(f"{name}: done", flush=True)
        except (OSError, subprocess.CalledProcessError) as failure:
            said = (getattr(failure, "stdout", "") or "")[-300:] + (getattr(failure, "stderr", "") or "")[-300:]
            print(f"{name}: {failure} {said}", flush=True)
    for name in PROGRAMS:
        (out / name).unlink()


# --- record ------------------------------------------------------------------------------------------------------------

def raw_of(raw, name):
    return json.loads((raw / f"{name}.json").read_text())


def counters_of(raw, name):
    """Rows of ncu's table, one a launch: {column: text}."""
    lines = [line for line in (raw / f"{name}.csv").read_text().splitlines() if line.startswith('"')]
    return list(csv.DictReader(lines))[1:]  # the first row holds the units


def number(row, metric):
    return float(row[metric].replace(",", ""))


CONTENTS = {
    "l1.json": "which lines L1 keeps; what L1 and L2 keep of walks along rows",
    "waits.json": "stalls for one load of several words against several loads",
    "placing.json": "cycles for the place of an element in another order: chains of loads, and walks of few to many warps",
    "conversions.json": "records to planes and back, thread by thread and through shared memory, over a copy of the same bytes",
    "migration.json": "how fast pages of managed memory come to the kernel that touches them first",
    "tag_banks.json": "which address bits select L1's tag bank; sectors of one-warp atomics against the rule",
    "sm_sharing.json": "SMs of each GPC; which requests of two SMs merge; where adjacent blocks run",
}


def keep(file, machine, entry):
    path = RESULTS / file
    results = json.loads(path.read_text()) if path.exists() else {}
    results[machine["gpu"]] = {**{k: v for k, v in machine.items() if k != "gpu"}, **entry}
    gpus = ", ".join(name.removeprefix("NVIDIA ") for name in results)
    results_index.enter(file, "tests/gpu/microarchitecture.py", gpus, machine["date"], CONTENTS[file])
    text = json.dumps(results, indent=1)
    # A row of a table is a line.
    path.write_text(re.sub(r"\{[^{}]*\}|\[[^][{}]*\]", lambda m: " ".join(m[0].split()), text) + "\n")
    print(f"{path.relative_to(ROOT)}: {machine['gpu']}")


def walks(raw):
    """Sectors that L2 was asked for, and that DRAM read and wrote, over the sectors of the rows."""
    rows = []
    for blocks in WALK_BLOCKS:
        for row in counters_of(raw, f"walks{blocks}"):
            passes, stores, walkers = re.search(
                r"walk<(?:\(int\))?(\d+), (?:\(bool\))?(\w+), (?:\(int\))?(\d+)>", row["Kernel Name"]).groups()
            # kRounds · kSms · blocks · kRows · kColumns elements of 16 bytes, as row_walks.cu has them
            sectors = 2 * 132 * blocks * 256 * 16 * 16 / SECTOR_BYTES
            value = {name: number(row, metric) for name, metric in WALKED.items()}
            rows.append({
                "passes": int(passes), "stores": stores in ("1", "true"), "walkers": int(walkers), "blocks": blocks,
                "l2_reads": round(value["l2_reads"] / sectors, 3),
                "dram_reads": round(value["dram_reads"] / SECTOR_BYTES / sectors, 3),
                "dram_writes": round(value["dram_writes"] / SECTOR_BYTES / sectors, 3),
                "us": round(value["ns"] * 1e-3, 1)})
    return sorted(rows, key=lambda r: (r["walkers"] != 128, r["stores"], r["passes"], r["blocks"]))


def bank_classes(rows):
    """The address bits whose flip leaves a line in its bank, and the others by the bank that they lead to.

    In rows of `bits`, two sectors say that the lines lie in different banks, three that they share one."""
    shared = {frozenset(row["bits"]): row["sectors"] == 3 for row in rows if "bits" in row}
    bits = sorted({bit for key in shared for bit in key})
    neutral = [bit for bit in bits if shared[frozenset([bit])]]
    classes = []
    for bit in bits:
        if bit in neutral:
            continue
        home = next((c for c in classes if shared[frozenset([c[0], bit])]), None)
        if home is None:
            classes.append([bit])
        else:
            home.append(bit)
    leads_to = {**{bit: 0 for bit in neutral}, **{bit: i + 1 for i, c in enumerate(classes) for bit in c}}
    linear = all(same == (leads_to[min(key)] == leads_to[max(key)]) for key, same in shared.items() if len(key) == 2)
    return {"no_effect": neutral, "classes": classes, "consistent": linear and len(classes) <= 3}, leads_to


def wavefronts_of(words, bank_of):
    """Sectors passed, and wavefronts of the busiest bank, by the rule of analysis' atomicSectors()."""
    banks = collections.defaultdict(list)
    for word in words:
        banks[bank_of(word * 4)].append(word)
    passed, most = 0, 0
    for lanes in banks.values():
        wavefronts = 0
        while lanes:
            line, wanted, sectors, later = lanes[0] // LINE_WORDS, set(), set(), []
            for word in lanes:
                column = word % LINE_WORDS
                if column not in wanted and word // LINE_WORDS == line:
                    sectors.add(column // SECTOR_WORDS)
                else:
                    later.append(word)
                wanted.add(column)
            passed, wavefronts, lanes = passed + len(sectors), wavefronts + 1, later
        most = max(most, wavefronts)
    return passed, most


def tag_banks(raw):
    rows = raw_of(raw, "atomics")
    counters = counters_of(raw, "atomics")
    if [row["kernel"] for row in rows] != [re.search(r"\b(reduce|fetch)\(", row["Kernel Name"])[1] for row in counters]:
        raise SystemExit("atomics: ncu's launches are not those that the program printed")
    for row, counter in zip(rows, counters):
        row["sectors"] = int(number(counter, PASSED[row["kernel"]]))
        if WAVEFRONTS[row["kernel"]] in counter:
            row["wavefronts"] = int(number(counter, WAVEFRONTS[row["kernel"]]))
    found, leads_to = bank_classes([row for row in rows if row["kernel"] == "reduce"])

    def bank_of(address):  # classes 1, 2 and 3 are the vectors 01, 10 and 11 of two bits
        bank = 0
        for bit, leads in leads_to.items():
            bank ^= leads * (address >> bit & 1)
        return bank

    chosen = [row for row in rows if "words" in row]
    predicted = [wavefronts_of(row["words"], bank_of) for row in chosen]
    return {"launches": len(rows), "bits": found, "words_launches": len(chosen),
            "words_sectors_equal": sum(p[0] == row["sectors"] for p, row in zip(predicted, chosen)),
            "words_wavefronts_equal": sum(p[1] == row.get("wavefronts") for p, row in zip(predicted, chosen)),
            "rows": rows}


def merged(raw, gpcs):
    """By delay: of the second SM's requests, the share that joined the first one's, the SMs of one GPC and of others."""
    rows, counters = raw_of(raw, "requests"), counters_of(raw, "requests")
    if len(rows) != len(counters):
        raise SystemExit(f"requests: {len(rows)} launches were printed, {len(counters)} counted")
    alone = number(counters[0], L2_READS)
    own = next(sms for sms in gpcs if 0 in sms)
    shares = collections.defaultdict(list)
    for row, counter in list(zip(rows, counters))[1:]:
        if row["same_begin"]:
            kind = "same_gpc" if row["second"] in own else "other_gpc"
            shares[row["delay_ns"], kind].append(1 - (number(counter, L2_READS) - alone) / row["lines"])
    return {"one_sm_alone_reads_a_line": round(alone / rows[0]["lines"], 3),
            "merged": [{"delay_ns": delay, **{kind: {"pairs": len(shares[delay, kind]),
                                                     "median": round(statistics.median(shares[delay, kind]), 3),
                                                     "lowest": round(min(shares[delay, kind]), 3),
                                                     "highest": round(max(shares[delay, kind]), 3)}
                                              for kind in ("same_gpc", "other_gpc") if shares[delay, kind]}}
                       for delay in sorted({d for d, _ in shares})]}


def neighbours(blocks, gpc_of):
    """How often blocks a distance apart share an SM or a GPC, how far apart they start, and how long a block lives."""
    rows = []
    for apart in NEIGHBOUR_DISTANCES:
        both = list(zip(blocks, blocks[apart:]))
        rows.append({"blocks_apart": apart,
                     "same_sm": round(sum(a[0] == b[0] for a, b in both) / len(both), 4),
                     "same_gpc": round(sum(gpc_of[a[0]] == gpc_of[b[0]] for a, b in both) / len(both), 4),
                     "start_gap_ns": statistics.median(abs(b[1] - a[1]) for a, b in both)})
    return {"blocks": len(blocks), "life_ns": statistics.median(b[2] - b[1] for b in blocks), "neighbours": rows}


def sm_sharing(raw):
    gpcs = gpcs_of(raw_of(raw, "clusters"))
    gpc_of = {sm: i for i, sms in enumerate(gpcs) for sm in sms}
    placed = raw_of(raw, "placement")
    return {"gpcs": [list(sms) for sms in gpcs],
            "requests": merged(raw, gpcs),
            "placement": {kernel: neighbours(blocks, gpc_of) for kernel, blocks in placed.items()}}


def conversions(raw):
    """Medians of the times of a conversion over that of the copy, by record."""
    rows = collections.defaultdict(list)
    for row in raw_of(raw, "conversions"):
        rows[row["record_bytes"], row["word_bytes"]].append(row)
    return {"rows": [{"record_bytes": record, "word_bytes": word, "runs": len(of),
                      **{f"{way}_over_copy": round(statistics.median(row[f"{way}_ms"] / row["copy_ms"] for row in of), 3)
                         for way in ("to_planes", "to_records", "to_planes_in_tiles", "to_records_in_tiles")},
                      "copy_gb_per_s": round(statistics.median(2 * 512 * 1.048576 / row["copy_ms"] for row in of), 1)}
                     for (record, word), of in rows.items()]}


def record(options):
    raw = pathlib.Path(options.raw)
    machine = raw_of(raw, "device")
    entries = {"l1.json": lambda: {**raw_of(raw, "chains"), "walks": walks(raw)},
               "waits.json": lambda: {"rows": raw_of(raw, "waits")},
               "placing.json": lambda: {"rows": raw_of(raw, "placing")},
               "migration.json": lambda: {"rows": raw_of(raw, "migration")},
               "conversions.json": lambda: conversions(raw),
               "tag_banks.json": lambda: tag_banks(raw),
               "sm_sharing.json": lambda: sm_sharing(raw)}
    for file, entry in entries.items():
        try:
            keep(file, machine, entry())
        except FileNotFoundError as missing:
            print(f"{file}: not written, '{pathlib.Path(missing.filename).name}' was not measured")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure")
    command.add_argument("--out", required=True)
    command.add_argument("steps", nargs="*")
    command.set_defaults(run=measure)
    command = commands.add_parser("record")
    command.add_argument("--raw", required=True)
    command.set_defaults(run=record)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
