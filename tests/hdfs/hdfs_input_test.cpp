// An input of an HDFS, as attempts read it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/hdfs/file_system.h"
#include "tests/hdfs/fake_hdfs.h"
#include "tests/http/web_server.h"
#include "worker/data/input_source.h"
#include "worker/data/record_reader.h"

namespace ontime::worker {
namespace {

using FakeHdfs = test::FakeHdfs;

class HdfsInputTest : public testing::Test {
 protected:
  // With the file that is read.
  void put(std::string content) {
    content_ = std::move(content);
    hdfs_.put("/in/a", content_);
  }
  TaskInput task() const {
    const auto state = hdfs::RemoteFile(url()).look();
    EXPECT_TRUE(state) << state.error().message;
    return {{{hdfs_.root() + "/in/a", content_.size(), state ? state->version : "", Codec::Plain}}};
  }
  Outcome<std::string> address() const { return url().origin + url().target; }
  // As an attempt reads that part of the task.
  std::string read(std::uint64_t begin, std::uint64_t end) const {
    TaskInputAccess access;
    access.address = [&](std::size_t) { return address(); };
    access.end = end;
    auto reader = InputReader::open(task(), {}, begin, RecordReader::kBlockBytes, access);
    EXPECT_TRUE(reader) << reader.error().message;
    std::string bytes;
    while (reader) {
      const auto block = (*reader)->next(end);
      EXPECT_TRUE(block) << block.error().message;
      if (!block || block->records == 0) break;
      bytes += block->batch.bytes;
    }
    return bytes;
  }

  http::Url url() const { return hdfs::address_of(*hdfs::parse_name(hdfs_.root() + "/in/a")).value(); }

