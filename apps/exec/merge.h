#pragma once
// How `exec` folds the values of a key, as its parameter `merge` says.

#include <memory>
#include <string>

#include "common/app/application.h"

namespace ontime::apps {

// "sum", "max", "min" of numbers, "list", or a shell command; null for an empty text: nothing is merged.
std::unique_ptr<app::Merger> make_merger(const std::string& how);

}  // namespace ontime::apps
