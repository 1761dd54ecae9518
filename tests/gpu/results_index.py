# SPDX-License-Identifier: Apache-2.0
"""Keeps the table of docs/results/README.md for the scripts that write result files."""
import pathlib

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs/results"


def enter(file, script, machine, date, contents):
    """Adds the file's row, or replaces it."""
    page = RESULTS / "README.md"
    lines = page.read_text().rstrip("\n").split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("|---")) + 1
    rows = {line.split("`")[1]: line for line in lines[first:]}
    rows[file] = f"| `{file}` | `{script}` | {machine} | {date} | {contents} |"
    page.write_text("\n".join(lines[:first] + [rows[name] for name in sorted(rows)]) + "\n")
