// What attempts have found out about compressed files: kept, found again, bounded, and never another file's.
#include "master/inputs/index_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "common/base/descriptor.h"
#include "common/records/formats.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

using scheduler::InputFile;

constexpr JobId kFirst{1};
constexpr JobId kLater{2};

// Whose answers are waited for.
class Store : public IndexStore {
 public:
  using IndexStore::IndexStore;
  void add(JobId job, const InputFile& file, const StartPoint& start) { IndexStore::add(job, shared(file), start); }
  void add_end(JobId job, const InputFile& file, std::uint64_t bytes) { IndexStore::add_end(job, shared(file), bytes); }
  void drop(const InputFile& file) { IndexStore::drop(shared(file)); }
  std::optional<StartPoint> find_start(JobId job, const InputFile& file, std::uint64_t begin) {
    std::promise<std::optional<StartPoint>> promise;
    auto found = promise.get_future();
    const auto then = [&](std::optional<StartPoint> start) { promise.set_value(std::move(start)); };
    return IndexStore::find_start(job, shared(file), begin, then) ? found.get() : std::nullopt;
  }

 private:
  static File shared(const InputFile& file) { return std::make_shared<const InputFile>(file); }
};

class IndexStoreTest : public testing::Test {
 protected:
  static InputFile file(const std::string& path = "/data/a.gz") { return {path, 1'000'000'000, "v1", Codec::Gzip}; }

  static StartPoint place(std::uint64_t mib, std::size_t window_bytes = 100) {
    StartPoint start{{mib << 20, mib * 1000, 8}};
    start.point.window.fill(static_cast<std::uint8_t>(mib | 1));
    start.window.assign(window_bytes, static_cast<char>(mib));
    return start;
  }

  // Where a record begins.
  static StartPoint mark(std::uint64_t mib) { return {{mib << 20, mib << 20, records::kElementBegins, {}}, {}}; }

  // Everything that an attempt finds.
  static void read_whole(Store& store, JobId job, const InputFile& of, std::size_t window_bytes = 100) {
    for (const std::uint64_t mib : {4, 8, 12}) store.add(job, of, place(mib, window_bytes));
    store.add_end(job, of, std::uint64_t{14} << 20);
  }

  static InputFile divided(Store& store) {
    InputFile known = file();
    InputIndex index = store.find(known);
    known.content_bytes = index.content_bytes;
    known.points = std::move(index.points);
    return known;
  }

  std::string only_file() const { return std::filesystem::directory_iterator(directory_ / "x")->path(); }
  std::size_t files() const {
    const std::filesystem::directory_iterator all(directory_ / "x");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  test::TemporaryDirectory directory_;
};

TEST_F(IndexStoreTest, GivesTheNextJobWhatAnAttemptHasReadToTheEnd) {
  Store store(directory_ / "x");
  for (const std::uint64_t mib : {4, 8}) store.add(kFirst, file(), place(mib));
  EXPECT_EQ(store.find(file()).content_bytes, 0u);
  store.add_end(kFirst, file(), std::uint64_t{9} << 20);
  const InputIndex index = store.find(file());
  EXPECT_EQ(index.content_bytes, std::uint64_t{9} << 20);
  EXPECT_EQ(index.points, (std::vector{place(4).point, place(8).point}));
}

TEST_F(IndexStoreTest, IsWholeIfTheLastPlaceIsTheEnd) {
  Store store(directory_ / "x");
  for (const std::uint64_t mib : {4, 8}) store.add(kFirst, file(), place(mib));
  store.add_end(kFirst, file(), std::uint64_t{8} << 20);
  const InputIndex index = store.find(file());
  EXPECT_EQ(index.content_bytes, std::uint64_t{8} << 20);
  EXPECT_EQ(index.points, std::vector{place(4).point}) << "nothing begins at the end";
}

TEST_F(IndexStoreTest, SurvivesTheMaster) {
  { read_whole(*std::make_unique<Store>(directory_ / "x"), kFirst, file()); }
  Store store(directory_ / "x");
  const InputFile known = divided(store);
  EXPECT_EQ(known.points.size(), 3u);
  const auto start = store.find_start(kLater, known, std::uint64_t{10} << 20);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->point, place(8).point);
  EXPECT_EQ(start->window, place(8).window);
}

TEST_F(IndexStoreTest, GivesAttemptsOfTheJobThatReadsItFirstWhatItHasFoundSoFar) {
  {
    Store store(directory_ / "x");
    for (const std::uint64_t mib : {4, 8, 12}) store.add(kFirst, file(), place(mib));
  }
  Store store(directory_ / "x");
  const std::uint64_t begin = std::uint64_t{9} << 20;
  EXPECT_EQ(store.find_start(kFirst, file(), begin)->point, place(8).point);
  EXPECT_FALSE(store.find_start(kFirst, file(), std::uint64_t{4} << 20));
  EXPECT_FALSE(store.find_start(kLater, file(), begin)) << "another job cannot know whether it is true";
}

// The control thread asks for it.
TEST_F(IndexStoreTest, ReturnsAtOnceWhateverItsDiskDoes) {
  { read_whole(*std::make_unique<Store>(directory_ / "x"), kFirst, file()); }
  IndexStore store(directory_ / "x");
  const std::string path = only_file();
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);  // a file that cannot be read before somebody has written
  const auto shared = std::make_shared<const InputFile>(file());
  std::promise<bool> promise;
  ASSERT_TRUE(store.find_start(kFirst, shared, std::uint64_t{9} << 20,
                               [&](const auto& start) { promise.set_value(start.has_value()); }));
  store.add(kFirst, shared, place(16));
  store.drop(shared);
  const Descriptor writer(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(promise.get_future().get());
}

TEST_F(IndexStoreTest, IsOfThatVersionOfThatFileOnly) {
  Store store(directory_ / "x");
  read_whole(store, kFirst, file());
  InputFile other = file();
  other.version = "v2";
  EXPECT_EQ(store.find(other).content_bytes, 0u);
  other = file();
  ++other.size;
  EXPECT_EQ(store.find(other).content_bytes, 0u);
  EXPECT_EQ(store.find(file("/data/b.gz")).content_bytes, 0u);
}

TEST_F(IndexStoreTest, KeepsWhatIsWholeAndElseWhatTheLaterJobFinds) {
  {
    Store store(directory_ / "x");
    store.add(kFirst, file(), place(4));
    store.add(kLater, file(), place(8));
    store.add(kFirst, file(), place(12));
  }
  Store store(directory_ / "x");
  const std::uint64_t begin = std::uint64_t{20} << 20;
  EXPECT_FALSE(store.find_start(kFirst, file(), begin));
  EXPECT_EQ(store.find_start(kLater, file(), begin)->point, place(8).point);
  store.add_end(kLater, file(), std::uint64_t{9} << 20);
  read_whole(store, JobId{3}, file());
  EXPECT_EQ(store.find(file()).points, std::vector{place(8).point});
}

// As of a file of WARC or an array of JSON, where only a reader from the begin knows where records begin.
TEST_F(IndexStoreTest, KeepsWhereRecordsBeginInAPlainFile) {
  Store store(directory_ / "x");
  const InputFile plain{"s3://b/a.warc", std::uint64_t{9} << 20, "v1"};
  for (const std::uint64_t mib : {4, 8}) store.add(kFirst, plain, mark(mib));
  EXPECT_EQ(store.find_start(kFirst, plain, std::uint64_t{8} << 20)->point, mark(4).point);
  store.add_end(kFirst, plain, plain.size);
  InputFile known = plain;
  known.points = store.find(plain).points;
  EXPECT_EQ(known.points, (std::vector{mark(4).point, mark(8).point}));
  store.add(kLater, known, mark(6));
  EXPECT_EQ(store.find(plain).points, known.points) << "to whom places are given finds none";
}

TEST_F(IndexStoreTest, GivesAPlaceWhoseRecordBeginsBefore) {
  Store store(directory_ / "x");
  StartPoint far = mark(8);
  records::put_mark(far.point, records::kElementBegins, far.point.content + 100);
  store.add(kFirst, file(), mark(4));
  store.add(kFirst, file(), far);
  EXPECT_EQ(store.find_start(kFirst, file(), far.point.content + 100)->point, mark(4).point);
  EXPECT_EQ(store.find_start(kFirst, file(), far.point.content + 101)->point, far.point);
}

TEST_F(IndexStoreTest, GivesWhatHasNoMarksUpForWhatHas) {
  Store store(directory_ / "x");
  read_whole(store, kFirst, file());
  store.add(kLater, file(), place(6));
  EXPECT_EQ(store.find(file()).points.size(), 3u) << "no more is known of it";
  store.add(kLater, file(), mark(5));
  store.add_end(kLater, file(), std::uint64_t{14} << 20);
  EXPECT_EQ(store.find(file()).points, std::vector{mark(5).point});
}

TEST_F(IndexStoreTest, IsAskedOnlyForFilesThatMayNotBeReadFromAnywhere) {
  scheduler::JobSpec spec;
  EXPECT_TRUE(is_indexed(spec, file()));
  const InputFile plain{"/data/a", 100, "v1"};
  EXPECT_FALSE(is_indexed(spec, plain));
  spec.records = "json";
  EXPECT_FALSE(is_indexed(spec, plain));
  spec.records = "json:array";
  EXPECT_TRUE(is_indexed(spec, plain));
  InputFile known = plain;
  known.points.push_back(mark(4).point);
  EXPECT_FALSE(is_indexed(spec, known));
}

TEST_F(IndexStoreTest, IsOfNoUseWithALongPartThatCannotBeSkipped) {
  Store store(directory_ / "x");
  store.add(kFirst, file(), place(4));
  store.add_end(kFirst, file(), std::uint64_t{300} << 20);
  EXPECT_EQ(store.find(file()).content_bytes, 0u);
}

TEST_F(IndexStoreTest, KeepsPlacesApartAndNoneThatMakesNoSense) {
  Store store(directory_ / "x");
  store.add(kFirst, file(), place(4));
  StartPoint near = place(4);
  near.point.content += 1000;
  store.add(kFirst, file(), near);
  StartPoint outside = place(8);
  outside.point.stored = file().size;
  store.add(kFirst, file(), outside);
  store.add(kFirst, file(), place(12, kPackedWindowBytesMax + 1));
  store.add_end(kFirst, file(), std::uint64_t{14} << 20);
  EXPECT_EQ(store.find(file()).points, std::vector{place(4).point});
}

TEST_F(IndexStoreTest, TakesWhatIsDamagedForMissing) {
  {
    Store store(directory_ / "x");
    read_whole(store, kFirst, file());
  }
  const std::string whole = test::read_file(only_file());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    test::write_file(directory_ / "x/" + index_name(file()), damaged);
    Store store(directory_ / "x");
    const InputIndex index = store.find(file());
    if (index.content_bytes == 0) continue;
    EXPECT_EQ(index.points, (std::vector{place(4).point, place(8).point, place(12).point}));
    const InputFile known = divided(store);
    const auto start = store.find_start(kLater, known, std::uint64_t{13} << 20);
    ASSERT_TRUE(start);
    const std::uint64_t mib = start->point.content >> 20;
    EXPECT_EQ(start->window, place(mib).window) << "damaged at byte " << at;
  }
}

TEST_F(IndexStoreTest, HasATornEndAfterACrashAndGoesOn) {
  {
    Store store(directory_ / "x");
    for (const std::uint64_t mib : {4, 8}) store.add(kFirst, file(), place(mib));
  }
  std::filesystem::resize_file(only_file(), std::filesystem::file_size(only_file()) - 30);
  {
    Store store(directory_ / "x");
    for (const std::uint64_t mib : {8, 12}) store.add(kFirst, file(), place(mib));
    store.add_end(kFirst, file(), std::uint64_t{14} << 20);
  }
  Store store(directory_ / "x");
  const InputFile known = divided(store);
  EXPECT_EQ(store.find_start(kLater, known, std::uint64_t{13} << 20)->point, place(12).point);
}

TEST_F(IndexStoreTest, ForgetsTheOneUsedLongestAgo) {
  IndexStore::Limits limits;
  limits.of_all = 200'000;
  limits.loaded = 2;
  Store store(directory_ / "x", limits);
  for (const char* path : {"/a", "/b", "/c"}) read_whole(store, kFirst, file(path), 20'000);
  EXPECT_GT(store.find(file("/a")).content_bytes, 0u);
  read_whole(store, kFirst, file("/d"), 20'000);
  EXPECT_EQ(store.find(file("/b")).content_bytes, 0u);
  for (const char* path : {"/a", "/c", "/d"}) EXPECT_GT(store.find(file(path)).content_bytes, 0u) << path;
}

TEST_F(IndexStoreTest, BoundsOneFile) {
  IndexStore::Limits limits;
  limits.of_file = 50'000;
  {
    Store store(directory_ / "x", limits);
    for (std::uint64_t mib = 1; mib < 100; ++mib) store.add(kFirst, file(), place(mib, 10'000));
  }
  EXPECT_LE(std::filesystem::file_size(only_file()), 50'000u + 11'000u);
}

TEST_F(IndexStoreTest, DropsWhatHasProvedWrong) {
  {
    Store store(directory_ / "x");
    read_whole(store, kFirst, file());
    store.drop(file());
    EXPECT_EQ(store.find(file()).content_bytes, 0u);
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(IndexStoreTest, IsNobodyElsesToRead) {
  { read_whole(*std::make_unique<Store>(directory_ / "x"), kFirst, file()); }
  EXPECT_EQ(std::filesystem::status(only_file()).permissions(), std::filesystem::perms(0600));
  EXPECT_EQ(std::filesystem::status(directory_ / "x").permissions(), std::filesystem::perms(0700));
}

TEST_F(IndexStoreTest, WithoutADirectoryKeepsNothing) {
  Store store("");
  read_whole(store, kFirst, file());
  EXPECT_EQ(store.find(file()).content_bytes, 0u);
}

TEST_F(IndexStoreTest, OnADiskThatTakesNothingHasNothing) {
  Store store("/proc/nothing");
  read_whole(store, kFirst, file());
  for (int i = 0; i < 100; ++i) store.add(kFirst, file(), place(20 + static_cast<std::uint64_t>(i)));
  EXPECT_FALSE(store.find_start(kFirst, file(), std::uint64_t{5} << 20));
}

// Each `ontime run` has a master of its own, whose first job is job-1.
TEST_F(IndexStoreTest, SharesWhatIsWholeWithOtherMasters) {
  { read_whole(*std::make_unique<Store>(directory_ / "x", directory_ / "shared"), kFirst, file()); }
  Store other(directory_ / "y", directory_ / "shared");
  const InputFile known = divided(other);
  EXPECT_EQ(known.points.size(), 3u);
  std::filesystem::remove_all(directory_ / "x");
  const auto start = other.find_start(kFirst, known, std::uint64_t{10} << 20);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->window, place(8).window);
  EXPECT_FALSE(other.find_start(kFirst, file(), std::uint64_t{10} << 20)) << "it is not what this job has found";
  other.add(kFirst, file(), place(9));
  EXPECT_EQ(divided(other).points.size(), 3u);
  EXPECT_EQ(std::filesystem::status(directory_ / "shared").permissions(), std::filesystem::perms(0700));
}

TEST_F(IndexStoreTest, SharesNothingThatIsNotWholeOrHasProvedWrong) {
  {
    Store store(directory_ / "x", directory_ / "shared");
    store.add(kFirst, file(), place(4));
    read_whole(store, kFirst, file("/data/b.gz"));
  }
  test::write_file(directory_ / "shared/" + index_name(file("/data/c.gz")), "ONTIMEX1 and nothing else");
  {
    Store other(directory_ / "y", directory_ / "shared");
    EXPECT_EQ(other.find(file()).content_bytes, 0u);
    EXPECT_EQ(other.find(file("/data/c.gz")).content_bytes, 0u);
    EXPECT_GT(other.find(file("/data/b.gz")).content_bytes, 0u);
    other.drop(file("/data/b.gz"));
  }
  IndexStore third(directory_ / "z", directory_ / "shared");
  EXPECT_EQ(third.find(file("/data/b.gz")).content_bytes, 0u);
}

TEST_F(IndexStoreTest, BoundsWhatIsShared) {
  IndexStore::Limits limits;
  limits.files = 3;
  for (const char* path : {"/a", "/b", "/c", "/d", "/e"}) {
    Store store(directory_ / path, limits, directory_ / "shared");
    read_whole(store, kFirst, file(path));
  }
  const std::filesystem::directory_iterator left(directory_ / "shared");
  EXPECT_EQ(std::distance(begin(left), end(left)), 3);
}

}  // namespace
}  // namespace ontime::master
