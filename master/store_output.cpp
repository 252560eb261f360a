#include "master/store_output.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/kill_point.h"
#include "common/log/fields.h"
#include "common/output/attempt_log.h"
#include "common/output/manifest.h"
#include "common/s3/bucket.h"
#include "common/s3/name.h"
#include "master/file_system.h"
#include "master/output_place.h"

namespace ontime::master {
namespace {

constexpr std::size_t kConnections = 8;
constexpr std::uint64_t kClaimBytesMax = 4096;
constexpr auto kPause = std::chrono::seconds(5);  // while a store does not answer
constexpr const char* kClaimName = "_claim";

bool goes_on_always() { return true; }

// Does it again while the store does not answer and the master lives. The watch of FileWork sees that it does not get
// on: nothing is noted meanwhile.
template <class Call>
auto insist(const MayGoOn& may_go_on, const Call& call) -> decltype(call()) {
  for (;;) {
    auto answer = call();
    if (answer || answer.error().trouble != http::Trouble::Unavailable) return answer;
    spdlog::warn("store_unavailable message={}", log::Quoted{answer.error().message});
    std::this_thread::sleep_for(kPause);
    if (!may_go_on()) return answer;
  }
}

// The prefix of a store that is a job's output, as one thread uses it.
class StorePlace {
 public:
  static Result<StorePlace> open(const std::string& output, const files::Roots& roots) {
    const Result<s3::Name> name = s3::parse_name(output);
    if (!name) return name.error();
    if (!roots.are_everywhere() && !roots.hold_inside(output)) return outside_of_outputs(output, roots);
    return StorePlace(*name);
  }

  std::string key(const std::string& name) const { return name_.key + "/" + name; }
  s3::Bucket& bucket() { return *bucket_; }
  std::unique_ptr<s3::Bucket> connect() const {
    return std::make_unique<s3::Bucket>(s3::Access::of_process(), name_.bucket);
  }

  Error cannot(const std::string& what, const http::Failure& failure) const {
    return failed("Cannot " + what + " in the output '" + name_.text() + "': " + failure.message + ".");
  }
  Error refused(const std::string& why) const { return bad_input("The output '" + name_.text() + "' " + why + "."); }

  // A small object; none if there is no such.
  http::Answer<std::optional<std::string>> read(const std::string& name) {
    auto bytes = bucket_->read(key(name), kClaimBytesMax);
    if (bytes) return std::optional(std::move(*bytes));
    if (bytes.error().status == 404) return std::optional<std::string>();
    return std::move(bytes).error();
  }

  // Creates a small object. False if there is another one; one with these bytes was made by an earlier try.
  http::Answer<bool> create(const std::string& name, const std::string& bytes) {
    const auto created = bucket_->create(key(name), bytes);
    if (!created || *created) return created;
    const auto found = read(name);
    if (!found) return found.error();
    return *found == bytes;
  }

  // Those below `prefix`, by their names.
  http::Answer<std::map<std::string, std::uint64_t>> list(const std::string& prefix) {
    std::map<std::string, std::uint64_t> sizes;
    std::string from;
    do {
      const auto page = bucket_->list(key(prefix), from);
      if (!page) return page.error();
      for (const s3::Object& object : page->objects)
        sizes.emplace(object.key.substr(name_.key.size() + 1), object.size);
      from = page->next;
      note_progress();
    } while (!from.empty());
    return sizes;
  }

  // Calls `work` for all of them, on several connections, until one call fails.
  using Work = std::function<http::Answer<void>(s3::Bucket&, std::size_t)>;
  http::Answer<void> for_all(std::size_t count, const MayGoOn& may_go_on, const Work& work) const {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    http::Answer<void> status;
    const auto take = [&] {
      const auto bucket = connect();
      for (std::size_t i = next++; i < count; i = next++) {
        auto done = may_go_on() ? insist(may_go_on, [&] { return work(*bucket, i); })
                                : http::Failure{http::Trouble::Unavailable, "the master ends"};
        if (done) continue;
        const std::lock_guard lock(mutex);
        status = std::move(done);
        next = count;
      }
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(kConnections, count); ++i) threads.emplace_back(take);
    take();
    threads.clear();
    return status;
  }

