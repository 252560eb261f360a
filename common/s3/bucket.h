#pragma once
// The objects of one bucket.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/connection.h"
#include "common/s3/access.h"

namespace ontime::s3 {

struct Object {
  std::string key;
  std::uint64_t size = 0;
  std::string version;  // its ETag
};

// So many objects at most, in the order of their keys.
struct Page {
  std::vector<Object> objects;
  std::string next;  // names the page behind this one; empty: there is none
};

// What is stored as an object: `read` gives [offset, offset + size), or false if it cannot.
struct Content {
  std::uint64_t size = 0;
  std::function<bool(std::uint64_t offset, std::size_t size, char* to)> read;
};
Content content_of(std::string_view bytes);  // which must outlive it

// Not for several threads at a time. All that may pass is tried again, as Connection does it.
class Bucket {
 public:
  static constexpr std::uint64_t kObjectBytesMax = std::uint64_t{5} << 30;  // that one request can store or copy

  // `access` must outlive it.
  Bucket(const Access& access, std::string bucket, const std::atomic<bool>* is_over = nullptr,
         http::Patience patience = {});

  // Those whose keys begin with `prefix`; `from`: the `next` of the page before.
  http::Answer<Page> list(const std::string& prefix, const std::string& from = "", unsigned most = 1000);
  // None if there is no such object.
  http::Answer<std::optional<Object>> find(const std::string& key);
  // All of it, if it is not larger than that; else Refused.
  http::Answer<std::string> read(const std::string& key, std::uint64_t bytes_max);
  // Of that version; else Changed.
  http::Answer<std::string> read_range(const Object& object, std::uint64_t offset, std::size_t size);
  http::Answer<void> write(const std::string& key, const Content& content);
  // Only if there is none of that key; false: there is one.
  http::Answer<bool> create(const std::string& key, std::string_view bytes);
  // Within the store.
  http::Answer<void> copy(const std::string& from, const std::string& to);
  // Fine if there is none.
  http::Answer<void> remove(const std::string& key);

 private:
  struct Sent;
  struct Received;
  http::Answer<Received> send(const Request& request, const Sent& sent);

  const Access& access_;
  const std::string bucket_;
  const std::atomic<bool>* const is_over_;
  const http::Patience patience_;
  std::unique_ptr<http::Connection> connection_;  // null: nothing was asked yet
};

}  // namespace ontime::s3
