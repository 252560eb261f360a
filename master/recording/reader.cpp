#include "master/recording/reader.h"

#include <utility>

#include "master/recording/entry.h"

namespace ontime::recording {

Error Reader::damaged(const std::string& reason) const {
  return failed("Cannot read the recording '" + path_ + "' behind byte " + std::to_string(position_) + ": " + reason +
                "; it is damaged.");
}

Result<Reader> Reader::open(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return bad_input("The recording '" + path + "' cannot be read; is there such a file?");
  std::string magic(kMagic.size(), '\0');
  file.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  magic.resize(static_cast<std::size_t>(file.gcount()));
  // A master may die before it has written even that.
  if (!kMagic.starts_with(magic)) return bad_input("The file '" + path + "' is not a recording of ontime.");
  Reader reader(path, std::move(file));
  reader.position_ = magic.size();
  if (magic.size() < kMagic.size()) reader.torn_bytes_ = magic.size();
  return reader;
}

void Reader::drop_rest() {
  torn_bytes_ += content_.size() - taken_;
  content_.clear();
  taken_ = 0;
}

Result<bool> Reader::read_block() {
  std::string header_bytes(kBlockHeaderBytes, '\0');
  file_.read(header_bytes.data(), static_cast<std::streamsize>(kMagic.size()));
  auto got = static_cast<std::size_t>(file_.gcount());
  if (got == kMagic.size() && header_bytes.compare(0, got, kMagic) == 0) {  // another epoch
    drop_rest();
    position_ += got;
    sequence_ = 0;
    begins_epoch_ = true;
    return true;
  }
  if (got == kMagic.size()) {
    file_.read(header_bytes.data() + got, static_cast<std::streamsize>(kBlockHeaderBytes - got));
    got += static_cast<std::size_t>(file_.gcount());
  }
  if (got < kBlockHeaderBytes) {
    torn_bytes_ += got;
    return false;
  }
  const Result<BlockHeader> header = read_block_header(header_bytes);
  if (!header) return damaged(header.error().message);
  if (header->sequence != sequence_) return damaged("a block is missing");
  std::string data(header->stored_size, '\0');
  file_.read(data.data(), static_cast<std::streamsize>(data.size()));
  if (static_cast<std::size_t>(file_.gcount()) < data.size()) {
    torn_bytes_ += got + static_cast<std::size_t>(file_.gcount());
    return false;
  }
  content_.erase(0, taken_);
  taken_ = 0;
  if (Status status = unpacker_.unpack(*header, header_bytes, data, content_); !status)
    return damaged(status.error().message);
  position_ += kBlockHeaderBytes + data.size();
  ++sequence_;
  return true;
}

Result<std::optional<Entry>> Reader::next() {
  while (true) {
    std::string_view rest = std::string_view(content_).substr(taken_);
    Result<std::optional<Entry>> entry = take_entry(rest, at_);
    if (!entry) return damaged(entry.error().message);
    if (*entry) {
      taken_ = content_.size() - rest.size();
      if (std::holds_alternative<Header>(**entry) != begins_epoch_) return damaged("a header is missing or in the way");
      begins_epoch_ = false;
      return entry;
    }
    const Result<bool> more = read_block();
    if (!more) return more.error();
    if (!*more) {
      drop_rest();
      return std::optional<Entry>();
    }
  }
}

}  // namespace ontime::recording
