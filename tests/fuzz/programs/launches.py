# SPDX-License-Identifier: Apache-2.0
"""Launches of kernels, and what happens between them."""
import re

from kernels import ALLOCATED_PLAINLY


class Launches:
    """Launches in all spellings, functions around them, swaps and copies."""

    def wrapper_head(self, kernel):
        parameters = [text.replace(" *__restrict__ ", " *") for text, _ in kernel.parameters]
        return f"void run_{kernel.name}({', '.join(parameters)}, int n, unsigned seed)"

    def wrapper(self, kernel, is_static):
        """A function that launches the kernel."""
        names = [re.search(r"(\w+)(\[\])?$", text).group(1) for text, _ in kernel.parameters]
        head = ("static " if is_static else "") + self.wrapper_head(kernel) + " {"
        launch = self.launch(kernel, ", ".join(names), "n")
        return [head] + launch + (["  " + self.call("cudaGetLastError()")] if self.chance(.5) else []) + ["}", ""]

    def launch(self, kernel, arguments, n, on_stream=False):
        grid, block = self.grid_of(kernel), "dim3(8, 4)" if kernel.mode == "plane" else str(kernel.block)
        if kernel.mode == "slice":
            block = self.pick(["4", "32"])
        name = self.instance_of(kernel)
        over_count = grid.replace("n /", f"({n}) /")
        is_template = kernel.value or kernel.over_record or kernel.function
        if kernel.parameters and not (is_template or kernel.shared or on_stream or kernel.mode == "plane"):
            if self.launcher and self.chance(.6):
                return [f"  launch({name}, {over_count}, {block}, {arguments}, {n}, seed);"]
            if not kernel.wrapped and "Span" not in arguments and self.has("launch-kernel-api"):
                return self.launch_by_function(kernel, grid, block, n)
        more = f", {kernel.shared}" if kernel.shared else ", 0, stream" if on_stream else ""
        arguments += f", {n}, seed" + (f", {kernel.function}" if kernel.function else "")
        if self.chance(.3):
            dims = f"grid = {grid}, block = {block}" if "dim3" in grid else f"grid({grid}), block({block})"
            return ["  {", f"    dim3 {dims};", f"    {name}<<<grid, block{more}>>>({arguments});", "  }"]
        return [f"  {name}<<<{over_count}, {block}{more}>>>({arguments});"]

    def grid_of(self, kernel):
        return {"stride": "3", "slice": "2", "single": "1",
                "plane": "dim3(1, n / 32 + 1)"}.get(kernel.mode, f"n / {kernel.block} + 1")

    def instance_of(self, kernel):
        """The kernel's name, with template arguments that the launch does not deduce, or need not."""
        if kernel.value:
            return f"{kernel.name}<{self.pick(kernel.value[1])}>"
        if kernel.over_record and self.chance(.5):
            return f"{kernel.name}<{kernel.over_record.name}>"
        return kernel.name

    def launch_by_function(self, kernel, grid, block, n):
        lines, names = ["  {"], []
        for text, argument in kernel.parameters:
            text = text.replace("__restrict__ ", "").replace("const State", "State")
            text = re.sub(r" (\w+)\[\]$", r" *\1", text)
            names.append("&" + re.search(r"(\w+)$", text).group(1))
            lines.append(f"    {text} = {argument};")
        return lines + [
            f"    int count = {n};", f"    void *arguments[] = {{{', '.join(names)}, &count, &seed}};",
            f"    cudaLaunchKernel((const void *){kernel.name}, dim3({grid}), dim3({block}), arguments, 0, 0);", "  }"]

    def launches(self):
        """The loop of main that launches the kernels."""
        rounds, lines = self.rng.randint(1, 3), []
        for kernel in self.kernels:
            kernel.from_table = self.may_use_table(kernel) and self.has("pointer-table")
            if kernel.from_table:
                a, b = kernel.swaps
                lines.append(f"  {a.type} *pages{kernel.name}[2] = {{{a.device}, {b.device}}};")
        lines.append(f"  for (int round = 0; round < {rounds}; ++round) {{")
        for kernel in self.kernels:
            lines += self.launch_in_loop(kernel)
            if kernel.swaps and not kernel.from_table and self.symbol not in kernel.swaps and self.has("ping-pong"):
                lines += self.swap_of_pointers(kernel)
            lines += self.device_copy()
        return lines + ["  }", "  " + self.call("cudaDeviceSynchronize()")]

    def may_use_table(self, kernel):
        return kernel.swaps and not kernel.wrapped and \
            all(a.style in (*ALLOCATED_PLAINLY, "by-function") for a in kernel.swaps) and \
            all("Span" not in text for text, _ in kernel.parameters)

    def launch_in_loop(self, kernel):
        if kernel.from_table:
            pages = (f"pages{kernel.name}[round & 1]", f"pages{kernel.name}[1 - (round & 1)]")
            kernel.parameters = [(text, page) for (text, _), page in zip(kernel.parameters, pages)]
        arguments, n = ", ".join(text for _, text in kernel.parameters), "n"
        is_pointer = len(kernel.parameters) == 1 and arguments != "state" and "Span" not in kernel.parameters[0][0]
        if is_pointer and self.has("sub-range"):
            k = self.rng.randint(1, 9)
            arguments, n = self.pick([f"{arguments} + {k}", f"&{arguments}[{k}]"]), f"(n > {k} ? n - {k} : 0)"
        if kernel.wrapped:
            return [f"    run_{kernel.name}({arguments}, {n}, seed + unsigned(round));"]
        on_stream = "stream" in self.used and self.chance(.4)
        lines = ["  " + line for line in self.launch(kernel, arguments, n, on_stream)]
        return lines + (["    " + self.call("cudaDeviceSynchronize()")] if self.chance(.3) else [])

    def swap_of_pointers(self, kernel):
        a, b = kernel.swaps
        if self.chance(.6):
            return [f"    std::swap({a.device}, {b.device});"]
        return [f"    {a.type} *swapped{kernel.name} = {a.device};", f"    {a.device} = {b.device};",
                f"    {b.device} = swapped{kernel.name};"]

    def device_copy(self):
        """A copy between two arrays of one type, at times."""
        pairs = [(a, b) for a in self.arrays for b in self.arrays if a is not b and a.record and a.record is b.record]
        to, source = self.pick(pairs) if pairs else (None, None)
        if not pairs or not self.has("device-copy"):
            return []
        count = self.pick(["n", "n / 2", "(n > 5 ? 5 : n)"])
        return ["    " + self.copy(to.device, source.device, f"{count} * sizeof({to.type})", "DeviceToDevice")]
