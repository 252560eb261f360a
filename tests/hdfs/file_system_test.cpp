// Against servers that fail as the test says. tests/system/hdfs_test.cpp has the real one.
#include "common/hdfs/file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/hdfs/fake_hdfs.h"

namespace ontime::hdfs {
namespace {

using test::FakeHdfs;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

// Longer than a busy machine is.
http::Patience patient() {
  http::Patience patience;
  patience.silence = std::chrono::seconds(5);
  patience.pause = std::chrono::milliseconds(1);
  patience.tries = 7;
  return patience;
}

template <class T>
std::string message_of(const http::Answer<T>& answer) {
  return answer ? "nothing is wrong" : answer.error().message;
}

class FileSystemTest : public testing::Test {
 protected:
  FileSystem file_system(const std::string& scratch = "tmp/") {
    return FileSystem(hdfs_.root(), scratch, nullptr, patient());
  }
  RemoteFile remote(const std::string& path) {
    return RemoteFile(*address_of({hdfs_.root(), path}), nullptr, patient());
  }
  void always_answers(const std::string& answer) {
    hdfs_.set_fault([=](int, int, const FakeHdfs::Request&, FakeHdfs::Response& response) {
      response.set_content(answer, "application/json");
      return true;
    });
  }
  std::string listed(const std::string& directory, const http::Store::Enter& enter = nullptr) {
    std::string keys;
    auto files = file_system();
    const auto done = files.list(
        directory,
        [&](const http::Object& object) {
          keys += object.key + " ";
          return true;
        },
        enter);
    return done ? keys : done.error().message;
  }
  // All that is asked for, node by node: -1 is the NameNode.
  void fail(std::function<bool(int node, const std::string& op)> when, std::function<void(FakeHdfs::Response&)> how) {
    hdfs_.set_fault([=](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
      const bool is_so = when(node, request.get_param_value("op"));
      if (is_so) how(response);
      return is_so;
    });
  }

