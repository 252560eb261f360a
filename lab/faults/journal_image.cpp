#include "lab/faults/journal_image.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "common/base/crc32c.h"
#include "master/journal/record_codec.h"

namespace ontime::lab::faults {
namespace {

constexpr std::size_t kHeaderBytes = 8;

void put_number(std::string& to, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) to.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

std::uint32_t number_at(std::string_view bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
  return value;
}

// Takes the record in front; nothing if it is not whole.
std::string_view take_record(std::string_view& body) {
  if (body.size() < 4 || body.size() - 4 < number_at(body)) return {};
  const std::string_view record = body.substr(4, number_at(body));
  body.remove_prefix(4 + record.size());
  return record;
}

}  // namespace

void JournalContent::apply(const scheduler::JournalRecord& record, std::string encoded) {
  if (const auto removed = journal::removed_by(record.fact)) {
    cluster.erase(cluster.lower_bound(removed->first), cluster.lower_bound(removed->second));
    if (const JobId job = scheduler::job_of(record.fact); job != JobId{}) records.erase(job);
  } else if (const auto place = journal::place_of(record.fact)) {
    cluster[*place] = std::move(encoded);
  } else {
    records[scheduler::job_of(record.fact)].push_back(std::move(encoded));
  }
}

void JournalImage::begin(const std::vector<std::string>& batch) {
  ++batches_;
  std::string body;
  for (const std::string& record : batch) {
    put_number(body, static_cast<std::uint32_t>(record.size()));
    body += record;
  }
  under_way_.clear();
  put_number(under_way_, static_cast<std::uint32_t>(body.size()));
  put_number(under_way_, crc32c(body));
  under_way_ += body;
}

void JournalImage::finish() { disk_ += std::exchange(under_way_, {}); }

void JournalImage::tear(double share) {
  const auto bytes = static_cast<std::size_t>(share * static_cast<double>(under_way_.size()) + 0.5);
  disk_ += under_way_.substr(0, bytes);
  under_way_.clear();
}

bool JournalImage::recover(JournalContent& content) {
  const auto take = [&](std::string_view encoded) {
    const Result<scheduler::JournalRecord> record = journal::decode_record(encoded);
    if (record) content.apply(*record, std::string(encoded));
    return record.has_value();
  };
  std::string_view rest = disk_;
  while (rest.size() >= kHeaderBytes) {
    const std::uint32_t length = number_at(rest);
    const std::uint32_t checksum = number_at(rest.substr(4));
    std::string_view body = rest.substr(kHeaderBytes, length);
    const bool is_whole = body.size() == length && crc32c(body) == checksum;
    if (!is_whole) break;
    for (std::string_view record = take_record(body); !record.empty(); record = take_record(body)) {
      if (!take(record)) return false;
    }
    rest.remove_prefix(std::min(rest.size(), kHeaderBytes + length));
  }
  disk_.resize(disk_.size() - rest.size());
  return true;
}

}  // namespace ontime::lab::faults
