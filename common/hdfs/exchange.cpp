#include "common/hdfs/exchange.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/hdfs/file_status.h"
#include "common/http/client.h"
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
http::Failure refusal_of(const http::Head& head, const std::string& body) {
  http::Failure failure = http::failure_of(head);
  const nlohmann::json said = nlohmann::json::parse(body, nullptr, false);
  const nlohmann::json& error = member_of(said, "RemoteException");
  if (const std::string exception = text_of(error, "exception"); !exception.empty()) {
    const std::string message = text_of(error, "message");  // some have a stack of calls behind the first line
    failure.message = "HDFS answers " + words_of(exception + ": " + message);
    if (may_pass(exception)) failure.trouble = http::Trouble::Unavailable;
  } else if (head.status == 401) {
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
  std::size_t bytes = 0;  // of what was asked for
  bool is_trusted = true;
};

Exchange::Exchange(std::string origin, const std::atomic<bool>* is_over, http::Patience patience)
    : connection_(std::move(origin), is_over, patience) {}

Exchange::Reply Exchange::send(http::Client& client, const Request& request, http::Sink& to) const {
  std::string refusal;
  std::optional<http::Head> head;  // of the answer
  const std::uint64_t bytes_max = request.wanted > 0 ? request.wanted : ~std::uint64_t{0};
  http::CountedSink sink(to, bytes_max);
  http::TextSink refusal_sink(refusal, kRefusalBytesMax);
  const auto on_head = [&](const http::Head& answered) -> http::Sink* {
    head = answered;
    if (head->status / 100 != 2) return &refusal_sink;
    const auto length = number_in<std::uint64_t>(head->field("Content-Length"));
    return length && *length > bytes_max ? nullptr : &sink;
  };
  http::Request asked{request.method, request.target};
  if (request.content != nullptr) {
    asked.fields.emplace("Content-Type", "application/octet-stream");
    asked.content = *request.content;
    asked.has_time = true;
    asked.silence_when_sent = connection_.silence_for(request.content->size);
  }
  const http::Ending ending = client.send(asked, on_head);
  const bool is_refused = head && head->status / 100 != 2;
  Reply reply;
  if (is_refused && (ending == http::Ending::Whole || ending == http::Ending::Unwanted)) {
    reply.failure = refusal_of(*head, refusal);
  } else if (ending == http::Ending::Unwanted) {
    reply.failure = http::Failure{http::Trouble::Refused, "HDFS answers more than was asked for"};
  } else {
    reply.bytes = static_cast<std::size_t>(sink.added());
    if (ending != http::Ending::Whole) reply.failure = http::failure_of(ending, client.origin());
    reply.is_trusted = ending != http::Ending::Untrusted;
  }
  return reply;
}

// Not by a redirect: this one is asked for more than its address.
http::Answer<http::Url> Exchange::ask_name_node(http::Client& client, const Request& request,
                                                const std::string& excluded) {
  std::string answer;
  const std::string without = excluded.empty() ? "" : "&excludedatanodes=" + http::percent_encoded(excluded);
  http::TextSink sink(answer, kRefusalBytesMax);
  const Request asked{request.method, request.target + without + "&noredirect=true"};
  auto reply = send(client, asked, sink);
  if (reply.failure) return std::move(*reply.failure);
  const std::string location = text_of(nlohmann::json::parse(answer, nullptr, false), "Location");
  auto url = http::parse_url(with_encoded_letters(location));
  if (!url) return http::Failure{http::Trouble::Refused, "the NameNode does not say which DataNode to ask"};
  if (connection_.origin().starts_with("https:") && !url->origin.starts_with("https:"))
    return http::Failure{http::Trouble::Refused, "the NameNode names a DataNode that does not encrypt"};
  if (request.offset && !set_offset(url->target, *request.offset)) {  // a gateway hides what is in addresses
    Request plain = request;
    set_offset(plain.target, *std::exchange(plain.offset, std::nullopt));
    return ask_name_node(client, plain, excluded);
  }
  return std::move(*url);
}

http::Answer<void> Exchange::insist(const Make& make, http::Sink& sink) {
  std::string excluded;  // the hosts of DataNodes that have failed
  std::string failed;    // the address of the last one
  return connection_.insist([&](http::Client& name_node) -> http::Try {
    const Request request = make();
    if (!request.is_for_data_node) return {send(name_node, request, sink).failure};
    auto url = ask_name_node(name_node, request, excluded);
    // Of a host's DataNodes only one is left out, whichever it happens to be.
    for (int asked = 1; url && url->origin == failed && asked < kAsksMax; ++asked)
      url = ask_name_node(name_node, request, excluded);
    if (!url) excluded = failed = "";  // perhaps none is left
    if (!url) return {url.error()};
    http::Client data_node(url->origin, connection_);
    Request at_data_node = request;
    at_data_node.target = url->target;
    Reply reply = send(data_node, at_data_node, sink);
    if (request.wanted > 0 && reply.bytes == request.wanted) return {};  // however the connection ended then
    if (reply.failure && !reply.is_trusted) reply.failure->trouble = http::Trouble::Unavailable;  // others may be fine
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
