// SPDX-License-Identifier: Apache-2.0
// Reads a trace and a plan that the installed tool wrote, through the installed libraries.
#include <relayout/analysis/plan/plan.h>
#include <relayout/trace/reader.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const relayout::Result<relayout::trace::Trace> trace = relayout::trace::readTrace(argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().text.c_str());
    return 1;
  }
  std::ifstream file(argv[2]);
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  const relayout::Result<relayout::analysis::Plan> plan = relayout::analysis::planFromJson(json);
  if (!plan) {
    std::fprintf(stderr, "%s\n", plan.error().text.c_str());
    return 1;
  }
  std::printf("%llu accesses\n", static_cast<unsigned long long>(trace->accessRecords));
  for (const relayout::analysis::Decision &decision : plan->decisions)
    std::printf("%s: %zu fields\n", decision.record.c_str(), decision.fields.size());
  return 0;
}
