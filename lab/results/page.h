#pragma once
// What is written about a study: a page with the paper's numbers beside ours, a table for programs.

#include <string>

#include "lab/study/study.h"
#include "lab/study/study_result.h"

namespace ontime::lab {

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

}  // namespace ontime::lab
