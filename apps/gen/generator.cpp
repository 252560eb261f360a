#include "apps/gen/generator.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "apps/gen/teragen.h"
#include "common/base/units.h"

namespace ontime::apps {

const std::vector<GeneratorKind>& generator_kinds() {
  static const std::vector<GeneratorKind> kinds{pairs_kind(), ratings_kind(), teragen_kind(), weather_kind(),
                                                words_kind()};
  return kinds;
}

std::string help_of(const std::vector<GeneratorKind>& kinds) {
  std::size_t width = 10;
  for (const GeneratorKind& kind : kinds) width = std::max(width, kind.name.size() + 1);
  std::string text;
  for (const GeneratorKind& kind : kinds) {
    text +=
        "  " + std::string(kind.name) + std::string(width - kind.name.size(), ' ') + std::string(kind.summary) + "\n";
    for (const app::Parameter& parameter : kind.parameters)
      text += "            --set " + parameter.name + "=" + parameter.default_value + "  " + parameter.help + "\n";
  }
  return text;
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
