#include "master/inputs/input_objects.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "common/base/threads.h"
#include "common/base/utf8.h"
#include "common/http/ranged_file.h"
#include "common/store/access.h"
#include "master/base/text.h"
#include "master/inputs/input_content.h"
#include "master/inputs/input_file.h"
#include "master/inputs/input_pattern.h"
#include "master/mounts/file_system.h"

namespace ontime::master {
namespace {

using scheduler::InputFile;

constexpr std::size_t kShownBytesMax = 200;  // of a name that may be too long

std::vector<std::string> parts_of(std::string_view key) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= key.size();) {
    const std::size_t end = std::min(key.find('/', at), key.size());
    parts.emplace_back(key.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// What of a key comes before its first wildcard, up to a slash and without it.
std::string directory_of(const std::string& key) {
  std::string directory = fixed_part("/" + key).substr(1);
  while (directory.ends_with('/')) directory.pop_back();
  return directory;
}

// The objects that one argument names.
class Search {
 public:
  Search(const std::string& argument, store::Name name, Directories directories, const ObjectSink& sink)
      : argument_(argument),
        name_(std::move(name)),
        directories_(directories),
        store_(store::open(name_)),
        sink_(sink) {}

  Status run() {
    note_progress();
    store_->on_answer = note_progress;
    if (!name_.key.empty() && !name_.key.ends_with('/')) {
      const auto found = store_->find(name_.key);
      if (!found) return not_read(argument_, found.error()).error;
      if (*found) return keep(**found);
    }
    Status added = is_pattern(name_.key) ? add_pattern() : add_prefix();
    return added && found_ == 0 ? sink_.refuse(argument_, {Flaw::Vanished, nothing()}) : added;
  }

 private:
  Error nothing() const {
    return bad_input("The input " + shown(argument_) + " names no object: '" + name_.root +
                     "' has neither that one nor any below it.");
  }

  Status keep(const http::Object& object) {
    ++found_;
    return sink_.keep(path_of(object.key), object);
  }
  bool is_excluded(const std::string& key) {
    const std::string path = path_of(key);
    if (!sink_.excludes(path)) return false;
    ++found_;
    sink_.leave_out(path, kExcluded);
    return true;
  }
  std::string path_of(const std::string& key) const { return store::Name{name_.root, key}.text(); }

  // `on_object` for each below the directory. An empty object with a slash at the end is none: programs note
  // directories so.
  Status list(const std::string& directory, const std::function<Status(const http::Object&)>& on_object,
              const std::function<bool(const std::vector<std::string>& below)>& enter) {
    Status taken;
    const auto below = [&](const std::string& key) { return parts_of(std::string_view(key).substr(directory.size())); };
    const auto take = [&](const http::Object& object) {
      note_progress();
      const bool is_directory = object.key.ends_with('/') && object.size == 0;
      if (!is_directory && !is_excluded(object.key)) taken = on_object(object);
      return taken.has_value();
    };
    const auto listed = store_->list(directory, take, [&](const std::string& found) {
      note_progress();
      return !is_excluded(found.substr(0, found.size() - 1)) && enter(below(found.substr(0, found.size() - 1)));
    });
    return listed ? taken : Status(not_read(argument_, listed.error()).error);
  }

  Status add_prefix() {
    std::string prefix = name_.key;
    if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
    const auto is_left_out = [&](const std::vector<std::string>& below, bool is_directory) {
      const auto hidden = std::find_if(below.begin(), below.end(), is_hidden);
      const bool is_deep = (is_directory || below.size() > 1) && directories_ == Directories::TopLevelOnly;
      if (hidden != below.end()) leave_out(prefix, below, hidden, kHiddenName);
      if (hidden == below.end() && is_deep) leave_out(prefix, below, below.begin(), kNotTopLevel);
      if (hidden == below.end() && !is_deep) return false;
      ++found_;
      return true;
    };
    std::string output;  // of an earlier job: its manifest comes before its parts
    const auto on_object = [&](const http::Object& object) {
      const auto below = parts_of(std::string_view(object.key).substr(prefix.size()));
      if (!output.empty() && object.key.starts_with(output)) return Status();
      if (below.size() > 1 && below.back() == kOutputMark) {
        output = object.key.substr(0, object.key.size() - below.back().size());
        ++found_;
        sink_.leave_out(path_of(output), kIsOutput);
        return Status();
      }
      return is_left_out(below, false) ? Status() : keep(object);
    };
    return list(prefix, on_object, [&](const std::vector<std::string>& below) { return !is_left_out(below, true); });
  }

  // Named by the first part of its key for which it is left out.
  void leave_out(const std::string& prefix, const std::vector<std::string>& below,
                 std::vector<std::string>::const_iterator last, const char* why) const {
    std::string key = prefix;
    for (auto part = below.begin(); part != last; ++part) key += *part + "/";
    sink_.leave_out(path_of(key + *last), why);
  }

  Status add_pattern() {
    const auto patterns = without_braces(name_.key);
    if (!patterns) return patterns.error();
    std::map<std::string, http::Object> matching;
    for (const std::string& one : *patterns) {
      if (Status matched = match(one, matching); !matched) return matched;
    }
    for (const auto& [key, object] : matching) {
      if (Status kept = keep(object); !kept) return kept;
    }
    return {};
  }

  // Adds what a pattern without braces matches. One without wildcards is the name of an object or of a directory.
  Status match(const std::string& one, std::map<std::string, http::Object>& matching) {
    std::string prefix = is_wildcard(one) ? directory_of(one) : literal_name(one);
    if (!is_wildcard(one) && !prefix.ends_with('/')) {
      const auto found = store_->find(prefix);
      if (!found) return not_read(argument_, found.error()).error;
      if (*found) {
        matching.emplace(prefix, **found);
        return {};
      }
    }
    if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
    const PathPattern pattern(one);
    const auto on_object = [&](const http::Object& object) {
      if (pattern.matches(parts_of(object.key))) matching.emplace(object.key, object);
      return Status();
    };
    return list(prefix, on_object, [&](const std::vector<std::string>& below) {
      std::vector<std::string> parts = prefix.empty() ? below : parts_of(prefix.substr(0, prefix.size() - 1));
      if (!prefix.empty()) parts.insert(parts.end(), below.begin(), below.end());
      return pattern.may_match_below(parts);
    });
  }

  const std::string& argument_;
  const store::Name name_;
  const Directories directories_;
  const std::unique_ptr<http::Store> store_;
  const ObjectSink& sink_;
  std::size_t found_ = 0;
};

// A gateway to a file system lists files that it has not written itself without an ETag.
http::Answer<std::string> version_of(const std::string& name) {
  const auto address = store::lend_address(name);
  const auto url = address ? http::parse_url(*address) : address.error();
  if (!url) return http::Failure{http::Trouble::Refused, url.error().message};
  auto state = store::open_file(*url, name)->look();
  if (!state) return std::move(state).error();
  return std::move(state->version);
}

// What of an object is not in a list.
Result<void, Refusal> complete(InputFile& file, http::Store& store, const std::string& key) {
  if (file.version.empty()) {
    auto version = version_of(file.path);
    if (!version) return not_read(file.path, version.error());
    file.version = std::move(*version);
  }
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kTellingBytes, file.size));
  const auto first = store.read_range({key, file.size, file.version}, 0, size);
  if (!first) return not_read(file.path, first.error());
  auto codec = codec_of(file.path, *first);
  if (!codec) return Refusal(Flaw::Unreadable, std::move(codec).error());
  file.codec = *codec;
  add_index(file, kRemoteEffort, [&](char* to, std::size_t most, std::uint64_t offset) {
    most = static_cast<std::size_t>(std::min<std::uint64_t>(most, file.size - std::min(offset, file.size)));
    const auto bytes = most > 0 ? store.read_range({key, file.size, file.version}, offset, most)
                                : http::Answer<std::string>(std::string());
    return bytes ? bytes->copy(to, most) : 0;
  });
  return {};
}

using Stores = std::map<std::string, std::unique_ptr<http::Store>>;  // by their roots

Result<void, Refusal> look(InputFile& file, Stores& stores) {
  const auto name = store::parse_name(file.path);
  // HDFS allows more than can be asked for here; better said now than by each worker.
  if (!name)
    return Refusal(Flaw::Unreadable, bad_input("The input " + shown(file.path.substr(0, kShownBytesMax)) +
                                               " cannot be read: " + readable(name.error().message) +
                                               " Rename the file, or leave it out."));
  auto& store = stores[name->root];
  if (!store) store = store::open(*name);
  return complete(file, *store, name->key);
}

}  // namespace

