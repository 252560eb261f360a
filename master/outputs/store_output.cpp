#include "master/outputs/store_output.h"

#include <map>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/kill_point.h"
#include "common/output/attempt_log.h"
#include "common/output/manifest.h"
#include "master/outputs/store_place.h"

namespace ontime::master {
namespace {

bool goes_on_always() { return true; }

// The job's segments, and files of masters that died while they wrote them.
bool is_below_attempts(std::string_view name, const std::string& claim) {
  const std::string segments = segments_of(claim);
  const auto lies_in = [&](std::string_view directory) {
    return name.starts_with(directory) && name.find('/', directory.size()) == name.npos;
  };
  return lies_in(kScratch) || lies_in(segments);
}
// Whether an object must be removed with a job that was not committed. The claim stays.
bool is_of_job(std::string_view name, const std::string& claim) {
  const bool is_part = name.starts_with("part-m-") && name.find('/') == name.npos;
  return is_part || is_below_attempts(name, claim) || name == output::kManifestName || name == output::kLogsName;
}

// What must be removed: everything of a job that has not succeeded, otherwise what its attempts have left.
http::Answer<std::vector<std::string>> leftovers_in(StorePlace& place) {
  const auto objects = place.list("");
  if (!objects) return objects.error();
  const bool is_committed = objects->contains(output::kSuccessName);
  std::vector<std::string> names;
  for (const auto& [name, size] : *objects) {
    if (is_committed ? is_below_attempts(name, place.claim()) : is_of_job(name, place.claim())) names.push_back(name);
  }
  return names;
}

// One commit under way.
class StoreCommit {
 public:
  StoreCommit(const CommitPlan& plan, StorePlace place, const MayGoOn& may_go_on)
      : plan_(plan), place_(std::move(place)), may_go_on_(may_go_on) {}

  PublishOutcome run() {
    Status status = commit();
    return {std::move(status), std::move(lost_)};
  }

 private:
  Status commit() {
    const auto claim = insist(may_go_on_, [&] { return place_.read(kClaimName); });
    if (!claim) return place_.cannot("read the claim", claim.error());
    const auto success = insist(may_go_on_, [&] { return place_.read(output::kSuccessName); });
    if (!success) return place_.cannot("look for _SUCCESS", success.error());
    if (*success == id()) return clean_up();
    if (*claim != id()) return lost();
    if (*success) return foreign_success();
    if (Status placed = place_parts(); !placed) return placed;
    if (Status described = describe(); !described) return described;
    return conclude();
  }

  const std::string& id() const { return place_.claim(); }
  Error lost() const {
    return failed(place_.sentence("is not this job's any more; was it removed? Submit the job again"));
  }
  Error foreign_success() const {
    return failed(
        place_.sentence("holds a _SUCCESS that this job did not write; submit the job again with another output"));
  }

  // One object and its name in the output.
  struct Move {
    http::Object from;  // without a key: there is nothing to be moved, the object is empty
    std::string to;
  };
  using Objects = std::map<std::string, std::uint64_t>;  // sizes by name

  Status place_parts() {
    std::vector<Move> moves;
    if (Status found = find_moves(moves); !found) return found;
    const auto moved = place_.for_all(moves.size(), may_go_on_, [&](http::Store& store, std::size_t i) {
      if (moves[i].from.key.empty()) return store.write(moves[i].to, http::content_of(""));
      pass_kill_point("store-part-before-copy");
      return store.put_in_place(moves[i].from, moves[i].to);
    });
    if (!moved) {
      if (Status found = find_moves(moves); !found) return found;  // something may have gone meanwhile
      return place_.cannot("put the parts in place", moved.error());
    }
    pass_kill_point("store-parts-copied");
    return {};
  }

  Status find_moves(std::vector<Move>& moves) {
    const auto there = insist(may_go_on_, [&] { return place_.list(""); });
    if (!there) return place_.cannot("list the segments", there.error());
    moves.clear();
    std::string missing;
    for (std::uint32_t part = 0; part < plan_.parts.size(); ++part) {
      const std::string lacks = add_moves(part, *there, moves);
      if (lacks.empty()) continue;
      if (lost_.empty()) missing = lacks;
      lost_.push_back(part);
    }
    return lost_.empty() ? Status() : give_up_lost(missing);
  }

