#include "app/server/announcement.h"

#include <cstdio>

#include "app/server/version.h"

namespace spindle::app {

void announce(const std::string& url,
              const identity::AdminKey& admin,
              const std::string& sign_in_link) {
  std::fprintf(stderr, "listening on %s\n", url.c_str());
  const bool has_file = !admin.key.empty() && !admin.file.empty() && admin.valid;
  if (has_file || !sign_in_link.empty()) {
    std::printf("Spindle %s\n", std::string(version()).c_str());
    if (sign_in_link.empty()) {
      std::printf("  console  %s/console\n", url.c_str());
    } else {
      std::printf("  console  %s\n           (signs in once, within 15 minutes)\n",
                  sign_in_link.c_str());
    }
    std::printf("  API      %s\n  docs     %s/docs\n", url.c_str(), url.c_str());
  }
  if (has_file) {
    // Printed only by the start that created the key: output is often stored in logs.
    if (admin.fresh) {
      const std::string key(admin.key.reveal());
      std::printf("  API key  %s\n           (stored in %s)\n", key.c_str(), admin.file.c_str());
    } else {
      std::printf("  API key  in %s\n", admin.file.c_str());
    }
  }
  if (!admin.valid) {
    std::printf(
        "The API key in %s has been revoked. Delete this file and restart the server to get a new "
        "key.\n",
        admin.file.c_str());
  }
  std::fflush(stdout);
}

}  // namespace spindle::app
