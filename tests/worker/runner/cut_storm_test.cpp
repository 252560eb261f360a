// Cuts at random moments while an attempt runs. Whatever they are, the sealed segments tile the split and their
// outputs, put together in order, are the input.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include "common/base/byte_range.h"
#include "common/base/crc32c.h"
#include "tests/worker/data/input_files.h"
#include "tests/worker/runner/fake_worker.h"
#include "worker/runner/run_loop.h"

namespace ontime::worker {
namespace {

using namespace test;

// Copies its input at the seal, and asks for cuts of its own attempt while it maps: the worker's part, but at moments
// that a seed decides. Some of them the worker answers at once, as it does for a runner that is inside a record.
class StormMapper final : public app::Mapper {
 public:
  StormMapper(SharedBlock& block, std::mt19937_64& random) : block_(block), random_(random) {}

  void begin_run(ByteRange range, RunnerChannel& channel) {
    range_ = range;
    channel_ = &channel;
  }

  void begin_segment(std::uint64_t) override { has_asked_ = cut_perhaps(); }
  void map(const app::Batch& batch, app::Output&) override {
    held_.append(batch.bytes);
    near_ = batch.offset + batch.bytes.size();
    if (!std::exchange(has_asked_, false)) cut_perhaps();
  }
  void flush(app::Output& out) override {
    out.write(held_);
    held_.clear();
    if (!std::exchange(has_asked_, false)) cut_perhaps();
  }

 private:
  // A request before the last one is answered would break the contract. It is answered before the next block, so there
  // may be one in a block: not in begin_segment() and in map() behind it.
  bool cut_perhaps() {
    if (random_() % 4 != 0) return false;
    const std::uint64_t ahead = random_() % (random_() % 3 == 0 ? 3000 : 200);
    const std::uint64_t behind = std::min<std::uint64_t>(near_, random_() % 60);
    const Cut cut{near_ + ahead - behind, random_() % 2 == 0};
    if (block_->claims.is_cut()) return answer(cut);
    block_.cut(cut.at, cut.release);
    return random_() % 3 != 0 || !answer(cut);
  }

  // What the worker says to the master takes its place between what the runner says.
  bool answer(Cut cut) {
    const auto at = block_->claims.cut(cut, range_, claimed_);
    if (!at) return false;
    wire::FromRunner message;
    message.mutable_cut()->set_at(*at);
    message.mutable_cut()->set_release(cut.release);
    return channel_->send(message).has_value();
  }

  SharedBlock& block_;
  std::mt19937_64& random_;
  std::string held_;
  std::uint64_t near_ = 0;
  bool has_asked_ = false;  // in begin_segment()
  ByteRange range_;
  RunnerChannel* channel_ = nullptr;
  std::uint64_t claimed_ = 0;
};

// What the master would know: which ranges are sealed with which output, and which still have to be handed out.
class Board {
 public:
  Board(const std::string& directory, std::uint64_t end) : directory_(directory) { open_[0] = end; }

  bool is_done() const { return open_.empty(); }
  // Takes the first open range to be run.
  ByteRange take() {
    const auto first = open_.extract(open_.begin());
    return {first.key(), first.mapped()};
  }
  std::string next_output() { return directory_ + "/" + std::to_string(outputs_++); }

  // Applies what the attempt on `range` said; checks that it accounts for all of it.
  void account(ByteRange range, const std::string& output, const std::vector<wire::FromRunner>& messages) {
    ASSERT_TRUE(!messages.empty() && messages.back().has_finished());
    const std::string bytes = read_file(output);
    std::uint64_t at = range.begin;
    std::uint64_t end = range.end;
    for (const wire::FromRunner& message : messages) {
      if (message.has_cut() && message.cut().release() && message.cut().at() < end) {
        ASSERT_GE(message.cut().at(), at);
        open_[message.cut().at()] = end;
        end = message.cut().at();
      }
      if (!message.has_sealed()) continue;
      const wire::Sealed& sealed = message.sealed();
      ASSERT_EQ(sealed.range().begin(), at);
      at = sealed.range().end();
      ASSERT_LE(at, end);
      ASSERT_TRUE(sealed.input_end() == at || (at == kUnknownEnd && sealed.input_end() >= sealed.range().begin()));
      const std::string part = bytes.substr(sealed.output().file_offset(), sealed.output().length());
      ASSERT_EQ(part.size(), sealed.output().length());
      ASSERT_EQ(crc32c(part), sealed.output().crc32c());
      records_ += sealed.output().records();
      sealed_[sealed.range().begin()] = part;
    }
    ASSERT_EQ(at, end);
  }

  std::string result() const {
    std::string all;
    for (const auto& [begin, part] : sealed_) all += part;
    return all;
  }
  std::uint64_t records() const { return records_; }
  std::size_t segments() const { return sealed_.size(); }

