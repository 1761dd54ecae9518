// SPDX-License-Identifier: Apache-2.0
// Policy replay: instructions, wavefronts, sectors and granules of known access patterns.
#include "relayout/analysis/compiler_model/nvcc13.h"
#include "relayout/analysis/replay/cost/evaluation.h"
#include "relayout/analysis/replay/sm/trace_replay.h"
#include "replay_evaluation.h"

#include <gtest/gtest.h>

#include <set>

namespace relayout::analysis {
namespace {

using Warp = SyntheticProgram::Warp;

/// One warp that reads all fields of 32 records in a row.
SyntheticProgram oneWarp(const std::vector<std::pair<std::string, std::uint32_t>> &fields,
                         std::uint64_t elementStride = 1) {
  SyntheticProgram program(32);
  const trace::Index record = program.record(fields);
  const std::uint32_t records = program.array(1 << 16, program.trace().sites.records[record].bytes);
  std::vector<trace::Index> sites;
  for (trace::Index f = 0; f < fields.size(); ++f)
    sites.push_back(program.site(record, f));
  program.kernel("k", 32, 1, [=](Warp &warp) {
    for (const trace::Index site : sites)
      warp.touch(site, records, [&](unsigned lane) { return lane * elementStride; });
  });
  return program;
}

TEST(Replay, AlignmentMakesVectorLoadsOfAdjacentFields) {
  const SyntheticProgram program =
      oneWarp({{"a", 4}, {"b", 4}, {"c", 4}, {"d", 4}, {"e", 4}, {"f", 4}});
  const std::vector<LayoutField> fields = recordFields(program);
  EXPECT_EQ(evaluate(program, aos(fields)).volume.memoryInstructions, 6);
  EXPECT_EQ(evaluate(program, alignedAos(fields, 8)).volume.memoryInstructions, 3);
  EXPECT_EQ(evaluate(program, alignedAos(fields, 16)).volume.memoryInstructions, 2);
  EXPECT_EQ(evaluate(program, soa(fields)).volume.memoryInstructions, 6);
}

TEST(Replay, ALoadOfThreeOfFourWordsTakesTheFourthAsWell) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"a", "b", "c", "d"});
  const std::uint32_t records = program.array(1 << 16, 16);
  std::vector<trace::Index> sites;
  for (const trace::Index field : {0u, 1u, 3u})
    sites.push_back(program.site(record, field));
  program.kernel("k", 32, 1, [=](Warp &warp) {
    for (const trace::Index site : sites)
      warp.touch(site, records, [](unsigned lane) { return lane; });
  });
  const Layout aligned = alignedAos(recordFields(program), 16);
  const KernelVolume volume = evaluate(program, aligned).volume;
  EXPECT_EQ(volume.memoryInstructions, 1) << "a, b and d: LDG.128";
  EXPECT_EQ(volume.usedBytes, 32 * 12);
}

TEST(Replay, TwoWordsApartAreReadOneByOne) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"a", "b", "c", "d"});
  const std::uint32_t records = program.array(1 << 16, 16);
  const trace::Index a = program.site(record, 0);
  const trace::Index c = program.site(record, 2);
  program.kernel("k", 32, 1, [=](Warp &warp) {
    for (const trace::Index site : {a, c})
      warp.touch(site, records, [](unsigned lane) { return lane; });
  });
  EXPECT_EQ(evaluate(program, alignedAos(recordFields(program), 16)).volume.memoryInstructions, 2);
}

