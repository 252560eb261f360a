#pragma once
// Requests to WebHDFS, each in two steps where HDFS wants that: the NameNode says which DataNode has the bytes or takes
// them, and then that one is asked. A DataNode that fails is left out of the next try.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/http/sink.h"
#include "common/http/store.h"
#include "common/http/url.h"

namespace ontime::hdfs {

// One thread at a time. A request whose failure may be temporary is repeated, as http::Connection does it.
class Exchange {
 public:
  // `origin`: of the NameNode.
  explicit Exchange(std::string origin, const std::atomic<bool>* is_over = nullptr, http::Patience patience = {});

  struct Request {
    const char* method = "GET";
    std::string target;                      // with its op
    bool is_for_data_node = false;           // OPEN and CREATE
    const http::Content* content = nullptr;  // of a file to be created
    // Bytes that there are behind those which earlier tries have brought, and where this one goes on; 0: each try
    // begins anew.
    std::uint64_t wanted = 0;
    // What the DataNode is asked for begins there. `target` may name another offset for the NameNode, so that the
    // DataNode has most of it: an attempt begins to read one byte before its block.
    std::optional<std::uint64_t> offset{};
  };
  // `make` gives the request at each try. An answer that is longer than the sink wants is Refused.
  using Make = std::function<Request()>;
  http::Answer<void> insist(const Make& make, http::Sink& sink);
  // The whole answer, which has at most that many bytes.
  http::Answer<std::string> ask(const Request& request, std::size_t bytes_max);

 private:
  struct Reply;
  Reply send(http::Client& client, const Request& request, http::Sink& to) const;
  // The address at the DataNode.
  http::Answer<http::Url> ask_name_node(http::Client& client, const Request& request, const std::string& excluded);

  http::Connection connection_;
};

}  // namespace ontime::hdfs
