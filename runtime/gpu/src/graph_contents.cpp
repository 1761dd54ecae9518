// SPDX-License-Identifier: Apache-2.0
// Hardware truth: asks the driver for the nodes of a CUDA graph.
#include "graph_contents.h"

#include <algorithm>
#include <string>
#include <vector>

namespace relayout::gpu {
namespace {

/// Adds a line a node to `lines`, which are the graph's key once they are sorted.
void add(const CuptiCalls &calls, CUgraph graph, GraphContents &contents,
         std::vector<std::string> &lines) {
  std::size_t count = 0;
  if (calls.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS) {
    contents.isAll = false;
    return;
  }
  std::vector<CUgraphNode> nodes(count);
  calls.cuGraphGetNodes(graph, nodes.data(), &count);
  for (CUgraphNode node : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    calls.cuGraphNodeGetType(node, &type);
    if (CUgraph inner = nullptr; type == CU_GRAPH_NODE_TYPE_GRAPH) {
      if (calls.cuGraphChildGraphNodeGetGraph(node, &inner) == CUDA_SUCCESS)
        add(calls, inner, contents, lines);
      continue;
    }
    // How often the body of a conditional node runs is decided on the device.
    contents.isAll &= type != CU_GRAPH_NODE_TYPE_CONDITIONAL;
    if (type != CU_GRAPH_NODE_TYPE_KERNEL) {
      lines.push_back("node of type " + std::to_string(type));
      continue;
    }
    CUDA_KERNEL_NODE_PARAMS launch = {};
    const char *symbol = nullptr;
    if (calls.cuGraphKernelNodeGetParams_v2(node, &launch) != CUDA_SUCCESS ||
        (launch.func != nullptr ? calls.cuFuncGetName(&symbol, launch.func)
                                : calls.cuKernelGetName(&symbol, launch.kern)) != CUDA_SUCCESS) {
      contents.isAll = false;
      continue;
    }
    ++contents.kernels[symbol];
    std::string line = symbol;
    for (const unsigned extent : {launch.gridDimX, launch.gridDimY, launch.gridDimZ,
                                  launch.blockDimX, launch.blockDimY, launch.blockDimZ})
      line += ' ' + std::to_string(extent);
    lines.push_back(std::move(line));
  }
}

} // namespace

GraphContents contentsOf(const CuptiCalls &calls, CUgraph graph) {
  GraphContents contents;
  std::vector<std::string> lines;
  add(calls, graph, contents, lines);
  std::ranges::sort(lines);
  for (const std::string &line : lines)
    contents.key += line + '\n';
  return contents;
}

} // namespace relayout::gpu