TEST(Replay, ReadsAfterStoresToOtherPlanesCostAStallEach) {
  const auto update = [](bool readsFirst) {
    SyntheticProgram program(32);
    const trace::Index record = program.floats({"a", "b", "c", "d"});
    const std::uint32_t records = program.array(1 << 16, 16);
    std::vector<trace::Index> reads;
    std::vector<trace::Index> writes;
    for (trace::Index f = 0; f < 4; ++f) {
      reads.push_back(program.site(record, f));
      writes.push_back(program.site(record, f, trace::AccessKind::Write));
    }
    program.kernel("k", 32, 1, [=](Warp &warp) {
      const auto own = [](unsigned lane) { return lane; };
      for (std::size_t f = 0; f < 4; ++f) {
        if (readsFirst && f == 0)
          for (const trace::Index site : reads)
            warp.touch(site, records, own);
        if (!readsFirst)
          warp.touch(reads[f], records, own);
        warp.touch(writes[f], records, own);
      }
    });
    return program;
  };
  const SyntheticProgram inTurn = update(false);
  const std::vector<LayoutField> fields = recordFields(inTurn);
  EXPECT_EQ(evaluate(inTurn, soa(fields)).volume.stalls, 4) << "pointers may alias";
  EXPECT_EQ(evaluate(inTurn, aos(fields)).volume.stalls, 1) << "of one struct";
  EXPECT_EQ(evaluate(inTurn, aosoa(fields, 32)).volume.stalls, 1) << "of one tile";
  EXPECT_EQ(evaluate(inTurn, Layout{.clusters = {{{0, 1}, 8}, {{2, 3}, 8}}}).volume.stalls, 2);
  EXPECT_EQ(evaluate(update(true), soa(fields)).volume.stalls, 1);
}

TEST(Replay, ReadsThatFollowOneStoreWaitTogether) {
  // x += u; y += v, of four planes: y and v wait for the store of x, and both at once.
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"x", "y", "u", "v"});
  const std::uint32_t records = program.array(1 << 16, 16);
  std::vector<trace::Index> sites;
  for (const trace::Index f : {0u, 1u}) {
    sites.push_back(program.site(record, f));
    sites.push_back(program.site(record, f + 2));
    sites.push_back(program.site(record, f, trace::AccessKind::Write));
  }
  program.kernel("k", 32, 1, [=](Warp &warp) {
    for (const trace::Index site : sites)
      warp.touch(site, records, [](unsigned lane) { return lane; });
  });
  const std::vector<LayoutField> fields = recordFields(program);
  EXPECT_EQ(evaluate(program, soa(fields)).volume.stalls, 2);
  EXPECT_EQ(evaluate(program, Layout{.clusters = {{{0}}, {{1, 3}, 8}, {{2}}}}).volume.stalls, 2);
  EXPECT_EQ(evaluate(program, Layout{.clusters = {{{0, 1}, 8}, {{2, 3}, 8}}}).volume.stalls, 1);
}

/// A plain array of which every thread stores the elements of its own row.
SyntheticProgram storingRows(std::uint64_t columns, bool loadsBetween = false) {
  SyntheticProgram program(32);
  const trace::Index element = program.floats({"value"});
  const std::uint32_t rows = program.array(1 << 16, 4);
  const std::uint32_t others = program.array(1 << 20, 4);
  const trace::Index store = program.site(element, 0, trace::AccessKind::Write);
  const trace::Index load = program.site(trace::kNone, 0);
  program.kernel("k", 32, 1, [=](Warp &warp) {
    for (std::uint64_t column = 0; column < columns; ++column) {
      warp.touch(store, rows, [&](unsigned lane) { return lane * columns + column; });
      if (loadsBetween)
        warp.touch(load, others, [&](unsigned lane) { return column * 1024 + lane; });
    }
  });
  return program;
}

TEST(Replay, StoresToElementsSideBySideAreCombinedAsThoseToFieldsAre) {
  const KernelVolume rows = evaluate(storingRows(3), nullptr).volume;
  EXPECT_EQ(rows.writeSectors, 3 * 12);
  EXPECT_NEAR(rows.l2WriteSectors, 12, 1);
  EXPECT_NEAR(rows.l2WholeSectors, 12, 1) << "the three stores fill them together";
  const KernelVolume apart = evaluate(storingRows(3, /*loadsBetween=*/true), nullptr).volume;
  EXPECT_EQ(apart.l2WriteSectors, 3 * 12) << "the warp waited for L2 between two of them";
  const KernelVolume far = evaluate(storingRows(32), nullptr).volume;
  EXPECT_EQ(far.l2WriteSectors, 32 * 32) << "each lane has a line of its own";
}

