#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "common/base/limits.h"
#include "common/files/disk.h"
#include "common/files/roots.h"
#include "common/output/manifest.h"

namespace ontime::output {
namespace {

using nlohmann::json;

// What is wrong with the manifest, found somewhere deep in it; caught in read_manifest and nowhere else.
struct Damage {
  std::string what;
};

const json& member(const json& object, const char* name) {
  if (!object.is_object()) throw Damage{"an object is expected that holds \"" + std::string(name) + "\""};
  const auto found = object.find(name);
  if (found == object.end()) throw Damage{"\"" + std::string(name) + "\" is missing"};
  return *found;
}

template <class Number>
Number number(const json& value, const char* name) {
  if constexpr (std::is_signed_v<Number>) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<Number>::max()}) {
      throw Damage{"\"" + std::string(name) + "\" is out of range"};
    }
    if (value.is_number_integer()) return value.get<Number>();
  } else if (value.is_number_unsigned()) {
    const auto wide = value.get<std::uint64_t>();
    if (wide <= std::numeric_limits<Number>::max()) return static_cast<Number>(wide);
    throw Damage{"\"" + std::string(name) + "\" is out of range"};
  }
  throw Damage{"\"" + std::string(name) + "\" is not a whole number"};
}

template <class Number>
Number number_of(const json& object, const char* name) {
  return number<Number>(member(object, name), name);
}

const std::string& text_of(const json& object, const char* name) {
  const json& value = member(object, name);
  if (!value.is_string()) throw Damage{"\"" + std::string(name) + "\" is not text"};
  return value.get_ref<const std::string&>();
}

// A name of a file in the directory itself.
std::string file_name_of(const json& object, const char* name) {
  const std::string& value = text_of(object, name);
  if (value.empty() || value == "." || value == ".." || value.find_first_of(std::string_view("/\0", 2)) != value.npos) {
    throw Damage{"\"" + std::string(name) + "\" is not a plain file name"};
  }
  return value;
}

ByteRange range_of(const json& object, const char* name) {
  const json& value = member(object, name);
  if (!value.is_array() || value.size() != 2) throw Damage{"\"" + std::string(name) + "\" is not [begin, end]"};
  const ByteRange range{number<std::uint64_t>(value[0], name), number<std::uint64_t>(value[1], name)};
  if (range.begin > range.end) throw Damage{"\"" + std::string(name) + "\" ends before it begins"};
  return range;
}

Segment to_segment(const json& value) {
  Segment segment;
  segment.range = range_of(value, "range");
  segment.attempt = file_name_of(value, "attempt");
  segment.node = text_of(value, "node");
  segment.offset = number_of<std::uint64_t>(value, "offset");
  segment.length = number_of<std::uint64_t>(value, "length");
  segment.records = number_of<std::uint64_t>(value, "records");
  segment.crc32c = number_of<std::uint32_t>(value, "crc32c");
  if (value.contains("compressed_from")) segment.compressed_from = number_of<std::uint64_t>(value, "compressed_from");
  if (std::max({segment.offset, segment.length, segment.content_length()}) > kOffsetMax)
    throw Damage{"\"offset\" or a length is out of range"};
  return segment;
}

Task to_task(const json& value, std::size_t position) {
  Task task;
  task.index = number_of<std::uint32_t>(value, "task");
  if (task.index != position) throw Damage{"\"task\" is not its place in the list"};
  task.input = number_of<std::uint32_t>(value, "input");
  if (value.contains("files")) task.files = number_of<std::uint32_t>(value, "files");
  if (task.files == 0) throw Damage{"\"files\" is 0"};
  task.split = range_of(value, "split");
  task.part = file_name_of(value, "part");
  const json& segments = member(value, "segments");
  if (!segments.is_array()) throw Damage{"\"segments\" is not a list"};
  for (const json& segment : segments) task.segments.push_back(to_segment(segment));
  return task;
}

Codec codec_of(const std::string& name) {
  for (const Codec codec : {Codec::Gzip, Codec::Zstd}) {
    if (name == name_of(codec)) return codec;
  }
  throw Damage{"\"compressed\" is '" + name + "', which only a newer Ontime can read"};
}

Input to_input(const json& value) {
  Input input;
  input.path = text_of(value, "path");
  input.size = number_of<std::uint64_t>(value, "size");
  input.version = text_of(value, "version");
  input.codec = text_of(value, "codec");
  if (value.contains("content_bytes")) input.content_bytes = number_of<std::uint64_t>(value, "content_bytes");
  return input;
}

void check_format(const json& top) {
  const auto format = number_of<std::uint32_t>(top, "format");
  if (format > kManifestFormat) {
    throw Damage{"it has format " + std::to_string(format) + ", which only a newer Ontime can read"};
  }
  if (format < kManifestFormat) {
    throw Damage{"it has format " + std::to_string(format) + ", which only an older Ontime can read"};
  }
}

