#include "apps/gen/generator.h"

#include <stdexcept>

#include "apps/gen/teragen.h"
#include "common/base/units.h"

namespace ontime::apps {

const std::vector<GeneratorKind>& generator_kinds() {
  static const std::vector<GeneratorKind> kinds{pairs_kind(), ratings_kind(), teragen_kind(), weather_kind(),
                                                words_kind()};
  return kinds;
}

std::uint64_t whole_number(const app::Parameters& settings, std::string_view name, std::uint64_t least,
                           std::uint64_t most) {
  const std::string& text = settings.get(name);
  const auto number = parse_whole(text, least, most);
  if (!number)
    throw std::invalid_argument("the setting '" + std::string(name) + "' must be a whole number from " +
                                std::to_string(least) + " to " + std::to_string(most) + ", not \"" + text + "\"");
  return *number;
}

}  // namespace ontime::apps
