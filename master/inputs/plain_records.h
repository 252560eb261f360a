#pragma once
// Files whose records plainly are no lines.

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/core/job_spec.h"

namespace ontime::master {

// What `--records` would be told of a file that begins so, uncompressed: warc, fastq, json, json:array or csv. Empty
// where its records are lines, or it cannot be told for certain.
std::string_view plain_records(std::string_view first_bytes);

// The same of a local file, plain or gzip. Reads at most 8 KiB.
std::string plain_records_of(const scheduler::InputFile& file);

// A sentence for people whose job takes lines by default: about the first local file of `inputs`. Empty: none is
// needed.
std::string advice_on_records(const std::vector<scheduler::InputFile>& inputs);

}  // namespace ontime::master
