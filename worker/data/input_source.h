#pragma once
// The bytes of one input as a sequential stream, decompressed. Offsets count the uncompressed stream.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "worker/data/fault.h"
#include "worker/data/input_file.h"

namespace ontime::worker {

class InputSource {
 public:
  virtual ~InputSource() = default;

  // The next bytes, at most `size` > 0 of them; fewer only at the end, 0 after it.
  virtual Outcome<std::size_t> read(char* to, std::size_t size) = 0;
  // Goes on to `offset` of the stream, which must not lie behind; returns where it really stands: less if the stream
  // ends before. A compressed stream has to be read and thrown away.
  virtual Outcome<std::uint64_t> skip_to(std::uint64_t offset) = 0;
};

// `input` must outlive the source.
std::unique_ptr<InputSource> make_source(const OpenedInput& input);

}  // namespace ontime::worker
