#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "apps/exec/command.h"

namespace ontime::apps::test {
namespace {

TEST(InputPipe, HoldsLittleForACommandThatDoesNotReadAndCountsWhatItDoes) {
  Pipe pipe = make_pipe();
  make_non_blocking(pipe.read_end);
  InputPipe input(std::move(pipe.write_end));
  const std::string text(100'000, 'x');
  std::string_view left = text;
  for (int i = 0; i < 10; ++i) input.send_some(left);
  const std::size_t sent = text.size() - left.size();
  EXPECT_EQ(sent, static_cast<std::size_t>(InputPipe::kBytesMin));
  EXPECT_EQ(input.taken(), 0u);
  EXPECT_TRUE(input.has_waiting());
  std::string read(1000, '\0');
  ASSERT_EQ(::read(pipe.read_end.get(), read.data(), read.size()), 1000);
  EXPECT_EQ(input.taken(), 1000u);
  input.close();
  EXPECT_FALSE(input.open());
  EXPECT_EQ(input.taken(), 1000u);
  read.resize(text.size());
  ASSERT_EQ(::read(pipe.read_end.get(), read.data(), read.size()), static_cast<ssize_t>(sent - 1000));
  EXPECT_EQ(input.taken(), sent);
  EXPECT_EQ(::read(pipe.read_end.get(), read.data(), read.size()), 0);  // the end is seen though somebody watches
}

TEST(InputPipe, WhatIsReadAtOnceAtTheBeginningIsNoPace) {
  Pipe pipe = make_pipe();
  make_non_blocking(pipe.read_end);
  InputPipe input(std::move(pipe.write_end));
  std::string read(100'000, '\0');
  const std::string text(100'000, 'x');
  std::string_view left = std::string_view(text).substr(0, 60);
  input.send_some(left);
  ASSERT_EQ(::read(pipe.read_end.get(), read.data(), read.size()), 60);
  left = text;
  for (int i = 0; i < 10; ++i) input.send_some(left);
  EXPECT_EQ(text.size() - left.size(), static_cast<std::size_t>(InputPipe::kBytesMin));
}

}  // namespace
}  // namespace ontime::apps::test
