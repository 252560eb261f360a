#pragma once
// Requests to a cluster of etcd, by the JSON gateway that every member has beside gRPC:
// https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/http/poster.h"

namespace ontime::journal {

// Whom to ask, and as whom.
struct EtcdAccess {
  std::vector<std::string> origins;  // of members: "http://host:2379"; at least one
  std::string user;                  // "": none
  std::string password;
  TlsFiles tls;
};

struct EtcdError {
  enum class Kind {
    Passing,       // no member answers, or not in time, or without a quorum: what was written is unknown
    NoSpace,       // nothing was written
    NotFound,      // there is no such lease
    Refused,       // asking again would not help
    RefusedByOne,  // likewise, but another member may do: within EtcdClient
  };
  Kind kind = Kind::Passing;
  std::string message;  // the rest of a sentence
};
template <class T>
using EtcdResult = Result<T, EtcdError>;

// A range is [key, end), or the one key if `end` is empty.
struct EtcdOperation {
  enum class Kind { Get, Put, Erase };
  Kind kind = Kind::Get;
  std::string key{};
  std::string end{};
  std::string value{};
  std::int64_t lease = 0;  // with which what is put goes; 0: stays
  std::int64_t limit = 0;  // keys that are got at most; 0: all
};

struct EtcdCompare {
  std::string key;
  // The first that is there counts; neither: the revision at which the key was made, 0 if there is none.
  std::optional<std::string> value{};
  std::optional<std::int64_t> modified{};  // revision
  std::int64_t created = 0;
};

// All or nothing: if every comparison holds, what is in `then`, else what is in `otherwise`.
struct EtcdTransaction {
  std::vector<EtcdCompare> compares{};
  std::vector<EtcdOperation> then{};
  std::vector<EtcdOperation> otherwise{};
};

struct EtcdEntry {
  std::string key;
  std::string value;
  std::int64_t created = 0;   // revision
  std::int64_t modified = 0;  // likewise
  std::int64_t lease = 0;
};

struct EtcdAnswer {
  bool has_held = false;  // all comparisons
  std::int64_t revision = 0;
  std::vector<std::vector<EtcdEntry>> got{};  // for each operation; by key; empty for one that is no Get
};

// Not for several threads at a time. Each member is asked once, the one first that answered last: so a request may be
// carried out several times, also long after its answer, by a member that hung with it; it must be one that may.
class EtcdClient {
 public:
  // `silence`: how long each member is waited for. Soon after `is_over` becomes true every request fails. Both outlive
  // this.
  EtcdClient(const EtcdAccess& access, Duration silence, const std::atomic<bool>* is_over);
  ~EtcdClient();
  EtcdClient(const EtcdClient&) = delete;

  EtcdResult<EtcdAnswer> transact(const EtcdTransaction& transaction);
  EtcdResult<std::int64_t> grant_lease(Duration length);  // rounded up to seconds; the server may make it longer
  EtcdResult<void> renew_lease(std::int64_t lease);       // NotFound: it has ended
  EtcdResult<void> revoke_lease(std::int64_t lease);
  EtcdResult<void> compact(std::int64_t revision);  // what every key was before

  // When the latest request was sent that was answered.
  std::chrono::steady_clock::time_point sent_at() const { return sent_at_; }

 private:
  template <class Read>
  auto ask(const char* path, const std::string& request, const Read& read) -> EtcdResult<decltype(read(""))>;
  EtcdResult<std::string> ask_members(const std::string& path, const std::string& request);
  EtcdResult<std::string> ask_member(const std::string& path, const std::string& request);
  EtcdResult<std::string> post(const std::string& path, const std::string& request);
  EtcdResult<void> authenticate();
  void turn_to_next();

  const EtcdAccess& access_;
  const Duration silence_;
  const std::atomic<bool>* const is_over_;
  std::size_t member_ = 0;
  std::unique_ptr<http::Poster> member_poster_;  // of the member that is asked
  std::string token_;                            // "": none yet
  std::chrono::steady_clock::time_point sent_at_{};
};

}  // namespace ontime::journal
