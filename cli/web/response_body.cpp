#include "cli/web/visitor.h"

#include <httplib.h>
#include <zlib.h>

#include <memory>
#include <utility>

#include "common/base/check.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kWorthPacking = 16u << 10;  // bytes

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

bool takes_gzip(const httplib::Request& request) {
  return request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
}

}  // namespace

void set_body(const httplib::Request& request, httplib::Response& response, std::string body, const char* type) {
  if (body.size() >= kWorthPacking && takes_gzip(request)) {
    body = packed(body);
    response.set_header("Content-Encoding", "gzip");
  }
  if (body.empty()) return response.set_content(body, type);
  const std::size_t size = body.size();
  // httplib packs what it is given whole, but not what it asks for piece by piece.
  response.set_content_provider(size, type,
                                [whole = std::make_shared<const std::string>(std::move(body))](
                                    std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                  return sink.write(whole->data() + offset, length);
                                });
}

}  // namespace ontime::cli
