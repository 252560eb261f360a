#include "tests/machines/object_store.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/crc32c.h"
#include "common/http/url.h"
#include "common/s3/access.h"

namespace ontime::lab::machines {
namespace {

std::string version_of(const std::string& bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "\"%08x-%zx\"", crc32c(bytes), bytes.size());
  return text;
}

HttpAnswer error(int status, const std::string& code) {
  return {status, {}, "<Error><Code>" + code + "</Code><Message>as the schedule wants it</Message></Error>"};
}
HttpAnswer no_such_key() { return error(404, "NoSuchKey"); }

struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};

// "bytes=0-99"; none for anything else.
std::optional<Range> range_in(const std::string& text) {
  constexpr std::string_view kUnit = "bytes=";
  Range range;
  if (!text.starts_with(kUnit)) return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data() + kUnit.size(), end, range.first);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto last = std::from_chars(first.ptr + 1, end, range.last);
  return last.ec == std::errc() && last.ptr == end && range.first <= range.last ? std::optional(range) : std::nullopt;
}

std::string key_in(const std::string& path) {
  const std::string bucket = std::string("/") + ObjectStore::kBucket + "/";
  return path.starts_with(bucket) ? path.substr(bucket.size()) : "";
}

}  // namespace

void ObjectStore::name_in_environment() const {
  for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN", "AWS_NO_SIGN_REQUEST", "TMPDIR"})
    ::unsetenv(name);
  ::setenv("AWS_ENDPOINT_URL", endpoint().c_str(), 1);
  ::setenv("AWS_ACCESS_KEY_ID", "AKIDLAB", 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
  ::setenv("AWS_REGION", "us-east-1", 1);
  ::setenv("AWS_CONFIG_FILE", "/dev/null", 1);
  s3::Access::of_process();  // read now: who is killed while it reads would leave half of it
}

void ObjectStore::put(const std::string& key, std::string bytes) {
  std::string version = version_of(bytes);
  objects_[key] = {std::move(bytes), std::move(version), false};
}

HttpAnswer ObjectStore::refusal(int status) const { return error(status, "SlowDown"); }

HttpAnswer ObjectStore::perform(const HttpRequest& request, bool is_late) {
  const std::string key = key_in(request.path);
  if (key.empty()) return list(request);
  if (request.method == "PUT") return write(request, key, is_late);
  if (request.method != "DELETE") return read(request, key);
  if (objects_.contains(key)) set(key, nullptr);
  return {204};
}

HttpAnswer ObjectStore::list(const HttpRequest& request) const {
  const auto value = [&](const char* name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? std::string() : found->second;
  };
  if (value("list-type") != "2") return error(501, "NotImplemented");
  const std::string prefix = value("prefix");
  const std::string from = value("continuation-token");
  const std::size_t most = std::min<std::size_t>(kPageMax, std::strtoull(value("max-keys").c_str(), nullptr, 10));
  const bool is_encoded = value("encoding-type") == "url";
  std::string items = is_encoded ? "<EncodingType>url</EncodingType>" : "";
  std::string next;
  std::size_t count = 0;
  for (auto at = objects_.lower_bound(std::max(prefix, from));
       at != objects_.end() && at->first.starts_with(prefix) && next.empty(); ++at) {
    const auto& [key, object] = *at;
    if (count++ == most) {
      next = key;
    } else {
      items += "<Contents><Key>" + (is_encoded ? http::percent_encoded(key, "/") : key) + "</Key><Size>" +
               std::to_string(object.bytes.size()) + "</Size><ETag>" + object.version + "</ETag></Contents>";
    }
  }
  if (!next.empty()) items += "<NextContinuationToken>" + next + "</NextContinuationToken>";
  const std::string is_truncated = next.empty() ? "false" : "true";
  return {200, {}, "<ListBucketResult><IsTruncated>" + is_truncated + "</IsTruncated>" + items + "</ListBucketResult>"};
}

HttpAnswer ObjectStore::read(const HttpRequest& request, const std::string& key) const {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return no_such_key();
  const auto& [bytes, version, is_late] = found->second;
  const std::string wanted = request.header("if-match");
  if (!wanted.empty() && wanted != version) return error(412, "PreconditionFailed");
  HttpAnswer answer{200, {{"ETag", version}}, bytes, bytes.size()};
  const auto range = range_in(request.header("range"));
  if (range && range->first >= bytes.size()) {
    answer = error(416, "InvalidRange");
    answer.headers = {{"Content-Range", "bytes */" + std::to_string(bytes.size())}};
  } else if (range) {
    const std::size_t last = std::min(range->last, bytes.size() - 1);
    answer.status = 206;
    answer.content = bytes.substr(range->first, last - range->first + 1);
    answer.size = answer.content.size();
    answer.headers["Content-Range"] =
        "bytes " + std::to_string(range->first) + "-" + std::to_string(last) + "/" + std::to_string(bytes.size());
  }
  return answer;
}

HttpAnswer ObjectStore::write(const HttpRequest& request, const std::string& key, bool is_late) {
  if (request.header("if-none-match") == "*") {
    if (is_under_way(request)) return error(409, "ConditionalRequestConflict");
    if (objects_.contains(key)) return error(412, "PreconditionFailed");
  }
  Object object{request.content, "", is_late};
  const std::string source = request.header("x-amz-copy-source");
  if (!source.empty()) {
    const auto found = objects_.find(key_in(http::percent_decoded(source)));
    if (found == objects_.end()) return no_such_key();
    object.bytes = found->second.bytes;
  }
  object.version = version_of(object.bytes);
  set(key, &object);
  return {200, {{"ETag", object.version}}, source.empty() ? "" : "<CopyObjectResult/>"};
}

}  // namespace ontime::lab::machines
