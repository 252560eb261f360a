#pragma once
// Who may read the web pages, and what visitors are sent. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "common/http/server.h"

namespace ontime::cli {

// The name in a Host header, without its port: "[::1]:80" -> "[::1]".
std::string_view host_of(std::string_view host_header);
// A header "Host" that names this server: localhost, a loopback address, or one of `names`. Case does not matter.
bool is_known_host(std::string_view host_header, const std::vector<std::string>& names);
// An "Origin" header of the page that "Host" names. An empty one is: browsers send none when a page is opened.
bool is_same_origin(std::string_view origin, std::string_view host_header);
// "Bearer TOKEN", or "Basic" with the token as password. Its time depends on the token's length only, so that it tells
// nothing of the token.
bool shows_token(std::string_view authorization, std::string_view token);

// Large ones are packed with gzip at its fastest for visitors from elsewhere who take that: on the same machine it
// costs more than it saves.
http::Reply reply_with(const http::Asked& asked, std::string body, const char* type);

}  // namespace ontime::cli
