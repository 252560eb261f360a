#pragma once
// Expected failures are values: Result<T> holds a T or an Error, with std::expected's member names so that it can be
// replaced by it once the compiler has it. A broken invariant is not an Error; it aborts (see base/check.h).

#include <string>
#include <utility>
#include <variant>

namespace ontime {

// A kind exists only where some caller reacts to it differently.
enum class ErrorKind {
  Failed,       // the operation did not succeed
  BadInput,     // the caller asked for something that cannot be right; repeating it is no use (exit code 2)
  Unavailable,  // the other side cannot be reached; a later try may succeed
};

struct Error {
  ErrorKind kind = ErrorKind::Failed;
  std::string message;  // one clear sentence: what is wrong, where, what to do
};

inline Error failed(std::string message) { return {ErrorKind::Failed, std::move(message)}; }
inline Error bad_input(std::string message) { return {ErrorKind::BadInput, std::move(message)}; }
inline Error unavailable(std::string message) { return {ErrorKind::Unavailable, std::move(message)}; }

// E is Error nearly everywhere; a module whose caller needs to know more about a failure may use a type of its own.
template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by intent
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by intent

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // REQUIRES: has_value().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !has_value().
  const E& error() const& { return std::get<1>(state_); }
  E&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, E> state_;
};

// Success without a value.
template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit by intent

  bool has_value() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const E& error() const& { return error_; }
  E&& error() && { return std::move(error_); }

 private:
  E error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace ontime
