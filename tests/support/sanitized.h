#pragma once
// Whether this is a build with a sanitizer: several times as slow, and with every invariant checked after every step.

namespace ontime::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

// Of so many random cases, those that are tried.
constexpr unsigned fewer_if_sanitized(unsigned cases) { return kIsSanitized ? (cases + 9) / 10 : cases; }

}  // namespace ontime::test
