// Small texts: of HTTP, of command lines and configuration, of logs.
#include <string>

#include "cli/web/visitor.h"
#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/units.h"
#include "common/base/utf8.h"
#include "common/log/fields.h"
#include "common/net/endpoint.h"
#include "common/net/token.h"
#include "tests/fuzz/targets.h"

namespace ontime::fuzz {

void feed_http(std::string_view bytes) {
  const std::size_t half = bytes.size() / 2;
  const std::string_view host = bytes.substr(0, half);
  const std::string_view rest = bytes.substr(half);
  const std::string_view name = cli::host_of(host);
  ONTIME_CHECK(name.size() <= host.size(), "a host is part of its header");
  static_cast<void>(cli::is_known_host(host, {"pages.example"}));
  static_cast<void>(cli::is_same_origin(rest, host));
  ONTIME_CHECK(!cli::shows_token(rest, "a token that nobody guesses") || rest.size() > 27, "a token is not guessed");
  static_cast<void>(parse_job_id(rest));
}

void feed_words(std::string_view bytes) {
  if (const auto size = parse_size(bytes)) ONTIME_CHECK(parse_size(std::to_string(*size)).value() == *size, "sizes");
  static_cast<void>(parse_duration(bytes));
  static_cast<void>(net::parse_endpoint(bytes, 1));
  if (const auto tokens = net::Tokens::parse(bytes)) ONTIME_CHECK(!tokens->is_empty(), "a file of tokens holds one");
  static_cast<void>(log::parse_event(bytes));
  // Whatever a message holds, it stays the value of its field, but for what terminals would obey.
  const auto event = log::parse_event("event job=job-1 message=" + log::fields_of(log::Quoted{bytes}));
  ONTIME_CHECK(
      event.rest.empty() && event.fields.size() == 2 && event.fields[1].second == without_controls(bytes, "\n\t"),
      "a quoted text is read as it was");
}

}  // namespace ontime::fuzz
