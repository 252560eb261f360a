#pragma once
// What identifies every journal: the id of its cluster and its format.

#include <string>

namespace ontime::journal {

// 32 random hexadecimal digits. Names the journal, not a secret.
std::string make_cluster_id();

// Why a journal of this format, in decimal, cannot be used: the rest of a sentence. Empty if it can.
std::string wrong_format(const std::string& format);

}  // namespace ontime::journal
