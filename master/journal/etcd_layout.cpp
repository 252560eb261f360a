#include "master/journal/etcd_layout.h"

#include <cstdio>

#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "common/base/units.h"

namespace ontime::journal {
namespace {

constexpr std::size_t kBatchDigits = 16, kPartDigits = 8;
constexpr std::size_t kSnapshotBytes = kChainBytes + 8 + 8 + 4 + 4;

std::string digits(std::uint64_t number, std::size_t count) {
  char text[kBatchDigits + 1];
  std::snprintf(text, sizeof text, "%0*llx", static_cast<int>(count), static_cast<unsigned long long>(number));
  return text;
}

}  // namespace

std::string encode_snapshot(const EtcdSnapshot& snapshot) {
  const std::string bytes = encode_chain(snapshot.chain) + little_endian(snapshot.parts, 8) +
                            little_endian(snapshot.bytes, 8) + little_endian(snapshot.checksum, 4);
  return bytes + little_endian(crc32c(bytes), 4);
}

std::optional<EtcdSnapshot> decode_snapshot(std::string_view bytes) {
  if (bytes.size() != kSnapshotBytes) return std::nullopt;
  const std::optional<Chain> chain = decode_chain(bytes.substr(0, kChainBytes));
  if (!chain) return std::nullopt;
  const std::string_view rest = bytes.substr(kChainBytes);
  const EtcdSnapshot snapshot{*chain, from_little_endian(rest.substr(0, 8)), from_little_endian(rest.substr(8, 8)),
                              from_little_endian<std::uint32_t>(rest.substr(16, 4))};
  return encode_snapshot(snapshot) == bytes ? std::optional(snapshot) : std::nullopt;
}

std::string EtcdLayout::log_from(std::uint64_t batch) const { return below_ + "log/" + digits(batch, kBatchDigits); }

std::string EtcdLayout::log_part(std::uint64_t batch, std::uint64_t part, std::uint64_t parts) const {
  return log_from(batch) + "/" + digits(part, kPartDigits) + "." + digits(parts, kPartDigits);
}

std::string EtcdLayout::snapshot_from(std::uint64_t batch) const {
  return below_ + "snapshot/" + digits(batch, kBatchDigits);
}

std::string EtcdLayout::snapshot_part(std::uint64_t batch, std::uint64_t part) const {
  return snapshot_from(batch) + "/" + digits(part, kPartDigits);
}

std::optional<EtcdLayout::LogPlace> EtcdLayout::log_place(std::string_view key) const {
  const std::size_t begin = below_.size() + 4;
  if (key.size() != begin + kBatchDigits + 1 + kPartDigits + 1 + kPartDigits) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t count) {
    return number_in<std::uint64_t>(key.substr(begin + at, count), 16);
  };
  const auto batch = number(0, kBatchDigits), part = number(kBatchDigits + 1, kPartDigits),
             parts = number(kBatchDigits + kPartDigits + 2, kPartDigits);
  if (!batch || !part || !parts || *part >= *parts) return std::nullopt;
  return LogPlace{*batch, *part, *parts};
}

}  // namespace ontime::journal
