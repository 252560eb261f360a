#pragma once
// A file that a web server has.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/connection.h"
#include "common/http/ranged_file.h"
#include "common/http/url.h"

namespace ontime::http {

// Where a Location that came from there leads. BadInput, with one sentence, for what is no address of a file.
Result<Url> redirected(const Url& from, std::string_view location);

// Not for several threads at a time.
class RemoteFile final : public RangedFile {
 public:
  // Whether a redirect is followed: some times, never from a public server to a private one or from HTTPS to HTTP.
  // Nothing of the address goes along but what the server writes itself.
  enum class Redirects { Followed, Refused };

  // As Connection takes them.
  explicit RemoteFile(Url url, const std::atomic<bool>* is_over = nullptr, Patience patience = {},
                      Redirects redirects = Redirects::Followed);

  // With it come the first bytes. A file that these are all of is not asked for again. One whose size is not told is
  // read to its end for that.
  Answer<State> look() override;
  using RangedFile::read;
  Answer<void> read(const State& state, std::uint64_t offset, std::uint64_t size, Sink& to) override;
  // A server without TLS is taken to be near: one stream is fast enough, and many requests would cost both sides more.
  bool has_costly_requests() const override { return url_.origin.starts_with("http://") && !is_all_here(); }
  Answer<void> read_whole(const State& state, const std::function<bool(std::string_view)>& take) override;

 private:
  static constexpr std::uint64_t kUntoldBytesMax = std::uint64_t{4} << 30;
  static constexpr int kRedirectsMax = 5;
  struct Looking;

  Answer<void> insist(const std::function<Try(Client&)>& once);
  // What is wrong with any answer that is not the file as it is stored.
  std::optional<Failure> refusal_of(const Head& head);
  void take_look(const Head& head, Looking& looking);
  void go_to(const Url& url);
  bool is_all_here() const { return looked_ && begin_.size() == looked_->size; }

  const Url asked_;
  Url url_;  // where that has led
  const std::atomic<bool>* const is_over_;
  const Patience patience_;
  const Redirects redirects_;
  std::unique_ptr<Connection> connection_;
  std::optional<Url> next_{};    // that the last answer redirects to
  bool is_for_public_ = false;   // since a public server has redirected
  std::optional<State> looked_;  // at the last look
  std::string begin_;            // what came with that, of a server that sends parts or all of a small file
};

}  // namespace ontime::http
