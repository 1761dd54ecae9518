# SPDX-License-Identifier: Apache-2.0
"""What the steps of steps.py say of a program. Functions of their results alone."""

TIMED_OUT, REFUSED = 124, 3
NOT_READ = {"RL-C01", "RL-C02", "RL-C06"}
OURS = {"RL-X00", "RL-X03"}  # an internal error; lowered code that the host's compiler rejects
ORDER = ("", " from gpu")  # traces to decide from, the CPU's first


def is_crash(step):
    """relayout ended by a signal, with a fault of its own, or without a diagnostic."""
    code = step["code"]
    return code != TIMED_OUT and (code < 0 or code >= 128 or bool(OURS & set(step["codes"]))
                                  or (code != 0 and not step["codes"]))


def of_relayout(name):
    """nvcc and the program itself may fail without that relayout did."""
    return name not in ("original", "left out") and not name.startswith(("nvcc ", "gpu "))


def traced(steps):
    return next((suffix for suffix in ORDER if "groups" + suffix in steps), None)


def group_verdicts(steps):
    suffix = traced(steps)
    if suffix is None:
        ended_well = any(steps.get("default" + of, {"code": 1})["code"] == 0 for of in ORDER)
        return [] if ended_well else groups_from_diagnostics(steps)
    forced = steps.get("forced" + suffix, {"verified": False, "verified_in_part": False})
    on_gpu = next((steps[name] for name in ("gpu forced", "gpu forced from gpu") if name in steps), {})
    rows = []
    for index, group in enumerate(steps["groups" + suffix]["groups"]):
        row = {**group, "verdict": "", "code": None, "verified_cpu": False, "verified_cpu_in_part": False,
               "verified_gpu": False}
        alone = steps.get(f"group {index}{suffix}")
        if not group["plain"]:
            row["verdict"] = "not tried"
            if alone and alone["code"] == 0:
                row["verdict"] = "rewritten"
                row["verified_cpu"] = forced["verified"]
                row["verified_cpu_in_part"] = forced["verified_in_part"]
                row["verified_gpu"] = is_same_on_gpu(on_gpu)
            elif alone and alone["code"] == REFUSED:
                row.update(verdict="refused", code=(alone["codes"] or ["none"])[0])
            elif alone:
                row.update(verdict="failed", code=(alone["codes"] or ["none"])[0])
        rows.append(row)
    return rows


def groups_from_diagnostics(steps):
    """Without a trace the groups are not listed: what the rewriter says of all of them stands for one."""
    read = steps.get("read", {"code": TIMED_OUT, "codes": []})
    row = {"record": None, "arrays": 0, "plain": False, "decided": "", "code": None, "verified_cpu": False,
           "verified_cpu_in_part": False, "verified_gpu": is_same_on_gpu(steps.get("gpu read", {}))}
    if read["code"] == 0:
        return [{**row, "verdict": "rewritten"}]
    if read["code"] == REFUSED:
        return [{**row, "verdict": "refused", "code": (read["codes"] or ["none"])[0]}]
    return []


def is_same_on_gpu(step):
    return step.get("code") == 0 and step["copied_back"] and (step["identical"] or step.get("identical_without_fma", False))


def is_random_on_cpu(steps):
    """The original copies back other bytes from run to run, such as with a seed from the clock."""
    return "RL-V01" in steps.get("repeats", {"codes": []})["codes"]


def is_random_on_gpu(steps):
    """There, by its own races as well."""
    return any(not step.get("original_repeats", True) for name, step in steps.items() if name.startswith("gpu "))


def differences(steps):
    """A rewritten program that copies back other bytes than the original, which repeats its own and stays in its arrays,
    or that fails where the original does not. One that was cut short has shown nothing, and of one whose results
    relayout says are undefined (RL-V07) nothing is kept."""
    told = {f"gpu {name}" for name, step in steps.items() if "RL-V07" in step["codes"]}
    found = [] if is_random_on_cpu(steps) else [
        name for name, step in steps.items()
        if "RL-V01" in step["codes"] and not steps.get(f"gpu {name}", {}).get("original_out_of_bounds")]
    found += [] if is_random_on_gpu(steps) else [
        name for name, step in steps.items()
        if name.startswith("gpu ") and name not in told and step.get("original_repeats") and not step["identical"]
        and not step.get("identical_without_fma") and not step.get("original_out_of_bounds")]
    found += [name for name, step in steps.items()
              if name.startswith("gpu ") and step.get("failed") == "after" and step["code"] != TIMED_OUT]
    return found


def gpu_times(steps):
    return {name.removeprefix("gpu "): {key: step[key] for key in ("before_ms", "after_ms", "copied_back", "identical",
                                                                  "identical_without_fma", "original_out_of_bounds",
                                                                  "original_repeats")
                                        if key in step}
            for name, step in steps.items() if name.startswith("gpu ") and "before_ms" in step}


def of_program(steps):
    if "read" not in steps:
        return {"left_out": True}
    read, default = steps["read"], steps.get("default", {"code": TIMED_OUT, "codes": [], "traced": False})
    # A run whose whole trace was read, in which no kernel touched an array that CUDA allocates.
    traced_on_cpu = default["traced"] or any(code.startswith("RL-A") for code in default["codes"])
    relayouts = {name: step for name, step in steps.items() if of_relayout(name)}
    builds = {name: step for name, step in steps.items()
              if name.startswith("nvcc ") and not step.get("original_rejected")}
    return {
        "read_unchanged": not (NOT_READ & set(read["codes"])) and read["code"] != TIMED_OUT and not is_crash(read),
        "ran_on_cpu": traced_on_cpu or any(code.startswith("RL-T") for code in default["codes"]),
        "traced_on_cpu": traced_on_cpu,
        "traced_on_gpu": steps.get("gpu trace", {}).get("code") == 0,
        "timed_out": [name for name, step in steps.items() if step["code"] == TIMED_OUT],
        "codes": list(dict.fromkeys(code for step in (read, default) for code in step["codes"])),
        "groups": group_verdicts(steps),
        "outputs": len(builds),
        "outputs_rejected_by_nvcc": sum(step["code"] != 0 for step in builds.values()),
        "differences": differences(steps),
        "random": is_random_on_cpu(steps) or is_random_on_gpu(steps),
        "gpu": gpu_times(steps),
        "crashes": [name for name, step in relayouts.items() if is_crash(step)],
    }
