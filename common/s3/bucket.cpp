#include "common/s3/bucket.h"

#include <algorithm>
#include <array>
#include <memory>
#include <pugixml.hpp>
#include <utility>

#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/http/client.h"
#include "common/http/url.h"

namespace ontime::s3 {
namespace {

constexpr std::size_t kAnswerBytesMax = 16u << 20;  // a page of 1000 objects has at most some 3 MB
constexpr std::size_t kReasonBytesMax = 64u << 10;  // of a refusal

std::string text_of(const pugi::xml_node& node, const char* name) { return node.child(name).text().get(); }

// What to look at when a store refuses a request for these reasons.
std::string_view hint_for(std::string_view code) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kHints{{
      {"InvalidAccessKeyId", "AWS_ACCESS_KEY_ID"},
      {"SignatureDoesNotMatch", "AWS_SECRET_ACCESS_KEY"},
      {"AuthorizationHeaderMalformed", "AWS_REGION"},
      {"AuthorizationQueryParametersError", "AWS_REGION"},
      {"IllegalLocationConstraintException", "AWS_REGION"},
      {"PermanentRedirect", "AWS_REGION"},
      {"ExpiredToken", "AWS_SESSION_TOKEN"},
      {"InvalidToken", "AWS_SESSION_TOKEN"},
  }};
  const auto hint = std::find_if(kHints.begin(), kHints.end(), [&](const auto& known) { return known.first == code; });
  return hint == kHints.end() ? "" : hint->second;
}

// The store's own words where it has some: "the store at https://host:443 answers NoSuchBucket: The specified bucket
// does not exist".
http::Failure failure_of(const http::Head& head, const std::string& body, const std::string& origin) {
  http::Failure failure = http::failure_of(head);
  pugi::xml_document document;
  document.load_buffer(body.data(), body.size());
  const pugi::xml_node error = document.child("Error");
  const std::string code = text_of(error, "Code");
  const std::string_view hint = hint_for(code);
  const std::string said =
      code.empty() ? std::to_string(head.status) + " " + head.reason : code + ": " + text_of(error, "Message");
  failure.code = code;
  failure.message = "the store at " + origin + " answers " + words_of(said);
  if (!hint.empty()) failure.message += "; give the right " + std::string(hint);
  // Another request for the key is under way, perhaps an earlier try of this one: nothing is said of what is there.
  constexpr int kConflict = 409;
  if (head.status == kConflict) failure.trouble = http::Trouble::Unavailable;
  return failure;
}

// Of a bucket that is in another region than the one that was asked.
std::string region_of(const http::Head& head, const std::string& body) {
  if (head.status != 301 && head.status != 307 && head.status != 400) return "";
  if (std::string region = head.field("x-amz-bucket-region"); !region.empty()) return region;
  pugi::xml_document document;
  document.load_buffer(body.data(), body.size());
  return text_of(document.child("Error"), "Region");
}

// What fails after the store has begun to answer, as a long copy may, has the status 200 and says so in the answer.
bool has_failed(const std::string& body) { return body.find("<Error>") != std::string::npos; }

// In XML some characters can only be written encoded, which a store does when it is asked to and says so.
std::string key_of(const pugi::xml_node& object, bool is_encoded) {
  std::string key = text_of(object, "Key");
  if (!is_encoded) return key;
  std::replace(key.begin(), key.end(), '+', ' ');
  return http::percent_decoded(key);
}

}  // namespace

struct Bucket::Sent {
  http::Fields fields{};  // beside those that are signed
  http::Content content{};
  std::optional<std::uint64_t> stored_bytes{};  // by the store before it answers
  std::uint64_t answer_bytes_max = kAnswerBytesMax;
};

struct Bucket::Received {
  int status = 0;
  std::string version;
  std::string region;      // where the bucket is, if the store says it
  std::uint64_t size = 0;  // as the header says it
  std::string body;
};

Bucket::Bucket(const Access& access, std::string root, const std::atomic<bool>* is_over, http::Patience patience)
    : access_(access), root_(std::move(root)), is_over_(is_over), patience_(patience) {}

http::Answer<Bucket::Received> Bucket::send(const Request& request, const Sent& sent) {
  Received received;
  const auto once = [&](http::Client& client) -> http::Try {
    const auto url = access_.address(request);
    if (!url) return {http::Failure{http::Trouble::Refused, url.error().message}};
    http::Request asked{request.method, url->target, sent.fields, sent.content};
    asked.fields.insert(request.headers.begin(), request.headers.end());
    asked.has_time = request.method != "GET" && request.method != "HEAD";  // what is sent or copied takes its time
    if (sent.stored_bytes) asked.silence_when_sent = connection_->silence_for(*sent.stored_bytes);
    received = {};
    http::TextSink sink(received.body, sent.answer_bytes_max);
    http::TextSink reason(received.body, kReasonBytesMax);
    http::Head head;
    const http::Ending ending = client.send(asked, [&](const http::Head& answered) {
      head = answered;
      return head.status / 100 == 2 ? &sink : &reason;
    });
    if (ending == http::Ending::Unwanted)
      return {http::Failure{http::Trouble::Refused, "the store's answer is too long"}};
    if (ending != http::Ending::Whole) return {http::failure_of(ending, connection_->origin())};
    received.status = head.status;
    received.version = head.field("ETag");
    received.region = region_of(head, received.body);
    if (head.status / 100 != 2) return {failure_of(head, received.body, url->origin)};
    if (asked.method == "PUT" && has_failed(received.body)) {
      http::Failure failure = failure_of(head, received.body, url->origin);
      failure.trouble = http::Trouble::Unavailable;
      return {std::move(failure)};
    }
    const auto size = number_in<std::uint64_t>(head.field("Content-Length"));
    if (!size && asked.method == "HEAD")
      return {http::Failure{http::Trouble::Refused, "the store says no size that can be counted"}};
    received.size = size.value_or(0);
    return {};
  };
  for (bool is_first = true;; is_first = false) {
    if (auto known = connect(request); !known) return std::move(known).error();
    auto done = connection_->insist(once);
    if (done) return received;
    if (!is_first || !access_.learn_region(root_, received.region)) return std::move(done).error();
    connection_.reset();  // each region may have a server of its own
  }
}

