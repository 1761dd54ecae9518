# SPDX-License-Identifier: Apache-2.0
"""The probabilities of features, and draws from the generator of random numbers."""

# Those that relayout always refuses are rare, so that most programs are rewritten.
CHANCES = {
    # records
    "namespace": .25, "nested-in-class": .08, "template-record": .1, "typedef-struct": .1, "base": .15,
    "accessors": .12, "bit-fields": .15, "alignas": .08, "default-initializers": .15, "constructor": .15,
    "vector-record": .12, "unnamed-type": .06, "odd-names": .12,
    # arrays and their memory
    "plain-array": .3, "managed": .1, "holder": .2, "buffer-class": .15, "buffer-template": .1, "device-vector": .06,
    "global-pointers": .08, "out-parameter": .15, "returned-pointer": .12, "unique-pointer": .06,
    "state-functions": .3, "size-variable": .3, "template-malloc": .4, "stream": .1, "partial-copy": .2,
    "memset": .15, "device-array": .06, "symbol-pointer": .05,
    # functions
    "common-swap": .15, "host-helper": .1, "default-argument": .3, "value-parameter": .35, "callables": .75,
    # kernels
    "template-kernel": .3, "record-template-kernel": .1, "kernel-over-function": .5, "launch-bounds": .04,
    "alias": .15, "restrict": .3, "holder-parameter": .35, "span": .1, "pointer-alias": .06, "elaborated": .3,
    "array-parameter": .06, "const-behind": .15,
    # launches and main
    "kernel-prototype": .1, "wrapper": .3, "template-launcher": .12, "launch-kernel-api": .03, "pointer-table": .08,
    "sub-range": .2, "ping-pong": .25, "device-copy": .15, "run-function": .15, "exit-code": .2,
    # files and text
    "header": .15, "two-units": .12, "check-macro": .3, "value-macros": .15, "odd-spacing": .1, "comments": .1,
    "crlf": .03,
}


class Draws:
    """What draws from `rng`, and notes in `used` the features that the program has."""

    def __init__(self, rng, used):
        self.rng, self.used = rng, used

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, items):
        return self.rng.choice(list(items))

    def note(self, feature):
        self.used.add(feature)

    def has(self, feature):
        """Whether the program has a feature; noted, so that outcomes can be counted by it."""
        if self.chance(CHANCES[feature]):
            self.note(feature)
            return True
        return False
