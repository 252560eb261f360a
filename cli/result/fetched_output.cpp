#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cli/result/part_file.h"
#include "common/base/ids.h"
#include "common/files/disk.h"
#include "common/output/attempt_log.h"
#include "common/output/manifest.h"
#include "common/store/access.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kConnections = 8;
constexpr std::size_t kRangeBytes = 8u << 20;

// One file of the output and the objects whose bytes it has, one after another.
struct FetchedFile {
  std::string name;
  std::vector<http::Object> objects;
};

class Fetch {
 public:
  Fetch(const std::string& address, store::Name name, std::string directory)
      : address_(address), name_(std::move(name)), directory_(std::move(directory)), store_(store::open(name_)) {
    while (name_.key.ends_with('/')) name_.key.pop_back();
    if (!name_.key.empty()) name_.key += '/';
  }

  Status everything() {
    if (Status listed = list(); !listed) return listed;
    for (const char* name : {output::kSuccessName, output::kManifestName, output::kLogsName}) {
      if (Status got = get_if_there(name); !got) return got;
    }
    if (!objects_.contains(output::kManifestName) || !objects_.contains(output::kSuccessName))
      return {};  // the reader says it as of a directory
    const auto manifest = output::read_manifest(directory_);
    if (!manifest) return Error{manifest.error().kind, "'" + address_ + "': " + manifest.error().message};
    std::vector<FetchedFile> files;
    for (const output::Task& task : manifest->tasks) {
      if (Status added = add_part(task, files); !added) return added;
    }
    add_strange(files);
    return get_all(files);
  }

  Status file(const std::string& name) {
    const auto found = store_->find(name_.key + name);
    if (!found) return cannot(name, found.error());
    if (*found) objects_.emplace(name, **found);
    return get_if_there(name);
  }

 private:
  Error cannot(const std::string& what, const http::Failure& failure) const {
    return unavailable("cannot read " + (what.empty() ? "" : "'" + what + "' of ") + "'" + address_ +
                       "': " + failure.message);
  }

  // What lies directly below the address, by its name there.
  Status list() {
    const auto take = [&](const http::Object& object) {
      const std::string name = object.key.substr(name_.key.size());
      if (!name.empty() && name.find('/') == name.npos) objects_.emplace(name, object);
      return true;
    };
    const auto listed = store_->list(name_.key, take, [](const std::string&) { return false; });
    return listed ? Status() : cannot("", listed.error());
  }

  Status get_if_there(const std::string& name) {
    const auto found = objects_.find(name);
    return found == objects_.end() ? Status() : get(*store_, {name, {found->second}});
  }

  // Left out if one of its objects is missing.
  Status add_part(const output::Task& task, std::vector<FetchedFile>& files) {
    if (!is_part_file_name(task.part, task.index))
      return failed("the manifest in '" + address_ + "' names a part file '" + task.part + "', which no job writes");
    FetchedFile file{task.part, {}};
    bool is_whole = true;
    for (const std::string& piece : output::pieces_of(task)) {
      known_.insert(piece);
      const auto found = objects_.find(piece);
      is_whole = is_whole && found != objects_.end();
      if (is_whole) file.objects.push_back(found->second);
    }
    if (is_whole) files.push_back(std::move(file));
    return {};
  }

  void add_strange(std::vector<FetchedFile>& files) const {
    for (const auto& [name, object] : objects_) {
      const bool is_known = known_.contains(name) || name == output::kSuccessName || name == output::kManifestName ||
                            name == output::kLogsName;
      if (!is_known && name != "." && name != "..") files.push_back({name, {}});
    }
  }

  Status get(http::Store& store, const FetchedFile& file) const {
    const std::string path = directory_ + "/" + file.name;
    const Descriptor to = files::open(path, files::kEmptyFile);
    int problem = to ? 0 : errno;
    for (const http::Object& object : file.objects) {
      for (std::uint64_t at = 0; at < object.size; at += kRangeBytes) {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kRangeBytes, object.size - at));
        const auto bytes = store.read_range(object, at, size);
        if (!bytes) return cannot(file.name, bytes.error());
        if (problem == 0) problem = files::append(to.get(), std::string_view(*bytes).substr(0, size));
      }
    }
    if (problem == 0) return {};
    return failed("cannot write '" + path + "'; set TMPDIR to a directory with room");
  }

  Status get_all(const std::vector<FetchedFile>& files) const {
    std::vector<std::unique_ptr<http::Store>> stores(kConnections);
    return in_parallel(files.size(), kConnections, [&](std::size_t thread, std::size_t file) {
      if (!stores[thread]) stores[thread] = store::open(name_);
      return get(*stores[thread], files[file]);
    });
  }

  const std::string& address_;
  store::Name name_;
  const std::string directory_;
  const std::unique_ptr<http::Store> store_;
  std::map<std::string, http::Object> objects_;
  std::set<std::string> known_;
};

Result<std::shared_ptr<const LocalOutput>> fetch_with(const std::string& given,
                                                      const std::function<Status(Fetch&)>& what) {
  const std::string name = store::with_plain_scheme(given);
  if (!store::is_name(name)) return std::make_shared<const LocalOutput>(name);
  auto address = store::parse_name(name);
  if (!address) return address.error();
  auto holder = files::TemporaryDirectory::make();
  if (!holder) return holder.error();
  const auto fetched = std::make_shared<const LocalOutput>(std::move(*holder));
  Fetch fetch(name, std::move(*address), fetched->directory());
  if (Status done = what(fetch); !done) return done.error();
  return fetched;
}

}  // namespace

LocalOutput::LocalOutput(std::unique_ptr<files::TemporaryDirectory> holder)
    : holder_(std::move(holder)), directory_(holder_->path() + "/output") {
  files::make_directory(directory_);  // writing there says it
}

Result<std::shared_ptr<const LocalOutput>> LocalOutput::whole(const std::string& name) {
  return fetch_with(name, [](Fetch& fetch) { return fetch.everything(); });
}

Result<std::shared_ptr<const LocalOutput>> LocalOutput::with_file(const std::string& name, const std::string& file) {
  return fetch_with(name, [&](Fetch& fetch) { return fetch.file(file); });
}

}  // namespace ontime::cli
