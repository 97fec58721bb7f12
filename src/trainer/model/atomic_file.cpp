#include "trainer/model/atomic_file.h"

#include <string_view>

#include "base/process/durable_file.h"

namespace spindle::trainer {

Result<void> writeFileAtomically(const std::string& path, const weights::ByteSource& source) {
  const std::string unfinished = path + ".new";
  FileWriter file;
  if (Result<void> opened = file.open(unfinished); !opened) return opened;
  const Result<void> written = source([&file](std::string_view bytes) { return file.add(bytes); });
  if (!written) return written;
  if (Result<void> closed = file.close(); !closed) return closed;
  return moveIntoPlace(unfinished, path);
}

}  // namespace spindle::trainer