TEST(Replay, PlacesOfElementsTakeTimeThatFewWarpsDoNotHide) {
  // Each thread reads nine values of its own; the array is small, so that L2 has no part in it.
  const auto reading = [](std::uint32_t threads) {
    SyntheticProgram program(32);
    const trace::Index element = program.floats({"value"});
    const std::uint32_t values = program.array(std::uint64_t{9} * 1024, 4);
    const trace::Index site = program.site(element, 0);
    program.kernel("k", threads, 1, [=](Warp &warp) {
      for (std::uint64_t column = 0; column < 9; ++column)
        warp.touch(site, values,
                   [&](unsigned lane) { return warp.thread(lane) % 1024 * 9 + column; });
    });
    return program;
  };
  const double cyclesPerNs = h100().instructionsPerNsPerSm / kSchedulers;
  const auto latency = [&](std::uint32_t threads, std::uint64_t extent, const std::string &text) {
    Layout layout = aos({{"value", 4, 4, 1}});
    layout.order = {{extent}, {1, 0}, {text}};
    return evaluate(reading(threads), layout).time.latencyNs;
  };
  const auto placed = [](std::uint64_t extent, bool isConstant) {
    const nvcc13::Placing placing = nvcc13::placingOfDigit(extent, isConstant);
    return placing.cycles + 8 * placing.cyclesBehindAnother; // eight of the nine loads overlap
  };
  const double more = (latency(32, 9, "n") - latency(32, 9, "")) * cyclesPerNs;
  EXPECT_NEAR(more, placed(9, false) - placed(9, true), 0.1) << "one warp";
  EXPECT_NEAR((latency(32, 8, "n") - latency(32, 8, "")) * cyclesPerNs,
              placed(8, false) - placed(8, true), 0.1)
      << "a shift, if the extent is a constant";
  const std::uint32_t full = static_cast<std::uint32_t>(h100().sms) * 32 * 32;
  const double together = (latency(full, 9, "n") - latency(full, 9, "")) * cyclesPerNs;
  EXPECT_NEAR(together, more, 0.1) << "32 warps of an SM wait at the same time";
}

TEST(Replay, EachLaunchBeginsWithAnEmptyL1) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"a", "b"});
  const std::uint32_t records = program.array(1 << 16, 8);
  const trace::Index site = program.site(record, 0);
  const auto sameElements = [=](Warp &warp) {
    warp.touch(site, records, [](unsigned lane) { return lane; });
  };
  for (int launch = 0; launch < 3; ++launch)
    program.kernel("k", 32, 1, sameElements);
  program.mergeKernels();
  const KernelVolume volume = evaluate(program, soa(recordFields(program))).volume;
  EXPECT_EQ(volume.readSectors, 3 * 4);
  EXPECT_EQ(volume.l2ReadSectors(), 3 * 4)
      << "blocks of later launches found lines of earlier ones";
}

TEST(Replay, DoublePrecisionAndSpecialFunctionsHaveRatesOfTheirOwn) {
  SyntheticProgram program = oneWarp({{"a", 4}, {"b", 4}});
  const std::vector<LayoutField> fields = recordFields(program);
  trace::Operations operations;
  operations.add({trace::OperationKind::Multiply, trace::ValueType::Double, {}}, 640);
  operations.add({trace::OperationKind::AddProduct, trace::ValueType::Double, {}}, 640);
  operations.add({trace::OperationKind::Call, trace::ValueType::Single, "rsqrtf"}, 32);
  operations.add({trace::OperationKind::Call, trace::ValueType::Single, "fmaxf"}, 500);
  program.trace().sites.kernels[0].operations = operations;
  const Machine &hopper = h100();
  const KernelEvaluation evaluation = evaluate(program, aos(fields), hopper);
  EXPECT_EQ(evaluation.volume.doubles, 640) << "a product and what is added to it are one";
  EXPECT_EQ(evaluation.volume.specials, 32);
  const double cyclesPerNs = hopper.instructionsPerNsPerSm / kSchedulers;
  EXPECT_DOUBLE_EQ(evaluation.time.arithmeticNs * cyclesPerNs, 640.0 * kWarpThreads / 64);

  Machine ada = hopper; // its rates, and the pipes of a family for graphics
  ada.architecture = architectureOf("8.9");
  const KernelTime slow = evaluate(program, aos(fields), ada).time;
  EXPECT_DOUBLE_EQ(slow.arithmeticNs * cyclesPerNs, 640.0 * kWarpThreads / 2);
  EXPECT_EQ(bindingResource(slow), Resource::Arithmetic);
  EXPECT_NEAR(evaluate(program, soa(fields), ada).time.totalNs / slow.totalNs, 1, 1e-3)
      << "no layout helps a kernel that waits for arithmetic";
}

