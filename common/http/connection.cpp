#include "common/http/connection.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "common/base/random.h"
#include "common/base/wording.h"
#include "common/http/client.h"

namespace ontime::http {
namespace {

bool may_pass(int status) { return status == 408 || status == 429 || (status >= 500 && status != 501); }

}  // namespace

Failure failure_of(const Head& head) {
  return {may_pass(head.status) ? Trouble::Unavailable : Trouble::Refused,
          "the server answers " + std::to_string(head.status) + " " + words_of(head.reason), head.status};
}

Failure failure_of(Ending ending, const std::string& origin) {
  switch (ending) {
    case Ending::Unreachable:
      return {Trouble::Unavailable, "the server at " + origin + " cannot be reached"};
    case Ending::Refused:
      return {Trouble::Unavailable, "the server at " + origin + " cannot be reached: nothing listens on that port"};
    case Ending::Unanswered:
      return {Trouble::Unavailable, "the server at " + origin + " cannot be reached: there is no answer"};
    case Ending::Unknown:
      return {Trouble::Unavailable, "the host of " + origin + " is not known by that name, or no name server answers"};
    case Ending::Untrusted:
      return {Trouble::Refused,
              "the certificate of the server at " + origin +
                  " cannot be verified; if an authority of your own has signed it, name the file of that one's "
                  "certificate in SSL_CERT_FILE"};
    case Ending::Private:
      return {Trouble::Refused,
              "a public server redirects to " + origin + ", which is in a private network; name that address itself"};
    case Ending::NoTls:
      return {Trouble::Unavailable, "the server at " + origin + " speaks no TLS that is understood here"};
    case Ending::NoCertificate:
      return {Trouble::Refused, "the certificate and key to show to the server at " + origin + " cannot be used"};
    case Ending::NoHttp:
      return {Trouble::Unavailable, "the server at " + origin + " gives no answer that is understood here"};
    case Ending::Silent:
      return {Trouble::Unavailable, "the server at " + origin + " is silent or too slow"};
    default:
      return {Trouble::Unavailable, "the connection to " + origin + " broke"};
  }
}

Connection::Connection(std::string origin, const std::atomic<bool>* is_over, Patience patience)
    : origin_(std::move(origin)),
      is_over_(is_over),
      patience_(patience),
      usual_silence_(patience.silence),
      jitter_(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count())) {}
Connection::~Connection() = default;

Answer<void> Connection::insist(const std::function<Try(Client&)>& once) {
  Random chance(jitter_);
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_heard = Clock::now();
  for (unsigned in_vain = 0;;) {
    const auto doubled = [&](Duration first) { return first * (1u << std::min(in_vain, patience_.tries)); };
    silence_ = std::min(doubled(usual_silence_), patience_.silence_max);
    pace_ = {silence_, patience_.bytes_per_second_min};
    Try result;
    try {
      if (!client_) client_ = std::make_unique<Client>(origin_, *this);
      result = once(*client_);
    } catch (const std::exception& error) {  // no memory, or words that nobody foresaw
      result = {Failure{Trouble::Unavailable, std::string("the exchange with the server failed: ") + error.what()}};
    }
    if (!result.failure) usual_silence_ = silence_;  // a server that needs time needs it each time
    if (!result.failure) return {};
    client_.reset();
    if (result.failure->trouble != Trouble::Unavailable) return std::move(*result.failure);
    in_vain = result.bytes > 0 ? 0 : in_vain + 1;
    if (in_vain == 0) last_heard = Clock::now();
    const bool is_enough = in_vain >= patience_.tries && Clock::now() - last_heard >= patience_.away;
    if (is_enough || is_over()) return std::move(*result.failure);
    const auto longest = static_cast<std::uint64_t>(doubled(patience_.pause).count());
    jitter_ = chance.next();
    pause(Duration(static_cast<Duration::rep>(longest / 4 + chance.below(longest / 4 + 1))));
    if (is_over()) return std::move(*result.failure);
  }
}

Duration Connection::silence_for(std::uint64_t bytes) const {
  return 4 * silence_ + from_seconds(static_cast<double>(bytes) / patience_.stored_per_second_min);
}

// Or until nobody waits any more.
void Connection::pause(Duration time) const {
  for (Duration slept{0}; slept < time && !is_over(); slept += kGlance)
    std::this_thread::sleep_for(std::min(time - slept, kGlance));
}

}  // namespace ontime::http
