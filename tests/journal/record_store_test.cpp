#include "master/journal/record_store.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "master/journal/record_codec.h"
#include "tests/journal/record_generators.h"
#include "tests/support/memory_journal.h"

namespace ontime::journal {
namespace {

using scheduler::JournalRecord;

template <class Store>
std::vector<std::string> contents(Store& store) {
  std::vector<std::string> all;
  RC_ASSERT(bool(store.read_all([&](const JournalRecord& one) { all.push_back(encode_record(one)); })));
  return all;
}

std::vector<JournalRecord> any_records() {
  std::vector<JournalRecord> records;
  for (int left = *rc::gen::inRange(0, 30); left > 0; --left)
    records.push_back(test::any_record(*rc::gen::inRange(0, test::kFactKinds)));
  return records;
}

RC_GTEST_PROP(RecordStoreTest, HoldsWhatAnyOtherJournalHoldsAndSoDoesItsSnapshotInPieces, ()) {
  RecordStore store, copy;
  MemoryJournal model;
  for (int batches = *rc::gen::inRange(1, 5); batches > 0; --batches) {
    const std::vector<JournalRecord> records = any_records();
    const std::string batch = encode_batch(records);
    const auto applied = store.apply(batch);
    RC_ASSERT(applied && *applied == batch.size());
    RC_ASSERT(bool(model.append(records)));
  }
  if (*rc::gen::arbitrary<bool>()) {
    const TimePoint latest = from_unix_ns(*rc::gen::arbitrary<std::int64_t>());
    RC_ASSERT(bool(store.apply(encode_set_back(latest))));
    RC_ASSERT(bool(model.set_back(latest)));
  }
  RC_ASSERT(contents(store) == contents(model));
  std::string all;
  store.write([&](std::string_view piece) {
    all += piece;
    return true;
  });
  RC_ASSERT(all.size() == store.bytes());
  const auto size = static_cast<std::size_t>(*rc::gen::inRange(1, 400));
  std::string rest;
  for (std::size_t at = 0; at < all.size(); at += size) {
    rest += all.substr(at, size);
    const auto applied = copy.apply(rest);
    RC_ASSERT(bool(applied));
    rest.erase(0, *applied);
  }
  RC_ASSERT(rest.empty());
  RC_ASSERT(contents(copy) == contents(model));
  RC_ASSERT(copy.bytes() == store.bytes());
}

}  // namespace
}  // namespace ontime::journal
