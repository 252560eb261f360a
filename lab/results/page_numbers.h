#pragma once
// Numbers as pages show them.

#include <string>

#include "lab/results/writing.h"
#include "lab/study/study_result.h"

namespace ontime::lab {

inline constexpr std::size_t kCurvePoints = 200;  // of a distribution or of use over time, in files and figures

std::string text_of(const Estimate& estimate, int digits);  // "0.930 ± 0.012", "0.93 (0.88 to 0.97)"
std::string text_of(const Reading& reading);                // "0.42", "0.35 to 0.45"
// Ours, and if there is a printed value that one too; in bold if they differ.
std::string cell_of(const Row& row, std::size_t measure, const StudyResult& result);

}  // namespace ontime::lab
