#include "common/records/formats.h"

#include <algorithm>
#include <limits>

#include "common/base/units.h"

namespace ontime::records {
namespace {

struct Named {
  std::string_view name;
  Made (*make)(std::string_view argument);
};

constexpr Named kFormats[] = {
    {"lines", make_lines},         {"delimiter", make_delimited}, {"fixed", make_fixed}, {"csv", make_csv},
    {"json", make_json},           {"fastq", make_fastq},         {"warc", make_warc},   {"xml", make_xml},
    {"paragraph", make_paragraphs}};

}  // namespace

Made make_format(std::string_view text) {
  if (text.empty()) return make_lines("");
  const std::size_t behind = std::min(text.find_first_of(":="), text.size());
  const std::string_view name = text.substr(0, behind);
  const std::string_view argument = behind < text.size() ? text.substr(behind + 1) : std::string_view();
  for (const Named& format : kFormats) {
    if (format.name == name) return format.make(argument);
  }
  return bad_input("There are no records '" + std::string(name.substr(0, 64)) +
                   "'; choose lines, delimiter:TEXT, fixed:BYTES, csv, json, fastq, warc, xml:TAG, paragraph or auto.");
}

std::uint64_t mark_of(const app::RecordFormat& format) {
  const auto* const marked = dynamic_cast<const Marked*>(&format);
  return marked != nullptr ? marked->mark : 0;
}

std::uint64_t mark_of(std::string_view text) {
  const auto format = make_format(text);
  return format ? mark_of(**format) : 0;
}

std::optional<std::uint64_t> marked_at(const AccessPoint& point, std::uint64_t mark) {
  if ((point.state & mark) == 0) return std::nullopt;
  return point.content + (point.state >> kDistanceAt & kDistanceMost);
}

void put_mark(AccessPoint& point, std::uint64_t mark, std::uint64_t at) {
  const std::uint64_t distance = at - point.content;
  if (distance <= kDistanceMost) point.state |= mark | distance << kDistanceAt;
}

Made make_fixed(std::string_view argument) {
  const auto bytes = number_in<std::uint32_t>(argument);
  if (!bytes || *bytes == 0)
    return bad_input("Records of a fixed size need their bytes, as in fixed:100; '" +
                     std::string(argument.substr(0, 64)) + "' is no such number.");
  return make<app::FixedRecords>(*bytes);
}

}  // namespace ontime::records
