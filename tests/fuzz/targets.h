#pragma once
// The parsers of bytes from outside, as functions that may be fed anything. None may crash, hang or take memory without
// bound, and what it accepts has to keep the promise that its target checks (ONTIME_CHECK). Fed by libFuzzer
// (scripts/fuzz), and in every build by a test with the corpus beside this file.

#include <span>
#include <string>
#include <string_view>

namespace ontime::fuzz {

struct Target {
  const char* name;  // of its folder in corpus/ too
  void (*feed)(std::string_view bytes);
};

std::span<const Target> targets();
const Target* find_target(std::string_view name);  // null: there is none

// One function a target, by the file that has it.
void feed_frames(std::string_view bytes);  // messages.cpp
void feed_client(std::string_view bytes);
void feed_runner(std::string_view bytes);
void feed_application(std::string_view bytes);
void feed_worker(std::string_view bytes);     // worker.cpp
void feed_injection(std::string_view bytes);  // documents.cpp
void feed_scenario(std::string_view bytes);
void feed_study(std::string_view bytes);
void feed_experiment(std::string_view bytes);
void feed_manifest(std::string_view bytes);
void feed_lines(std::string_view bytes);  // records.cpp
void feed_fixed(std::string_view bytes);
void feed_formats(std::string_view bytes);
void feed_gzip(std::string_view bytes);
void feed_zstd(std::string_view bytes);
void feed_xz(std::string_view bytes);
void feed_bzip2(std::string_view bytes);
void feed_journal(std::string_view bytes);  // stored.cpp
void feed_recording(std::string_view bytes);
void feed_http(std::string_view bytes);  // words.cpp
void feed_words(std::string_view bytes);

// A file of this process that holds `bytes` until the next call; its path.
std::string file_with(std::string_view bytes);

}  // namespace ontime::fuzz
