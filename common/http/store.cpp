#include "common/http/store.h"

#include <httplib.h>

#include <algorithm>
#include <vector>

namespace ontime::http {

void attach(const Content& content, const Connection& connection, httplib::Request& request) {
  request.content_length_ = content.size;
  request.content_provider_ = [&](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
    std::vector<char> bytes(std::min<std::size_t>(length, 256u << 10));
    return !connection.is_over() && content.read(offset, bytes.size(), bytes.data()) &&
           sink.write(bytes.data(), bytes.size());
  };
}

}  // namespace ontime::http
