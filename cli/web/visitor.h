#pragma once
// Who may read the web pages, and what visitors are sent. Pure.

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace httplib {
struct Request;
struct Response;
}  // namespace httplib

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

// The files in assets/, which CMake puts into the program.
namespace assets {
extern const std::string_view kPageHtml;
extern const std::string_view kDomJs;
extern const std::string_view kChartsJs;
extern const std::string_view kTimelineJs;
extern const std::string_view kOverviewJs;
extern const std::string_view kTablesJs;
extern const std::string_view kPageJs;
extern const std::string_view kPageCss;

struct Script {
  std::string_view file;
  const std::string_view& text;
};
// In the order in which the page runs them.
inline constexpr std::array<Script, 6> kScripts{{{"dom.js", kDomJs},
                                                 {"charts.js", kChartsJs},
                                                 {"timeline.js", kTimelineJs},
                                                 {"overview.js", kOverviewJs},
                                                 {"tables.js", kTablesJs},
                                                 {"page.js", kPageJs}}};
}  // namespace assets

// Large ones are packed with gzip at its fastest for visitors from elsewhere who take that: on the same machine it
// costs more than it saves. Left to itself httplib would pack every answer with brotli at its slowest: 14 to 19 s for
// the state of a large job, so that a few visitors keep all threads busy.
void set_body(const httplib::Request& request, httplib::Response& response, std::string body, const char* type);

}  // namespace ontime::cli
