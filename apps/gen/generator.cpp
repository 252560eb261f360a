#include "apps/gen/generator.h"

#include <charconv>
#include <stdexcept>

#include "apps/gen/teragen.h"

namespace ontime::apps {

const std::vector<GeneratorKind>& generator_kinds() {
  static const std::vector<GeneratorKind> kinds{pairs_kind(), ratings_kind(), teragen_kind(), words_kind()};
  return kinds;
}

std::uint64_t whole_number(const app::Parameters& settings, std::string_view name, std::uint64_t least,
                           std::uint64_t most) {
  const std::string& text = settings.get(name);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    throw std::invalid_argument("the setting '" + std::string(name) + "' must be a whole number from " +
                                std::to_string(least) + " to " + std::to_string(most) + ", not \"" + text + "\"");
  return number;
}

}  // namespace ontime::apps