  http::Answer<void> remove(const std::vector<std::string>& names, const MayGoOn& may_go_on) const {
    return for_all(names.size(), may_go_on,
                   [&](s3::Bucket& bucket, std::size_t i) { return bucket.remove(key(names[i])); });
  }

 private:
  explicit StorePlace(s3::Name name) : name_(std::move(name)), bucket_(connect()) {}

  s3::Name name_;
  std::unique_ptr<s3::Bucket> bucket_;
};

template <class Values>
std::vector<std::string> names_in(const Values& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

std::string segments_of(const std::string& claim) { return std::string(output::kAttemptsName) + "/" + claim + "/"; }

// What of a job that was not committed is to go; the claim is none of it.
bool is_of_job(std::string_view name, const std::string& claim) {
  return name.starts_with(segments_of(claim)) || name.starts_with("part-m-") || name == output::kManifestName ||
         name == output::kLogsName;
}

// One commit under way.
class StoreCommit {
 public:
  StoreCommit(const CommitPlan& plan, StorePlace place, const MayGoOn& may_go_on)
      : plan_(plan), place_(std::move(place)), may_go_on_(may_go_on) {}

  Status run() {
    const auto claim = insist(may_go_on_, [&] { return place_.read(kClaimName); });
    if (!claim) return place_.cannot("read the claim", claim.error());
    const auto success = insist(may_go_on_, [&] { return place_.read(output::kSuccessName); });
    if (!success) return place_.cannot("look for _SUCCESS", success.error());
    if (*success == id()) return clean_up();
    if (*claim != id()) return lost();
    if (*success) return foreign_success();
    if (Status copied = copy_parts(); !copied) return copied;
    if (Status described = describe(); !described) return described;
    return conclude();
  }

 private:
  struct Copy {
    std::string from;  // empty: an object without content
    std::string to;
  };

  const std::string& id() const { return plan_.manifest.claim; }
  Error lost() const {
    return failed("The output '" + plan_.directory +
                  "' is not this job's any more; was it removed? Submit the job again.");
  }
  Error foreign_success() const {
    return failed("The output '" + plan_.directory +
                  "' holds a _SUCCESS that this job did not write; submit the job again with another output.");
  }

  Status copy_parts() {
    const auto there = insist(may_go_on_, [&] { return place_.list(segments_of(id())); });
    if (!there) return place_.cannot("list the segments", there.error());
    std::vector<Copy> copies;
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      const std::vector<std::string> pieces = output::pieces_of(plan_.manifest.tasks[i]);
      const std::vector<Extent>& extents = plan_.parts[i].extents;
      if (extents.empty()) copies.push_back({"", pieces.front()});
      for (std::size_t piece = 0; piece < extents.size(); ++piece) {
        const Extent& extent = extents[piece];
        Copy copy{segments_of(id()) + segment_object_name(extent.file, extent.offset), pieces.at(piece)};
        const auto found = there->find(copy.from);
        if (found == there->end() || found->second != extent.length)
          return failed("The output '" + plan_.directory + "' has lost '" + copy.from +
                        "', which a worker has stored there; submit the job again.");
        copies.push_back(std::move(copy));
      }
    }
    const auto copied = place_.for_all(copies.size(), may_go_on_, [&](s3::Bucket& bucket, std::size_t i) {
      const Copy& copy = copies[i];
      if (copy.from.empty()) return bucket.write(place_.key(copy.to), s3::content_of(""));
      pass_kill_point("store-part-before-copy");
      return bucket.copy(place_.key(copy.from), place_.key(copy.to));
    });
    if (!copied) return place_.cannot("copy the parts", copied.error());
    pass_kill_point("store-parts-copied");
    return {};
  }

  // No job fails for its logs. A master that was restarted has none, and leaves those that are there.
  Status describe() {
    std::string logs;
    for (const output::AttemptLog& log : plan_.logs) logs += output::to_line(log) + "\n";
    if (!logs.empty()) static_cast<void>(place_.bucket().write(place_.key(output::kLogsName), s3::content_of(logs)));
    const std::string manifest = output::to_text(plan_.manifest);
    const auto written = insist(
        may_go_on_, [&] { return place_.bucket().write(place_.key(output::kManifestName), s3::content_of(manifest)); });
    if (!written) return place_.cannot("write the manifest", written.error());
    pass_kill_point("store-manifest-written");
    return {};
  }

  Status conclude() {
    const auto created = insist(may_go_on_, [&] { return place_.create(output::kSuccessName, id()); });
    if (!created) return place_.cannot("create _SUCCESS", created.error());
    if (!*created) return foreign_success();
    pass_kill_point("store-success-created");
    return clean_up();
  }

  // The output is complete, whatever becomes of this: the claim goes last, so that a repetition finds the rest.
  Status clean_up() {
    const auto segments = insist(may_go_on_, [&] { return place_.list(segments_of(id())); });
    bool is_removed = false;
    if (segments) is_removed = place_.remove(names_in(*segments), may_go_on_).has_value();
    pass_kill_point("store-segments-removed");
    if (is_removed)
      static_cast<void>(insist(may_go_on_, [&] { return place_.bucket().remove(place_.key(kClaimName)); }));
    return {};
  }

  const CommitPlan& plan_;
  StorePlace place_;
  const MayGoOn& may_go_on_;
};

Error in_use(const StorePlace& place) {
  return place.refused("is being used by another job; name another one, or remove its objects if there is no such job");
}

// Whether nothing is there but the claim.
http::Answer<bool> is_empty(StorePlace& place) {
  const auto page = place.bucket().list(place.key(""), "", 3);  // one may stand for the prefix itself
  if (!page) return page.error();
  for (const s3::Object& object : page->objects) {
    if (object.key != place.key(kClaimName) && object.key != place.key("")) return false;
  }
  return true;
}

}  // namespace

ClaimOutcome claim_in_store(const std::string& output, const std::string& claim, const files::Roots& roots) {
  Result<StorePlace> place = StorePlace::open(output, roots);
  if (!place) return {place.error(), {}};
  const Error not_empty =
      place->refused("is not empty; name a prefix that no object has, or remove those that have it");
  const auto is_free = is_empty(*place);
  if (!is_free) return {place->cannot("look for objects", is_free.error()), {}};
  const auto holder = place->read(kClaimName);
  if (!holder) return {place->cannot("look for a claim", holder.error()), {}};
  if (*holder && *holder != claim) return {in_use(*place), *is_free ? **holder : std::string()};
  if (!*is_free) return {not_empty, {}};
  const auto created = place->create(kClaimName, claim);
  if (!created) return {place->cannot("create the claim", created.error()), {}};
  if (!*created) return {in_use(*place), {}};
  pass_kill_point("store-claim-created");
  // Somebody else may have written there in between.
  const auto is_still_free = is_empty(*place);
  if (is_still_free && *is_still_free) return {{}, {}};
  static_cast<void>(place->bucket().remove(place->key(kClaimName)));
  return {is_still_free ? not_empty : place->cannot("look for objects", is_still_free.error()), {}};
}

Status commit_in_store(const CommitPlan& plan, const MayGoOn& may_go_on, const files::Roots& roots) {
  Result<StorePlace> place = StorePlace::open(plan.directory, roots);
  if (!place) return place.error();
  return StoreCommit(plan, std::move(*place), may_go_on).run();
}

Status discard_in_store(const std::string& output, const std::string& claim, const files::Roots& roots) {
  Result<StorePlace> place = StorePlace::open(output, roots);
  if (!place) return place.error();
  const auto holder = insist(goes_on_always, [&] { return place->read(kClaimName); });
  if (!holder) return place->cannot("read the claim", holder.error());
  if (*holder != claim) return {};
  const auto objects = insist(goes_on_always, [&] { return place->list(""); });
  if (!objects) return place->cannot("list the objects", objects.error());
  const bool is_committed = objects->contains(output::kSuccessName);
  std::vector<std::string> names;
  for (const auto& [name, size] : *objects) {
    if (is_committed ? name.starts_with(segments_of(claim)) : is_of_job(name, claim)) names.push_back(name);
  }
  pass_kill_point("store-discard-before-objects");
  if (const auto removed = place->remove(names, goes_on_always); !removed)
    return place->cannot("remove the objects", removed.error());
  pass_kill_point("store-discard-before-claim");
  const auto released = insist(goes_on_always, [&] { return place->bucket().remove(place->key(kClaimName)); });
  return released ? Status() : place->cannot("remove the claim", released.error());
}

}  // namespace ontime::master
