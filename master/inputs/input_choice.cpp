#include "master/inputs/input_choice.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "common/records/formats.h"
#include "master/base/settings.h"
#include "master/base/text.h"
#include "master/inputs/plain_records.h"

namespace ontime::master {
namespace {

constexpr std::size_t kExcludedMax = 1000;
constexpr std::array kFlaws{std::pair{"unreadable", Flaw::Unreadable}, std::pair{"vanished", Flaw::Vanished},
                            std::pair{"archived", Flaw::Archived}, std::pair{"corrupt", Flaw::Corrupt}};

// A directory would be listed with that path below it.
bool is_found(std::string_view below, Directories directories) {
  const std::vector<std::string> names = names_of(below);
  return directories == Directories::WithThoseBelow && !names.empty() &&
         std::none_of(names.begin(), names.end(), [](const std::string& name) { return is_hidden(name); });
}

}  // namespace

Flaw flaw_of(int problem) {
  return problem == ENOENT || problem == ENOTDIR || problem == ESTALE ? Flaw::Vanished : Flaw::Unreadable;
}

std::optional<Flaw> flaw_of(const http::Failure& failure) {
  if (failure.code == "InvalidObjectState") return Flaw::Archived;
  if (failure.status == 404 || failure.status == 410) return Flaw::Vanished;
  if (failure.status == 401 || failure.status == 403) return Flaw::Unreadable;
  return std::nullopt;
}

Result<std::set<Flaw>> read_flaws(const std::string& kinds) {
  std::set<Flaw> flaws;
  for (std::size_t at = 0; at < kinds.size();) {
    const std::size_t end = std::min(kinds.find(',', at), kinds.size());
    const std::string kind = kinds.substr(at, end - at);
    const auto known = std::find_if(kFlaws.begin(), kFlaws.end(), [&](const auto& flaw) { return kind == flaw.first; });
    if (known == kFlaws.end())
      return bad_input(
          "'" + readable(kind.substr(0, kNameBytesMax)) +
          "' is nothing that inputs can be skipped for; choose of unreadable, vanished, archived and corrupt");
    flaws.insert(known->second);
    at = end + 1;
  }
  return flaws;
}

Result<InputChoice> InputChoice::of(Directories directories, const std::vector<std::string>& excluded,
                                    const std::string& skipped, Changes changes) {
  InputChoice choice(directories);
  choice.changes_ = changes;
  if (excluded.size() > kExcludedMax)
    return bad_input("A job can exclude at most " + std::to_string(kExcludedMax) + " patterns; join some in braces.");
  for (const std::string& pattern : excluded) {
    if (pattern.size() > kPathBytesMax) return bad_input("A pattern to exclude is longer than a path can be.");
    const auto several = without_braces(pattern);
    if (!several) return several.error();
    for (const std::string& one : *several) choice.excluded_.emplace_back(one, PathPattern::Hidden::Matches);
  }
  auto flaws = read_flaws(skipped);
  if (!flaws) return bad_input("The inputs to skip: " + flaws.error().message + ".");
  choice.skipped_ = std::move(*flaws);
  return choice;
}

bool InputChoice::chooses_records_by(const scheduler::InputFile& file) {
  const bool shows_them = file.size > 0 && (file.codec == Codec::Plain || file.codec == Codec::Gzip);
  if (!has_yet_to_choose_records() || !shows_them) return false;
  chosen_ = plain_records_of(file);
  auto format = records::make_format(*chosen_);
  if (format && records::mark_of(**format) != 0) set_records(std::move(*format));
  return records() != nullptr;
}

void InputChoice::set_output(const std::string& output) { output_ = excludes(output) ? "" : output; }

bool InputChoice::would_write_below(const struct stat& directory) const {
  if (!output_.starts_with('/')) return false;
  for (std::string above = output_; above != "/";) {
    above.resize(std::max<std::size_t>(above.rfind('/'), 1));
    struct stat status {};
    const bool is_same =
        ::stat(above.c_str(), &status) == 0 && status.st_dev == directory.st_dev && status.st_ino == directory.st_ino;
    if (is_same) return is_found(std::string_view(output_).substr(above.size()), directories_);
  }
  return false;
}

bool InputChoice::would_write_below(const std::string& address) const {
  const std::string directory = address.ends_with('/') ? address : address + "/";
  return output_.starts_with(directory) && is_found(std::string_view(output_).substr(directory.size()), directories_);
}

bool InputChoice::excludes(const std::string& path) const {
  if (excluded_.empty()) return false;
  const std::vector<std::string> names = names_of(path);
  return std::any_of(excluded_.begin(), excluded_.end(), [&](const auto& pattern) { return pattern.matches(names); });
}

}  // namespace ontime::master
