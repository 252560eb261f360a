#pragma once
// One small request, and its answer as a text.

#include <atomic>
#include <map>
#include <string>

#include "common/http/connection.h"

namespace ontime::http {

struct Question {
  std::string address;
  std::string method = "GET";
  std::map<std::string, std::string> fields{};
  std::string form{};                          // of a POST
  const std::atomic<bool>* is_over = nullptr;  // see Connection; outlives the request
  unsigned tries = 4;
};

// What a server answers with status 200, up to 64 KiB of it; any other status is a failure. Threads: any.
Answer<std::string> ask(const Question& question);

}  // namespace ontime::http
