#include "trainer/model/atomic_file.h"

#include <string_view>

#include "base/process/durable_file.h"

namespace spindle::trainer {

Result<void> writeFileAtomically(const std::string& path, const weights::ByteSource& source) {
  const std::string unfinished = path + ".new";
  FileWriter file;
  TRY(file.open(unfinished));
  TRY(source([&file](std::string_view bytes) { return file.add(bytes); }));
  TRY(file.close());
  return moveIntoPlace(unfinished, path);
}

}  // namespace spindle::trainer
