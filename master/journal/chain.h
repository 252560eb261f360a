#pragma once
// What ties the batches of a journal together: how many there were, and a checksum over all of them. Each batch holds
// the links so far, itself included, and the file beside the database (directory_lock.h) notes them once the batch is
// durable. So a journal that ends before what was noted has lost what it had promised, where without it damage to the
// last log looks like the cut tail that a crash leaves.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ontime::journal {

struct Chain {
  std::uint64_t batches = 0;
  std::uint32_t checksum = 0;  // CRC-32C of the checksum so far and the batch, over all batches
  bool operator==(const Chain&) const = default;

  Chain with(std::string_view batch) const;
};

inline constexpr std::size_t kChainBytes = 16;
std::string encode_chain(const Chain& chain);                   // kChainBytes
std::optional<Chain> decode_chain(std::string_view bytes);  // nothing unless it is exactly what was encoded

}  // namespace ontime::journal
