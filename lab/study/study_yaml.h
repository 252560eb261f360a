#pragma once
// A study from its YAML document.

#include <string>

#include "common/base/result.h"
#include "lab/study/study.h"

namespace ontime::lab {

bool has_study(const std::string& text);  // whether there is a key `study`; no if it cannot be read

// BadInput with the line where something is wrong. The scenario without any of the varying settings must be right too.
Result<Study> read_study(const std::string& text, const Surroundings& surroundings = {});

}  // namespace ontime::lab
