#include "common/http/connection.h"

#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "common/base/random.h"
#include "common/http/client.h"

namespace ontime::http {
namespace {

bool may_pass(int status) { return status == 408 || status == 429 || (status >= 500 && status != 501); }

}  // namespace

std::string words_of(std::string_view said) {
  constexpr std::size_t kWordsMax = 500;
  std::string words(said.substr(0, said.find('\n')).substr(0, kWordsMax));
  while (words.ends_with('.') || words.ends_with(' ')) words.pop_back();
  std::replace_if(
      words.begin(), words.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return words;
}

Failure failure_of(const httplib::Response& response) {
  return {may_pass(response.status) ? Trouble::Unavailable : Trouble::Refused,
          "the server answers " + std::to_string(response.status) + " " + words_of(response.reason), response.status};
}

Failure failure_of(httplib::Error error, const std::string& origin) {
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
      return {Trouble::Unavailable, "the server at " + origin + " cannot be reached"};
    case httplib::Error::SSLServerVerification:
    case httplib::Error::SSLLoadingCerts:
      return {Trouble::Refused,
              "the certificate of the server at " + origin +
                  " cannot be verified; if an authority of your own has signed it, name the file of that one's "
                  "certificate in SSL_CERT_FILE"};
    case httplib::Error::SSLConnection:
      return {Trouble::Unavailable, "the server at " + origin + " speaks no TLS that is understood here"};
    default:
      return {Trouble::Unavailable, "the connection to " + origin + " broke or was silent for too long"};
  }
}

Connection::Connection(std::string origin, const std::atomic<bool>* is_over, Patience patience)
    : origin_(std::move(origin)),
      is_over_(is_over),
      patience_(patience),
      jitter_(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count())) {}
Connection::~Connection() = default;

std::unique_ptr<httplib::ClientImpl> Connection::client_of(const std::string& origin) const {
  auto client = make_client(origin);
  client->set_connection_timeout(std::min(patience_.connect, silence_));
  client->set_read_timeout(silence_);
  client->set_write_timeout(silence_);
  client->set_keep_alive(true);
  client->set_tcp_nodelay(
      true);  // a request is sent in two pieces, and the second would wait for the first to be acknowledged
  client->set_decompress(false);
  client->set_url_encode(false);  // addresses come as they are sent
  return client;
}

Answer<void> Connection::insist(const std::function<Try(httplib::ClientImpl&)>& once) {
  Random chance(jitter_);
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_heard = Clock::now();
  for (unsigned in_vain = 0;;) {
    const auto doubled = [&](Duration first) { return first * (1u << std::min(in_vain, patience_.tries)); };
    silence_ = std::min(doubled(patience_.silence), patience_.silence_max);
    if (!client_) client_ = client_of(origin_);
    Try result;
    try {
      result = once(*client_);
    } catch (const std::exception& error) {  // no thread for a watchdog, no memory, or words that nobody foresaw
      result = {Failure{Trouble::Unavailable, std::string("the exchange with the server failed: ") + error.what()}};
    }
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
  for (Duration slept{0}; slept < time && !is_over(); slept += Watchdog::kGlance)
    std::this_thread::sleep_for(std::min(time - slept, Watchdog::kGlance));
}

}  // namespace ontime::http
