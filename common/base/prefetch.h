#pragma once
// Hints to the processor to have memory ready when it is looked at soon.

namespace ontime {

// All cache lines of an object. Always inline, and so must be what does nothing but call it: g++ takes a function that
// only prefetches for one without effect and drops its calls.
template <class T>
[[gnu::always_inline]] inline void prefetch_object(const T* object) {
  constexpr unsigned long kLine = 64;
  const char* at = reinterpret_cast<const char*>(object);
  for (unsigned long offset = 0; offset < sizeof(T); offset += kLine) __builtin_prefetch(at + offset);
  __builtin_prefetch(at + sizeof(T) - 1);
}

}  // namespace ontime
