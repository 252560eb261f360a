// Inputs that web servers and stores have. What follows on what was read before is fetched ahead (read_ahead.h).
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/http/ranged_file.h"
#include "common/store/access.h"
#include "worker/data/input_source.h"
#include "worker/data/read_ahead.h"
#include "worker/data/whole_file.h"

namespace ontime::worker {
namespace {

class HttpInput final : public StoredInput {
 public:
  HttpInput(InputFile file, const InputAccess& access)
      : StoredInput(std::move(file)), access_(access), state_{this->file().size, this->file().version} {}

  // Where it is fetched from, from now on.
  Outcome<void> find() {
    std::string address = file().path;
    if (access_.address) {
      auto given = access_.address();
      if (!given) return std::move(given).error();
      address = std::move(*given);
    }
    const auto url = http::parse_url(address);
    if (!url) return Fault{FaultKind::Input, url.error().message};
    ahead_.reset();
    url_ = *url;
    remote_ = store::open_file(*url, file().path, nullptr, http::kAttemptPatience);
    const auto open = [name = file().path, url = *url](const auto* is_over) {
      return store::open_file(url, name, is_over, http::kAttemptPatience);
    };
    ahead_ = std::make_unique<ReadAhead>(open, state_, access_.end, access_.long_request_bytes);
    has_worked_ = false;
    return {};
  }

  // Before it is read. Of a file that surely has parts that is done while its first bytes are on their way.
  Outcome<void> check_at_open() {
    if (remote_->has_parts_always() && file().codec == Codec::Plain) return {};
    return check_unchanged();
  }

  // What follows on what was read before is fetched ahead; a look at another place is a request of its own.
  Outcome<std::size_t> read_at(char* to, std::size_t size, std::uint64_t offset) override {
    if (offset >= file().size) return std::size_t{0};
    if (!has_parts_) return read_whole(to, size, offset);
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, file().size - offset));
    if (!has_looked_) {
      if (is_begun_by_one_request()) ahead_->start_at(offset);
      if (auto same = check_unchanged(); !same) return std::move(same).error();
    }
    return insist<std::size_t>(offset, [&] { return fetch(to, size, offset); });
  }

  Outcome<void> check_unchanged() override {
    const auto now = insist<http::State>(0, [&]() -> http::Answer<http::State> {
      auto known = ahead_->last_look();
      return known ? std::move(*known) : remote_->look();
    });
    if (!now) return now.error();
    has_looked_ = true;
    if (*now != state_ && has_unsteady_version(*now))
      return Fault{FaultKind::Input, "cannot read " + file().path +
                                         ": its servers give another ETag with each answer, so that nobody can tell "
                                         "whether it is the same file; name the address of one of them, or a copy"};
    has_parts_ = now->has_parts;
    if (*now != state_) return changed("it is another version now");
    return {};
  }

  bool has_parts() const override { return has_parts_; }

 private:
  static constexpr std::uint64_t kNothingRead = ~std::uint64_t{0};

  // Several servers behind one name may each have ETags of their own.
  bool has_unsteady_version(const http::State& now) const {
    const auto again = store::open_file(url_, file().path, nullptr, http::kAttemptPatience)->look();
    return again && now.size == state_.size && again->size == now.size && again->version != now.version;
  }

  Outcome<std::size_t> read_whole(char* to, std::size_t size, std::uint64_t offset) {
    if (file().codec == Codec::Plain || !file().points.empty() || offset != (whole_ ? whole_->offset() : 0))
      return changed("its server cannot send parts of it any more");
    if (!whole_) whole_ = std::make_unique<WholeFile>(url_, state_);
    auto read = whole_->read(to, size);
    if (!read) return fault(read.error(), offset);
    return *read;
  }

  // Where requests cost much, what follows on the first read comes by the same one.
  bool is_begun_by_one_request() const {
    return last_end_ == kNothingRead && file().codec == Codec::Plain && remote_->has_costly_requests();
  }

  http::Answer<std::size_t> fetch(char* to, std::size_t size, std::uint64_t offset) {
    if (!ahead_->covers(offset) && offset != last_end_ && !is_begun_by_one_request()) {
      last_end_ = offset + size;
      ahead_->forget_last_look();
      if (auto read = remote_->read(state_, offset, size, to); !read) return std::move(read).error();
      return size;
    }
    if (!ahead_->covers(offset)) ahead_->start_at(offset);
    auto read = ahead_->read(to, size);
    if (read) last_end_ = offset + *read;
    return read;
  }

  // What a store refuses to an address that has been good before is asked for again at a fresh one.
  template <class T>
  Outcome<T> insist(std::uint64_t offset, const std::function<http::Answer<T>()>& fetch) {
    auto answer = fetch();
    if (!answer && is_refusal(answer.error().status) && access_.address && has_worked_) {
      if (auto found = find(); !found) return std::move(found).error();
      last_end_ = offset;
      answer = fetch();
    }
    if (!answer) return fault(answer.error(), offset);
    has_worked_ = true;
    return std::move(*answer);
  }
  static bool is_refusal(int status) { return status == 400 || status == 401 || status == 403; }

  Fault fault(const http::Failure& failure, std::uint64_t offset) const {
    if (failure.trouble == http::Trouble::Changed) return changed(failure.message);
    return {kind_of(failure),
            "cannot read " + file().path + " at byte " + std::to_string(offset) + ": " + failure.message};
  }

  // A store's other words for a refusal are about the address or its keys.
  static FaultKind kind_of(const http::Failure& failure) {
    if (failure.trouble == http::Trouble::Unavailable) return FaultKind::Away;
    if (failure.status == 404 || failure.status == 410) return FaultKind::Vanished;
    const bool is_refused = failure.status == 401 || failure.status == 403;
    return is_refused && (failure.code.empty() || failure.code == "AccessDenied") ? FaultKind::Unreadable
                                                                                  : FaultKind::Input;
  }

  const InputAccess access_;
  const http::State state_;
  http::Url url_{};
  std::unique_ptr<http::RangedFile> remote_;
  std::unique_ptr<ReadAhead> ahead_;
  std::unique_ptr<WholeFile> whole_;  // of a server that cannot send parts
  bool has_parts_ = true;
  bool has_worked_ = false;  // the address
  bool has_looked_ = false;
  std::uint64_t last_end_ = kNothingRead;
};

}  // namespace

Outcome<std::unique_ptr<StoredInput>> open_http_input(InputFile file, const InputAccess& access) {
  if (!access.roots.hold(file.path)) {
    return Fault{FaultKind::Input, "the input " + file.path + " is none of the addresses that this worker reads (" +
                                       access.roots.text() + "); give master and workers the same roots"};
  }
  auto input = std::make_unique<HttpInput>(std::move(file), access);
  if (auto found = input->find(); !found) return std::move(found).error();
  if (auto same = input->check_at_open(); !same) return std::move(same).error();
  return std::unique_ptr<StoredInput>(std::move(input));
}

}  // namespace ontime::worker
