#pragma once
// Injection from a command line. The only part that reads files: the document, and the traces that it or a flag names.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/injection/injection.h"
#include "common/injection/settings.h"

namespace ontime::injection {

// Injection as a YAML document: a mapping from the keys of settings.h to the same texts; where a key may be given
// several times, also to a list of them. See docs/injection.md. Applies everything that `text` says. BadInput with the
// line where something is wrong.
Status apply_document(Injection& injection, const std::string& text, TraceSource& traces);

struct Flags {
  std::string file;                   // --injection; empty: none
  std::vector<std::string> settings;  // --inject, in order
  std::optional<std::uint64_t> seed;  // --seed
};

// The document first, then the settings, then the seed. Nothing if no flag asks for any. A trace in the document is
// looked for beside the document. BadInput with a sentence that begins with the flag.
Result<std::optional<Injection>> load(const Flags& flags);

}  // namespace ontime::injection
