#pragma once
// Files that `ontime simulate --out` writes.

#include <string>

#include "common/base/result.h"
#include "lab/study/study.h"
#include "lab/study/study_result.h"

namespace ontime::lab {

// DIR/<stem>.md, .csv, .svg and, for curves, <stem>-curves.csv. Without gnuplot there is no .svg; says whether there
// is.
Result<bool> write_study(const std::string& directory, const std::string& scenario_path, const Study& study,
                         const StudyResult& result);

// DIR/README.md: every other page there by its title.
Status write_index(const std::string& directory);

bool has_gnuplot();
// Runs gnuplot on the script, which is written to the path and removed again.
Status draw(const std::string& script, const std::string& script_path);

}  // namespace ontime::lab
