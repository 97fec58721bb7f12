#include "app/server/program_folder.h"

#include <system_error>

namespace spindle::app {

std::filesystem::path programFolder() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
}

}  // namespace spindle::app
