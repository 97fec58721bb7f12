#include "app/doctor/library_checks.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <boost/version.hpp>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

// Only the area storage includes the headers of SQLite and libpq; this file needs only their
// versions. NOLINTBEGIN(readability-identifier-naming): their names
extern "C" const char* sqlite3_libversion();
extern "C" int PQlibVersion();
// NOLINTEND(readability-identifier-naming)

namespace spindle::app {
namespace {

struct Attempt {
  bool loaded = false;
  std::string text;  ///< the version, or the reason of the failure
};

/// Loads the library in the child process and writes the result to `output`. The library stays
/// loaded until the process exits, as in an engine.
[[noreturn]] void loadAndReport(const std::string& file,
                                const std::string& version_function,
                                int output) {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) ::dup2(null, STDERR_FILENO);
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* text = "";
  if (handle == nullptr) {
    text = ::dlerror();  // NOLINT(concurrency-mt-unsafe): the child has one thread
  } else if (!version_function.empty()) {
    using VersionFunction = const char* (*)();
    const auto version =
        reinterpret_cast<VersionFunction>(::dlsym(handle, version_function.c_str()));
    if (version != nullptr) text = version();
  }
  const std::size_t size = std::strlen(text);
  const bool written = ::write(output, text, size) == static_cast<ssize_t>(size);
  ::_exit(handle != nullptr && written ? 0 : 1);
}

std::string readToEnd(int input) {
  std::string text;
  std::array<char, 512> buffer{};
  ssize_t count = 0;
  do {
    count = ::read(input, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  } while (count > 0 || (count < 0 && errno == EINTR));
  return text;
}

/// Loads the library in a child process, so that a crash during loading does not end the doctor.
Attempt tryToLoad(const std::string& file, const std::string& version_function) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return {false, "cannot create a pipe for the check"};
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(pipe[0]);
    ::close(pipe[1]);
    return {false, "cannot create a process for the check"};
  }
  if (child == 0) loadAndReport(file, version_function, pipe[1]);
  ::close(pipe[1]);
  std::string text = readToEnd(pipe[0]);
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {false, "the library crashes during loading"};
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, std::move(text)};
}

NeededLibrary needed(std::string check, const std::string& path, std::string version_function) {
  return {std::move(check), std::filesystem::path(path).filename().string(), path,
          std::move(version_function)};
}

}  // namespace

std::vector<NeededLibrary> neededLibraries() {
  return {needed("libduckdb", SPINDLE_DUCKDB_LIBRARY, "duckdb_library_version"),
          needed("libggml", SPINDLE_GGML_LIBRARY, "ggml_version"),
          needed("libllama", SPINDLE_LLAMA_LIBRARY, ""),
          needed("libllama-common", SPINDLE_LLAMA_COMMON_LIBRARY, "")};
}

Finding checkLibrary(const NeededLibrary& library) {
  Attempt attempt;
  for (const std::string& name : {library.file, library.built_with}) {
    attempt = tryToLoad(name, library.version_function);
    if (!attempt.loaded) continue;
    const std::string version = attempt.text.empty() ? "" : ", version " + attempt.text;
    return Finding::ok(library.check, library.file + " loads" + version);
  }
  return Finding::failure(library.check, fmt::format("cannot be loaded: {}", attempt.text),
                          "run scripts/setup.sh, which downloads it, and build again; reinstall a "
                          "packaged Spindle");
}

Finding checkLinkedLibraries() {
  const int pq = ::PQlibVersion();
  return Finding::ok(
      "libraries",
      fmt::format("OpenSSL {}, SQLite {}, libpq {}.{}, simdjson {}, zlib {}, zstd {}, "
                  "Boost {}.{}.{}",
                  ::OpenSSL_version(OPENSSL_VERSION_STRING), ::sqlite3_libversion(), pq / 10000,
                  pq % 10000, SPINDLE_SIMDJSON_VERSION, ::zlibVersion(), ::ZSTD_versionString(),
                  BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100));
}

}  // namespace spindle::app
