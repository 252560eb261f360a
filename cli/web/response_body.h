#pragma once
// What the web server sends: the files in assets/, and bodies that are packed where that pays.

#include <string>
#include <string_view>

namespace httplib {
struct Request;
struct Response;
}  // namespace httplib

namespace ontime::cli {

// The files in assets/, which CMake puts into the program.
namespace assets {
extern const std::string_view kPageHtml;
extern const std::string_view kPageJs;
extern const std::string_view kPageCss;
}  // namespace assets

// Large ones are packed with gzip at its fastest for visitors who take that. Left to itself httplib would pack every
// answer with brotli at its slowest: 14 to 19 s for the state of a large job, so that a few visitors keep all threads
// busy.
void set_body(const httplib::Request& request, httplib::Response& response, std::string body, const char* type);

}  // namespace ontime::cli