TEST(Replay, ArithmeticOfTheSourceIsIssuedAsWell) {
  SyntheticProgram program = oneWarp({{"a", 4}, {"b", 4}});
  const std::vector<LayoutField> fields = recordFields(program);
  const double before = evaluate(program, aos(fields)).volume.instructions;
  trace::SiteTable &sites = program.trace().sites;
  const auto additions = [](double count) {
    trace::Operations operations;
    operations.add({trace::OperationKind::Add, trace::ValueType::Single, {}}, count);
    return operations;
  };
  sites.loops.push_back({.id = 9, .function = "k", .place = {}, .operations = additions(50)});
  sites.reaches = {{0, 0, 0}, {0, 1, 0}}; // both sites are in the loop, executed once each
  sites.kernels[0].operations = additions(7);
  // Two of the loop's operations are the uses of what is read, and are counted already.
  EXPECT_EQ(evaluate(program, aos(fields)).volume.instructions, before + 50 + 7 - 2);
  program.trace().loops.push_back({.kernel = 0, .loop = 9, .warpEntries = 1, .warpIterations = 4});
  EXPECT_EQ(evaluate(program, aos(fields)).volume.instructions, before + 4 * 50 + 7 - 2)
      << "counted iterations go first";
}

TEST(Replay, FieldsOfDifferentSizesAreNotMerged) {
  const SyntheticProgram program = oneWarp({{"a", 8}, {"b", 4}, {"c", 4}});
  EXPECT_EQ(evaluate(program, alignedAos(recordFields(program), 16)).volume.memoryInstructions, 2);
}

TEST(Replay, LoadsShareTheSectorsThatTheFirstBrought) {
  const SyntheticProgram program =
      oneWarp({{"a", 4}, {"b", 4}, {"c", 4}, {"d", 4}, {"e", 4}, {"f", 4}, {"g", 4}, {"h", 4}});
  const KernelVolume volume = evaluate(program, aos(recordFields(program))).volume;
  EXPECT_EQ(volume.readSectors, 8 * 32);
  EXPECT_EQ(volume.l2ReadSectors(), 32);
  EXPECT_EQ(volume.usedBytes, 8 * 32 * 4);
  EXPECT_EQ(volume.dramReadBytes, 32 * 32);
  // 32 lanes 8 words apart meet in 4 of the 32 banks.
  EXPECT_EQ(volume.wavefronts, 8 * 8);
  const KernelVolume split = evaluate(program, soa(recordFields(program))).volume;
  EXPECT_EQ(split.readSectors, 8 * 4);
  EXPECT_EQ(split.wavefronts, 8);
}

TEST(Replay, AWarpTakesAQuarterOfAVectorLoadAtATime) {
  const SyntheticProgram program = oneWarp({{"a", 4}, {"b", 4}, {"c", 4}, {"d", 4}}, 0);
  const KernelVolume volume = evaluate(program, alignedAos(recordFields(program), 16)).volume;
  EXPECT_EQ(volume.memoryInstructions, 1);
  EXPECT_EQ(volume.readSectors, 1);
  EXPECT_EQ(volume.wavefronts, 4);
}

