#pragma once
// Whether this is a build with a sanitizer: several times as slow, and with every invariant checked after every step.

namespace ontime::test {

#ifndef __has_feature  // clang's way to say what gcc says by macros
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

// Of so many random cases, those that are tried.
constexpr unsigned fewer_if_sanitized(unsigned cases) { return kIsSanitized ? (cases + 9) / 10 : cases; }

}  // namespace ontime::test
