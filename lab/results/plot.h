#pragma once
// A study's figure as a script for gnuplot.

#include <string>

#include "lab/study/study.h"
#include "lab/study/study_result.h"

namespace ontime::lab {

// Draws to `svg`. Empty if the study has no figure. The paper's numbers are hollow marks where there are any.
std::string plot_of(const Study& study, const StudyResult& result, const std::string& svg);

}  // namespace ontime::lab