TEST(Replay, AgreesWithSectorsCountedByTheAddressFunction) {
  // Irregular elements, so that nothing is affine; every layout against a plain set of sectors.
  const LayoutCase gather = layoutCase("gather", 0xff, "8");
  const trace::Trace &trace = gather.program.trace();
  const std::vector<LayoutField> fields = layoutFields(trace.sites.records[0]);
  for (const auto &[name, layout] : benchLayouts(fields)) {
    const Result<AddressFunction> bound = AddressFunction::bind(layout, fields, kBenchElements);
    ASSERT_TRUE(bound.has_value());
    std::uint64_t lanesOfFields = 0;
    std::set<std::uint64_t> distinct; // of a warp: between warps L1 may lose some
    std::uint64_t missed = 0;
    std::pair<std::uint32_t, std::uint32_t> warp{~0u, ~0u};
    const Result<void> read = gather.program.source()([&](const trace::WarpAccess &access) {
      const trace::Site &site = trace.sites.sites[access.site - 1];
      if (site.record == trace::kNone)
        return true;
      if (warp != std::pair(access.block, access.warp)) {
        missed += distinct.size();
        distinct.clear();
        warp = {access.block, access.warp};
      }
      for (const std::uint64_t address : access.addresses) {
        const std::uint64_t element = (address - SyntheticProgram::kArrayDistance) / 32;
        distinct.insert(bound->offset(element, site.field) / kSectorBytes);
        ++lanesOfFields;
      }
      return true;
    });
    ASSERT_TRUE(read.has_value());
    missed += distinct.size();
    const Result<ReplaySample> sample = collectSample(trace, gather.program.source(), h100(), {});
    const KernelEvaluation evaluation =
        *evaluateKernel(trace, *sample, sample->kernels[0], {&layout}, h100());
    double misses = 0;
    double used = 0;
    const std::vector<AccessSet> &sets = sample->stream.kernels[0].accessSets;
    for (std::size_t i = 0; i < sets.size(); ++i)
      if (sample->stream.arrays[sets[i].array].group != trace::kNone) {
        const SetCounts &set = evaluation.counts.sets[i];
        misses += static_cast<double>(set.readSectors - set.readHits);
        used += static_cast<double>(set.usedBytes);
      }
    EXPECT_EQ(used, static_cast<double>(lanesOfFields * 4)) << name;
    EXPECT_NEAR(misses, static_cast<double>(missed), 0.002 * static_cast<double>(missed)) << name;
  }
}

TEST(Replay, ScatteredAccessesMoveGranulesAndStreamsTheirBytes) {
  const LayoutCase gather = layoutCase("gather", 0x01, "1");
  const LayoutCase stream = layoutCase("stream", 0x01, "1");
  const std::vector<LayoutField> fields = layoutFields(gather.program.trace().sites.records[0]);
  // 64 bytes a gathered element, 4 of index; L2 holds little of 2 GiB.
  EXPECT_NEAR(evaluate(gather.program, aos(fields)).volume.dramReadBytes,
              68.0 * kBenchGatherThreads, 0.02 * 68 * kBenchGatherThreads);
  EXPECT_NEAR(evaluate(stream.program, aos(fields)).volume.dramReadBytes, 32.0 * kBenchElements,
              0.001 * 32 * kBenchElements);
  EXPECT_NEAR(evaluate(stream.program, soa(fields)).volume.dramReadBytes, 4.0 * kBenchElements,
              0.001 * 4 * kBenchElements);
}

TEST(Replay, UnsampledAdjacentBlocksShareGranules) {
  // 256 of 4352 elements a block: with the adjacent blocks all of a plane's granules are read once.
  const LayoutCase local = layoutCase("local", 0x01, "1");
  const std::vector<LayoutField> fields = layoutFields(local.program.trace().sites.records[0]);
  const double index = 4.0 * kBenchGatherThreads;
  EXPECT_NEAR(evaluate(local.program, soa(fields)).volume.dramReadBytes,
              index + 4.0 * kBenchGatherThreads, 0.06 * 8 * kBenchGatherThreads);
}

TEST(Replay, CountsAreScaledToWhatWasExecuted) {
  const LayoutCase stream = layoutCase("stream", 0x03, "2", 10);
  const std::vector<LayoutField> fields = layoutFields(stream.program.trace().sites.records[0]);
  const KernelEvaluation evaluation = evaluate(stream.program, soa(fields));
  EXPECT_EQ(evaluation.volume.memoryInstructions, 3.0 * 10 * kBenchElements / 32);
  EXPECT_EQ(evaluation.volume.readSectors, 2.0 * 10 * kBenchElements * 4 / 32);
}

