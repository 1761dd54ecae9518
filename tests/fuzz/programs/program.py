# SPDX-License-Identifier: Apache-2.0
"""A random program and its files."""
import random
import re

from arrays import Arrays
from chances import Draws
from device_code import Code
from helpers import Helpers
from host import Host
from kernel_bodies import KernelBodies
from kernels import Kernels
from launches import Launches
from memory import Memory
from owners import Owners
from records import Records
from templates import Templates

HEADERS = (("cstring", "memcpy("), ("memory", "std::unique_ptr"), ("utility", "std::swap"), ("vector", "std::vector"))
FIELD_MACRO = "#define FIELD(array, index, path) (array)[index].path"
VALUE_MACROS = ["#define TWICE(x) ((x) + (x))", "#define LARGER(a, b) ((a) > (b) ? (a) : (b))", "#define SAME(x) (x)",
                "#define SWAP(T, a, b) do { T swapped_ = a; a = b; b = swapped_; } while (0)"]
CHECK_MACRO = r"""
#define CHECK(call)                                                     \
  do {                                                                   \
    cudaError_t status_ = (call);                                        \
    if (status_ != cudaSuccess) {                                        \
      std::printf("%s\n", cudaGetErrorString(status_));                  \
      std::exit(3);                                                      \
    }                                                                    \
  } while (0)
""".strip("\n").split("\n")


class Program(Draws, Records, Helpers, Templates, Arrays, Kernels, KernelBodies, Launches, Memory, Owners, Host):
    """Makes all parts of a program in turn. Each part is a class of its own, and adds to `texts`."""

    def __init__(self, seed):
        super().__init__(random.Random(seed), set())
        self.code = Code(self.rng, self.used)
        self.records, self.arrays, self.kernels = [], [], []
        self.texts = {"records": [], "helpers": [], "kernels": [], "host": []}
        self.second_unit = []
        self.pointer_aliases = set()
        self.state_argument = ""
        self.make()

    def make(self):
        has_header, self.two_units = self.has("header"), self.has("two-units")
        self.has_header = has_header or self.two_units
        self.code.macros = self.chance(.08)
        self.check = self.has("check-macro")
        self.has("value-macros")  # expressions ask for it
        for k in range(self.rng.choice([1, 2, 2, 3, 3])):
            self.make_record(k)
        self.make_helpers()
        self.make_arrays()
        self.make_spans()
        self.make_kernels()
        self.make_main()

    def files(self):
        return {name: self.formatted(text) for name, text in self.plain_files().items()}

    def formatted(self, text):
        """The text with odd spaces and comments, which edits must get along with."""
        lines = text.split("\n")
        if self.has("odd-spacing"):
            lines = [self.spaced(line) for line in lines]
        if self.has("comments"):
            lines = [self.commented(line) for line in lines]
        return ("\r\n" if self.has("crlf") else "\n").join(lines)

    def commented(self, line):
        if not (line.startswith("  ") and line.endswith(";")):
            return line
        return line + self.pick(["  // p[i].a = 0;", " /* of p[i] */", "", "", ""])

    def spaced(self, line):
        if line.lstrip().startswith(("#", "std::printf")) or line.endswith("\\"):
            return line
        line = re.sub(r"\]\.(?=[a-z])", lambda _: self.pick(["].", "] .", "]. ", "]/* . */.", "]\n        ."]), line)
        line = re.sub(r"(?<=\w)\[(?=[a-z])", lambda _: self.pick(["[", " [", "[ "]), line)
        return re.sub(r"(?<=\w)->", lambda _: self.pick(["->", " -> ", "\n  ->"]), line)

    def plain_files(self):
        common = self.includes() + [""] + self.prelude() + self.texts["records"] + self.texts["helpers"]
        rest = self.texts["kernels"] + self.texts["host"]
        if not self.has_header:
            return {"program.cu": text_of(common + rest)}
        include = ['#include "records.h"', ""]
        files = {"records.h": text_of(["#ifndef RECORDS_H", "#define RECORDS_H", *common, "#endif"]),
                 "program.cu": text_of(include + rest)}
        if self.second_unit:
            files["second.cu"] = text_of(include + self.second_unit)
        return files

    def includes(self):
        """As few as possible: parsing them is most of the time that a program takes."""
        text = text_of(line for part in self.texts.values() for line in part)
        names = ["cstdio", "cstdlib"] + [header for header, word in HEADERS if word in text] + ["cuda_runtime.h"]
        names += ["thrust/device_vector.h"] if "device-vector" in self.used else []
        return [f"#include <{name}>" for name in names]

    def prelude(self):
        lines = ["enum Kind { kPlain, kRare, kOdd };", "enum class Mode : unsigned char { off, slow, fast, full };"]
        lines += [FIELD_MACRO] if self.code.macros else []
        lines += VALUE_MACROS if "value-macros" in self.used else []
        return lines + (CHECK_MACRO if self.check else []) + [""]


def text_of(lines):
    return "\n".join(lines) + "\n"
