#include "tests/worker/data/input_files.h"

#include <bzlib.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/support/temporary_directory.h"

namespace ontime::worker::test {

TemporaryDirectory::TemporaryDirectory() {
  // In memory where there is such a place: these tests make thousands of files durable.
  const bool has_shm = ::access("/dev/shm", W_OK) == 0;
  std::string name = (has_shm ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/ontime-test-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string read_file(const std::string& path) { return ontime::test::read_file(path); }

InputFile describe(const std::string& path, Codec codec) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) throw std::runtime_error("no file " + path);
  return {path, static_cast<std::uint64_t>(file.st_size), files::version_of(file), codec};
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string to(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  deflate(&stream, Z_FINISH);
  to.resize(stream.total_out);
  deflateEnd(&stream);
  return to;
}

std::string bgzf(std::string_view bytes) {
  const std::string plain = gzip(bytes);
  constexpr std::size_t kHeader = 10;
  const std::size_t size = plain.size() + 8;  // two bytes more say how much follows, six of that are the field
  const char field[] = {6, 0, 'B', 'C', 2, 0, static_cast<char>((size - 1) & 255), static_cast<char>((size - 1) >> 8)};
  std::string to = plain.substr(0, kHeader) + std::string(field, sizeof field) + plain.substr(kHeader);
  to[3] = 4;  // there is an extra field
  return to;
}

InputFile store_blocks(const std::string& path, const std::vector<std::string>& pieces, Codec codec) {
  std::string stored;
  std::vector<AccessPoint> points;
  std::uint64_t content = 0;
  for (const std::string& piece : pieces) {
    const bool is_new = content > (points.empty() ? 0 : points.back().content);
    if (is_new && !piece.empty()) points.push_back({content, stored.size()});
    stored += codec == Codec::Gzip ? bgzf(piece) : zstd(piece);
    content += piece.size();
  }
  write_file(path, stored);
  InputFile file = describe(path, codec);
  file.content_bytes = content;
  file.points = std::move(points);
  return file;
}

std::vector<std::string> pieces_of(const std::string& content, std::size_t size) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < content.size(); at += size) {
    pieces.push_back(content.substr(at, size));
    if (pieces.size() % 4 == 3) pieces.emplace_back();
  }
  return pieces;
}

std::string zstd(std::string_view bytes) {
  std::string to(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  to.resize(ZSTD_compress2(context, to.data(), to.size(), bytes.data(), bytes.size()));
  ZSTD_freeCCtx(context);
  return to;
}

std::string zstd_without_size(std::string_view bytes) {
  std::string to(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  to.resize(ZSTD_compress2(context, to.data(), to.size(), bytes.data(), bytes.size()));
  ZSTD_freeCCtx(context);
  return to;
}

std::string gzip_flushed(const std::vector<std::string>& pieces, int flush) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 1, Z_DEFAULT_STRATEGY);
  std::string to;
  std::string buffer(64 << 10, '\0');
  for (std::size_t i = 0; i <= pieces.size(); ++i) {
    const std::string_view piece = i < pieces.size() ? std::string_view(pieces[i]) : std::string_view();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      deflate(&stream, i < pieces.size() ? flush : Z_FINISH);
      to.append(buffer, 0, buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return to;
}

std::string xz(const std::vector<std::string>& pieces) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_easy_encoder(&stream, 0, LZMA_CHECK_CRC64) != LZMA_OK) throw std::runtime_error("liblzma does not start");
  std::string to;
  std::string buffer(64 << 10, '\0');
  for (std::size_t i = 0; i <= pieces.size(); ++i) {
    const std::string_view piece = i < pieces.size() ? std::string_view(pieces[i]) : std::string_view();
    stream.next_in = reinterpret_cast<const std::uint8_t*>(piece.data());
    stream.avail_in = piece.size();
    lzma_ret code = LZMA_OK;
    while (code == LZMA_OK) {
      stream.next_out = reinterpret_cast<std::uint8_t*>(buffer.data());
      stream.avail_out = buffer.size();
      code = lzma_code(&stream, i < pieces.size() ? LZMA_FULL_FLUSH : LZMA_FINISH);
      to.append(buffer, 0, buffer.size() - stream.avail_out);
    }
    if (code != LZMA_STREAM_END) throw std::runtime_error("liblzma does not compress");
  }
  lzma_end(&stream);
  return to;
}

std::string bzip2(std::string_view bytes, int level) {
  auto size = static_cast<unsigned>(bytes.size() + bytes.size() / 100 + 600);
  std::string to(size, '\0');
  if (BZ2_bzBuffToBuffCompress(to.data(), &size, const_cast<char*>(bytes.data()), static_cast<unsigned>(bytes.size()),
                               level, 0, 0) != BZ_OK)
    throw std::runtime_error("bzip2 does not compress");
  to.resize(size);
  return to;
}

std::vector<Record> lines_of(std::string_view bytes) {
  std::vector<Record> lines;
  std::string line;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    line += bytes[i];
    if (bytes[i] != '\n' && i + 1 < bytes.size()) continue;
    lines.push_back({i + 1 - line.size(), line});
    line.clear();
  }
  return lines;
}

std::vector<std::string> awkward_contents() {
  using namespace std::string_literals;
  return {
      "a"s,
      "\n"s,
      "\n\n\n\n"s,
      "one\ntwo\nthree\n"s,
      "one\ntwo\nno end"s,
      "\nfirst is empty\n\nso is this\n\n"s,
      "dos\r\nlines\r\n\r\nwith ends\r\n"s,
      "\r\r\n\r\n \r"s,
      "nul \0 in\0\nthe \0\n\0\0\n\0"s,
      "\xff\xfe\xc3\n\x80\x80\n\xf0\x9f\n\xed\xa0\x80"s,
      "a\nbb\nccc\ndddd\neeeee\nffffff\nggggggg\nhhhhhhhh\niiiiiiiii\n"s,
      "a line that is much longer than any of the others in here\nb\n"s,
  };
}

}  // namespace ontime::worker::test
