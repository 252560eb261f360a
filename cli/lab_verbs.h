#pragma once
// Verbs that study jobs instead of running them. They are in a program of their own, ontime-lab, so that users who only
// run jobs need not build it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace ontime::cli {

struct LabVerb {
  const char* name;
  const char* summary;
};
std::span<const LabVerb> lab_verbs();
const LabVerb* find_lab_verb(std::string_view name);  // nullptr: none of that name

// The lab's verb that the arguments (without the program's name) are about: to be carried out, explained or completed.
// nullptr: none.
const LabVerb* lab_verb_of(const std::vector<std::string>& arguments);

// Becomes ontime-lab, which lies beside this program or in ../libexec/ontime. Returns only if it cannot.
Error become_lab(const LabVerb& verb, const std::vector<std::string>& arguments);
// The same for the program at `path`.
Error become(const std::string& path, const std::vector<std::string>& arguments);

}  // namespace ontime::cli
