#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/kill_point.h"
#include "common/base/utf8.h"
#include "common/base/wording.h"
#include "common/files/file_system.h"
#include "common/files/roots.h"
#include "common/files/sync.h"
#include "common/hash/sha256.h"
#include "common/output/manifest.h"

namespace ontime::output {
namespace {

// A new file that is written in large pieces; the first error is kept and everything after it is skipped.
class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)), file_(files::open(path_, files::kEmptyFile)) {
    if (!file_) status_ = files::system_error("create", path_, errno);
  }

  void append(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) drain();
  }

  Status finish(bool syncs) {
    drain();
    pass_kill_point("manifest-before-sync");
    if (status_ && syncs) note(files::sync(file_.get()));
    return status_;
  }

 private:
  static constexpr std::size_t kBufferBytes = 256u << 10;

  void drain() {
    if (status_) note(files::append(file_.get(), buffer_));
    buffer_.clear();
  }

  void note(int problem) {
    if (problem != 0) status_ = files::system_error("write", path_, problem);
  }

  const std::string path_;
  const Descriptor file_;
  std::string buffer_;
  Status status_;
};

std::string text(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json to_json(const ByteRange& range) { return {range.begin, range.end}; }

// What is no UTF-8 becomes the file:// URL that names the same file.
std::string path_text(const std::string& path) {
  if (is_utf8(path)) return path;
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string url = "file://";
  for (const char c : path) {
    if (kPlain.find(c) == kPlain.npos)
      url += "%" + hex_digits({&c, 1});
    else
      url += c;
  }
  return url;
}

std::string to_line(const Input& input) {
  nlohmann::ordered_json value = {
      {"path", path_text(input.path)}, {"size", input.size}, {"version", input.version}, {"codec", input.codec}};
  if (input.content_bytes > 0) value["content_bytes"] = input.content_bytes;
  return text(value);
}

std::string to_line(const LeftOut& one) { return text({{"path", path_text(one.path)}, {"why", one.why}}); }

std::string to_line(const Task& task) {
  nlohmann::ordered_json segments = nlohmann::ordered_json::array();
  for (const Segment& segment : task.segments) {
    nlohmann::ordered_json& written = segments.emplace_back(nlohmann::ordered_json{{"range", to_json(segment.range)},
                                                                                   {"attempt", segment.attempt},
                                                                                   {"node", segment.node},
                                                                                   {"offset", segment.offset},
                                                                                   {"length", segment.length},
                                                                                   {"records", segment.records},
                                                                                   {"crc32c", segment.crc32c}});
    if (segment.compressed_from) written["compressed_from"] = *segment.compressed_from;
  }
  nlohmann::ordered_json value = {{"task", task.index}, {"input", task.input}};
  if (task.files > 1) value["files"] = task.files;
  value["split"] = to_json(task.split);
  value["part"] = task.part;
  value["segments"] = std::move(segments);
  return text(value);
}

// To a file or a string.
template <class Sink, class Item>
void append_lines(Sink& file, std::string_view name, const std::vector<Item>& items) {
  file.append(",\n\"" + std::string(name) + "\": [");
  std::string_view separator = "\n";
  for (const Item& item : items) {
    file.append(separator);
    file.append(to_line(item));
    separator = ",\n";
  }
  file.append("\n]");
}

// Tells whose the manifest is, to who reads no more than this.
std::string head_of(const std::string& claim) {
  return "{\"format\": " + std::to_string(kManifestFormat) + ",\n\"claim\": " + text(claim);
}

template <class Sink>
void append_manifest(Sink& file, const Manifest& manifest) {
  file.append(head_of(manifest.claim));
  file.append(",\n\"job\": " + text(manifest.job));
  if (manifest.owner) file.append(",\n\"owner\": " + text(*manifest.owner));
  file.append(",\n\"application\": " + text(manifest.application));
  file.append(",\n\"parameters\": " + text(manifest.parameters));
  file.append(",\n\"policy\": " + text(manifest.policy));
  if (manifest.codec != Codec::Plain) file.append(",\n\"compressed\": " + text(name_of(manifest.codec)));
  append_lines(file, "inputs", manifest.inputs);
  if (!manifest.left_out.empty()) append_lines(file, "left_out", manifest.left_out);
  file.append(",\n\"made_from\": " + text(made_from(manifest)));
  append_lines(file, "tasks", manifest.tasks);
  file.append(",\n\"counters\": " + text(manifest.counters));
  file.append("\n}\n");
}

}  // namespace

std::string made_from(const Manifest& manifest) {
  hash::Sha256 hash;
  const auto add = [&](const std::string& line) {
    hash.add(line);
    hash.add("\n");
  };
  add(text(manifest.application));
  add(text(manifest.parameters));
  for (const Input& input : manifest.inputs) add(to_line(input));
  return hex_digits(hash.digest());
}

std::string to_text(const Manifest& manifest) {
  std::string text;
  append_manifest(text, manifest);
  return text;
}

std::vector<std::string> pieces_of(const Task& task) {
  const auto count = std::count_if(task.segments.begin(), task.segments.end(),
                                   [](const Segment& segment) { return segment.length > 0; });
  if (count < 2) return {task.part};
  std::vector<std::string> pieces;
  const std::size_t stem = part_file_name(task.index).size();
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    pieces.push_back(task.part.substr(0, stem) + "." + std::string(number.size() < 4 ? 4 - number.size() : 0, '0') +
                     number + task.part.substr(stem));
  }
  return pieces;
}

bool is_manifest_of(int directory, const std::string& claim) {
  const Result<int> file = files::open_regular(directory, kManifestName);
  if (!file) return false;
  const std::string expected = head_of(claim);
  std::string found(expected.size(), '\0');
  const ssize_t size = ::pread(*file, found.data(), found.size(), 0);
  ::close(*file);
  return size == static_cast<ssize_t>(expected.size()) && found == expected;
}

Status write_manifest(const std::string& directory, const Manifest& manifest, bool syncs) {
  const std::string path = directory + "/" + kManifestName;
  const std::string temporary = directory + "/" + kNewManifestName;
  {
    NewFile file(temporary);
    pass_kill_point("manifest-created");
    append_manifest(file, manifest);
    if (Status status = file.finish(syncs); !status) return status;
  }
  pass_kill_point("manifest-before-rename");
  if (const int problem = files::rename(temporary, path); problem != 0) {
    return files::system_error("rename to", path, problem);
  }
  pass_kill_point("manifest-renamed");
  if (!syncs) return {};
  if (const int problem = files::sync_directory(directory); problem != 0) {
    return files::system_error("sync the directory", directory, problem);
  }
  pass_kill_point("manifest-synced");
  return {};
}

}  // namespace ontime::output