 private:
  std::string directory_;
  int outputs_ = 0;
  std::map<std::uint64_t, std::uint64_t> open_;
  std::map<std::uint64_t, std::string> sealed_;
  std::uint64_t records_ = 0;
};

std::string random_content(std::mt19937_64& random, std::size_t size) {
  std::string content;
  while (content.size() < size) {
    std::string line(random() % (random() % 8 == 0 ? 300 : 30), static_cast<char>('a' + random() % 26));
    content += line + (random() % 5 == 0 ? "\r\n" : "\n");
  }
  if (random() % 2 == 0) content.pop_back();
  return content;
}

InputFile store(const TemporaryDirectory& directory, const std::string& content, Codec codec) {
  write_file(directory.file("input"), codec == Codec::Plain  ? content
                                      : codec == Codec::Gzip ? gzip(content)
                                                             : zstd(content));
  return describe(directory.file("input"), codec);
}

// Runs one range after another until all is sealed, in this thread; the messages wait in the socket.
void storm(Board& board, const InputFile& file, RecordRule rule, std::mt19937_64& random) {
  SharedBlock block;
  StormMapper mapper(block, random);
  RunContext context(app::ParameterValues({}));
  while (!board.is_done()) {
    SocketPair sockets = make_socket_pair();
    RunnerChannel channel(std::move(sockets.theirs));
    const ByteRange range = board.take();
    const std::string output = board.next_output();
    const auto order = make_run(file, range.begin, range.end, output, block->cut_sequence.load());
    block->claims.reset(range.begin);
    mapper.begin_run(range, channel);
    std::vector<wire::FromRunner> messages;
    std::thread listener([&] {
      MessageReader<wire::FromRunner> reader(sockets.ours.get());
      messages = read_attempt(reader);
    });
    const std::size_t block_bytes = 16 + random() % 200;
    const AttemptStatus status = AttemptRun({mapper, context, channel, *block, rule, block_bytes}, order.run()).run();
    wire::FromRunner last;
    last.mutable_finished();
    ASSERT_TRUE(channel.send(last));
    listener.join();
    ASSERT_TRUE(status) << status.error().message;
    ASSERT_NO_FATAL_FAILURE(board.account(range, output, messages));
  }
}

TEST(CutStorm, SeededCutsNeverLoseOrDoubleAByte) {
  std::size_t segments = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const TemporaryDirectory directory;
    const auto codec = static_cast<Codec>(random() % 3);
    const std::uint32_t record_bytes = random() % 4 == 0 ? 7 : 0;
    std::string content = random_content(random, 1 + random() % 3000);
    if (record_bytes > 0) content.resize(content.size() / record_bytes * record_bytes + record_bytes, 'x');
    const InputFile file = store(directory, content, codec);
    Board board(directory.path(), codec == Codec::Plain ? file.size : kUnknownEnd);
    ASSERT_NO_FATAL_FAILURE(storm(
        board, file,
        RecordRule{record_bytes > 0 ? std::make_shared<app::FixedRecords>(record_bytes) : RecordRule::line_format(),
                   1 << 20},
        random));
    ASSERT_EQ(board.result(), content);
    ASSERT_EQ(board.records(), record_bytes > 0 ? content.size() / record_bytes : lines_of(content).size());
    segments += board.segments();
  }
  EXPECT_GT(segments, 1000u);  // it was a storm
}

// The same with the cuts, and the worker's answers, from another thread, at moments that nobody decides.
TEST(CutStorm, CutsFromAnotherThreadNeverLoseOrDoubleAByte) {
  std::size_t answers_of_worker = 0;
  for (std::uint64_t seed = 1; seed <= 40 || answers_of_worker < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const TemporaryDirectory directory;
    const std::string content = random_content(random, 200'000);
    const InputFile file = store(directory, content, Codec::Plain);
    Board board(directory.path(), file.size);
    SharedBlock block;
    SocketPair sockets = make_socket_pair();
    std::thread runner([&block, socket = sockets.theirs.release()] {
      RunnerChannel channel{Descriptor(socket)};
      RunLoop(channel, *block, 512).serve();
    });
    MessageReader<wire::FromRunner> reader(sockets.ours.get());
    send_message(sockets.ours.get(), make_setup({}));
    while (!board.is_done()) {
      const ByteRange range = board.take();
      const std::string output = board.next_output();
      std::atomic<std::uint64_t> answered = block->cut_sequence.load();
      std::atomic<bool> is_over = false;
      block->claims.reset(range.begin);
      send_message(sockets.ours.get(), make_run(file, range.begin, range.end, output, answered));
      std::vector<wire::FromRunner> messages;
      std::vector<wire::FromRunner> of_worker;
      std::thread cutter([&, asked = answered.load(), mine = std::mt19937_64(random())]() mutable {
        std::uint64_t claimed = 0;
        for (int i = 0; i < 20; ++i) {
          while (answered != asked && !is_over) std::this_thread::yield();
          if (is_over) break;
          const Cut cut{block->offset.load() + mine() % 5000, mine() % 3 == 0};
          if (!block->claims.is_cut()) asked = block.cut(cut.at, cut.release);
          if (mine() % 2 == 0) continue;
          for (auto left = mine() % 500; left > 0; --left) std::atomic_signal_fence(std::memory_order_seq_cst);
          const auto at = block->claims.cut(cut, range, claimed);
          if (!at) continue;
          answered = asked;
          of_worker.emplace_back().mutable_cut()->set_at(*at);
          of_worker.back().mutable_cut()->set_release(cut.release);
        }
      });
      while (auto message = reader.next()) {
        if (message->has_cut()) answered = message->cut_sequence();
        messages.push_back(std::move(*message));
        if (messages.back().has_finished() || messages.back().has_failed()) break;
      }
      is_over = true;
      cutter.join();
      answers_of_worker += of_worker.size();
      messages.insert(messages.begin(), of_worker.begin(), of_worker.end());
      ASSERT_NO_FATAL_FAILURE(board.account(range, output, messages));
    }
    sockets.ours.close();
    runner.join();
    ASSERT_TRUE(board.result() == content);
  }
}

}  // namespace
}  // namespace ontime::worker
