#pragma once
// The keys of a journal in etcd, below its prefix. Numbers in keys are hexadecimal, of 16 and 8 digits.
//
//   PREFIX/meta                   the journal's format and cluster: "9 0123..."; made with the journal
//   PREFIX/leader                 the name of the master that leads; goes with its lease. Its create revision tells one
//                                 leadership from every other
//   PREFIX/head                   the chain of all batches (directory.h): how many there are
//   PREFIX/log/BATCH/PART.PARTS   batches behind the snapshot, numbered from 1, in parts that etcd takes. Those behind
//   the
//                                 head are not stored yet, and not of the journal
//   PREFIX/snapshot/BATCH/PART    all records as of a batch, as one batch (record_store.h), in parts
//   PREFIX/current                which snapshot counts, its parts and its checksum; none: the log is everything
//
// Everything is written by one transaction each that compares the leader's create revision, so that only the leader
// writes; the one that moves the head compares what it was.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "master/journal/directory.h"
#include "master/journal/etcd_client.h"

namespace ontime::journal {

// Of a value; etcd takes requests of 1.5 MiB unless --max-request-bytes says otherwise.
inline constexpr std::size_t kEtcdPartBytes = 512u << 10;

struct EtcdSnapshot {
  Chain chain{};  // of the batches that it stands for; none: there is no snapshot
  std::uint64_t parts = 0;
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;  // CRC-32C of all bytes
  bool operator==(const EtcdSnapshot&) const = default;
};

std::string encode_snapshot(const EtcdSnapshot& snapshot);
std::optional<EtcdSnapshot> decode_snapshot(std::string_view bytes);

class EtcdLayout {
 public:
  explicit EtcdLayout(const std::string& prefix) : below_(prefix + "/") {}

  std::string meta() const { return below_ + "meta"; }
  std::string leader() const { return below_ + "leader"; }
  std::string head() const { return below_ + "head"; }
  std::string current() const { return below_ + "current"; }
  // Where the parts of that batch, and of later ones, begin.
  std::string log_from(std::uint64_t batch) const;
  std::string log_end() const { return below_ + "log0"; }  // '0' follows '/'
  std::string log_part(std::uint64_t batch, std::uint64_t part, std::uint64_t parts) const;
  std::string snapshot_from(std::uint64_t batch) const;
  std::string snapshot_end() const { return below_ + "snapshot0"; }
  std::string snapshot_part(std::uint64_t batch, std::uint64_t part) const;

  struct LogPlace {
    std::uint64_t batch = 0;
    std::uint64_t part = 0;
    std::uint64_t parts = 0;
  };
  std::optional<LogPlace> log_place(std::string_view key) const;

  EtcdCompare leads(std::int64_t leadership) const { return {.key = leader(), .created = leadership}; }

 private:
  const std::string below_;
};

}  // namespace ontime::journal
