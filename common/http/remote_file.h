#pragma once
// A file that a web server has.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include "common/http/connection.h"
#include "common/http/ranged_file.h"
#include "common/http/url.h"

namespace ontime::http {

// Not for several threads at a time.
class RemoteFile final : public RangedFile {
 public:
  // As Connection takes them.
  explicit RemoteFile(Url url, const std::atomic<bool>* is_over = nullptr, Patience patience = {});

  Answer<State> look() override;
  using RangedFile::read;
  Answer<void> read(const State& state, std::uint64_t offset, std::uint64_t size, Sink& to) override;
  // A server without TLS is taken to be near: one stream is fast enough, and many requests would cost both sides more.
  bool has_costly_requests() const override { return url_.origin.starts_with("http://"); }
  Answer<void> read_whole(const State& state, const std::function<bool(std::string_view)>& take) override;

 private:
  const Url url_;
  Connection connection_;
};

}  // namespace ontime::http
