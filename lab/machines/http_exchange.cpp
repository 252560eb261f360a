#include "lab/machines/http_exchange.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ontime::lab::machines {
namespace {

constexpr std::size_t kRequestBytesMax = 16u << 20;

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// What lies before `separator`, which is taken off too; all if it is not there.
std::string_view take(std::string_view& text, std::string_view separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(std::min(at + separator.size(), text.size()));
  return before;
}

HttpRequest parse(std::string_view head) {
  HttpRequest request;
  std::string_view line = take(head, "\r\n");
  request.method = take(line, " ");
  std::string_view target = take(line, " ");
  request.path = decoded(std::string(take(target, "?")));
  while (!target.empty()) {
    std::string_view value = take(target, "&");
    const std::string_view name = take(value, "=");
    request.query[decoded(std::string(name))] = decoded(std::string(value));
  }
  while (!head.empty()) {
    std::string_view value = take(head, "\r\n");
    const std::string_view name = take(value, ":");
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    request.headers[in_lower_case(name)] = value;
  }
  return request;
}

std::size_t number_in(const std::string& text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string HttpRequest::header(const char* name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::string decoded(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char value = 0;
    const char* const digits = text.data() + i + 1;
    const bool is_code =
        text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    plain += is_code ? static_cast<char>(value) : text[i];
    i += is_code ? 2 : 0;
  }
  return plain;
}

std::string to_bytes(const HttpAnswer& answer) {
  std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " -\r\n";
  for (const auto& [name, value] : answer.headers) text += name + ": " + value + "\r\n";
  const std::size_t size = answer.size.value_or(answer.content.size());
  return text + "Content-Length: " + std::to_string(size) + "\r\n\r\n" + answer.content;
}

bool HttpReader::read_more(Duration patience) {
  pollfd waiting{connection_, POLLIN, 0};
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(patience);
  if (::poll(&waiting, 1, static_cast<int>(limit.count())) <= 0) return false;
  char more[16384];
  const ssize_t size = ::recv(connection_, more, sizeof more, 0);
  if (size > 0) bytes_.append(more, static_cast<std::size_t>(size));
  return size > 0 && bytes_.size() <= kRequestBytesMax;
}

std::optional<HttpRequest> HttpReader::next(Duration patience) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::size_t end = 0;
  while ((end = bytes_.find(kEnd)) == bytes_.npos) {
    if (!read_more(patience)) return std::nullopt;
  }
  HttpRequest request = parse(std::string_view(bytes_).substr(0, end + 2));
  bytes_.erase(0, end + kEnd.size());
  const std::size_t size = number_in(request.header("content-length"));
  while (bytes_.size() < size) {
    if (!read_more(patience)) return std::nullopt;
  }
  request.content = bytes_.substr(0, size);
  bytes_.erase(0, size);
  return request;
}

}  // namespace ontime::lab::machines