  std::string segment_of(const Extent& extent) const {
    return segments_of(id()) + segment_object_name(extent.file, extent.offset);
  }

  // The name of what the part lacks; empty: nothing.
  std::string add_moves(std::uint32_t part, const Objects& there, std::vector<Move>& moves) {
    const auto is_there = [&](const std::string& name, std::uint64_t size) {
      const auto found = there.find(name);
      return found != there.end() && found->second == size;
    };
    const std::vector<std::string> pieces = output::pieces_of(plan_.manifest.tasks[part]);
    const std::vector<Extent>& extents = plan_.parts[part].extents;
    if (extents.empty()) moves.push_back({{}, place_.key(pieces.front())});
    for (std::size_t piece = 0; piece < extents.size(); ++piece) {
      const Extent& extent = extents[piece];
      std::string from = segment_of(extent);
      if (is_there(from, extent.length)) {
        moves.push_back({{place_.key(from), extent.length, ""}, place_.key(pieces.at(piece))});
      } else if (!is_there(pieces.at(piece), extent.length)) {  // where an earlier try may have put it
        return from;
      }
    }
    return {};
  }

  // Mapped again, a part may have fewer pieces than an earlier try has put in place. What they come from goes first, so
  // that no request of that try, which may be late, puts one there again.
  Status give_up_lost(const std::string& missing) {
    std::vector<std::string> left, pieces;
    for (const std::uint32_t part : lost_) {
      for (const Extent& extent : plan_.parts[part].extents) left.push_back(segment_of(extent));
      for (std::string& piece : output::pieces_of(plan_.manifest.tasks[part])) pieces.push_back(std::move(piece));
    }
    auto removed = place_.remove(left, may_go_on_);
    if (removed) removed = place_.remove(pieces, may_go_on_);
    if (removed) {
      return failed(
          place_.sentence("has lost '" + missing + "', which a worker has stored there; submit the job again"));
    }
    lost_.clear();
    return place_.cannot("remove the rest of parts that are lost", removed.error());
  }

  // No job fails for its logs. A master that was restarted has none, and leaves those that are there.
  Status describe() {
    std::string logs;
    for (const output::AttemptLog& log : plan_.logs) logs += output::to_line(log) + "\n";
    if (!logs.empty()) static_cast<void>(place_.store().write(place_.key(output::kLogsName), http::content_of(logs)));
    const std::string manifest = output::to_text(plan_.manifest);
    const auto written = insist(may_go_on_, [&] {
      return place_.store().write(place_.key(output::kManifestName), http::content_of(manifest));
    });
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
    auto left = insist(may_go_on_, [&] { return place_.list(std::string(kScratch)); });
    bool is_removed = false;
    if (left) std::erase_if(*left, [&](const auto& entry) { return !is_below_attempts(entry.first, id()); });
    if (left) {
      const auto names = std::views::keys(*left);
      is_removed = place_.remove({names.begin(), names.end()}, may_go_on_).has_value();
    }
    pass_kill_point("store-segments-removed");
    if (!is_removed) return {};
    place_.remove_directories();
    static_cast<void>(insist(may_go_on_, [&] { return place_.store().remove(place_.key(kClaimName)); }));
    return {};
  }

