#pragma once
// Proves from the manifest that an output directory is what its job has computed: nothing missing, nothing twice,
// nothing changed. Reports every defect, up to a bound.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/result/part_file.h"
#include "common/base/result.h"
#include "common/output/manifest.h"

namespace ontime::cli {

inline constexpr std::size_t kProblemsMost = 100;

struct Verdict {
  std::uint64_t tasks = 0;
  std::uint64_t segments = 0;
  std::uint64_t records = 0;
  std::uint64_t input_bytes = 0;      // covered by splits
  std::uint64_t output_bytes = 0;     // in part files, as declared
  std::uint64_t content_bytes = 0;    // of those, before compression
  std::vector<std::string> problems;  // one sentence each, at most kProblemsMost
  std::uint64_t problems_untold = 0;  // beyond that
  std::uint64_t unreadable = 0;       // of the problems: files that this user may not read, of which nothing is known
  bool is_whole() const { return problems.empty(); }
  void add_problem(std::string problem);
};

// The structure alone: tiling of inputs by splits and of splits by segments, places in the part files, names. Pure.
void check_structure(const output::Manifest& manifest, Verdict& verdict);
// The files: part files with their lengths and checksums, nothing that does not belong there. `progress` receives the
// bytes checked so far.
using ByteProgress = std::function<void(std::uint64_t done_bytes)>;
void check_files(const FinishedOutput& output, Verdict& verdict, const ByteProgress& progress);

// All of it. An error when there is no finished job to look at.
Result<Verdict> verify_directory(const std::string& directory, const ByteProgress& progress);
std::uint64_t declared_output_bytes(const output::Manifest& manifest);

}  // namespace ontime::cli
