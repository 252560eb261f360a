#pragma once
// How the part files of a job are stored and called, as a client asks for it (JobSettings::compress, parts_suffix).

#include <string>
#include <string_view>

#include "common/base/codec.h"
#include "common/base/job_settings.h"
#include "common/base/result.h"

namespace ontime {

struct Compression {
  Codec codec = Codec::Plain;  // or Gzip, or Zstd
  int level = 0;
};

// "zstd", "gzip:9"; none at all for an empty text and "none". The error is one sentence.
Result<Compression> read_compression(std::string_view text);

// BadInput where they make no good name, or one that promises a compression which the parts do not have.
Status check_parts(const JobSettings& settings);
// What the names of the job's part files end in: ".jsonl.zst". Of settings that were checked.
std::string parts_ending(const JobSettings& settings);

}  // namespace ontime
