#include "master/input_objects.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "common/http/remote_file.h"
#include "common/s3/name.h"
#include "master/file_system.h"
#include "master/input_content.h"
#include "master/input_file.h"
#include "master/input_pattern.h"
#include "master/text.h"

namespace ontime::master {
namespace {

using scheduler::InputFile;

Error not_read(const std::string& input, const http::Failure& failure) {
  return bad_input("The input " + shown(input) + " cannot be read: " + failure.message +
                   (failure.message.ends_with('.') ? "" : "."));
}

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

// Whether a key matches a pattern up to some slash, with nothing hidden behind it.
class KeyPattern {
 public:
  explicit KeyPattern(const std::string& pattern) : names_(names_of("/" + pattern)) {}

  bool matches(const std::vector<std::string>& key) const {
    std::set<std::size_t> at = skipped({0});
    for (const std::string& part : key) {
      std::set<std::size_t> next;
      for (const std::size_t i : at) {
        if (i == names_.size() || names_[i] == "**") {
          if (!is_hidden(part)) next.insert(i);
        } else if (fits(names_[i], part)) {
          next.insert(i + 1);
        }
      }
      at = skipped(next);
    }
    return at.contains(names_.size());
  }

 private:
  // "**" may stand for no name at all.
  std::set<std::size_t> skipped(std::set<std::size_t> at) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (at.contains(i) && names_[i] == "**") at.insert(i + 1);
    }
    return at;
  }

  static bool fits(const std::string& name, const std::string& part) {
    if (!is_wildcard(name)) return literal_name(name) == part;
    return master::matches(name, part) && (!is_hidden(part) || name.front() == part.front());
  }

  const std::vector<std::string> names_;
};

// The objects that one argument names.
class Search {
 public:
  Search(const std::string& argument, s3::Name name, Directories directories, const s3::Access& access,
         const ObjectSink& sink)
      : argument_(argument),
        name_(std::move(name)),
        directories_(directories),
        bucket_(access, name_.bucket),
        sink_(sink) {}

  Status run() {
    note_progress();
    if (!name_.key.empty() && !name_.key.ends_with('/')) {
      const auto found = bucket_.find(name_.key);
      if (!found) return not_read(argument_, found.error());
      if (*found) return keep(**found);
    }
    Status added = is_pattern(name_.key) ? add_pattern() : add_prefix();
    if (added && found_ == 0) return nothing();
    return added;
  }

 private:
  Error nothing() const {
    return bad_input("The input " + shown(argument_) + " names no object: the bucket '" + name_.bucket +
                     "' has neither that one nor any below it.");
  }

  Status keep(const s3::Object& object) {
    ++found_;
    return sink_.keep(path_of(object.key), object);
  }
  std::string path_of(const std::string& key) const { return s3::Name{name_.bucket, key}.text(); }

  // `on_object` for each whose key begins so; a directory that a program has noted as an empty object is none.
  Status list(const std::string& prefix, const std::function<Status(const s3::Object&)>& on_object) {
    std::string from;
    do {
      note_progress();
      const auto page = bucket_.list(prefix, from);
      if (!page) return not_read(argument_, page.error());
      for (const s3::Object& object : page->objects) {
        if (!object.key.starts_with(prefix) || object.key.ends_with('/')) continue;
        if (Status taken = on_object(object); !taken) return taken;
      }
      from = page->next;
    } while (!from.empty());
    return {};
  }

