#pragma once

#include <cstdint>

#include "common/base/wording.h"

namespace ontime {

// How an input file is stored. Stream is plain, of a server that cannot send parts: it is read from its begin to its
// end. The numbers are those of wire::Codec.
enum class Codec : std::uint8_t { Plain, Gzip, Zstd, Stream, Xz, Bzip2 };

constexpr const char* name_of(Codec codec) {
  return name_at<Codec::Bzip2>(codec, "plain", "gzip", "zstd", "stream", "xz", "bzip2");
}

}  // namespace ontime
