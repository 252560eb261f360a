#include "master/recording/reader.h"

#include <gtest/gtest.h>

#include <fstream>

#include "master/recording/block.h"
#include "tests/recording/recorded_history.h"
#include "tests/support/temporary_directory.h"

namespace ontime::recording::test {
namespace {

using ontime::test::TemporaryDirectory;

class ReaderOfDamage : public testing::Test {
 protected:
  ReaderOfDamage() {
    RecordedHistory history({directory_ / "recordings", 1u << 30, [](const std::string&) {}}, 1);
    history.run_job(2);
    history.end();
    bytes_ = ontime::test::read_file(path_of(directory_ / "recordings", 1));
    whole_ = read_all(path_of(directory_ / "recordings", 1)).entries.size();
  }
  Contents read(const std::string& bytes) {
    std::ofstream(directory_ / "changed.otr", std::ios::binary | std::ios::trunc) << bytes;
    return read_all(directory_ / "changed.otr");
  }

  TemporaryDirectory directory_;
  std::string bytes_;
  std::size_t whole_ = 0;
};

TEST_F(ReaderOfDamage, AnyFlippedBitIsRefusedWithOneSentenceOrCutsTheTailOff) {
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    std::string flipped = bytes_;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    const Contents contents = read(flipped);
    EXPECT_TRUE(!contents.error.empty() || contents.torn_bytes != 0) << at;
    EXPECT_LT(contents.entries.size(), whole_);
    EXPECT_EQ(contents.error.find('\n'), std::string::npos);
  }
}

TEST_F(ReaderOfDamage, AnyCutIsATornTail) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    const Contents contents = read(bytes_.substr(0, size));
    EXPECT_EQ(contents.error, "") << size;
    EXPECT_LT(contents.entries.size(), whole_) << size;
  }
}

TEST_F(ReaderOfDamage, ADroppedBlockIsNoticed) {
  RecordedHistory history({directory_ / "more", 1u << 30, [](const std::string&) {}}, 1);
  for (int job = 0; job < 3; ++job) history.run_job(12'000);  // three blocks, however rarely the recorder's thread runs
  history.end();
  const std::string bytes = ontime::test::read_file(path_of(directory_ / "more", 1));
  const auto number = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) |
           static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 1])) << 8 |
           static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 2])) << 16;
  };
  const std::size_t first = 16 + number(8 + 4);
  const std::size_t second = 16 + number(8 + first + 4);
  ASSERT_LT(8 + first + second, bytes.size());
  const Contents contents = read(bytes.substr(0, 8 + first) + bytes.substr(8 + first + second));
  EXPECT_NE(contents.error.find("a block is missing"), std::string::npos) << contents.error;
}

TEST_F(ReaderOfDamage, OtherFilesAreRefused) {
  EXPECT_NE(read("ONTIMER2").error.find("is not a recording"), std::string::npos);
  EXPECT_NE(read("something else altogether").error.find("is not a recording"), std::string::npos);
  EXPECT_NE(read_all(directory_ / "nowhere").error.find("is there such a file"), std::string::npos);
}

}  // namespace
}  // namespace ontime::recording::test
