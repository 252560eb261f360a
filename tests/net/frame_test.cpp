#include "common/protocol/frame.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "common/protocol/control.pb.h"

namespace ontime::protocol {
namespace {

constexpr std::size_t kReadBytesMax = 16u << 10;  // what a decoder may hold beyond its limit

// Protobuf accepts only UTF-8 in a string: the high bit goes.
wire::Hello hello_with(std::string text) {
  for (char& c : text) c = static_cast<char>(c & 0x7f);
  wire::Hello hello;
  hello.set_cluster(std::move(text));
  return hello;
}

std::string header(std::uint32_t length) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes;
}

// What a decoder made of a stream: the payloads, and whether it was found broken.
struct Decoded {
  std::vector<std::string> payloads;
  bool is_broken = false;
};

void take_payloads(FrameDecoder& decoder, Decoded& into) {
  while (!into.is_broken) {
    const auto payload = decoder.next();
    if (!payload)
      into.is_broken = true;
    else if (!*payload)
      return;
    else
      into.payloads.emplace_back(**payload);
  }
}

// Feeds `bytes` in pieces of the given sizes, in turn (0: as much as fits).
Decoded decode(FrameDecoder& decoder, std::string_view bytes, const std::vector<std::size_t>& sizes = {0}) {
  Decoded decoded;
  for (std::size_t turn = 0; !bytes.empty() && !decoded.is_broken; ++turn) {
    const auto space = decoder.space();
    const std::size_t wanted = sizes[turn % sizes.size()];
    const std::size_t size = std::min({wanted == 0 ? bytes.size() : wanted, bytes.size(), space.size()});
    std::memcpy(space.data(), bytes.data(), size);
    decoder.received(size);
    bytes.remove_prefix(size);
    take_payloads(decoder, decoded);
  }
  return decoded;
}

TEST(Frame, IsALittleEndianLengthAndThePayload) {
  const auto hello = hello_with("abc");
  std::string bytes = "before";
  append_frame(bytes, hello);
  const std::string payload = hello.SerializeAsString();
  EXPECT_EQ(bytes, "before" + header(static_cast<std::uint32_t>(payload.size())) + payload);
}

TEST(Frame, AnEmptyMessageIsAFrameWithoutPayload) {
  std::string bytes;
  append_frame(bytes, wire::Hello());
  EXPECT_EQ(bytes, header(0));
  FrameDecoder decoder;
  EXPECT_EQ(decode(decoder, bytes + bytes).payloads, (std::vector<std::string>{"", ""}));
}

TEST(FrameDecoder, AnyMessagesCutAnywhereComeOutTheSame) {
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& tokens) {
    const auto sizes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 40)));
    std::string bytes;
    std::vector<std::string> expected;
    for (const auto& token : tokens) {
      const auto hello = hello_with(token);
      append_frame(bytes, hello);
      expected.push_back(hello.SerializeAsString());
    }
    FrameDecoder decoder;
    const auto decoded = decode(decoder, bytes, sizes);
    RC_ASSERT(!decoded.is_broken);
    RC_ASSERT(decoded.payloads == expected);
    RC_ASSERT(!decoder.has_partial_frame());
  }));
}

TEST(FrameDecoder, LargeFramesBetweenSmallOnesComeOutTheSame) {
  EXPECT_TRUE(rc::check([] {
    const auto lengths = *rc::gen::container<std::vector<std::size_t>>(
        rc::gen::element<std::size_t>(0, 1, 4095, 4096, 16384, 70000, 300000));
    const auto sizes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 90000)));
    std::string bytes;
    std::vector<std::string> expected;
    for (const std::size_t length : lengths) {
      expected.emplace_back(length, static_cast<char>('a' + expected.size() % 26));
      bytes += header(static_cast<std::uint32_t>(length)) + expected.back();
    }
    FrameDecoder decoder(300000);
    RC_ASSERT(decode(decoder, bytes, sizes).payloads == expected);
    RC_ASSERT(decoder.capacity() <= 300000 + kFrameHeaderBytes + kReadBytesMax);
  }));
}

TEST(FrameDecoder, TheLimitItselfIsAllowedAndOneMoreIsNot) {
  FrameDecoder at_limit(1000);
  EXPECT_EQ(decode(at_limit, header(1000) + std::string(1000, 'x')).payloads.size(), 1u);
  FrameDecoder above(1000);
  EXPECT_TRUE(decode(above, header(1001)).is_broken);
}

TEST(FrameDecoder, FramesBeforeAHostileLengthAreStillGiven) {
  FrameDecoder decoder;
  const auto decoded = decode(decoder, header(2) + "ok" + header(0xffffffffu) + "rubbish");
  EXPECT_EQ(decoded.payloads, std::vector<std::string>{"ok"});
  EXPECT_TRUE(decoded.is_broken);
  EXPECT_FALSE(decoder.next());  // and it stays broken
}

TEST(FrameDecoder, ATruncatedFrameGivesNothingAndIsSeen) {
  std::string bytes;
  append_frame(bytes, hello_with("a token of some length"));
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    FrameDecoder decoder;
    const auto decoded = decode(decoder, std::string_view(bytes).substr(0, size));
    EXPECT_TRUE(decoded.payloads.empty());
    EXPECT_FALSE(decoded.is_broken);
    EXPECT_TRUE(decoder.has_partial_frame());
  }
}

TEST(FrameDecoder, AnAnnouncedLengthReservesNoMemory) {
  FrameDecoder decoder;
  decode(decoder, header(kFrameBytesMax) + "only these bytes");
  EXPECT_LE(decoder.capacity(), 2 * kReadBytesMax);
}

TEST(FrameDecoder, ALargeBufferIsGivenBackOnceItIsEmpty) {
  FrameDecoder decoder;
  const std::size_t size = 8u << 20;
  EXPECT_EQ(decode(decoder, header(size) + std::string(size, 'x')).payloads.size(), 1u);
  EXPECT_GE(decoder.capacity(), size);
  EXPECT_FALSE(decoder.space().empty());
  EXPECT_LE(decoder.capacity(), kReadBytesMax);
}

TEST(FrameDecoder, ALoweredLimitHoldsFromTheNextFrameOn) {
  FrameDecoder decoder;
  EXPECT_EQ(decode(decoder, header(500) + std::string(500, 'x')).payloads.size(), 1u);
  decoder.set_payload_bytes_max(100);
  EXPECT_TRUE(decode(decoder, header(500)).is_broken);
}

TEST(FrameDecoder, RandomBytesNeverCrashItNorMakeItHoldMoreThanTheLimit) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& noise) {
    const auto limit = *rc::gen::inRange<std::size_t>(0, 5000);
    const auto zeros = *rc::gen::inRange<int>(0, 4);  // of each length, so that some frames pass
    std::string bytes;
    for (const auto byte : noise)
      bytes += std::string(1, static_cast<char>(byte)) + std::string(static_cast<std::size_t>(zeros), '\0');
    FrameDecoder decoder(limit);
    for (const auto& payload : decode(decoder, bytes, {1, 7, 0}).payloads) RC_ASSERT(payload.size() <= limit);
    RC_ASSERT(decoder.capacity() <= limit + kFrameHeaderBytes + kReadBytesMax);
  }));
}

}  // namespace
}  // namespace ontime::protocol
