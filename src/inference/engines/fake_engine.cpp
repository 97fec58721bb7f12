// A fake of spindle-engine for tests. It loads no model; the `fake_engine.*` values in the model
// file control its behaviour.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/process/child_process.h"
#include "weights/formats/gguf_file.h"

namespace {

using spindle::Result;
using spindle::weights::GgufFile;

/// Reads one request with its body.
std::string receive(int connection) {
  std::string request;
  char bytes[4096];
  std::size_t wanted = std::string::npos;
  while (request.size() < wanted) {
    const ssize_t count = ::read(connection, bytes, sizeof bytes);
    if (count <= 0) return request;
    request.append(bytes, static_cast<std::size_t>(count));
    const std::size_t end = request.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    const std::size_t length = request.find("Content-Length: ");
    wanted = end + 4 + (length < end ? std::strtoul(&request[length + 16], nullptr, 10) : 0);
  }
  return request;
}

void answer(int connection, const std::string& status, const std::string& body) {
  const std::string text = "HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: " +
                           std::to_string(body.size()) +
                           "\r\nContent-Type: application/json\r\n\r\n" + body;
  [[maybe_unused]] const ssize_t sent = ::write(connection, text.data(), text.size());
}

class FakeEngine {
 public:
  explicit FakeEngine(const GgufFile& file)
      : script_(file.text("fake_engine.script").value_or("")),
        memory_(file.integer("fake_engine.memory").value_or(0)) {}

  void serve(int connection) {
    const std::string request = receive(connection);
    if (request.starts_with("GET /health ")) return health(connection);
    if (request.starts_with("PUT /adapters/bad ")) {
      return answer(connection, "400 Bad Request", R"({"error":{"message":"no adapter"}})");
    }
    if (request.find(" /adapters/") != std::string::npos) {
      return answer(connection, "204 No Content", "");
    }
    if (script_ == "crash_on_request") std::abort();
    answer(connection, "200 OK", R"({"id":"cmpl"})");
  }

 private:
  void health(int connection) {
    ++asked_;
    if (script_ == "loads" && asked_ < 4) {
      return answer(connection, "503 Service Unavailable",
                    R"({"status":"loading","progress":0.5})");
    }
    if (script_ == "hangs" && asked_ > 1) {
      while (true) ::pause();
    }
    answer(connection, "200 OK",
           R"({"status":"ok","memory_bytes":)" + std::to_string(memory_) + "}");
  }

  const std::string script_;
  const std::int64_t memory_;
  int asked_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  if (std::strcmp(argv[argc - 1], "--until-end-of-input") == 0)
    spindle::watchInput([] { ::_exit(0); });
  const Result<GgufFile> file = GgufFile::open(options["--model"]);
  const std::string script(file ? file->text("fake_engine.script").value_or("") : "unloadable");
  if (script == "unloadable") {
    std::fprintf(stderr, "spindle-engine: the fake engine rejects the file\n");
    return 3;
  }
  if (script == "exits") {
    std::fprintf(stderr, "nothing\nfor me\n");
    return 1;
  }
  if (script == "stubborn") std::signal(SIGTERM, SIG_IGN);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, options["--socket"].c_str(), sizeof address.sun_path - 1);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 1;
  if (::listen(listener, 64) != 0) return 1;
  FakeEngine engine(*file);
  while (true) {
    const int connection = ::accept(listener, nullptr, nullptr);
    if (connection < 0) continue;
    engine.serve(connection);
    ::close(connection);
  }
}
