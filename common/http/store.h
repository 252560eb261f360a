#pragma once
// A place that keeps the inputs and outputs of jobs by their names: the objects of a bucket, the files of an HDFS. Code
// that reads and writes there does not know which it is.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/connection.h"

namespace ontime::http {

struct Object {
  std::string key;  // "logs/2026/a.txt"
  std::uint64_t size = 0;
  std::string version;  // another one once it was replaced
};

// What is stored as an object: `read` gives [offset, offset + size), or false if it cannot.
struct Content {
  std::uint64_t size = 0;
  std::function<bool(std::uint64_t offset, std::size_t size, char* to)> read;
};
Content content_of(std::string_view bytes);  // which must outlive it

// An object appears with all of its bytes or not at all. Not for several threads at a time. All that may pass is tried
// again, as Connection does it.
class Store {
 public:
  virtual ~Store() = default;

  using Take = std::function<bool(const Object&)>;                  // false: that is enough
  using Enter = std::function<bool(const std::string& directory)>;  // "logs/2026/"; only if the store has directories

  // Called whenever something is answered: a long list takes its time before there is anything to take of it.
  std::function<void()> on_answer = [] {};

  // What lies below `directory` ("logs/"; "": everything), in the order of the keys. Nothing if there is no such.
  virtual Answer<void> list(const std::string& directory, const Take& take, const Enter& enter = nullptr) = 0;
  // None if there is no such object.
  virtual Answer<std::optional<Object>> find(const std::string& key) = 0;
  // All of it, if it is not larger than that; else Refused.
  virtual Answer<std::string> read(const std::string& key, std::uint64_t bytes_max) = 0;
  // Changed, if the store sees that it is another version.
  virtual Answer<std::string> read_range(const Object& object, std::uint64_t offset, std::size_t size) = 0;
  virtual Answer<void> write(const std::string& key, const Content& content) = 0;
  // Only if there is none of that key. False: there is one, which an earlier try of this may have made.
  virtual Answer<bool> create(const std::string& key, std::string_view bytes) = 0;
  // Gives the object the other key; whether it keeps its own too is the store's affair. May be repeated.
  virtual Answer<void> put_in_place(const Object& object, const std::string& key) = 0;
  // Fine if there is none.
  virtual Answer<void> remove(const std::string& key) = 0;
  // If the store has directories: fine if there is that one.
  virtual Answer<void> make_directory(const std::string& /*key*/) { return {}; }
  // If the store has directories and nothing is in this one.
  virtual void remove_directory(const std::string& /*key*/) {}
  // With all that is in it, at once, if the store has directories.
  virtual void remove_tree(const std::string& /*key*/) {}
};

}  // namespace ontime::http
