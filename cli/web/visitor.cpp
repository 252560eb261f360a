#include "cli/web/visitor.h"

#include <openssl/crypto.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "common/base/check.h"
#include "common/hash/base64.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kBasicMax = 1024;
constexpr std::size_t kWorthPacking = 16u << 10;  // bytes

bool is_same_text(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_token(std::string_view shown, std::string_view token) {
  return shown.size() == token.size() && CRYPTO_memcmp(shown.data(), token.data(), token.size()) == 0;
}

std::string packed(std::string_view body) {
  constexpr int kGzip = 16;  // beside the size of the window
  z_stream stream{};
  ONTIME_CHECK(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
               "zlib starts");
  std::string result(deflateBound(&stream, static_cast<uLong>(body.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  ONTIME_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END, "there is room for what is packed");
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

bool is_here(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

bool takes_gzip(const http::Asked& asked) { return asked.field("Accept-Encoding").find("gzip") != std::string::npos; }

}  // namespace

std::string_view host_of(std::string_view header) {
  const std::size_t bracket = header.find(']');
  return header.substr(0, header.find(':', bracket == std::string_view::npos ? 0 : bracket));
}

bool is_known_host(std::string_view header, const std::vector<std::string>& names) {
  const std::string_view host = host_of(header);
  constexpr std::array<std::string_view, 3> kAlways{"localhost", "127.0.0.1", "[::1]"};
  const auto is_it = [&](std::string_view name) { return is_same_text(host, name); };
  return std::any_of(kAlways.begin(), kAlways.end(), is_it) || std::any_of(names.begin(), names.end(), is_it);
}

bool is_same_origin(std::string_view origin, std::string_view host_header) {
  if (origin.empty()) return true;
  const std::size_t scheme = origin.find("://");
  return scheme != std::string_view::npos && is_same_text(origin.substr(scheme + 3), host_header);
}

bool shows_token(std::string_view authorization, std::string_view token) {
  const std::size_t space = authorization.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view kind = authorization.substr(0, space);
  const std::string_view what = authorization.substr(space + 1);
  if (is_same_text(kind, "bearer")) return is_token(what, token);
  if (!is_same_text(kind, "basic")) return false;
  const auto name_and_password = what.size() <= kBasicMax ? hash::from_base64(what) : std::nullopt;
  if (!name_and_password) return false;
  const std::size_t colon = name_and_password->find(':');
  return colon != std::string::npos && is_token(std::string_view(*name_and_password).substr(colon + 1), token);
}

http::Reply reply_with(const http::Asked& asked, std::string body, const char* type) {
  http::Reply reply{.fields = {{"Content-Type", type}}};
  const bool is_packed = body.size() >= kWorthPacking && takes_gzip(asked) && !is_here(asked.address);
  if (is_packed) reply.fields.emplace("Content-Encoding", "gzip");
  reply.body = is_packed ? packed(body) : std::move(body);
  return reply;
}

}  // namespace ontime::cli
