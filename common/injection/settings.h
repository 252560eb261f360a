#pragma once
// Injection as people write it: one text per setting, `key=value` (--inject), the keys and values of docs/injection.md.

#include <string>
#include <string_view>

#include "common/injection/injection.h"
#include "common/injection/values.h"

namespace ontime::injection {

// Applies one setting. A key given again replaces what it said before; node, and the places of stall and crash, add up.
// BadInput with a sentence that begins with the setting's text and says what is expected.
Status apply(Injection& injection, std::string_view key, std::string_view value, TraceSource& traces);
// The same for "key=value".
Status apply(Injection& injection, std::string_view setting, TraceSource& traces);

// "seed=7 pace=2s straggler=0.1:8x": what is active, for the log. A trace shows how many factors it has.
std::string describe(const Injection& injection);

}  // namespace ontime::injection
