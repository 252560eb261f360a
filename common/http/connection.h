#pragma once
// A connection to a web server that is used for one request after another. Stores fail often and briefly, so what fails
// is tried again: on a fresh connection where one was silent, slow or broken, and after a pause where the server asks
// for one (429) or is in trouble (500, 502, 503, 504).

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/http/pace.h"

namespace ontime::http {

class Client;
enum class Ending;
struct Head;

enum class Trouble {
  Changed,      // it is another version now
  Refused,      // trying again would not help: not there, not allowed, no ranges, not who it should be
  Unavailable,  // after all tries
};
struct Failure {
  Trouble trouble = Trouble::Unavailable;
  std::string message;  // the rest of a sentence: "the server answers 404 Not Found"
  int status = 0;       // that the server answered with; 0: none
  std::string code{};   // a store's own word for it; empty: none
};
template <class T>
using Answer = Result<T, Failure>;

// What an answer or a missing one comes to, if it is not the one that was hoped for.
Failure failure_of(const Head& head);
Failure failure_of(Ending ending, const std::string& origin);  // "https://host:443"
struct Patience {
  Duration connect = std::chrono::seconds(5);          // or `silence`, if that is less
  Duration silence = std::chrono::milliseconds(1500);  // of a connection that is waited for; twice as long each time
  Duration silence_max = std::chrono::seconds(30);
  double stored_per_second_min = 10e6;     // bytes; a server that stores may be silent for four silences and this long
  double bytes_per_second_min = 64 << 10;  // what comes more slowly, for a silence, is asked for anew
  unsigned tries = 7;                      // in a row that bring no byte
  Duration away{};                         // that they go on for at least, with the last one's pause
  Duration pause = std::chrono::milliseconds(100);  // before the second try; twice as long each time, less up to half
};

// The patience of attempts: a store that is restarted or cut off for a minute must not use up a job's attempts.
inline constexpr Patience kAttemptPatience{.away = std::chrono::seconds(90)};

// What one request has come to.
struct Try {
  std::optional<Failure> failure{};  // none: all is there
  std::size_t bytes = 0;             // that came, wanted ones only
};

// Not for several threads at a time.
class Connection {
 public:
  static constexpr Duration kGlance = std::chrono::milliseconds(100);  // at `is_over`, at least once in each

  // `origin`: "https://host:443". Soon after `is_over` becomes true nobody waits for anything any more, and what is
  // under way fails.
  explicit Connection(std::string origin, const std::atomic<bool>* is_over = nullptr, Patience patience = {});
  ~Connection();
  Connection(const Connection&) = delete;

  // Until `once` succeeds, meets something that will not pass, or has brought nothing so many times in a row and for so
  // long.
  Answer<void> insist(const std::function<Try(Client&)>& once);

  // The try under way bears, of all servers that it asks together, that silence and that pace.
  Duration silence() const { return silence_; }
  Pace& pace() { return pace_; }
  Duration connect_limit() const { return std::min(patience_.connect, silence_); }
  // How long the try under way bears the silence of a server that has to store or copy so many bytes before it answers.
  Duration silence_for(std::uint64_t bytes) const;
  bool is_over() const { return is_over_ != nullptr && is_over_->load(); }
  const std::string& origin() const { return origin_; }

 private:
  void pause(Duration time) const;

  const std::string origin_;
  const std::atomic<bool>* const is_over_;
  const Patience patience_;
  Duration usual_silence_;          // of a first try
  std::unique_ptr<Client> client_;  // null: to be made
  Duration silence_{};
  Pace pace_{silence_, 0};
  std::uint64_t jitter_;
};

}  // namespace ontime::http
