#pragma once
// Files that `ontime simulate --out` writes.

#include <string>

#include "common/base/result.h"
#include "simulator/study/study.h"
#include "simulator/study/study_result.h"

namespace ontime::cli {

Result<std::string> read_text_file(const std::string& path);
Status write_text_file(const std::string& path, const std::string& text);
Status make_directory(const std::string& path);

// DIR/<stem>.md, .csv, .svg and, for curves, <stem>-curves.csv. Without gnuplot there is no .svg; says whether there
// is.
Result<bool> write_study(const std::string& directory, const std::string& scenario_path, const simulator::Study& study,
                         const simulator::StudyResult& result);

// DIR/README.md: every other page there by its title.
Status write_index(const std::string& directory);

bool has_gnuplot();
// Runs gnuplot on the script, which is written to the path and removed again.
Status draw(const std::string& script, const std::string& script_path);

}  // namespace ontime::cli
