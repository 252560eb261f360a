#include "common/base/compression.h"

#include <algorithm>
#include <array>

#include "common/base/units.h"
#include "common/base/wording.h"

namespace ontime {
namespace {

struct Known {
  const char* name;
  Codec codec;
  int usual_level;
  int most;
  const char* ending;
};
// Higher levels of zstd take several times as much memory, and so would readers.
constexpr std::array kKnown{Known{"zstd", Codec::Zstd, 3, 19, ".zst"}, Known{"gzip", Codec::Gzip, 6, 9, ".gz"}};
// What readers take for compressed.
constexpr std::array<std::string_view, 4> kEndings{".zst", ".gz", ".xz", ".bz2"};
constexpr std::size_t kSuffixBytesMax = 32;

std::string shown(std::string_view text) { return in_quotes(text.substr(0, 100)); }

bool is_good_suffix(std::string_view suffix) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return suffix.size() >= 2 && suffix.size() <= kSuffixBytesMax && suffix.front() == '.' && suffix.back() != '.' &&
         suffix.find("..") == suffix.npos && std::all_of(suffix.begin(), suffix.end(), is_plain);
}

std::string_view ending_of(Codec codec) {
  for (const Known& known : kKnown) {
    if (known.codec == codec) return known.ending;
  }
  return {};
}

}  // namespace

Result<Compression> read_compression(std::string_view text) {
  if (text.empty() || text == "none") return Compression{};
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto known = std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& one) { return one.name == name; });
  if (known == kKnown.end())
    return bad_input(shown(name) + " is no compression of part files; choose zstd, gzip or none");
  if (colon == text.npos) return Compression{known->codec, known->usual_level};
  const auto level = number_in<int>(text.substr(colon + 1));
  if (level && *level >= 1 && *level <= known->most) return Compression{known->codec, *level};
  return bad_input(shown(text.substr(colon + 1)) + " is no level of " + known->name +
                   "; give a whole number from 1 to " + std::to_string(known->most));
}

Status check_parts(const JobSettings& settings) {
  const auto compression = read_compression(settings.compress);
  if (!compression) return compression.error();
  const std::string& suffix = settings.parts_suffix;
  if (suffix.empty()) return {};
  if (!is_good_suffix(suffix))
    return bad_input(shown(suffix) +
                     " cannot be the suffix of part files; give a dot and at most 31 letters, digits, '.', '_' or "
                     "'-', such as .jsonl");
  const std::string_view ending = ending_of(compression->codec);
  for (const std::string_view compressed : kEndings) {
    if (suffix.ends_with(compressed) && compressed != ending)
      return bad_input("part files that end in " + shown(suffix) + " would not be compressed so; " +
                       (ending.empty() ? "add --compress, or choose another suffix" : "choose another suffix"));
  }
  return {};
}

std::string parts_ending(const JobSettings& settings) {
  const auto compression = read_compression(settings.compress);
  const std::string ending(compression ? ending_of(compression->codec) : "");
  return settings.parts_suffix.ends_with(ending) ? settings.parts_suffix : settings.parts_suffix + ending;
}

}  // namespace ontime
