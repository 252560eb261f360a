#include "master/recording/block.h"

#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "common/base/check.h"
#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "common/base/units.h"
#include "common/files/file_system.h"

namespace ontime::recording {

namespace {

constexpr int kLevel = 1;  // the records of a busy master must cost little
constexpr std::size_t kCheckedHeaderBytes = 12;

std::uint32_t checksum_of(std::string_view header, std::string_view data) {
  return crc32c(crc32c(header.substr(0, kCheckedHeaderBytes)), data.data(), data.size());
}

}  // namespace

BlockMaker::BlockMaker() : context_(ZSTD_createCCtx()) {
  ONTIME_CHECK(context_ != nullptr, "there is memory for a context of zstd");
}

void BlockMaker::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

std::string BlockMaker::make(std::string_view content, std::uint32_t sequence) {
  ONTIME_CHECK(content.size() <= kBlockBytesMax, "a block of a recording is at most 1 MiB");
  std::string block(kBlockHeaderBytes + ZSTD_compressBound(content.size()), '\0');
  char* const to = block.data() + kBlockHeaderBytes;
  const std::size_t room = block.size() - kBlockHeaderBytes;
  const std::size_t stored = ZSTD_compressCCtx(context_.get(), to, room, content.data(), content.size(), kLevel);
  ONTIME_CHECK(ZSTD_isError(stored) == 0, "there is room for a compressed block");
  block.resize(kBlockHeaderBytes + stored);
  const std::string header = little_endian(content.size(), 4) + little_endian(stored, 4) + little_endian(sequence, 4);
  const std::string_view data = std::string_view(block).substr(kBlockHeaderBytes);
  return block.replace(0, kBlockHeaderBytes, header + little_endian(checksum_of(header, data), 4));
}

Result<BlockHeader> read_block_header(std::string_view bytes) {
  const auto number = [&](std::size_t at) { return from_little_endian<std::uint32_t>(bytes.substr(at, 4)); };
  const BlockHeader header{number(0), number(4), number(8), number(12)};
  if (header.size > kBlockBytesMax || header.stored_size > ZSTD_compressBound(kBlockBytesMax)) {
    return failed("a block has a size that no block has");
  }
  return header;
}

BlockUnpacker::BlockUnpacker() : context_(ZSTD_createDCtx()) {
  ONTIME_CHECK(context_ != nullptr, "there is memory for a context of zstd");
}

void BlockUnpacker::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

Status BlockUnpacker::unpack(const BlockHeader& header, std::string_view header_bytes, std::string_view data,
                             std::string& to) {
  if (checksum_of(header_bytes, data) != header.checksum) return failed("the checksum of a block does not match");
  const std::size_t before = to.size();
  to.resize(before + header.size);
  char* const begin = to.data() + before;
  const std::size_t size = ZSTD_decompressDCtx(context_.get(), begin, header.size, data.data(), data.size());
  if (ZSTD_isError(size) != 0 || size != header.size) return failed("a block cannot be unpacked");
  return {};
}

namespace {

constexpr std::string_view kPrefix = "epoch-";
constexpr std::string_view kSuffix = ".otr";

std::optional<std::uint64_t> epoch_of(const std::string& name) {
  if (name.size() <= kPrefix.size() + kSuffix.size() || !name.starts_with(kPrefix) || !name.ends_with(kSuffix)) {
    return std::nullopt;
  }
  const std::size_t digits = name.size() - kPrefix.size() - kSuffix.size();
  return number_in<std::uint64_t>(std::string_view(name).substr(kPrefix.size(), digits));
}

// Copies the magic and all whole blocks.
// Returns 0 or errno.
int append_whole_blocks(std::ifstream& from, int to) {
  std::string block(kMagic.size(), '\0');
  if (!from.read(block.data(), static_cast<std::streamsize>(block.size())) || block != kMagic) return 0;
  while (true) {
    if (const int problem = files::append(to, block); problem != 0) return problem;
    block.assign(kBlockHeaderBytes, '\0');
    if (!from.read(block.data(), static_cast<std::streamsize>(block.size()))) return 0;
    const Result<BlockHeader> header = read_block_header(block);
    if (!header) return 0;
    block.resize(kBlockHeaderBytes + header->stored_size);
    if (!from.read(block.data() + kBlockHeaderBytes, static_cast<std::streamsize>(header->stored_size))) return 0;
  }
}

}  // namespace

std::string recordings_of(const std::string& journal_directory) { return journal_directory + "/recordings"; }

std::string path_of(const std::string& recordings, std::uint64_t epoch) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%06llu", static_cast<unsigned long long>(epoch));
  return recordings + "/" + std::string(kPrefix) + digits + std::string(kSuffix);
}

std::vector<EpochFile> list_epochs(const std::string& recordings) {
  std::vector<EpochFile> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(recordings, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto epoch = epoch_of(entry->path().filename().string());
    std::error_code ignored;
    if (epoch) files.push_back({*epoch, entry->path().string(), entry->file_size(ignored)});
  }
  std::sort(files.begin(), files.end(), [](const EpochFile& a, const EpochFile& b) { return a.epoch < b.epoch; });
  return files;
}

Status join_epochs(const std::string& recordings, const std::string& into) {
  const std::vector<EpochFile> epochs = list_epochs(recordings);
  if (epochs.empty()) return failed("There is no recording to write to '" + into + "'.");
  const Descriptor to = files::open(into, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int problem = to ? 0 : errno;
  for (std::size_t i = 0; i < epochs.size() && problem == 0; ++i) {
    std::ifstream from(epochs[i].path, std::ios::binary);
    problem = append_whole_blocks(from, to.get());
  }
  return problem == 0 ? Status() : files::system_error("write the recording", into, problem);
}

}  // namespace ontime::recording