  const CommitPlan& plan_;
  StorePlace place_;
  const MayGoOn& may_go_on_;
  std::vector<std::uint32_t> lost_;
};

Error in_use(const StorePlace& place) {
  return bad_input(
      place.sentence("is being used by another job; name another one, or remove its objects if there is no such job"));
}

// Whether nothing is there but the claim, and what others have left who were about to make theirs. Where there are
// directories, one without files is in the way too: HDFS would rename a file of that name into it.
http::Answer<bool> is_empty(StorePlace& place) {
  bool is_empty = true;
  const auto name_of = [&](const std::string& key) { return key.substr(place.key("").size()); };
  const auto take = [&](const http::Object& object) {
    const std::string name = name_of(object.key);  // one may stand for the prefix itself
    is_empty =
        is_empty && (name.empty() || name == kClaimName || name.starts_with(std::string(kScratch) + kClaimName + "."));
    return is_empty;
  };
  const auto listed = place.store().list(place.key(""), take, [&](const std::string& directory) {
    is_empty = is_empty && name_of(directory).starts_with(kScratch);
    return is_empty;
  });
  if (!listed) return listed.error();
  return is_empty;
}

}  // namespace

ClaimOutcome StoreOutput::claim() {
  Result<StorePlace> place = StorePlace::open(name_, claim_, roots_);
  if (!place) return {place.error(), {}};
  const Error not_empty =
      bad_input(place->sentence("is not empty; name a prefix that no object has, or remove those that have it"));
  // Before anything is written: where there are directories, that would be in the other job's way.
  if (Status alone = place->lies_alone(); !alone) return {alone, {}};
  const auto is_free = is_empty(*place);
  if (!is_free) return {place->cannot("look for objects", is_free.error()), {}};
  const auto holder = place->read(kClaimName);
  if (!holder) return {place->cannot("look for a claim", holder.error()), {}};
  if (*holder && *holder != claim_) return {in_use(*place), *is_free ? **holder : std::string()};
  if (!*is_free) return {not_empty, {}};
  const auto created = place->create(kClaimName, claim_);
  if (!created) return {place->cannot("create the claim", created.error()), {}};
  if (!*created) return {in_use(*place), {}};
  pass_kill_point("store-claim-created");
  // Somebody else may have written there in between, or have got an output above.
  const auto is_still_free = is_empty(*place);
  const Status alone = place->lies_alone();
  const auto made = is_still_free && *is_still_free && alone ? place->make_directory() : http::Answer<void>();
  if (is_still_free && *is_still_free && alone && made) return {{}, {}};
  static_cast<void>(place->store().remove(place->key(kClaimName)));
  place->remove_directories();
  place->store().remove_directory(place->key(""));
  if (!alone) return {alone, {}};
  if (!made) return {place->cannot("make a directory", made.error()), {}};
  return {is_still_free ? not_empty : place->cannot("look for objects", is_still_free.error()), {}};
}

PublishOutcome StoreOutput::publish(const CommitPlan& plan, const MayGoOn& may_go_on) {
  Result<StorePlace> place = StorePlace::open(name_, claim_, roots_);
  if (!place) return {place.error()};
  return StoreCommit(plan, std::move(*place), may_go_on).run();
}

// Goes on for as long as the store is away, since nobody would come back to what it left. So it does not end with the
// master, whose process then leaves the thread behind (FileWork).
Status StoreOutput::discard(std::uint32_t /*parts*/, const std::string& /*parts_ending*/) {
  Result<StorePlace> place = StorePlace::open(name_, claim_, roots_);
  if (!place) return place.error();
  const auto holder = insist(goes_on_always, [&] { return place->read(kClaimName); });
  if (!holder) return place->cannot("read the claim", holder.error());
  if (*holder != claim_) return {};
  // Until a list is empty: what an attempt was storing when it was killed may appear behind the one before.
  for (;;) {
    const auto left = insist(goes_on_always, [&] { return leftovers_in(*place); });
    if (!left) return place->cannot("list the objects", left.error());
    if (left->empty()) break;
    pass_kill_point("store-discard-before-objects");
    if (const auto removed = place->remove(*left, goes_on_always); !removed)
      return place->cannot("remove the objects", removed.error());
  }
  pass_kill_point("store-discard-before-claim");
  place->remove_directories();
  const auto released = insist(goes_on_always, [&] { return place->store().remove(place->key(kClaimName)); });
  if (!released) return place->cannot("remove the claim", released.error());
  place->store().remove_directory(place->key(""));
  return {};
}

}  // namespace ontime::master