  FakeHdfs hdfs_;
  std::string content_;
};

std::string lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "line " + std::to_string(1'000'000 + i) + "\n";
  return text;
}

// An attempt begins one byte before its block. The DataNode that has the block sends that byte too, so that there is no
// other request to wait for.
TEST_F(HdfsInputTest, IsAskedForOnceOfTheDataNodeThatHasItsMiddle) {
  struct Asked {
    std::mutex mutex;
    std::vector<std::string> at;  // "NODE OFFSET LENGTH"
  };
  const auto asked = std::make_shared<Asked>();  // the server's threads may outlive this test's variables
  put(lines(50'000));
  hdfs_.set_fault([asked](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response&) {
    if (request.get_param_value("op") != "OPEN") return false;
    const std::lock_guard lock(asked->mutex);
    asked->at.push_back((node < 0 ? "NameNode " : "DataNode ") + request.get_param_value("offset") + " " +
                        request.get_param_value("length"));
    return false;
  });
  EXPECT_EQ(read(130'005, 260'005), content_.substr(130'013, 130'000));
  const std::lock_guard lock(asked->mutex);
  ASSERT_EQ(asked->at.size(), 2u);
  const std::uint64_t length = std::stoull(asked->at[1].substr(asked->at[1].rfind(' ')));
  EXPECT_GE(length, 130'001u);
  EXPECT_EQ(asked->at[0], "NameNode " + std::to_string(130'004 + length / 2) + " " + std::to_string(length));
  EXPECT_EQ(asked->at[1], "DataNode 130004 " + std::to_string(length));
}

// Such as Knox.
TEST_F(HdfsInputTest, ComesThroughAGatewayThatHidesWhatIsInAddresses) {
  put(lines(50'000));
  hdfs_.set_fault([this](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
    if (request.get_param_value("op") == "OPEN" && node < 0) {
      const std::string hidden = request.get_param_value("offset") + "&_size=" + request.get_param_value("length");
      const std::string address = hdfs_.first_data_node() + "/webhdfs/v1/in/a?_at=" + hidden;
      response.set_content(R"({"Location":")" + address + R"("})", "application/json");
    } else if (node >= 0) {
      response.set_content(
          content_.substr(std::stoull(request.get_param_value("_at")), std::stoull(request.get_param_value("_size"))),
          "application/octet-stream");
    } else {
      return false;
    }
    return true;
  });
  EXPECT_EQ(read(130'005, 260'005), content_.substr(130'013, 130'000));
}

// The part that is asked for.
std::string wanted(const std::string& content, const FakeHdfs::Request& request) {
  return content.substr(std::stoull(request.get_param_value("offset")), std::stoull(request.get_param_value("length")));
}

// Small ones would each lock and wake who reads.
TEST_F(HdfsInputTest, ALongRequestBringsLargePieces) {
  put(std::string(8 << 20, 'x'));
  hdfs::RemoteFile file(url());
  const auto state = file.look();
  ASSERT_TRUE(state) << state.error().message;
  struct Pieces final : http::Sink {
    std::span<char> room() override { return std::span(bytes).subspan(got); }
    void add(std::size_t size) override {
      got += size;
      largest = std::max(largest, size);
    }
    std::string bytes;
    std::size_t got = 0;
    std::size_t largest = 0;
  } pieces;
  pieces.bytes.resize(content_.size());
  const auto read = file.read(*state, 0, content_.size(), pieces);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_GE(pieces.largest, 64u << 10);
  EXPECT_TRUE(pieces.bytes == content_);
}

// Such as HttpFS.
TEST_F(HdfsInputTest, ComesFromAServerThatSendsChunks) {
  put(lines(400'000));
  hdfs_.set_fault([this](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
    if (node < 0) return false;
    const auto send = [part = wanted(content_, request)](std::size_t offset, httplib::DataSink& sink) {
      const std::size_t size = std::min<std::size_t>(100'000, part.size() - offset);
      if (size > 0) sink.write(part.data() + offset, size);
      if (offset + size == part.size()) sink.done();
      return true;
    };
    response.set_chunked_content_provider("application/octet-stream", send);
    return true;
  });
  EXPECT_TRUE(read(0, content_.size()) == content_);
}

// Which breaks off again and again, each time within a range.
TEST_F(HdfsInputTest, IsReadOnWhereADataNodeBreaksOff) {
  put(lines(400'000));
  hdfs_.set_fault([this](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
    if (node < 0) return false;
    const auto send = [part = wanted(content_, request)](std::size_t offset, std::size_t, httplib::DataSink& sink) {
      const std::size_t size = std::min<std::size_t>(1'234'567, part.size());
      return offset == 0 && sink.write(part.data(), size) && size == part.size();
    };
    response.set_content_provider(wanted(content_, request).size(), "application/octet-stream", send);
    return true;
  });
  EXPECT_TRUE(read(0, content_.size()) == content_);
}

// Each long request but one ends within a range, of which the next one brings the rest.
TEST_F(HdfsInputTest, OfSeveralLongRequestsHasTheBytesOfTheFile) {
  put(test::some_bytes(21'000'001));
  for (const std::uint64_t begin : {0, 1, 7'654'321}) {
    for (const std::uint64_t long_request : {1u << 20, 3u << 20, 128u << 20}) {
      std::atomic<int> requests = 0;
      hdfs_.set_fault([&](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response&) {
        if (node >= 0 && request.get_param_value("op") == "OPEN") ++requests;
        return false;
      });
      InputAccess access;
      access.address = [&] { return address(); };
      access.long_request_bytes = long_request;
      auto input = open_input(task().files.front(), access);
      ASSERT_TRUE(input) << input.error().message;
      std::string bytes(content_.size() - begin, '\0');
      for (std::size_t at = 0; at < bytes.size();) {
        const auto read = (*input)->read_at(&bytes[at], std::min<std::size_t>(100'000, bytes.size() - at), begin + at);
        ASSERT_TRUE(read && *read > 0) << read.error().message;
        at += *read;
      }
      EXPECT_TRUE(content_.compare(begin, content_.npos, bytes) == 0) << begin << " " << long_request;
      EXPECT_GE(requests, long_request <= 3u << 20 ? 4 : 1);
    }
  }
}

// HDFS does not say while it sends whether the file is still the same. So it is asked twice: while the first bytes are
// on their way, and when the last ones have come.
// Such as a proxy that sends the whole file, from its begin.
TEST_F(HdfsInputTest, IsRefusedIfMoreComesThanWasAskedFor) {
  put(lines(50'000));
  hdfs::RemoteFile file(url());
  const auto state = file.look();
  ASSERT_TRUE(state);
  for (const bool in_chunks : {false, true}) {
    hdfs_.set_fault(
        [content = content_, in_chunks](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
          if (node < 0 || request.get_param_value("op") != "OPEN") return false;
          if (!in_chunks) response.set_content(content, "application/octet-stream");
          if (in_chunks) {
            response.set_chunked_content_provider("application/octet-stream", [content](std::size_t, auto& sink) {
              sink.write(content.data(), content.size());
              sink.done();
              return true;
            });
          }
          return true;
        });
    std::string bytes(100'001, '\0');
    const auto read = file.read(*state, 200'000, bytes.size(), bytes.data());
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, "HDFS answers more than was asked for");
    const bool is_untouched = bytes == std::string(bytes.size(), '\0');
    EXPECT_TRUE(is_untouched || in_chunks) << "its length says it, before anything is taken";
  }
}

// The request that is given up meanwhile does not make its DataNode a bad one.
TEST_F(HdfsInputTest, IsReadElsewhereWithoutBlamingADataNode) {
  const auto blamed = std::make_shared<std::atomic<int>>(0);
  put(test::some_bytes(21'000'001));
  const InputAccess access{.address = [this] { return address(); }};
  auto input = open_input(task().files.front(), access);
  ASSERT_TRUE(input) << input.error().message;
  hdfs_.set_fault([blamed](int, int, const FakeHdfs::Request& request, FakeHdfs::Response&) {
    if (request.has_param("excludedatanodes")) ++*blamed;
    return false;
  });
  for (const std::size_t at : {0u, 15'000'000u, 15'000'100u, 1'000'000u, 1'000'100u}) {
    std::string bytes(100, '\0');
    const auto read = (*input)->read_at(bytes.data(), bytes.size(), at);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(bytes, content_.substr(at, bytes.size()));
  }
  input->reset();
  EXPECT_EQ(*blamed, 0);
}

class HdfsInputIsLookedAt : public HdfsInputTest {
 protected:
  void open(std::size_t size = 21'000'001, std::uint64_t long_request_bytes = 3u << 20) {
    put(test::some_bytes(size));
    InputAccess access;
    access.address = [&] { return address(); };
    access.long_request_bytes = long_request_bytes;
    auto input = open_input(task().files.front(), access);
    ASSERT_TRUE(input) << input.error().message;
    input_ = std::move(*input);
  }
  void read_all() {
    std::string bytes(content_.size(), '\0');
    for (std::size_t at = 0; at < bytes.size();) {
      const auto read = input_->read_at(&bytes[at], 100'000, at);
      ASSERT_TRUE(read && *read > 0) << read.error().message;
      at += *read;
    }
    EXPECT_TRUE(bytes == content_);
  }

  std::unique_ptr<StoredInput> input_;
};

// While its first bytes are on their way, and when all have come. It is so short that none of it is ever asked for
// twice, which might be answered behind a look.
TEST_F(HdfsInputIsLookedAt, Twice) {
  open(500'001);
  const auto looks = std::make_shared<std::atomic<int>>(0);
  hdfs_.set_fault([looks](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response&) {
    if (request.get_param_value("op") == "GETFILESTATUS") {
      ++*looks;
      looks->notify_all();
    }
    if (node >= 0) looks->wait(0);
    return false;
  });
  read_all();
  looks->wait(1);
  EXPECT_TRUE(input_->check_unchanged());
  EXPECT_EQ(*looks, 2);
}

TEST_F(HdfsInputIsLookedAt, BehindItsLastBytes) {
  open();
  hdfs_.set_fault([this](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
    if (node < 0 || request.get_param_value("op") != "OPEN") return false;
    const std::string part = wanted(content_, request);
    const bool is_last = std::stoull(request.get_param_value("offset")) + part.size() == content_.size();
    if (is_last) hdfs_.put("/in/a", content_);  // the same bytes in another file
    response.set_content(part, "application/octet-stream");
    return true;
  });
  read_all();
  EXPECT_FALSE(input_->check_unchanged());
}

// One before the first byte and one behind the last, however many requests it takes.
TEST_F(HdfsInputIsLookedAt, NotBehindThoseOfARequestThatIsNotTheLast) {
  open(21'000'001, 4u << 20);
  const auto looks = std::make_shared<std::atomic<int>>(0);
  const auto before_the_last = std::make_shared<std::atomic<int>>(0);
  hdfs_.set_fault([=, this](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response&) {
    const std::string asked = request.get_param_value("op");
    if (asked == "GETFILESTATUS") ++*looks;
    if (node < 0 || asked != "OPEN") return false;
    const std::size_t end = std::stoull(request.get_param_value("offset")) + wanted(content_, request).size();
    if (end == content_.size()) *before_the_last = looks->load();
    return false;
  });
  read_all();
  EXPECT_TRUE(input_->check_unchanged());
  EXPECT_EQ(*before_the_last, 1);
  EXPECT_EQ(*looks, 2);
}

TEST_F(HdfsInputIsLookedAt, AgainIfOtherBytesWereRead) {
  open();
  read_all();
  ASSERT_TRUE(input_->check_unchanged());
  hdfs_.put("/in/a", content_);
  char byte = 0;
  ASSERT_TRUE(input_->read_at(&byte, 1, 5));
  EXPECT_FALSE(input_->check_unchanged());
}

TEST_F(HdfsInputIsLookedAt, BeforeAnyOfItsBytesIsUsed) {
  open();
  hdfs_.put("/in/a", content_);
  char byte = 0;
  EXPECT_FALSE(input_->read_at(&byte, 1, 0));
}

}  // namespace
}  // namespace ontime::worker
