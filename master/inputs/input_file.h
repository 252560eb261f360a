#pragma once
// One input, wherever it lies: what it is now, and whether it can be read.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "master/inputs/input_choice.h"
#include "master/inputs/input_index.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

// Opens it too: permission, a dangling mount or a broken disk shows now and not in a thousand attempts.
using Inspected = Result<scheduler::InputFile, Refusal>;
Inspected inspect_file(const std::string& path, const files::Roots& roots, Changes changes = Changes::Refused,
                       const app::RecordFormat* records = nullptr);
// The same of an address of a web server.
Inspected inspect_remote(const std::string& address, const files::Roots& roots);

// Finds where reading of a compressed file may begin (input_index.h).
void add_index(scheduler::InputFile& file, const IndexEffort& effort, const ReadAt& read);
inline constexpr IndexEffort kRemoteEffort{256u << 10, 64};  // each read is a request

// What is wrong with an input, for sentences about it.
std::string shown(std::string_view path);
Refusal cannot(const char* what, std::string_view path, int problem);
Error outside(std::string_view path, const files::Roots& roots);
Error outside_of_addresses(std::string_view address, const files::Roots& roots);
Refusal not_read(std::string_view input, const http::Failure& failure);

// Adds the file's bytes to those of all inputs. BadInput if these are more than offsets can count.
Status count_bytes(const scheduler::InputFile& file, std::uint64_t& all);
// The path of the file that a path leads to; the path itself if it leads nowhere.
std::string without_links(const std::string& path);

}  // namespace ontime::master
