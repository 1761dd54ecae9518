# SPDX-License-Identifier: Apache-2.0
"""What device code can name at a place: elements, arrays, numbers and functions."""
import re


class Element:
    """An expression that is a record: `text` can be followed by a member, `pointer`, if given, by an arrow."""

    def __init__(self, record, text, writable, pointer=None, local=False):
        self.record, self.text, self.writable, self.pointer = record, text, writable, pointer
        self.local = local  # no element of an array that CUDA allocates
        self.loadable = False  # nothing writes the array meanwhile: __ldg may load it

    def member(self, path):
        if self.text == "*this":
            return re.sub(r"^(\w+)", r"\1_", path) if self.record.accessors else path
        return f"{self.pointer}->{path}" if self.pointer else f"{self.text}.{path}"


class Pointer:
    """An array that code can name.

    The elements that belong to the thread: `own` is an index, a range (low, high), or None if the array is only read.
    `count` is how many elements the thread may read, None if only its own.
    """

    def __init__(self, record, text, own, count, constant, view=None):
        self.record, self.text, self.own, self.count, self.constant = record, text, own, count, constant
        self.view = view  # an object with operator[] and at()
        self.local = bool(re.fullmatch(r"l\d+|tile|g_table", text))  # no array that CUDA allocates


class Scope:
    """Names at a place in device code."""

    def __init__(self, elements=(), pointers=(), numbers=(), parent=None):
        self.elements, self.pointers, self.numbers = list(elements), list(pointers), list(numbers)
        self.depth = parent.depth + 1 if parent else 0  # of statements in others
        self.loops = parent.loops if parent else 0  # around it; programs must not run long
        self.in_lambda = parent.in_lambda if parent else False
        if parent:
            self.elements += parent.elements
            self.pointers += parent.pointers
            self.numbers += parent.numbers

    @property
    def is_deep(self):
        """Whether statements with others in them would make programs too long."""
        return self.depth >= 3


class Helper:
    """A function of the program; `optional` if its number has a default argument."""

    def __init__(self, name, shape, record, optional=False):
        self.name, self.shape, self.record, self.optional = name, shape, record, optional
