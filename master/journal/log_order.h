#pragma once
// RocksDB's logs hold batches, each with the number of its first entry. RocksDB takes it for granted that these only
// grow, and aborts the process where one comes twice: so they are looked at before it opens them.

#include <string>

namespace ontime::journal {

// The name of the first log in the directory whose batches do not follow each other, or those of the logs before it;
// empty if there is none. A log that is torn or damaged is read up to there: the rest is RocksDB's to judge.
std::string log_out_of_order(const std::string& directory);

}  // namespace ontime::journal
