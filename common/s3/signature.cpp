#include "common/s3/signature.h"

#include <cstdio>
#include <string_view>

#include "common/base/wording.h"
#include "common/hash/sha256.h"

namespace ontime::s3 {
namespace {

using hash::hmac_sha256;
using hash::sha256;

std::string bucket_of(const Name& name) { return name.root.substr(name.root.rfind('/') + 1); }

std::string host_of(const Endpoint& endpoint, const Name& name) {
  return endpoint.has_path_style || name.root.empty() ? endpoint.host : bucket_of(name) + "." + endpoint.host;
}

std::string path_of(const Endpoint& endpoint, const Name& name) {
  const bool has_bucket = endpoint.has_path_style && !name.root.empty();
  return endpoint.path + (has_bucket ? "/" + bucket_of(name) : "") + "/" + http::percent_encoded(name.key, "/");
}

// Sorted by the encoded names, which a map of names of letters, digits and '-' is.
std::string query_of(const std::map<std::string, std::string>& query) {
  std::string text;
  for (const auto& [name, value] : query)
    text += (text.empty() ? "" : "&") + http::percent_encoded(name) + "=" + http::percent_encoded(value);
  return text;
}

http::Url make_address(const Endpoint& endpoint, const Name& name, const std::string& query) {
  const std::string path = path_of(endpoint, name);
  return {endpoint.scheme + "://" + host_of(endpoint, name), query.empty() ? path : path + "?" + query, path};
}

// "20130524T000000Z".
std::string written(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc)};
}

}  // namespace

http::Url address_of(const Endpoint& endpoint, const Request& request) {
  return make_address(endpoint, request.name, query_of(request.query));
}

http::Url sign(const Endpoint& endpoint, const Keys& keys, const Request& request,
               std::chrono::system_clock::time_point now, std::chrono::seconds lifetime) {
  const std::string time = written(now);
  const std::string day = time.substr(0, 8);
  const std::string scope = day + "/" + endpoint.region + "/" + endpoint.service + "/aws4_request";
  auto headers = request.headers;
  headers["host"] = host_of(endpoint, request.name);
  std::string header_lines;
  std::string header_names;
  for (const auto& [name, value] : headers) {
    header_lines.append(name).append(":").append(value).append("\n");
    header_names += (header_names.empty() ? "" : ";") + name;
  }
  auto query = request.query;
  query["X-Amz-Algorithm"] = "AWS4-HMAC-SHA256";
  query["X-Amz-Credential"] = keys.id + "/" + scope;
  query["X-Amz-Date"] = time;
  query["X-Amz-Expires"] = std::to_string(lifetime.count());
  query["X-Amz-SignedHeaders"] = header_names;
  if (!keys.session_token.empty()) query["X-Amz-Security-Token"] = keys.session_token;
  const std::string query_text = query_of(query);
  const std::string canonical = request.method + "\n" + path_of(endpoint, request.name) + "\n" + query_text + "\n" +
                                header_lines + "\n" + header_names + "\n" +
                                (endpoint.service == "s3" ? "UNSIGNED-PAYLOAD" : hex_digits(sha256("")));
  const std::string to_sign = "AWS4-HMAC-SHA256\n" + time + "\n" + scope + "\n" + hex_digits(sha256(canonical));
  const std::string of_day = hmac_sha256("AWS4" + keys.secret, day);
  const std::string of_service = hmac_sha256(hmac_sha256(of_day, endpoint.region), endpoint.service);
  const std::string signature = hex_digits(hmac_sha256(hmac_sha256(of_service, "aws4_request"), to_sign));
  return make_address(endpoint, request.name, query_text + "&X-Amz-Signature=" + signature);
}

}  // namespace ontime::s3
