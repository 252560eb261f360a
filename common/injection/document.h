#pragma once
// Injection as a YAML document: a mapping from the keys of settings.h to the same texts; where a key may be given
// several times, also to a list of them. See docs/injection.md.

#include <string>

#include "common/injection/injection.h"
#include "common/injection/values.h"

namespace ontime::injection {

// Applies everything that `text` says. BadInput with the line where something is wrong.
Status apply_document(Injection& injection, const std::string& text, TraceSource& traces);

}  // namespace ontime::injection
