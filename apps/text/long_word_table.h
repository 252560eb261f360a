#pragma once
// Counts of words too long for the slots of an InlineWordTable: they stand one after another in a stretch of memory of
// fixed size. The same rules: it never grows and refuses what finds no room.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ontime::apps {

// A large array of zeros straight from the system: pages that are never touched cost nothing.
template <class T>
class ZeroedMemory {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit ZeroedMemory(std::size_t size) : size_(size) {
    void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(memory);
  }
  ~ZeroedMemory() { munmap(data_, bytes()); }
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;
  friend void swap(ZeroedMemory& one, ZeroedMemory& other) noexcept {
    std::swap(one.size_, other.size_);
    std::swap(one.data_, other.data_);
  }

  // Before the first touch: in huge pages, where the system has them, as far as they fit in. To touch 2 MiB for the
  // first time takes 0.05 ms then, and 1.5 ms page by page.
  void use_huge_pages() { madvise(data_, bytes(), MADV_HUGEPAGE); }
  // Touches all of it at once, which takes a third of that time even page by page.
  void touch() { madvise(data_, bytes(), MADV_POPULATE_WRITE); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::size_t size_;
  T* data_;
};

class LongWordTable {
 public:
  // REQUIRES: slots is a power of two. `text_bytes`: room for the words, less than 4 GiB.
  LongWordTable(std::size_t slots, std::size_t text_bytes, std::size_t probes);

  // REQUIRES: at least 8 bytes.
  static std::uint64_t hash(std::string_view word);

  // REQUIRES: at most longest() bytes. False when the word is new and there is no room for it.
  bool add(std::string_view word, std::uint64_t hash, std::uint32_t count);

  // Whether words have been refused because slots or text were used up.
  bool full() const { return full_; }
  std::size_t longest() const { return text_.size(); }
  bool empty() const { return used_.empty(); }
  std::size_t size() const { return used_.size(); }

  // Visits (word, count) in the order of insertion.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const std::uint32_t place : used_) visit(word_of(slots_[place]), slots_[place].count);
  }

  void clear();

 private:
  struct Slot {
    std::uint64_t hash;
    std::uint32_t begin;
    std::uint32_t size;
    std::uint32_t count;  // 0: free
  };
  std::string_view word_of(const Slot& slot) const { return {text_.data() + slot.begin, slot.size}; }
  bool insert(std::string_view word, std::uint64_t hash, std::size_t place, std::uint32_t count);

  ZeroedMemory<Slot> slots_;
  ZeroedMemory<char> text_;
  std::size_t mask_;
  std::size_t probes_;
  std::size_t limit_;
  std::size_t text_used_ = 0;
  bool full_ = false;
  std::vector<std::uint32_t> used_;  // places
};

}  // namespace ontime::apps
