#pragma once
// What is written about a study: a page with the paper's numbers beside ours, a table for programs.

#include <string>

#include "lab/results/document.h"
#include "lab/results/writing.h"
#include "lab/study/study.h"
#include "lab/study/study_result.h"

namespace ontime::lab {

// Numbers as pages show them.
inline constexpr std::size_t kCurvePoints = 200;  // of a distribution or of use over time, in files and figures

std::string text_of(const Estimate& estimate, int digits);  // "0.930 ± 0.012", "0.93 (0.88 to 0.97)"
std::string text_of(const Reading& reading);                // "0.42", "0.35 to 0.45"
// Ours, and if there is a printed value that one too; in bold if they differ.
std::string cell_of(const Row& row, std::size_t measure, const StudyResult& result);

// Markdown. `stem` is the name of the files without their endings, `scenario` what the reader is to run; the
// figure is shown if there is one.
struct PageNames {
  std::string stem;
  std::string scenario;
  bool has_figure = false;
};
std::string page_of(const Study& study, const StudyResult& result, const PageNames& names);

// For a terminal: the tables alone, as plain text lines of tab-free Markdown.
std::string tables_of(const Study& study, const StudyResult& result);

// Comma-separated: one row per point, with a line of titles.
std::string csv_of(const StudyResult& result);
// One row per point of a curve: times by quantile of a Cdf, samples over time. Empty for other figures.
std::string curves_csv_of(const Study& study, const StudyResult& result);
// One row per forecast of a job.
std::string forecasts_csv_of(const Study& study, const StudyResult& result);

}  // namespace ontime::lab