TEST(Replay, TheResultDoesNotDependOnThreads) {
  const LayoutCase mixed = layoutCase("mixed", 0x3f, "6");
  const trace::Trace &trace = mixed.program.trace();
  const Layout layout = soa(layoutFields(trace.sites.records[0]));
  const auto countsWith = [&](unsigned threads) {
    const Result<std::vector<KernelCounts>> counts =
        replayTrace(trace, mixed.program.source(), {&layout}, h100(), threads);
    EXPECT_TRUE(counts.has_value());
    SetCounts sum;
    for (const SetCounts &set : (*counts)[0].sets)
      sum += set;
    return std::tuple(sum.readSectors, sum.readHits, sum.wavefronts, (*counts)[0].warpAccesses);
  };
  EXPECT_EQ(countsWith(1), countsWith(4));
  EXPECT_EQ(std::get<3>(countsWith(2)), 32u * 8 * 8);
}

TEST(Machine, AFileSurvivesARoundTripAndNamesWhatItLacks) {
  const Result<Machine> again = machineFromJson(toJson(h100()));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(toJson(*again), toJson(h100()));
  std::string broken = toJson(h100());
  broken.replace(broken.find("dram_bytes_per_ns"), 4, "dran");
  const Result<Machine> lacking = machineFromJson(broken);
  ASSERT_FALSE(lacking.has_value());
  EXPECT_EQ(lacking.error().code, Code::NotAMachineFile);
  EXPECT_NE(lacking.error().text.find("'dram_bytes_per_ns'"), std::string::npos);
  EXPECT_EQ(machineFromJson("[]").error().code, Code::NotAMachineFile);
}

TEST(Machine, ACountIsAWholeNumberOfItsType) {
  for (const char *count : {"0.5", "4294967296", "-1", "true"}) {
    std::string file = toJson(h100());
    const std::string sound = "\"sms\": 132";
    ASSERT_NE(file.find(sound), std::string::npos);
    file.replace(file.find(sound), sound.size(), std::string("\"sms\": ") + count);
    const Result<Machine> machine = machineFromJson(file);
    ASSERT_FALSE(machine.has_value()) << count;
    EXPECT_NE(machine.error().text.find("'sms'"), std::string::npos);
  }
}

/// 64 records that all lanes read in turn, of which a warp reads the first ones only before it is
/// cut short.
double missesOf(const SyntheticProgram &program, double times) {
  const Result<ReplaySample> sample = collectSample(program.trace(), program.source(), h100(), {});
  EXPECT_TRUE(sample.has_value());
  KernelScale scale = sample->kernels[0].scale;
  for (double &factor : scale.bySet)
    factor *= times;
  const Result<KernelEvaluation> evaluation = evaluateKernel(
      program.trace(), *sample, sample->kernels[0], {nullptr}, h100(), /*otherNs=*/0, &scale);
  EXPECT_TRUE(evaluation.has_value());
  return evaluation->volume.readSectors - evaluation->volume.readHits;
}

TEST(Replay, WhatFitsL1ComesToAnSmOnce) {
  const auto table = [](std::uint64_t records, bool isWritten) {
    SyntheticProgram program(32);
    const trace::Index record = program.floats({"a", "b", "c", "d", "e", "f", "g", "h"});
    const std::uint32_t array = program.array(records, 32);
    const trace::Index read = program.site(record, 0);
    const trace::Index write = program.site(record, 1, trace::AccessKind::Write);
    program.kernel("k", 32, 1, [=](SyntheticProgram::Warp &warp) {
      for (std::uint64_t i = 0; i < 64; ++i)
        warp.touch(read, array, [i](unsigned) { return i; });
      if (isWritten)
        warp.touch(write, array, [](unsigned) { return 0; });
    });
    return program;
  };
  EXPECT_EQ(missesOf(table(64, false), 1), 64) << "each of them, a sector each";
  EXPECT_EQ(missesOf(table(64, false), 32), 64) << "goes through the table again and again";
  EXPECT_EQ(missesOf(table(1 << 20, false), 32), 32 * 64) << "goes on to other records";
  EXPECT_EQ(missesOf(table(64, true), 32), 32 * 64) << "what is stored may come again";
}

} // namespace
} // namespace relayout::analysis