// Collects inputs and tasks while the text is parsed, so that their JSON never is in memory as a whole.
class ManifestParser {
 public:
  Manifest parse(std::FILE* file) {
    const auto collect = [this](int depth, json::parse_event_t event, json& parsed) {
      return keep(depth, event, parsed);
    };
    const json top = json::parse(file, collect);
    check_format(top);
    for (const char* list : {"inputs", "tasks"}) {
      if (!member(top, list).is_array()) throw Damage{"\"" + std::string(list) + "\" is not a list"};
      if (!member(top, list).empty()) throw Damage{"\"" + std::string(list) + "\" holds something else than objects"};
    }
    read_head(top);
    if (text_of(top, "made_from") != made_from(manifest_)) {
      throw Damage{"the application, its parameters or the inputs are not those that the output was made from"};
    }
    if (manifest_.codec == Codec::Plain ? has_compressed_ : has_plain_)
      throw Damage{"\"compressed\" and \"compressed_from\" contradict each other"};
    for (const Task& task : manifest_.tasks) {
      if (task.input >= manifest_.inputs.size() || task.files > manifest_.inputs.size() - task.input) {
        throw Damage{"task " + std::to_string(task.index) + " reads an input that is not listed"};
      }
    }
    return std::move(manifest_);
  }

  // For the error: how far it has come.
  std::string place() const {
    if (list_ == "tasks") return "task " + std::to_string(manifest_.tasks.size());
    if (list_ == "inputs") return "input " + std::to_string(manifest_.inputs.size());
    return {};
  }

 private:
  // False: the value has been taken and need not be kept.
  bool keep(int depth, json::parse_event_t event, const json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key) list_ = parsed.get_ref<const std::string&>();
    if (depth == 1 && event == json::parse_event_t::array_end) list_.clear();
    if (depth != 2 || event != json::parse_event_t::object_end) return true;
    if (list_ == "tasks") {
      manifest_.tasks.push_back(to_task(parsed, manifest_.tasks.size()));
      count_output(manifest_.tasks.back());
      return false;
    }
    if (list_ == "inputs") {
      manifest_.inputs.push_back(to_input(parsed));
      return false;
    }
    if (list_ == "left_out") {
      manifest_.left_out.push_back({text_of(parsed, "path"), text_of(parsed, "why")});
      return false;
    }
    return true;
  }

  void read_head(const json& top) {
    manifest_.claim = text_of(top, "claim");
    manifest_.job = text_of(top, "job");
    if (top.contains("owner")) manifest_.owner = text_of(top, "owner");
    manifest_.application = text_of(top, "application");
    manifest_.policy = text_of(top, "policy");
    if (top.contains("compressed")) manifest_.codec = codec_of(text_of(top, "compressed"));
    const json& parameters = member(top, "parameters");
    if (!parameters.is_object() && !parameters.is_null()) throw Damage{"\"parameters\" is not an object"};
    for (const auto& [name, value] : parameters.items()) {
      static_cast<void>(value);
      manifest_.parameters[name] = text_of(parameters, name.c_str());
    }
    const json& counters = member(top, "counters");
    if (!counters.is_object() && !counters.is_null()) throw Damage{"\"counters\" is not an object"};
    for (const auto& [group, names] : counters.items()) {
      if (!names.is_object()) throw Damage{"a group of \"counters\" is not an object"};
      for (const auto& [name, value] : names.items()) {
        manifest_.counters[group][name] = number<std::int64_t>(value, "counters");
      }
    }
  }

  // Code that adds lengths up relies on it.
  void count_output(const Task& task) {
    for (const Segment& segment : task.segments) {
      output_bytes_ += segment.length;
      content_bytes_ += segment.content_length();
      (segment.compressed_from ? has_compressed_ : has_plain_) = true;
      if (std::max(output_bytes_, content_bytes_) > kOffsetMax)
        throw Damage{"the lengths of all segments together are out of range"};
    }
  }

  Manifest manifest_;
  std::uint64_t output_bytes_ = 0;
  std::uint64_t content_bytes_ = 0;
  bool has_plain_ = false;  // segments
  bool has_compressed_ = false;
  std::string list_;  // the list at the top that is being read
};

}  // namespace

Result<Manifest> read_manifest(int directory, const std::string& name) {
  const std::string path = name + "/" + kManifestName;
  const Result<int> opened = files::open_regular(directory, kManifestName);
  if (!opened)
    return bad_input("'" + path + "' " + opened.error().message + "; is '" + name + "' the output of a finished job?");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::fdopen(*opened, "rb"), std::fclose);
  struct stat status {};
  const bool is_known = ::fstat(*opened, &status) == 0;  // of what is read, whatever is called so by then
  ManifestParser parser;
  std::string damage;
  try {
    Manifest manifest = parser.parse(file.get());
    if (is_known) manifest.file_owner = status.st_uid;
    return manifest;
  } catch (const Damage& problem) {
    damage = problem.what;
  } catch (const json::parse_error& problem) {
    damage = "it is not JSON from byte " + std::to_string(problem.byte) + " on";
  } catch (const json::exception&) {
    damage = "it is not what Ontime writes";
  }
  const std::string place = parser.place();
  return failed("The manifest '" + path + "' is damaged: " + (place.empty() ? "" : "at " + place + ": ") + damage +
                ".");
}

Result<Manifest> read_manifest(const std::string& directory) {
  const Descriptor held = files::open(directory, files::kDirectory);
  if (!held) return bad_input("Cannot open the directory '" + directory + "': " + std::strerror(errno) + ".");
  return read_manifest(held.get(), directory);
}

}  // namespace ontime::output