  Status add_prefix() {
    std::string prefix = name_.key;
    if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
    return list(prefix, [&](const s3::Object& object) {
      const std::vector<std::string> below = parts_of(std::string_view(object.key).substr(prefix.size()));
      const auto hidden = std::find_if(below.begin(), below.end(), is_hidden);
      if (hidden != below.end()) {
        leave_out(prefix, below, hidden, kHiddenName);
      } else if (below.size() > 1 && directories_ == Directories::TopLevelOnly) {
        leave_out(prefix, below, below.begin(), kNotTopLevel);
      } else {
        return keep(object);
      }
      ++found_;
      return Status();
    });
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
    std::map<std::string, s3::Object> matching;
    for (const std::string& one : *patterns) {
      const KeyPattern pattern(one);
      std::string prefix = directory_of(one);
      if (!prefix.empty()) prefix += '/';
      const Status listed = list(prefix, [&](const s3::Object& object) {
        if (pattern.matches(parts_of(object.key))) matching.emplace(object.key, object);
        return Status();
      });
      if (!listed) return listed;
    }
    for (const auto& [key, object] : matching) {
      if (Status kept = keep(object); !kept) return kept;
    }
    return {};
  }

  const std::string& argument_;
  const s3::Name name_;
  const Directories directories_;
  s3::Bucket bucket_;
  const ObjectSink& sink_;
  std::size_t found_ = 0;
};

// A gateway to a file system lists files that it has not written itself without an ETag.
http::Answer<std::string> version_of(const s3::Name& name, const s3::Access& access) {
  const auto url = access.address({"GET", name});
  if (!url) return http::Failure{http::Trouble::Refused, url.error().message};
  auto state = http::RemoteFile(*url).look();
  if (!state) return std::move(state).error();
  return std::move(state->version);
}

// What of an object is not in a list.
Status complete(InputFile& file, s3::Bucket& bucket, const s3::Name& name, const s3::Access& access) {
  if (file.version.empty()) {
    auto version = version_of(name, access);
    if (!version) return not_read(file.path, version.error());
    file.version = std::move(*version);
  }
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kTellingBytes, file.size));
  const auto first = bucket.read_range({name.key, file.size, file.version}, 0, size);
  if (!first) return not_read(file.path, first.error());
  auto codec = codec_of(file.path, *first);
  if (!codec) return std::move(codec).error();
  file.codec = *codec;
  add_index(file, kRemoteEffort, [&](char* to, std::size_t most, std::uint64_t offset) {
    most = static_cast<std::size_t>(std::min<std::uint64_t>(most, file.size - std::min(offset, file.size)));
    const auto bytes = most > 0 ? bucket.read_range({name.key, file.size, file.version}, offset, most)
                                : http::Answer<std::string>(std::string());
    return bytes ? bytes->copy(to, most) : 0;
  });
  return {};
}

}  // namespace

Status find_objects(const std::string& argument, const files::Roots& roots, Directories directories,
                    const s3::Access& access, const ObjectSink& sink) {
  auto name = s3::parse_name(argument);
  if (!name) return bad_input("The input cannot be read: " + readable(name.error().message));
  if (!is_utf8(argument)) return bad_input("The input " + shown(argument) + " is not valid UTF-8.");
  const std::string searched = directory_of(name->key);
  const std::string place = "s3://" + name->bucket + (searched.empty() ? "" : "/" + searched);
  if (!roots.hold(place)) return outside_of_addresses(argument, roots);
  return Search(argument, std::move(*name), directories, access, sink).run();
}

// Each thread asks for one object after another until all are known or one cannot be read.
Status complete_objects(std::vector<InputFile>& files, const s3::Access& access) {
  constexpr std::size_t kThreads = 8;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Status status;
  const auto work = [&] {
    std::map<std::string, s3::Bucket> buckets;
    for (std::size_t i = next++; i < files.size(); i = next++) {
      note_progress();
      InputFile& file = files[i];
      const auto name = s3::parse_name(file.path);
      if (!name || file.size == 0) continue;
      s3::Bucket& bucket = buckets.try_emplace(name->bucket, access, name->bucket).first->second;
      Status known = complete(file, bucket, *name, access);
      if (known) continue;
      const std::lock_guard lock(mutex);
      status = std::move(known);
      next = files.size();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(kThreads, files.size()); ++i) threads.emplace_back(work);
    work();
  }
  return status;
}

}  // namespace ontime::master
