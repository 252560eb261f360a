#pragma once
// Bytes of unknown origin made fit for messages and logs.

#include <cstddef>
#include <string>
#include <string_view>

namespace ontime::worker {

// Completes "the attempt's process ...", from a status as waitpid gives it: "was killed by signal 11 (Segmentation
// fault)", "exited with status 3 before it had finished". A SIGKILL is taken for one that this worker did not send.
std::string describe_process_end(int wait_status);

// The same text with U+FFFD in place of every byte that is not part of valid UTF-8.
std::string to_utf8(std::string_view bytes);

// The first / last part of a valid text, of at most `bytes_max` bytes, without splitting a character.
std::string_view head_of(std::string_view text, std::size_t bytes_max);
std::string_view tail_of(std::string_view text, std::size_t bytes_max);

}  // namespace ontime::worker
