#pragma once
// The files of one HDFS, through WebHDFS.

#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/hdfs/exchange.h"
#include "common/hdfs/name.h"
#include "common/http/remote_file.h"
#include "common/http/store.h"

namespace ontime::hdfs {

class FileSystem final : public http::Store {
 public:
  // `root`: of a Name. `scratch`: the directory ("a/b/"; "": their own) where files lie while they are written, each
  // under a name that no other try has: a DataNode may go on with a try that was given up here. Each then gets its own
  // name by a rename, which HDFS does at once. What a process that died leaves there is called "NAME.DIGITS", after
  // what the file was to be. Their own directory must be there: so such a try makes nothing once that is removed.
  FileSystem(std::string root, std::string scratch, const std::atomic<bool>* is_over = nullptr,
             http::Patience patience = {});

  http::Answer<void> list(const std::string& directory, const Take& take, const Enter& enter = nullptr) override;
  http::Answer<std::optional<http::Object>> find(const std::string& key) override;
  http::Answer<std::string> read(const std::string& key, std::uint64_t bytes_max) override;
  http::Answer<std::string> read_range(const http::Object& object, std::uint64_t offset, std::size_t size) override;
  http::Answer<void> write(const std::string& key, const http::Content& content) override;
  http::Answer<bool> create(const std::string& key, std::string_view bytes) override;
  // Renames it.
  http::Answer<void> put_in_place(const http::Object& object, const std::string& key) override;
  http::Answer<void> remove(const std::string& key) override;
  http::Answer<void> make_directory(const std::string& key) override;
  void remove_directory(const std::string& key) override;
  void remove_tree(const std::string& key) override;

 private:
  http::Answer<std::string> ask(const char* method, const std::string& key, const std::string& op,
                                std::size_t bytes_max);
  http::Answer<nlohmann::json> ask_json(const char* method, const std::string& key, const std::string& op);
  http::Answer<std::vector<http::Object>> entries(const std::string& directory);
  http::Answer<std::string> write_scratch(const std::string& key, const http::Content& content);
  http::Answer<bool> rename(const std::string& from, const std::string& to);

  const std::string root_;
  const std::string scratch_;
  const std::atomic<bool>* const is_over_;
  const http::Patience patience_;
  std::optional<Exchange> exchange_;  // none: nothing was asked yet
};

// One file at the address that address_of() gives. HDFS compares no version while it sends parts: look() does.
class RemoteFile final : public http::RangedFile {
 public:
  explicit RemoteFile(const http::Url& url, const std::atomic<bool>* is_over = nullptr, http::Patience patience = {});

  http::Answer<http::State> look() override;
  bool has_parts_always() const override { return true; }
  // Two servers are asked, and the second makes a client of the first: some 15 ms of processor time.
  bool has_costly_requests() const override { return true; }
  using http::RangedFile::read;
  http::Answer<void> read(const http::State& state, std::uint64_t offset, std::uint64_t size, http::Sink& to) override;

 private:
  const std::string target_;
  Exchange exchange_;
};

}  // namespace ontime::hdfs
