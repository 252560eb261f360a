#include "common/net/masters.h"

#include <algorithm>

namespace ontime::net {

void Masters::try_next() {
  leader_.reset();
  next_ = (next_ + 1) % all_.size();
}

void Masters::turn_to(std::string_view leader) {
  auto named = parse_endpoint(leader, 0);
  if (!named || named->port == 0) return try_next();
  leader_ = std::move(*named);
}

std::string to_string(const Masters& masters) {
  std::string text;
  for (const Endpoint& one : masters.all()) text += (text.empty() ? "" : ",") + to_string(one);
  return text;
}

Result<Masters> parse_masters(std::string_view text, std::uint16_t default_port) {
  std::vector<Endpoint> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    auto one = parse_endpoint(text.substr(begin, end - begin), default_port);
    if (!one) return std::move(one).error();
    if (one->port == 0) return bad_input("nobody listens on port 0; give the port of the master");
    all.push_back(std::move(*one));
    begin = end + 1;
  }
  return Masters(std::move(all));
}

}  // namespace ontime::net