  FakeHdfs hdfs_;
};

TEST_F(FileSystemTest, ListsInTheOrderOfKeysPageByPage) {
  for (const char* path : {"/in/a.txt", "/in/a/x", "/in/a/y/z", "/in/a-b", "/in/b", "/in/c", "/other"})
    hdfs_.put(path, "1");
  EXPECT_EQ(listed("in/"), "in/a-b in/a.txt in/a/x in/a/y/z in/b in/c ");
  EXPECT_EQ(listed(""), "in/a-b in/a.txt in/a/x in/a/y/z in/b in/c other ");
  EXPECT_EQ(listed("nothing/"), "");
  EXPECT_EQ(listed("in/", [](const std::string& directory) { return directory != "in/a/"; }),
            "in/a-b in/a.txt in/b in/c ");
}

// And so many entries more than it shows.
std::string page_with(const std::string& entry, int more) {
  return R"({"DirectoryListing":{"partialListing":{"FileStatuses":{"FileStatus":[)" + entry +
         R"({"pathSuffix":"z","type":"FILE","length":1}]}},"remainingEntries":)" + std::to_string(more) + "}}";
}

TEST_F(FileSystemTest, LeavesLinksOutOfAList) {
  always_answers(page_with(R"({"pathSuffix":"y","type":"SYMLINK"},{"pathSuffix":"","type":"FILE","length":1},)", 0));
  EXPECT_EQ(listed("in/"), "in/z ");
}

// What is missing would be missing from the answer.
TEST_F(FileSystemTest, TakesNoPartOfAListForAllOfIt) {
  always_answers(page_with("", 5));
  EXPECT_THAT(listed("in/"), HasSubstr("goes on"));  // it says the same for what comes behind z
  const std::string file = R"({"pathSuffix":"x","type":"FILE")";
  for (const auto& answer : std::vector<std::string>{
           "", "<html>", "[1]", "{\"DirectoryListing\":[3]}", "{\"DirectoryListing\":{\"remainingEntries\":-1}}",
           page_with("7,", 0), page_with(file + "},", 0), page_with(file + R"(,"length":1e300},)", 0)}) {
    always_answers(answer);
    EXPECT_THAT(listed("in/"), HasSubstr("cannot be read")) << answer;
  }
}

TEST_F(FileSystemTest, FindsReadsAndRemoves) {
  hdfs_.put("/in/a b+%", "hello");
  auto files = file_system();
  const auto found = files.find("in/a b+%");
  ASSERT_TRUE(found && *found) << message_of(found);
  EXPECT_EQ((*found)->size, 5u);
  EXPECT_FALSE(*files.find("in/nothing"));
  ASSERT_TRUE(files.read("in/a b+%", 5)) << message_of(files.read("in/a b+%", 5));
  EXPECT_EQ(*files.read("in/a b+%", 5), "hello");
  EXPECT_THAT(message_of(files.read("in/a b+%", 4)), HasSubstr("more than was asked for"));
  EXPECT_EQ(files.read("in/nothing", 4).error().status, 404);
  EXPECT_EQ(*files.read_range(**found, 1, 3), "ell");
  EXPECT_EQ(files.read_range(**found, 3, 3).error().trouble, http::Trouble::Changed);
  hdfs_.put("/in/a b+%", "hello");
  EXPECT_NE((*files.find("in/a b+%"))->version, (*found)->version) << "it is another file";
  EXPECT_TRUE(files.remove("in/a b+%"));
  EXPECT_TRUE(files.remove("in/a b+%"));
  EXPECT_EQ(hdfs_.files(), "");
}

TEST_F(FileSystemTest, WritesToANameOfItsOwnAndThenRenames) {
  auto files = file_system();
  fail([](int, const std::string& op) { return op == "RENAME"; },
       [](FakeHdfs::Response& response) { FakeHdfs::refuse(response, 403, "AccessControlException", "no"); });
  EXPECT_THAT(message_of(files.write("out/part", http::content_of("hello"))), HasSubstr("AccessControlException: no"));
  EXPECT_THAT(hdfs_.files(), MatchesRegex("/tmp/part\\.[0-9a-f]{16}=hello "));
  hdfs_.set_fault(nullptr);
  ASSERT_TRUE(files.write("out/part", http::content_of("hello")));
  ASSERT_TRUE(files.write("out/part", http::content_of("again")));
  EXPECT_THAT(hdfs_.files(), HasSubstr("/out/part=again "));
  auto own = file_system("");
  fail([](int, const std::string& op) { return op == "RENAME"; },
       [](FakeHdfs::Response& response) { FakeHdfs::refuse(response, 403, "AccessControlException", "no"); });
  EXPECT_FALSE(own.write("deep/er", http::content_of("x")));
  EXPECT_THAT(hdfs_.files(), HasSubstr("/deep/er."));
}

// A DataNode takes the whole file and then says nothing: what it has made must not count, also if it comes late.
TEST_F(FileSystemTest, LeavesNothingOfTriesThatFailed) {
  std::atomic<int> creations = 0;
  hdfs_.set_fault([&](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
    if (node < 0 || request.get_param_value("op") != "CREATE" || ++creations > 1) return false;
    hdfs_.put(request.path.substr(std::string("/webhdfs/v1").size()), "hal");
    response.status = 500;
    return true;
  });
  auto files = file_system();
  ASSERT_TRUE(files.write("out/part", http::content_of("hello")));
  EXPECT_EQ(creations, 2);
  EXPECT_EQ(hdfs_.files(), "/out/part=hello ");
}

TEST_F(FileSystemTest, AsksAnotherDataNodeThanTheOneThatFailed) {
  hdfs_.put("/a", "hello");
  fail([](int node, const std::string&) { return node == 0; },
       [](FakeHdfs::Response& response) { response.status = 503; });
  auto files = file_system();
  EXPECT_EQ(*files.read("a", 100), "hello");
  EXPECT_TRUE(files.write("b", http::content_of("x")));
}

// Nobody listens at its usual port, or it is a stranger.
TEST_F(FileSystemTest, ADataNodeMayBeNamedWithoutAPort) {
  hdfs_.put("/a", "hello");
  hdfs_.set_fault([](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
    if (node >= 0 || request.has_param("excludedatanodes")) return false;
    response.set_content(R"({"Location":"http://127.0.0.1/x?offset=0"})", "application/json");
    return true;
  });
  EXPECT_EQ(*file_system().read("a", 100), "hello");
}

// Two DataNodes of one host: the NameNode leaves out whichever it likes.
TEST_F(FileSystemTest, AsksTheNameNodeAgainWhereItNamesTheDataNodeThatFailed) {
  hdfs_.put("/a", "hello");
  std::atomic<int> named_again = 0;
  std::atomic<int> refused = 0;
  hdfs_.set_fault([&](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
    if (node == 0) {
      ++refused;
      FakeHdfs::refuse(response, 500, "IOException", "dead");
      return true;
    }
    if (node > 0 || !request.has_param("excludedatanodes") || named_again == 5) return false;
    ++named_again;
    EXPECT_EQ(request.get_param_value("excludedatanodes"), "127.0.0.1") << "once";
    response.set_content(nlohmann::json{{"Location", hdfs_.first_data_node() + request.target}}.dump(),
                         "application/json");
    return true;
  });
  EXPECT_EQ(message_of(file_system().read("a", 100)), "nothing is wrong");
  EXPECT_EQ(named_again, 5);
  EXPECT_EQ(refused, 1);
}

TEST_F(FileSystemTest, CreatesOneOfTwo) {
  auto files = file_system();
  EXPECT_TRUE(*files.create("out/_claim", "mine"));
  EXPECT_FALSE(*files.create("out/_claim", "yours"));
  EXPECT_EQ(hdfs_.files(), "/out/_claim=mine ");
}

// The rename was made and its answer lost.
TEST_F(FileSystemTest, TakesARenameThatWasMadeForMade) {
  auto files = file_system();
  hdfs_.put("/out/part", "hello");
  EXPECT_TRUE(files.put_in_place({"tmp/gone", 5, ""}, "out/part"));
  EXPECT_THAT(message_of(files.put_in_place({"tmp/gone", 4, ""}, "out/part")), HasSubstr("is not there any more"));
  hdfs_.put("/tmp/new", "newer");
  EXPECT_TRUE(files.put_in_place({"tmp/new", 5, ""}, "out/part"));
  EXPECT_EQ(hdfs_.files(), "/out/part=newer ");
}

TEST_F(FileSystemTest, SaysWhatHdfsSaysAndTriesAgainWhatMayPass) {
  auto files = file_system();
  const auto asked = [&](int status, const std::string& exception, int times) {
    auto left = std::make_shared<std::atomic<int>>(times);
    auto requests = std::make_shared<std::atomic<int>>(0);
    hdfs_.set_fault([=](int, int, const FakeHdfs::Request&, FakeHdfs::Response& response) {
      ++*requests;
      if ((*left)-- <= 0) return false;
      FakeHdfs::refuse(response, status, exception, "in short\n\tat org.apache.hadoop.Something");
      return true;
    });
    const std::string message = message_of(files.find("nothing"));
    return message + " " + std::to_string(*requests);
  };
  EXPECT_EQ(asked(403, "AccessControlException", 9), "HDFS answers AccessControlException: in short 1");
  EXPECT_EQ(asked(403, "StandbyException", 2), "nothing is wrong 3");
  EXPECT_EQ(asked(403, "SafeModeException", 9), "HDFS answers SafeModeException: in short 7");
  hdfs_.set_fault([](int, int, const FakeHdfs::Request&, FakeHdfs::Response& response) {
    response.status = 401;
    return true;
  });
  EXPECT_THAT(message_of(files.find("nothing")), HasSubstr("wants Kerberos or a delegation token"));
}

TEST_F(FileSystemTest, AsksADataNodeOnceAndNothingThatIsNone) {
  hdfs_.put("/a", "hello");
  auto files = file_system();
  for (const char* answer : {R"({"Location":"file:///etc/passwd"})", R"({"Location":7})", "{}", "x"}) {
    fail([](int node, const std::string&) { return node < 0; },
         [=](FakeHdfs::Response& response) { response.set_content(answer, "application/json"); });
    EXPECT_THAT(message_of(files.read("a", 100)), HasSubstr("does not say which DataNode to ask")) << answer;
  }
  for (const int redirecting : {-1, 0}) {
    fail([=](int node, const std::string&) { return node == redirecting; },
         [this](FakeHdfs::Response& response) {
           response.status = 307;
           response.set_header("Location", hdfs_.origin() + "/webhdfs/v1/a?op=OPEN");
         });
    EXPECT_THAT(message_of(files.read("a", 100)), HasSubstr("answers 307"));
  }
}

TEST_F(FileSystemTest, ReadsOnWhereADataNodeDied) {
  static const std::string content(100'000, 'y');  // the server may still read it when the test has ended
  static std::atomic<int> deaths;
  hdfs_.put("/big", content + "end");
  auto file = remote("big");
  const auto state = file.look();
  ASSERT_TRUE(state) << message_of(state);
  EXPECT_EQ(state->size, 100'003u);
  hdfs_.set_fault([](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
    if (node != 0) return false;
    const auto offset = std::stoull(request.get_param_value("offset"));
    const auto length = static_cast<std::size_t>(std::stoull(request.get_param_value("length")));
    response.set_content_provider(length, "application/octet-stream",
                                  [offset](std::size_t, std::size_t, httplib::DataSink& sink) {
                                    ++deaths;
                                    sink.write(content.data() + offset, 30'000);
                                    return false;
                                  });
    return true;
  });
  std::string bytes(100'003, '\0');
  ASSERT_TRUE(file.read(*state, 0, bytes.size(), bytes.data()));
  EXPECT_EQ(bytes, content + "end");
  EXPECT_GE(deaths, 1);
}

TEST_F(FileSystemTest, SeesThatAFileIsAnotherOne) {
  hdfs_.put("/a", "hello");
  auto file = remote("a");
  const auto state = file.look();
  ASSERT_TRUE(state);
  hdfs_.put("/a", "he");
  std::string bytes(5, '\0');
  const auto read = file.read(*state, 0, 5, bytes.data());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().trouble, http::Trouble::Changed);
  EXPECT_NE(*file.look(), *state);
}

TEST_F(FileSystemTest, GivesUpASlowDataNode) {
  hdfs_.put("/a", "hello");
  const auto may_go_on = std::make_shared<std::atomic<bool>>(false);  // the server outlives this function
  hdfs_.set_fault([=](int, int node, const FakeHdfs::Request&, FakeHdfs::Response&) {
    while (node == 0 && !*may_go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return false;
  });
  auto patience = patient();
  patience.silence = std::chrono::milliseconds(300);
  FileSystem files(hdfs_.root(), "tmp/", nullptr, patience);
  const auto read = files.read("a", 100);
  *may_go_on = true;
  ASSERT_TRUE(read) << message_of(read);
  EXPECT_EQ(*read, "hello");
}

// Each try waits twice as long as the one before, and what comes then counts.
TEST_F(FileSystemTest, WaitsForANameNodeThatThinksForLong) {
  hdfs_.put("/a", "hello");
  auto patience = patient();
  patience.silence = std::chrono::milliseconds(50);
  patience.tries = 9;
  hdfs_.set_fault([](int, int, const FakeHdfs::Request&, FakeHdfs::Response&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(140));  // longer than the first two tries wait
    return false;
  });
  FileSystem files(hdfs_.root(), "tmp/", nullptr, patience);
  const auto found = files.find("a");
  ASSERT_TRUE(found) << message_of(found);
  EXPECT_TRUE(*found);
}

TEST_F(FileSystemTest, HearsARefusalWithoutEndForSomeBytes) {
  const std::string block(10'000, 'x');
  fail([](int, const std::string&) { return true; },
       [=](FakeHdfs::Response& response) {
         response.status = 403;
         response.set_chunked_content_provider("text/plain", [=](std::size_t, httplib::DataSink& sink) {
           sink.write(block.data(), block.size());
           return true;
         });
       });
  EXPECT_THAT(message_of(file_system().find("a")), HasSubstr("answers 403"));
}

// There is nothing left to be asked for.
TEST_F(FileSystemTest, HasAllBytesHoweverTheConnectionEndsBehindThem) {
  hdfs_.put("/a", "hello");
  auto file = remote("a");
  const auto state = file.look();
  ASSERT_TRUE(state);
  std::atomic<int> asked = 0;
  fail([](int node, const std::string&) { return node >= 0; },
       [&](FakeHdfs::Response& response) {
         ++asked;
         response.set_chunked_content_provider("text/plain", [](std::size_t, httplib::DataSink& sink) {
           sink.write("hello", 5);
           return false;
         });
       });
  std::string bytes(5, '\0');
  const auto read = file.read(*state, 0, 5, bytes.data());
  ASSERT_TRUE(read) << message_of(read);
  EXPECT_EQ(bytes, "hello");
  EXPECT_EQ(asked, 1);
}

// Else who waits for a long list would take it for hung.
TEST_F(FileSystemTest, TellsOfEachPage) {
  for (const char* path : {"/in/a", "/in/b", "/in/c", "/in/d", "/in/e"}) hdfs_.put(path, "1");
  auto files = file_system();
  int answers = 0;
  files.on_answer = [&] { ++answers; };
  ASSERT_TRUE(files.list("in/", [](const http::Object&) { return true; }));
  EXPECT_EQ(answers, 3);
}

TEST_F(FileSystemTest, EndsWhereDirectoriesWouldHaveNoEnd) {
  const std::string name(1000, 'd');
  hdfs_.set_fault([&](int, int, const FakeHdfs::Request&, FakeHdfs::Response& response) {
    response.set_content(
        R"({"DirectoryListing":{"remainingEntries":0,"partialListing":{"FileStatuses":{"FileStatus":[{"pathSuffix":")" +
            name + R"(","type":"DIRECTORY"}]}}}})",
        "application/json");
    return true;
  });
  EXPECT_THAT(listed("in/"), HasSubstr("longer names, than HDFS can have"));
}

TEST_F(FileSystemTest, ShowsWhatServersSayAsOneLineOfText) {
  fail([](int, const std::string&) { return true; },
       [](FakeHdfs::Response& response) {
         FakeHdfs::refuse(response, 403, "AccessControlException", "\x1b[2J" + std::string(5000, 'x') + "\nat y");
       });
  auto files = file_system();
  EXPECT_THAT(message_of(files.find("a")), MatchesRegex("HDFS answers AccessControlException: [?]\\[2Jx{400,500}"));
}

}  // namespace
}  // namespace ontime::hdfs
