#pragma once
// ONTIME_CHECK(condition, "what should have held"): a broken invariant ends the process, in every build type, because
// going on with a wrong state could give a wrong answer. The message goes to stderr with file and line.

namespace ontime {
[[noreturn]] void check_failed(const char* condition, const char* message, const char* file, int line);

// For tests that go on after a broken invariant: called with the sentence instead of ending the process, and has to
// throw. Set before there are threads; null: the process ends.
using CheckHandler = void (*)(const char* sentence);
void set_check_handler(CheckHandler handler);
}

#define ONTIME_CHECK(condition, message) \
  ((condition) ? static_cast<void>(0) : ::ontime::check_failed(#condition, message, __FILE__, __LINE__))
