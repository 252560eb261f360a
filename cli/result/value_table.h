#pragma once
// Keys and their values in memory, folded now and then so that hot keys stay small. Everything lies in one arena; what
// a fold leaves behind is reclaimed by clear() only, so bytes() is an honest account of the memory used.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/app/application.h"
#include "common/base/result.h"

namespace ontime::cli {

// Calls an application's Merger, turning what it throws into an Error.
class Folder {
 public:
  // `merger` must outlive this.
  explicit Folder(app::Merger& merger) : merger_(&merger) {}

  // All of `values` (at least one) as one value, valid until the next call or until they go.
  Result<std::string_view> fold(std::string_view key, std::span<const std::string_view> values);
  Status finish(std::string_view key, std::string_view value, app::Output& answer);
  Status finish_all(app::Output& answer);

 private:
  app::Merger* merger_;
  std::string merged_;
};

// Memory that is given out piece by piece and taken back all at once.
class Arena {
 public:
  char* take(std::size_t size);
  void clear();
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
};

class ValueTable {
 public:
  explicit ValueTable(Folder& folder) : folder_(folder) {}

  Status add(std::string_view key, std::string_view value);
  bool empty() const { return entries_.empty(); }
  std::size_t bytes() const;
  void clear();

  // Every key once, in byte order, with its one folded value: their numbers, and what they stand for until the table
  // changes.
  Result<std::vector<std::uint32_t>> fold_all();
  std::string_view key(std::uint32_t entry) const { return key_of(entries_[entry]); }
  std::string_view value(std::uint32_t entry) const { return value_of(entries_[entry].values); }

  // Visits every key once, in byte order, with its one folded value. Stops at the visitor's first error.
  template <class Visitor>
  Status for_each(Visitor&& visit) {
    for (const auto index : sorted()) {
      auto& entry = entries_[index];
      if (auto status = fold(entry); !status) return status;
      if (auto status = visit(key_of(entry), value_of(entry.values)); !status) return status;
    }
    return {};
  }

 private:
  // In the arena, followed by `size` bytes.
  struct Value {
    Value* next;
    std::size_t size;
  };
  struct Entry {
    const char* key;
    std::uint32_t key_size;
    std::uint32_t count;  // of values
    std::uint64_t hash;
    std::size_t bytes;          // of all values
    std::size_t bytes_at_fold;  // what the last fold left
    Value* values;              // newest first
  };
  static std::string_view key_of(const Entry& entry) { return {entry.key, entry.key_size}; }
  static std::string_view value_of(const Value* value) {
    return {reinterpret_cast<const char*>(value + 1), value->size};
  }
  Value* store(std::string_view bytes, Value* next);
  Entry& find_or_add(std::string_view key);
  Status fold(Entry& entry);
  void grow();
  std::vector<std::uint32_t> sorted() const;

  Folder& folder_;
  Arena arena_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;     // index into entries_ plus one; 0: free. A power of two, at most half full
  std::vector<std::string_view> views_;  // kept between folds
};

}  // namespace ontime::cli
