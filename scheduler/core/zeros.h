#pragma once
// Numbers that begin as 0. Of many, only those take memory that were written, since the system fills pages when they
// are touched.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace ontime::scheduler {

template <class T>
class Zeros {
  static_assert(std::is_arithmetic_v<T>);

 public:
  Zeros() = default;
  explicit Zeros(std::size_t size) : size_(size), values_(static_cast<T*>(std::calloc(size, sizeof(T)))) {
    if (values_ == nullptr && size > 0) throw std::bad_alloc();
  }
  Zeros(Zeros&& other) noexcept : size_(std::exchange(other.size_, 0)), values_(std::move(other.values_)) {}
  Zeros& operator=(Zeros&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    values_ = std::move(other.values_);
    return *this;
  }

  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) { return values_.get()[index]; }
  const T& operator[](std::size_t index) const { return values_.get()[index]; }
  const T* begin() const { return values_.get(); }
  const T* end() const { return values_.get() + size_; }
  operator std::span<const T>() const { return {values_.get(), size_}; }

 private:
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<T, Free> values_;
};

}  // namespace ontime::scheduler
