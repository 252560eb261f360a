#pragma once
// The prefix of a store that is the output of one job: what StoreOutput looks at and changes there. Threads of
// FileWork.

#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "common/http/store.h"
#include "common/log/fields.h"
#include "common/store/name.h"
#include "master/mounts/file_work.h"

namespace ontime::master {

inline constexpr const char* kClaimName = "_claim";
// Where a store may have files that the master is writing.
inline constexpr std::string_view kScratch = "_attempts/";
std::string segments_of(const std::string& claim);

// Does it again while the store does not answer and the master lives. The watch of FileWork sees that it does not get
// on: nothing is noted meanwhile.
template <class Call>
auto insist(const MayGoOn& may_go_on, const Call& call) -> decltype(call()) {
  constexpr auto kPause = std::chrono::seconds(5);
  for (;;) {
    auto answer = call();
    if (answer || answer.error().trouble != http::Trouble::Unavailable) return answer;
    spdlog::warn("store_unavailable message={}", log::Quoted{answer.error().message});
    std::this_thread::sleep_for(kPause);
    if (!may_go_on()) return answer;
  }
}

// As one thread uses it; names are those below the output.
class StorePlace {
 public:
  static Result<StorePlace> open(const std::string& output, const std::string& claim, const files::Roots& roots);

  std::string key(std::string_view name) const { return name_.key + "/" + std::string(name); }
  http::Store& store() { return *store_; }

  Error cannot(const std::string& what, const http::Failure& failure) const;
  // The rest of the sentence: "is not empty; ...".
  std::string sentence(const std::string& why) const { return "The output '" + name_.text() + "' " + why + "."; }
  const std::string& claim() const { return claim_; }

  // A small object; none if there is no such.
  http::Answer<std::optional<std::string>> read(const std::string& name);
  // Creates a small object. False if there is another one; one with these bytes was made by an earlier try.
  http::Answer<bool> create(const std::string& name, const std::string& bytes);
  // BadInput if it lies in another output, claimed or finished. Where these credentials may not look, none is seen.
  Status lies_alone();
  // Those below `prefix`.
  http::Answer<std::map<std::string, std::uint64_t>> list(const std::string& prefix);

  // Calls `work` for all of them, on several connections, until one call fails.
  using Work = std::function<http::Answer<void>(http::Store&, std::size_t)>;
  http::Answer<void> for_all(std::size_t count, const MayGoOn& may_go_on, const Work& work) const;
  http::Answer<void> remove(const std::vector<std::string>& names, const MayGoOn& may_go_on) const;

  // If the store has directories: what the job's attempts write to.
  http::Answer<void> make_directory() { return store_->make_directory(key(segments_of(claim_))); }
  // With what an attempt that was ended may have written there just now, unless something is there that is no
  // attempt's.
  void remove_directories();

 private:
  StorePlace(store::Name name, std::string claim);
  std::unique_ptr<http::Store> connect() const;

  store::Name name_;
  std::string claim_;
  std::unique_ptr<http::Store> store_;
};

}  // namespace ontime::master
