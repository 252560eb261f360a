#include "master/journal/journal_reader.h"

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "master/journal/texts.h"

namespace ontime::journal {
namespace {

constexpr std::size_t kBlockRecords = 512;  // few enough for a cache
constexpr std::size_t kBlocks = 4;

rocksdb::ReadOptions options() {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  return options;
}

}  // namespace

JournalReader::JournalReader(rocksdb::DB& database, std::map<JobId, std::uint64_t>& next_sequence)
    : at_(database.NewIterator(options())), next_sequence_(next_sequence) {
  at_->SeekToFirst();
}

Status JournalReader::read(const Visit& visit) {
  Block block;
  fill(block);
  visit_all(block, visit);
  if (block.is_last) return status_;
  return read_ahead(visit);
}

void JournalReader::visit_all(const Block& block, const Visit& visit) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < block.records.size(); ++i) {
    visit(block.records[i], std::string_view(block.messages).substr(begin, block.ends[i] - begin));
    begin = block.ends[i];
  }
}

// Blocks go round between the two threads: the caller gives back what it has visited.
Status JournalReader::read_ahead(const Visit& visit) {
  std::array<Block, kBlocks> blocks;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t filled = 0, visited = 0;  // guarded by mutex
  const auto wait_for = [&](const auto& holds) {
    std::unique_lock lock(mutex);
    changed.wait(lock, holds);
  };
  const auto count_up = [&](std::size_t& count) {
    {
      const std::lock_guard lock(mutex);
      ++count;
    }
    changed.notify_one();
  };
  std::jthread reader([&] {
    for (std::size_t number = 0;; ++number) {
      wait_for([&] { return filled - visited < kBlocks; });
      Block& block = blocks[number % kBlocks];
      fill(block);
      const bool is_last = block.is_last;  // the caller may be through with it before count_up() returns
      count_up(filled);
      if (is_last) return;
    }
  });
  for (std::size_t number = 0;; ++number) {
    wait_for([&] { return filled > visited; });
    const Block& block = blocks[number % kBlocks];
    visit_all(block, visit);
    if (block.is_last) break;
    count_up(visited);
  }
  reader.join();
  return status_;
}

void JournalReader::fill(Block& block) {
  block.records.clear();
  block.ends.clear();
  block.messages.clear();
  block.is_last = false;
  for (; at_->Valid() && block.records.size() < kBlockRecords; at_->Next()) {
    if (at_->key()[0] == kMetadataPrefix) continue;
    status_ = read_entry(block);
    block.is_last = !status_;
    if (block.is_last) return;
  }
  block.is_last = !at_->Valid();
  if (!block.is_last || at_->status().ok()) return;
  status_ = failed(at_->status().ToString() + (at_->status().IsCorruption() ? "; it is damaged" : ""));
}

// Of what is wrong nothing is left in the block.
Status JournalReader::read_entry(Block& block) {
  const std::string_view key = at_->key().ToStringView(), value = at_->value().ToStringView();
  if (key[0] < kRecordPrefix) {
    if (Status status = read_one(value, block); !status)
      return failed("a record of the cluster: " + status.error().message);
    if (place_of(block.records.back().fact) == key) return {};
    block.records.pop_back();
    return failed("a record of the cluster lies under another one's key; it is damaged");
  }
  if (std::string wrong = check_key(key); !wrong.empty()) return failed(std::move(wrong));
  for (TextReader texts(value); !texts.is_at_end(); ++*next_) {
    const auto wrong = [this](const std::string& how) {
      return failed("record " + std::to_string(*next_) + " of " + to_string(job_) + how);
    };
    const std::string_view text = texts.take_text();
    if (texts.is_short()) return wrong(" is cut short");
    if (Status status = read_one(text, block); !status) return wrong(": " + status.error().message);
    if (scheduler::job_of(block.records.back().fact) == job_) continue;
    block.records.pop_back();
    return wrong(" belongs to another job");
  }
  return value.empty() ? Status(failed("it holds an entry of " + to_string(job_) + " without records; it is damaged"))
                       : Status();
}

Status JournalReader::read_one(std::string_view value, Block& block) {
  Status status = decoder_.decode(value, block.records.emplace_back());
  if (!status) {
    block.records.pop_back();
    return status;
  }
  block.messages += message_of(value);
  block.ends.push_back(block.messages.size());
  return status;
}

// What is wrong with the key of records of a job. Empty: nothing, and job_ and next_ are theirs.
std::string JournalReader::check_key(std::string_view bytes) {
  const std::optional<RecordKey> key = decode_key(bytes);
  if (!key) return "it holds a key that is not a record's; it is damaged";
  if (next_ == nullptr || key->job != job_) next_ = &next_sequence_[job_ = key->job];
  if (key->sequence == *next_) return "";
  if (key->sequence < *next_)
    return "record " + std::to_string(key->sequence) + " of " + to_string(key->job) + " is there twice; it is damaged";
  return "records before record " + std::to_string(key->sequence) + " of " + to_string(key->job) + " are missing";
}

}  // namespace ontime::journal
