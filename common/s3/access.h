#pragma once
// How this process reaches its stores: the endpoint, and keys that are renewed before they expire. Any thread.

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/base/result.h"
#include "common/http/url.h"
#include "common/s3/credentials.h"
#include "common/s3/signature.h"

namespace ontime::s3 {

class Access {
 public:
  // How long a signed address is good. A reader that needs it longer asks for another one.
  static constexpr std::chrono::seconds kLifetime = std::chrono::minutes(15);

  explicit Access(Environment environment = environment_of_process());
  ~Access();
  Access(const Access&) = delete;

  // The access that this process's environment gives, made at the first call, which takes seconds if a server gives the
  // keys.
  static Access& of_process();

  // An address for this one request, signed. Failed or BadInput, with one sentence, without keys or an endpoint.
  Result<http::Url> address(const Request& request) const;

  // Where a bucket is. True: that was not known.
  bool learn_region(const std::string& root, const std::string& region) const;
  // Asks for that, once, where it matters to who gets an address and cannot ask again.
  void find_region(const std::string& root) const;

 private:
  void keep_renewing();
  std::chrono::seconds until_renewal() const;

  const Environment environment_;
  const Result<Endpoint> endpoint_;
  const bool pays_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> regions_{};  // by the root of the bucket; empty: the endpoint's
  std::condition_variable over_;
  bool is_over_ = false;
  Result<Credentials> credentials_;
  std::thread renewing_;  // if there is anything to renew
};

}  // namespace ontime::s3
