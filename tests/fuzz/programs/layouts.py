# SPDX-License-Identifier: Apache-2.0
"""Random layouts, in the form of plans."""


def random_layout(rng, fields):
    """A layout of a plan: clusters of fields in any order, tiles, pads, alignments and an order of the elements."""
    names = [f["name"] for f in fields]
    rng.shuffle(names)
    clusters = []
    while names:
        count = rng.randint(1, rng.choice([1, 2, len(names)]))
        clusters.append(cluster(rng, [f for n in names[:count] for f in fields if f["name"] == n]))
        names = names[count:]
    layout = {"clusters": clusters, "tile": rng.choice([0, 0, 0, 8, 32, 128, 1, 3]),
              "padBytes": rng.choice([0, 0, 0, 16, 64, 256]), "startAlignment": rng.choice([0, 0, 0, 16, 128, 256])}
    if layout["startAlignment"]:
        layout["startAlignment"] = max([layout["startAlignment"]] + [c["alignment"] for c in clusters])
    if layout["tile"] == 0 and rng.random() < .25:
        extents = rng.choice([[16], [8, 4], [2, 2, 2], [5], [32]])
        digits = list(range(len(extents) + 1))
        rng.shuffle(digits)
        layout["order"] = {"extents": extents, "texts": [""] * len(extents), "digits": digits}
        if rng.random() < .3:
            layout["order"]["multiples"] = [rng.choice([1, 1, 8]) for _ in extents] + [1]
    return layout


def cluster(rng, fields):
    """Fields that lie side by side; arrays of one length may lie element by element."""
    need = max(f["alignment"] for f in fields)
    made = {"fields": [f["name"] for f in fields],
            "alignment": rng.choice([0, 0, 0, need, max(need, 16), max(need, 4), max(need, 64)])}
    extents = {f.get("extents") for f in fields}
    if len(extents) == 1 and extents != {""} and rng.random() < .5:
        made["exploded"] = True
    return made


def random_plan(rng, sites):
    """A plan for all groups of sites.json, each in a random layout, a few unchanged."""
    decisions = []
    for group in sites["groups"]:
        record = sites["records"][group["record"]]
        fields = record["fields"]
        layout = random_layout(rng, fields)
        if record["name"] in ("unsigned int", "unsigned"):  # an array of numbers: only its order can change
            layout |= {"clusters": [{"fields": [fields[0]["name"]], "alignment": 0}], "tile": 0, "padBytes": 0}
        decisions.append({"record": record["name"], "arrays": group["arrays"], "fields": [f["name"] for f in fields],
                          "keep": rng.random() < .1, "layout": layout, "reason": "random", "lowConfidence": []})
    return {"format": "relayout-plan", "version": 1, "sourceFile": sites["sourceFile"],
            "sourceDigest": sites["sourceDigest"], "policy": "replay", "decisions": decisions}
