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

#include "common/http/store.h"
#include "common/s3/access.h"

namespace ontime::s3 {

// So many objects at most, in the order of their keys.
struct Page {
  std::vector<http::Object> objects;
  std::string next;  // names the page behind this one; empty: there is none
};

class Bucket final : public http::Store {
 public:
  static constexpr std::uint64_t kObjectBytesMax = std::uint64_t{5} << 30;  // that one request can store or copy

  // `root`: "s3://bucket". `access` must outlive it.
  Bucket(const Access& access, std::string root, const std::atomic<bool>* is_over = nullptr,
         http::Patience patience = {});

  // Those whose keys begin with `prefix`; `from`: the `next` of the page before.
  http::Answer<Page> list_page(const std::string& prefix, const std::string& from = "", unsigned most = 1000);

  http::Answer<void> list(const std::string& directory, const Take& take, const Enter& enter = nullptr) override;
  http::Answer<std::optional<http::Object>> find(const std::string& key) override;
  http::Answer<std::string> read(const std::string& key, std::uint64_t bytes_max) override;
  http::Answer<std::string> read_range(const http::Object& object, std::uint64_t offset, std::size_t size) override;
  http::Answer<void> write(const std::string& key, const http::Content& content) override;
  http::Answer<bool> create(const std::string& key, std::string_view bytes) override;
  // A copy within the store.
  http::Answer<void> put_in_place(const http::Object& object, const std::string& key) override;
  http::Answer<void> remove(const std::string& key) override;

 private:
  struct Sent;
  struct Received;
  http::Answer<void> connect(const Request& request);
  http::Answer<Received> send(const Request& request, const Sent& sent);

  const Access& access_;
  const std::string root_;
  const std::atomic<bool>* const is_over_;
  const http::Patience patience_;
  std::unique_ptr<http::Connection> connection_;  // null: nothing was asked yet
};

}  // namespace ontime::s3
