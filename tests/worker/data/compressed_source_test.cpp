// What may follow the end of a stream, how much memory it may take, and what it may hold.
#include "worker/data/compressed_source.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

#include "common/base/byte_range.h"
#include "tests/worker/data/input_files.h"
#include "worker/data/record_reader.h"

namespace ontime::worker {
namespace {

using namespace test;

// Of a stored file; the error, if it cannot be read.
std::string content_or_error(const TemporaryDirectory& directory, Codec codec, const std::string& stored,
                             const InputAccess& access = {}) {
  write_file(directory.file("input"), stored);
  const auto reader = RecordReader::open(describe(directory.file("input"), codec), {}, 0, 1000, access);
  std::string content;
  auto block = (*reader)->next(kUnknownEnd);
  for (; block && block->records > 0; block = (*reader)->next(kUnknownEnd)) content += block->batch.bytes;
  return block ? content : block.error().message;
}

TEST(CompressedSource, WhatMayFollowTheEndOfAStreamIsTheSameInEveryFormat) {
  using enum Codec;
  const TemporaryDirectory directory;
  const std::string one = "some\n", two = "text\n", zeros(1001, '\0');
  for (const auto& [codec, first, second] : {std::tuple{Gzip, gzip(one), gzip(two)},
                                             {Zstd, zstd_without_size(one), zstd_without_size(two)},
                                             {Xz, xz({one}), xz({two})},
                                             {Bzip2, bzip2(one, 1), bzip2(two, 1)}}) {
    for (const std::string& padding : {std::string(), zeros}) {
      EXPECT_EQ(content_or_error(directory, codec, first + padding + second + padding), one + two) << name_of(codec);
      for (const char* more : {"j", "garbage that is longer than all headers", "PK and no frame"}) {
        const std::string error = content_or_error(directory, codec, first + second + padding + more);
        EXPECT_NE(error.find("what follows its end is no " + std::string(name_of(codec))), std::string::npos) << error;
      }
    }
  }
}

TEST(CompressedSource, AWindowThatIsTooLargeIsSaidAndReadOnceItIsAllowed) {
  using enum Codec;
  const TemporaryDirectory directory;
  // A frame that asks for 256 MiB and has one block of 5 bytes that are no more than stored.
  const std::string frame = std::string("\x28\xb5\x2f\xfd\x00\x90\x29\0\0", 9) + "text\n";
  for (const auto& [codec, stored] : {std::pair{Zstd, frame}, {Xz, xz({"text\n"})}}) {
    const auto read = [&](std::uint64_t most) {
      return content_or_error(directory, codec, stored, {.window_bytes_max = most});
    };
    const std::string error = read(codec == Zstd ? 128u << 20 : 100'000);
    EXPECT_NE(error.find(codec == Zstd ? "takes 256.0 MiB of memory, and the job allows 128.0 MiB; raise that with "
                                         "--max-window 256MiB"
                                       : "the job allows 97.7 KiB; raise that with --max-window 1MiB"),
              std::string::npos)
        << error;
    EXPECT_EQ(read(256u << 20), "text\n");
  }
}

TEST(CompressedSource, WhatHoldsNoTextWhenItIsDecompressedIsNotReadAsText) {
  const TemporaryDirectory directory;
  std::string archive(1024, '\0');
  archive.replace(0, 6, "a file").replace(257, 5, "ustar");
  for (const auto& [codec, stored] : {std::pair{Codec::Gzip, gzip(archive)}, {Codec::Xz, xz({archive})}})
    EXPECT_NE(content_or_error(directory, codec, stored).find("holds a tar archive"), std::string::npos);
  EXPECT_NE(content_or_error(directory, Codec::Gzip, gzip(gzip("text\n"))).find("compressed once more"),
            std::string::npos);
}

}  // namespace
}  // namespace ontime::worker