http::Answer<void> Bucket::connect(const Request& request) {
  if (!connection_) {
    const auto url = access_.address(request);
    if (!url) return http::Failure{http::Trouble::Refused, url.error().message};
    connection_ = std::make_unique<http::Connection>(url->origin, is_over_, patience_);
  }
  return {};
}

http::Answer<Page> Bucket::list_page(const std::string& prefix, const std::string& from, unsigned most) {
  Request request{"GET", {root_, ""}};
  request.query = {
      {"encoding-type", "url"}, {"list-type", "2"}, {"max-keys", std::to_string(most)}, {"prefix", prefix}};
  if (!from.empty()) request.query["continuation-token"] = from;
  const auto received = send(request, {});
  if (!received) return received.error();
  pugi::xml_document document;
  const bool is_read = bool(document.load_buffer(received->body.data(), received->body.size()));
  const pugi::xml_node result = document.child("ListBucketResult");
  if (!is_read || !result) return http::Failure{http::Trouble::Refused, "the store's list of objects cannot be read"};
  Page page;
  const bool is_encoded = text_of(result, "EncodingType") == "url";
  for (const pugi::xml_node& object : result.children("Contents")) {
    page.objects.push_back(
        {key_of(object, is_encoded), object.child("Size").text().as_ullong(), text_of(object, "ETag")});
  }
  if (!result.child("IsTruncated").text().as_bool()) return page;
  page.next = text_of(result, "NextContinuationToken");
  if (page.next.empty() || page.next == from)
    return http::Failure{http::Trouble::Refused, "the store's list of objects goes on, and it does not say how"};
  return page;
}

http::Answer<void> Bucket::list(const std::string& directory, const Take& take, const Enter& /*enter*/) {
  std::string from;
  do {
    const auto page = list_page(directory, from);
    if (!page) return page.error();
    for (const http::Object& object : page->objects) {
      if (object.key.starts_with(directory) && !take(object)) return {};
    }
    from = page->next;
  } while (!from.empty());
  return {};
}

http::Answer<std::optional<http::Object>> Bucket::find(const std::string& key) {
  const auto received = send({"HEAD", {root_, key}}, {});
  if (received) return std::optional(http::Object{key, received->size, received->version});
  if (received.error().status == 404) return std::optional<http::Object>();
  if (received.error().trouble != http::Trouble::Refused) return received.error();
  // The answer to HEAD has no body, and so no reason.
  const auto listed = list_page(key, "", 1);
  if (!listed) return listed.error();
  const auto begin = read_range({key, 1, ""}, 0, 1);
  return begin || begin.error().code.empty() ? received.error() : begin.error();
}

http::Answer<std::string> Bucket::read(const std::string& key, std::uint64_t bytes_max) {
  Sent sent;
  sent.answer_bytes_max = bytes_max;
  auto received = send({"GET", {root_, key}}, sent);
  if (!received) return std::move(received).error();
  return std::move(received->body);
}

http::Answer<std::string> Bucket::read_range(const http::Object& object, std::uint64_t offset, std::size_t size) {
  Sent sent;
  if (size == 0) return std::string();
  sent.fields = {{"Range", "bytes=" + std::to_string(offset) + "-" + std::to_string(offset + size - 1)}};
  if (object.version.starts_with('"')) sent.fields.emplace("If-Match", object.version);
  sent.answer_bytes_max = size;
  auto received = send({"GET", {root_, object.key}}, sent);
  if (received && received->body.size() == size) return std::move(received->body);
  if (received || received.error().status == 412 || received.error().status == 416) {
    return http::Failure{http::Trouble::Changed, "it is another version now"};
  }
  return std::move(received).error();
}

http::Answer<void> Bucket::write(const std::string& key, const http::Content& content) {
  if (content.size > kObjectBytesMax)
    return http::Failure{http::Trouble::Refused, "it has " + format_size(content.size) + ", and an object can have " +
                                                     format_size(kObjectBytesMax) + "; choose a smaller --split-size"};
  Sent sent;
  sent.content = content;
  sent.stored_bytes = content.size;
  if (auto received = send({"PUT", {root_, key}}, sent); !received) return std::move(received).error();
  return {};
}

http::Answer<bool> Bucket::create(const std::string& key, std::string_view bytes) {
  Sent sent;
  sent.content = http::content_of(bytes);
  sent.stored_bytes = bytes.size();
  sent.fields = {{"If-None-Match", "*"}};
  const auto received = send({"PUT", {root_, key}}, sent);
  if (received) return true;
  if (received.error().status == 412) return false;
  return received.error();
}

http::Answer<void> Bucket::put_in_place(const http::Object& object, const std::string& key) {
  Request request{"PUT", {root_, key}};
  const http::Url source = address_of({"https", "-", "", true}, {"GET", {root_, object.key}});
  request.headers = {{"x-amz-copy-source", source.path}};
  Sent sent;
  sent.stored_bytes = object.size;
  if (auto received = send(request, sent); !received) return std::move(received).error();
  return {};
}

http::Answer<void> Bucket::remove(const std::string& key) {
  auto received = send({"DELETE", {root_, key}}, {});
  if (!received && received.error().status != 404) return std::move(received).error();
  return {};
}

}  // namespace ontime::s3
