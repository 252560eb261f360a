#include "common/hdfs/exchange.h"

#include <httplib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/units.h"
#include "common/hdfs/file_status.h"
#include "common/http/take_rest.h"
#include "common/http/url.h"

namespace ontime::hdfs {
namespace {

constexpr std::size_t kRefusalBytesMax = 64u << 10;
constexpr std::size_t kExcludedBytesMax = 1024;
constexpr int kAsksMax = 8;  // in a row, for a DataNode that has not just failed

// HDFS answers 403 to most of what goes wrong. These pass: a NameNode that is not the active one or has just started, a
// file whose DataNodes are away.
bool may_pass(std::string_view exception) {
  constexpr std::array<std::string_view, 7> kPassing{
      "IOException",       "RemoteException",       "StandbyException",     "RetriableException",
      "SafeModeException", "BlockMissingException", "LeaseExpiredException"};
  return std::find(kPassing.begin(), kPassing.end(), exception) != kPassing.end();
}

// The words of HDFS where it has some: "HDFS answers FileNotFoundException: File /a does not exist"
http::Failure refusal_of(const httplib::Response& response, const std::string& body) {
  http::Failure failure = http::failure_of(response);
  const nlohmann::json said = nlohmann::json::parse(body, nullptr, false);
  const nlohmann::json& error = member_of(said, "RemoteException");
  if (const std::string exception = text_of(error, "exception"); !exception.empty()) {
    const std::string message = text_of(error, "message");  // some have a stack of calls behind the first line
    failure.message = "HDFS answers " + http::words_of(exception + ": " + message);
    if (may_pass(exception)) failure.trouble = http::Trouble::Unavailable;
  } else if (response.status == 401) {
    failure.message +=
        "; it wants Kerberos or a delegation token; ONTIME_HDFS_TOKEN_FILE may name one for the server of "
        "ONTIME_WEBHDFS_URL";
  }
  return failure;
}

// As HDFS gives addresses, letters beyond ASCII are not encoded in them.
std::string with_encoded_letters(const std::string& address) {
  std::string encoded;
  for (const char c : address)
    encoded += static_cast<unsigned char>(c) < 0x80 ? std::string(1, c) : http::percent_encoded({&c, 1});
  return encoded;
}

// The address with another offset. False if it has none.
bool set_offset(std::string& target, std::uint64_t offset) {
  constexpr std::string_view kFirst = "?offset=";
  const std::size_t begin = std::min(target.find(kFirst), target.find("&offset="));
  if (begin == target.npos) return false;
  const std::size_t value = begin + kFirst.size();
  target.replace(value, std::min(target.find('&', value), target.size()) - value, std::to_string(offset));
  return true;
}

// To the hosts, once each.
void add_host(const std::string& origin, std::string& hosts) {
  const std::string host = http::server_of(origin).host;
  const bool is_there = ("," + hosts + ",").find("," + host + ",") != std::string::npos;
  if (!is_there && hosts.size() < kExcludedBytesMax) hosts += (hosts.empty() ? "" : ",") + host;
}

}  // namespace

struct Exchange::Reply {
  std::optional<http::Failure> failure{};
  std::size_t bytes = 0;    // of what was asked for
  bool is_verified = true;  // the certificate of the server, if it has one
};

Exchange::Exchange(std::string origin, const std::atomic<bool>* is_over, http::Patience patience)
    : connection_(std::move(origin), is_over, patience) {}

Exchange::Reply Exchange::send(httplib::ClientImpl& client, const std::string& origin, const Request& request,
                               http::Sink& to, http::Watchdog& watchdog) const {
  Reply reply;
  std::string refusal;
  std::optional<httplib::Response> head;  // of the answer
  constexpr std::uint64_t kAny = ~std::uint64_t{0};
  const std::uint64_t bytes_max = request.wanted > 0 ? request.wanted : kAny;
  bool is_too_long = false;
  httplib::Request asked;
  asked.method = request.method;
  asked.path = request.target;
  asked.response_handler = [&](const httplib::Response& response) {
    head = response;
    watchdog.guard(&client);
    const auto length = number_in<std::uint64_t>(response.get_header_value("Content-Length"));
    is_too_long = response.status / 100 == 2 && length && *length > bytes_max;
    return !is_too_long;
  };
  http::GuardedSink sink(to, bytes_max, connection_, watchdog, client);
  asked.content_receiver = [&](const char* bytes, std::size_t size, std::uint64_t, std::uint64_t) {
    if (head && head->status / 100 != 2) {
      watchdog.add(size);
      refusal.append(bytes, std::min(size, kRefusalBytesMax - refusal.size()));
      return refusal.size() < kRefusalBytesMax && !connection_.is_over();
    }
    const bool is_first = sink.added() == 0;        // which may be what the library has read together with the head
    is_too_long = size > bytes_max - sink.added();  // none of them is taken, so that what was asked for is not complete
    if (is_too_long || !http::put(sink, bytes, size)) return false;
    if (is_first || !head || !http::may_take_rest(client, *head, request.wanted)) return true;
    http::take_rest(client.socket(), request.wanted - sink.added(), sink);
    return false;
  };
  watchdog.guard(&client);
  if (request.content != nullptr) {
    watchdog.attend(&client);  // what is sent takes its time
    client.set_read_timeout(connection_.silence_for(request.content->size));
    asked.headers.emplace("Content-Type", "application/octet-stream");
    http::attach(*request.content, connection_, asked);
  }
  const auto result = client.send(asked);
  is_too_long = is_too_long || sink.is_full();
  reply.bytes = is_too_long ? 0 : static_cast<std::size_t>(sink.added());
  const bool is_all_heard = result || refusal.size() == kRefusalBytesMax;
  if (is_too_long) {
    reply.failure = http::Failure{http::Trouble::Refused, "HDFS answers more than was asked for"};
  } else if (is_all_heard && head && head->status / 100 != 2) {
    reply.failure = refusal_of(*head, refusal);
  } else if (!result) {
    reply.failure = http::failure_of(result.error(), origin);
    reply.is_verified = result.error() != httplib::Error::SSLServerVerification;
  }
  return reply;
}

// Not by a redirect: the library decodes what headers hold, and addresses must stay as they are.
http::Answer<http::Url> Exchange::ask_name_node(httplib::ClientImpl& client, const Request& request,
                                                const std::string& excluded, http::Watchdog& watchdog) {
  std::string answer;
  const std::string without = excluded.empty() ? "" : "&excludedatanodes=" + http::percent_encoded(excluded);
  http::TextSink sink(answer, kRefusalBytesMax);
  const Request asked{request.method, request.target + without + "&noredirect=true"};
  auto reply = send(client, connection_.origin(), asked, sink, watchdog);
  if (reply.failure) return std::move(*reply.failure);
  const std::string location = text_of(nlohmann::json::parse(answer, nullptr, false), "Location");
  auto url = http::parse_url(with_encoded_letters(location));
  if (!url) return http::Failure{http::Trouble::Refused, "the NameNode does not say which DataNode to ask"};
  if (connection_.origin().starts_with("https:") && !url->origin.starts_with("https:"))
    return http::Failure{http::Trouble::Refused, "the NameNode names a DataNode that does not encrypt"};
  if (request.offset && !set_offset(url->target, *request.offset)) {  // a gateway hides what is in addresses
    Request plain = request;
    set_offset(plain.target, *std::exchange(plain.offset, std::nullopt));
    return ask_name_node(client, plain, excluded, watchdog);
  }
  return std::move(*url);
}

http::Answer<void> Exchange::insist(const Make& make, http::Sink& sink) {
  std::string excluded;  // the hosts of DataNodes that have failed
  std::string failed;    // the address of the last one
  return connection_.insist([&](httplib::ClientImpl& name_node) -> http::Try {
    const Request request = make();
    std::unique_ptr<httplib::ClientImpl> data_node;
    http::Watchdog watchdog = connection_.watchdog();  // of both
    if (!request.is_for_data_node) return {send(name_node, connection_.origin(), request, sink, watchdog).failure};
    auto url = ask_name_node(name_node, request, excluded, watchdog);
    // `excluded` leaves out only one of a host's DataNodes, whichever it happens to be.
    for (int asked = 1; url && url->origin == failed && asked < kAsksMax; ++asked)
      url = ask_name_node(name_node, request, excluded, watchdog);
    if (!url) excluded = failed = "";  // perhaps none is left
    if (!url) return {url.error()};
    data_node = connection_.client_of(url->origin);
    Request at_data_node = request;
    at_data_node.target = url->target;
    Reply reply = send(*data_node, url->origin, at_data_node, sink, watchdog);
    if (request.wanted > 0 && reply.bytes == request.wanted) return {};  // however the connection ended then
    if (reply.failure && !reply.is_verified) reply.failure->trouble = http::Trouble::Unavailable;  // others may be fine
    if (reply.failure) failed = url->origin;
    if (reply.failure) add_host(url->origin, excluded);
    return {std::move(reply.failure), request.wanted > 0 ? reply.bytes : 0};
  });
}

http::Answer<std::string> Exchange::ask(const Request& request, std::size_t bytes_max) {
  std::string answer;
  http::TextSink sink(answer, bytes_max);
  const auto make = [&] {
    answer.clear();
    return request;
  };
  if (auto asked = insist(make, sink); !asked) return std::move(asked).error();
  return answer;
}

}  // namespace ontime::hdfs
