#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates random CUDA programs with arrays of records, and compares them with what relayout rewrites them to.

  run.py --relayout PATH --out DIR --seed N --count M [--jobs J] [--nvcc PATH] [--layouts K] [--keep-all]
  run.py --out DIR --seed N --count M --only-write

Each seed is a program DIR/SEED/program.cu, at times with a header records.h and a second unit second.cu; the same seed
is always the same program. It is rewritten with K layouts [2]: named ones, and plans with random clusters, tiles, pads,
alignments and orders of elements. Original and rewritten programs run on relayout's CPU executor with several
arguments; their output and exit codes must be the same. With --nvcc, rewritten programs are compiled by it as well.

The programs are deterministic and defined: a thread writes elements that no other thread uses meanwhile, integers wrap
as unsigned numbers, and floating-point values are small integers, so that contraction to FMAs and the order of sums
change nothing. What a program needs of C++17 is the order of evaluation of assignments.

A line of output is a seed and the outcomes of its layouts:

  PASS          rewritten, and the output is the same
  PARTLY        the same, with some of the arrays refused
  REFUSED       no array rewritten, with a diagnostic
  UNCHANGED     nothing to rewrite
  DIFFERENT     the output or the exit code is another one
  NOT COMPILED  the rewritten program does not compile
  CRASH         relayout crashed, ran too long or reported an internal error
  FAILED        relayout failed otherwise
  INVALID       the original does not compile or run: a fault of the generator, or of the executor
  SCRIPT        a fault of this script

The last lines count outcomes, and diagnostic codes and features of programs that were refused. The exit code is 0 if
all outcomes are of the first four kinds. DIR/results.jsonl has a line of JSON for each seed. Folders of programs
without another outcome are removed unless --keep-all is given. Each other folder DIR/SEED holds

  program.cu ...      the program
  planK.json          the plan of version K, if its layout is not a named one
  rewrittenK/         version K, with the generated headers; rewrittenK.log has relayout's messages
  *.traced/           what was built to run the original and the versions
  result.json         the seed, the features of the program, and the outcomes with codes and messages
"""
import argparse
import concurrent.futures
import json
import pathlib
import sys

import outcomes
from trial import Trial, try_seed


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--relayout", help="the program to test")
    parser.add_argument("--out", required=True, help="folder for the programs and the results")
    parser.add_argument("--seed", type=int, required=True, help="the first seed")
    parser.add_argument("--count", type=int, default=1, help="number of seeds [%(default)s]")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time [%(default)s]")
    parser.add_argument("--nvcc", help="compile rewritten programs by this nvcc as well")
    parser.add_argument("--nvcc-share", type=float, default=1, help="share that nvcc compiles [%(default)s]")
    parser.add_argument("--layouts", type=int, default=2, help="layouts for each program [%(default)s]")
    parser.add_argument("--keep-all", action="store_true", help="keep the folders of all programs")
    parser.add_argument("--only-write", action="store_true", help="write the programs, and run nothing")
    options = parser.parse_args()
    if not options.relayout and not options.only_write:
        parser.error("--relayout is needed unless --only-write is given")
    if options.relayout:
        options.relayout = str(pathlib.Path(options.relayout).resolve())  # runs in the folders of programs
    return options


def main():
    options = parse_options()
    seeds = range(options.seed, options.seed + options.count)
    if options.only_write:
        for seed in seeds:
            Trial(seed, options).write()
        return 0
    results = []
    pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda seed: try_seed(seed, options), seeds):
            results.append(result)
            print(outcomes.line_of(result), flush=True)
            with open(pathlib.Path(options.out) / "results.jsonl", "a") as log:
                log.write(json.dumps(result) + "\n")
    outcomes.print_summary(results)
    return 0 if all(outcomes.is_accepted(o) for result in results for o in result["outcomes"]) else 1


if __name__ == "__main__":
    sys.exit(main())
