// The indexes at the ends of the streams of an xz file.
#include <lzma.h>

#include <algorithm>
#include <string_view>

#include "common/base/check.h"
#include "master/input_index.h"
#include "master/stored_numbers.h"

namespace ontime::master {
namespace {

constexpr std::uint64_t kIndexMemoryMax = 64u << 20;  // of all streams

// Null if the file has none that can be read. To be freed.
lzma_index* decode_index(StoredNumbers& file, std::size_t read_bytes) {
  lzma_stream library = LZMA_STREAM_INIT;
  lzma_index* index = nullptr;
  ONTIME_CHECK(lzma_file_info_decoder(&library, &index, kIndexMemoryMax, file.size()) == LZMA_OK, "liblzma starts");
  lzma_ret code = LZMA_OK;
  for (std::uint64_t at = 0; code == LZMA_OK;) {
    const std::string_view bytes = file.bytes(at, read_bytes);
    if (bytes.empty()) break;
    library.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    library.avail_in = bytes.size();
    code = lzma_code(&library, LZMA_RUN);
    at += bytes.size() - library.avail_in;
    if (code == LZMA_SEEK_NEEDED) {
      at = library.seek_pos;
      code = LZMA_OK;
    }
  }
  lzma_end(&library);
  return code == LZMA_STREAM_END ? index : nullptr;
}

}  // namespace

InputIndex find_xz_index(StoredNumbers& file, const IndexEffort& effort) {
  lzma_index* const index = decode_index(file, effort.read_bytes);
  if (index == nullptr) return {};
  InputIndex found;
  std::uint64_t apart = effort.apart;
  std::uint64_t largest = 0;
  std::uint64_t last = 0;
  lzma_index_iter block;
  lzma_index_iter_init(&block, index);
  while (!lzma_index_iter_next(&block, LZMA_INDEX_ITER_NONEMPTY_BLOCK)) {
    const std::uint64_t content = block.block.uncompressed_file_offset;
    largest = std::max<std::uint64_t>(largest, block.block.uncompressed_size);
    found.content_bytes = content + block.block.uncompressed_size;
    if (content == 0 || content - last < apart) continue;
    last = content;
    found.points.push_back({content, block.block.compressed_file_offset,
                            kInside | static_cast<std::uint64_t>(block.stream.flags->check) << 8});
    if (found.points.size() <= kPointsMax) continue;
    thin_out(found.points, kPointsMax);
    apart *= 2;
  }
  lzma_index_end(index, nullptr);
  return largest <= kBlockContentMax ? found : InputIndex{};
}

}  // namespace ontime::master
