#include "common/base/compression.h"

#include <gtest/gtest.h>

namespace ontime {
namespace {

std::string error_of(const std::string& text) {
  const auto read = read_compression(text);
  return read ? "" : read.error().message;
}

JobSettings settings(const std::string& compress, const std::string& suffix) {
  JobSettings settings;
  settings.compress = compress;
  settings.parts_suffix = suffix;
  return settings;
}

std::string refusal(const std::string& compress, const std::string& suffix) {
  const Status status = check_parts(settings(compress, suffix));
  return status ? "" : status.error().message;
}

TEST(Compression, HasANameAndALevel) {
  EXPECT_EQ(read_compression("")->codec, Codec::Plain);
  EXPECT_EQ(read_compression("none")->codec, Codec::Plain);
  EXPECT_EQ(read_compression("zstd")->level, 3);
  EXPECT_EQ(read_compression("zstd:19")->level, 19);
  EXPECT_EQ(read_compression("gzip")->codec, Codec::Gzip);
  EXPECT_EQ(read_compression("gzip:1")->level, 1);
}

TEST(Compression, WhatThereIsNotIsRefusedInOneSentence) {
  EXPECT_EQ(error_of("lz4"), "'lz4' is no compression of part files; choose zstd, gzip or none");
  EXPECT_EQ(error_of("zstd:20"), "'20' is no level of zstd; give a whole number from 1 to 19");
  EXPECT_EQ(error_of("gzip:0"), "'0' is no level of gzip; give a whole number from 1 to 9");
  for (const char* wrong : {"gzip:", "zstd:-1", "zstd:3x", "zstd:3:4", "ZSTD", "none:1", ":3"})
    EXPECT_NE(error_of(wrong), "") << wrong;
}

TEST(Compression, NamesOfPartsEndInTheSuffixAndTheFormat) {
  EXPECT_EQ(parts_ending(settings("", "")), "");
  EXPECT_EQ(parts_ending(settings("", ".jsonl")), ".jsonl");
  EXPECT_EQ(parts_ending(settings("zstd:9", "")), ".zst");
  EXPECT_EQ(parts_ending(settings("gzip", ".jsonl")), ".jsonl.gz");
  EXPECT_EQ(parts_ending(settings("zstd", ".jsonl.zst")), ".jsonl.zst") << "as some will say it";
}

TEST(Compression, ASuffixIsAPlainNameAndPromisesNothingElse) {
  for (const char* good : {".jsonl", ".a_b-C.9", ".jsonl.zst"}) EXPECT_EQ(refusal("zstd", good), "") << good;
  for (const std::string& wrong : {std::string("jsonl"), std::string("."), std::string(".."), std::string(".a..b"),
                                   std::string("./a"), std::string(".a/b"), std::string(".a b"), std::string(".a."),
                                   std::string(".\xc3\xa4"), std::string(".a\0b", 4), "." + std::string(32, 'x')})
    EXPECT_NE(refusal("", wrong).find("cannot be the suffix of part files; give a dot and at most 31 letters"),
              std::string::npos)
        << wrong;
  EXPECT_EQ(refusal("", ".jsonl.zst"),
            "part files that end in '.jsonl.zst' would not be compressed so; add --compress, or choose another suffix");
  EXPECT_EQ(refusal("zstd", ".gz"), "part files that end in '.gz' would not be compressed so; choose another suffix");
}

}  // namespace
}  // namespace ontime
