#pragma once
// The body of an answer, packed where that pays.

#include <string>

namespace httplib {
struct Request;
struct Response;
}  // namespace httplib

namespace ontime::cli {

// Large ones are packed with gzip at its fastest for visitors who take that. Left to itself httplib would pack every
// answer with brotli at its slowest: 14 to 19 s for the state of a large job, so that a few visitors keep all threads
// busy.
void set_body(const httplib::Request& request, httplib::Response& response, std::string body, const char* type);

}  // namespace ontime::cli