Status find_objects(const std::string& argument, const files::Roots& roots, Directories directories,
                    const ObjectSink& sink) {
  auto name = store::parse_name(argument);
  if (!name) return bad_input("The input cannot be read: " + readable(name.error().message));
  if (!is_utf8(argument)) return bad_input("The input " + shown(argument) + " is not valid UTF-8.");
  const std::string searched = directory_of(name->key);
  if (!roots.hold(name->root + (searched.empty() ? "" : "/" + searched))) return outside_of_addresses(argument, roots);
  return Search(argument, std::move(*name), directories, sink).run();
}

// Each thread asks for one object after another until all are known or one cannot be read.
Status complete_objects(std::vector<InputFile>& files, const ObjectSink& sink) {
  constexpr std::size_t kThreads = 8;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Status status;
  const auto work = [&] {
    Stores stores;
    for (std::size_t i = next++; i < files.size(); i = next++) {
      note_progress();
      InputFile& file = files[i];
      if (file.size == 0) continue;  // nobody reads it
      const auto known = look(file, stores);
      if (known) continue;
      const std::lock_guard lock(mutex);
      Status skipped = sink.refuse(file.path, known.error());
      if (skipped) file.path.clear();
      if (skipped || !status) continue;
      status = std::move(skipped);
      next = files.size();
    }
  };
  {
    const auto helpers = start_helpers(std::min(kThreads, std::max<std::size_t>(files.size(), 1)) - 1, work);
    work();
  }
  std::erase_if(files, [](const InputFile& file) { return file.path.empty(); });
  return status;
}

}  // namespace ontime::master
