#pragma once
// A journal that several masters have, on machines of its own. One of them leads: it alone appends. The others follow
// it and know what it has appended, so that one of them can lead at once.

#include <functional>
#include <string>

#include "common/base/result.h"
#include "master/journal/journal.h"

namespace ontime::journal {

class SharedJournal : public Journal {
 public:
  // Blocks the calling thread until this master leads, or stop() is called: then Unavailable. `on_leader` is called, on
  // any thread, with the address of each other master that comes to lead, or "" if none does. Once; nothing else of
  // this journal is used before it has returned. Then read_all() reads what is known here.
  virtual Status lead(const std::function<void(const std::string&)>& on_leader) = 0;
  // From any thread: ends lead() within a second.
  virtual void stop() = 0;
  // `lost` is called once, on a thread of the journal's, as soon as this master may lead no more, which is before
  // another one leads; from then on nothing can be appended. Before lead().
  virtual void on_lost(std::function<void(const std::string& why)> lost) = 0;
};

}  // namespace ontime::journal
