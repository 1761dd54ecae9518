# SPDX-License-Identifier: Apache-2.0
"""Counts of outcomes: by class, diagnostic code and message, and by the features of programs that were refused."""
import collections
import re

ACCEPTED = ("PASS", "PARTLY", "REFUSED", "UNCHANGED")
WITH_REFUSALS = ("PARTLY", "REFUSED")


def is_accepted(outcome):
    return outcome["class"] in ACCEPTED


def line_of(result):
    words = [f"{o['class']}({' '.join([o['layout'], *o['codes']])})" for o in result["outcomes"]]
    return f"{result['seed']} {' '.join(words)}"


def print_summary(results):
    outcomes = [outcome for result in results for outcome in result["outcomes"]]
    classes = collections.Counter(o["class"] for o in outcomes)
    print(f"{len(results)} programs, {len(outcomes)} outcomes: {listed(classes)}")
    refusals = [o for o in outcomes if o["class"] in WITH_REFUSALS]
    print(f"codes of refusals: {listed(collections.Counter(code for o in refusals for code in o['codes']))}")
    messages = collections.Counter(message for o in refusals for message in messages_of(o))
    for message, count in messages.most_common(25):
        print(f"  {count:4} {message}")
    print_refused_features(results)


def print_refused_features(results):
    """The features whose programs were refused more often than others."""
    refused = [r for r in results if any(o["class"] == "REFUSED" for o in r["outcomes"])]
    share = len(refused) / max(1, len(results))
    rows = []
    for feature in {f for r in results for f in r["features"]}:
        having = [r for r in results if feature in r["features"]]
        rate = sum(r in refused for r in having) / len(having)
        if len(having) >= 3 and rate > share:
            rows.append((rate, len(having), feature))
    rows.sort(reverse=True)
    print(f"refused: {share:.0%} of programs; by feature:",
          ", ".join(f"{feature} {rate:.0%} of {count}" for rate, count, feature in rows[:15]))


def listed(counter):
    return ", ".join(f"{name} {count}" for name, count in counter.most_common())


def messages_of(outcome):
    """Messages of refusals without places and names, so that equal ones are counted together."""
    lines = [line for line in outcome["text"].split("\n") if "[RL-R" in line]
    return {re.sub(r"'[^']*'", "'…'", re.sub(r"^\S+?:\d+(:\d+)?: ", "", line)) for line in lines}
