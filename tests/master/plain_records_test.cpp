#include "master/inputs/plain_records.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <utility>

#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

const std::string kWarc = "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 2\r\n\r\nab\r\n\r\n";

TEST(PlainRecords, AreToldByWhatOnlyTheyHave) {
  const std::pair<std::string, std::string_view> cases[] = {
      {kWarc, "warc"},
      {"@read 1\nACGTN\n+\n@IIII\n@read 2\n", "fastq"},
      {"@read 1\r\nacgt\r\n+read 1\r\nIIII\r\n", "fastq"},
      {"[\n  {\"a\": 1},\n", "json:array"},
      {"{\n  \"a\": [\n", "json"},
      {"\xEF\xBB\xBF[\n  {\"a\": 1},\n", "json:array"},
      {"a,b\n1,\"x\ny\"\"z\"\n2,w\n", "csv"},
  };
  for (const auto& [bytes, records] : cases) EXPECT_EQ(plain_records(bytes), records) << bytes;
}

TEST(PlainRecords, AreLinesWhereItIsNotCertain) {
  for (const std::string bytes :
       {"", "text\n", "{\"a\":1}\n{\"a\":2}\n", "[{\"a\":1}]\n[{\"a\":2}]\n", "[section]\n{\n", "{\n  // a program\n",
        "WARC/1.0 is a format\n", "@handle\nACGT\n+1\nlong reply\n", "@reads\nwhat\n+\nIIII\n", "a,b\n1,2\n3,4\n",
        "a,b\n1,\"x\ny\"\n3\n", "he said, \"no\nand, more\"\nthen\n", "1,5\" pipe\n2,6\" pipe\n3,7\" pipe\n"}) {
    EXPECT_EQ(plain_records(bytes), "") << bytes;
  }
}

TEST(PlainRecords, AdviceIsOnTheFirstLocalFileCompressedOrNot) {
  const test::TemporaryDirectory scratch;
  const std::string plain = scratch / "a.warc", packed = scratch / "b.gz", text = scratch / "c";
  test::write_file(plain, kWarc);
  test::write_file(text, "text\n");
  gzFile to = gzopen(packed.c_str(), "wb");
  ASSERT_EQ(gzwrite(to, kWarc.data(), static_cast<unsigned>(kWarc.size())), static_cast<int>(kWarc.size()));
  ASSERT_EQ(gzclose(to), Z_OK);
  const auto file = [](const std::string& path, Codec codec = Codec::Plain) {
    return scheduler::InputFile{path, 10, "", codec};
  };
  EXPECT_EQ(advice_on_records({file("s3://b/k"), file(plain), file(text)}),
            "lines are records; '" + plain + "' holds others, which --records warc reads");
  EXPECT_EQ(advice_on_records({file(packed, Codec::Gzip)}),
            "lines are records; '" + packed + "' holds others, which --records warc reads");
  EXPECT_EQ(advice_on_records({file(text), file(plain)}), "");
  EXPECT_EQ(advice_on_records({file(scratch / "gone")}), "");
}

}  // namespace
}  // namespace ontime::master
