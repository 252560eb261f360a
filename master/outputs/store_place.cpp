#include "master/outputs/store_place.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "common/base/threads.h"
#include "common/output/manifest.h"
#include "common/store/access.h"
#include "master/mounts/file_system.h"
#include "master/outputs/output.h"

namespace ontime::master {

std::string segments_of(const std::string& claim) { return std::string(output::kAttemptsName) + "/" + claim + "/"; }

StorePlace::StorePlace(store::Name name, std::string claim)
    : name_(std::move(name)), claim_(std::move(claim)), store_(connect()) {}

Result<StorePlace> StorePlace::open(const std::string& output, const std::string& claim, const files::Roots& roots) {
  const Result<store::Name> name = store::parse_name(output);
  if (!name) return name.error();
  if (!roots.are_everywhere() && !roots.hold_inside(output)) return outside_of_outputs(output, roots);
  return StorePlace(*name, claim);
}

std::unique_ptr<http::Store> StorePlace::connect() const {
  auto store = store::open(name_, key(kScratch));
  store->on_answer = note_progress;
  return store;
}

Error StorePlace::cannot(const std::string& what, const http::Failure& failure) const {
  return failed("Cannot " + what + " in the output '" + name_.text() + "': " + failure.message + ".");
}

http::Answer<std::optional<std::string>> StorePlace::read(const std::string& name) {
  constexpr std::uint64_t kClaimBytesMax = 4096;
  auto bytes = store_->read(key(name), kClaimBytesMax);
  if (bytes) return std::optional(std::move(*bytes));
  if (bytes.error().status == 404) return std::optional<std::string>();
  return std::move(bytes).error();
}

http::Answer<bool> StorePlace::create(const std::string& name, const std::string& bytes) {
  auto created = store_->create(key(name), bytes);
  if (!created || *created) return created;
  const auto found = read(name);
  if (!found) return found.error();
  return *found == bytes;
}

Status StorePlace::lies_alone() {
  std::string above = name_.key;
  for (std::size_t slash = above.rfind('/'); slash != above.npos; slash = above.rfind('/')) {
    above.resize(slash);
    for (const std::string name : {kClaimName, output::kSuccessName}) {
      note_progress();
      const auto found = store_->find(above + "/" + name);
      if (!found && found.error().status != 403) return cannot("look for one above", found.error());
      if (found && *found) return inside_of_output(name_.text(), store::Name{name_.root, above}.text());
    }
  }
  return {};
}

http::Answer<std::map<std::string, std::uint64_t>> StorePlace::list(const std::string& prefix) {
  std::map<std::string, std::uint64_t> sizes;
  const auto take = [&](const http::Object& object) {
    sizes.emplace(object.key.substr(name_.key.size() + 1), object.size);
    note_progress();
    return true;
  };
  const auto listed = store_->list(key(prefix), take);
  if (!listed) return listed.error();
  return sizes;
}

http::Answer<void> StorePlace::for_all(std::size_t count, const MayGoOn& may_go_on, const Work& work) const {
  constexpr std::size_t kConnections = 8;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  http::Answer<void> status;
  const auto take = [&] {
    const auto store = connect();
    for (std::size_t i = next++; i < count; i = next++) {
      auto done = may_go_on() ? insist(may_go_on, [&] { return work(*store, i); })
                              : http::Failure{http::Trouble::Unavailable, "the master ends"};
      if (done) continue;
      const std::lock_guard lock(mutex);
      status = std::move(done);
      next = count;
    }
  };
  {
    const auto helpers = start_helpers(std::min(kConnections, std::max<std::size_t>(count, 1)) - 1, take);
    take();
  }
  return status;
}

http::Answer<void> StorePlace::remove(const std::vector<std::string>& names, const MayGoOn& may_go_on) const {
  return for_all(names.size(), may_go_on,
                 [&](http::Store& store, std::size_t i) { return store.remove(key(names[i])); });
}

void StorePlace::remove_directories() {
  const std::string segments = segments_of(claim_);
  const auto left = list(segments);
  const auto is_attempts = [&](const auto& entry) {
    return entry.first.find('/', segments.size()) == entry.first.npos;
  };
  if (left && std::all_of(left->begin(), left->end(), is_attempts)) store_->remove_tree(key(segments));
  store_->remove_directory(key(kScratch));
}

}  // namespace ontime::master
