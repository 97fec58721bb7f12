// Sends concurrent completion requests to an engine over its Unix socket. Prints one line of JSON:
// seconds until every stream has begun, seconds from then to the end of the last one, tokens in
// that time, and the cached tokens that the engine reports.
//
//   engine_load SOCKET REQUESTS SHARED_TOKENS OWN_TOKENS TOKENS SALT

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

using Time = std::chrono::steady_clock::time_point;

struct Stream {
  int socket = -1;
  std::string text = {};
  long tokens = 0;
  bool begun = false;
  bool ended = false;
};

int promptToken(int request, int place) { return 300 + (request * 977 + place * 31) % 30'000; }

std::string requestOf(int request, int shared, int own, int tokens, const std::string& salt) {
  std::string prompt;
  for (int place = 0; place < shared; ++place)
    prompt += (prompt.empty() ? "" : ",") + std::to_string(promptToken(0, place));
  for (int place = 0; place < own; ++place)
    prompt += (prompt.empty() ? "" : ",") + std::to_string(promptToken(request, place));
  const std::string body = R"({"model":"bench","stream":true,"temperature":0,"ignore_eos":true,)"
                           R"("stream_options":{"include_usage":true},"return_token_ids":true,)"
                           R"("max_tokens":)" +
                           std::to_string(tokens) + R"(,"cache_salt":")" + salt +
                           R"(","prompt":[)" + prompt + "]}";
  return "POST /v1/completions HTTP/1.1\r\nHost: engine\r\nConnection: close\r\n"
         "Content-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

int connectTo(const char* path) {
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return descriptor;
  std::perror("engine_load: connect");
  std::exit(1);
}

long countOf(const std::string& text, const char* what) {
  long count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

/// Reads the available bytes. Keeps the last bytes, in which a marker may begin.
void take(Stream& stream) {
  char bytes[65536];
  const ssize_t got = ::recv(stream.socket, bytes, sizeof bytes, 0);
  if (got <= 0) {
    stream.ended = true;
    ::close(stream.socket);
    return;
  }
  const std::size_t old = stream.text.size();
  stream.text.append(bytes, static_cast<std::size_t>(got));
  const std::size_t from = old < 16 ? 0 : old - 16;
  stream.tokens = stream.tokens -
                  countOf(stream.text.substr(from, old - from), R"("token_ids":[)") +
                  countOf(stream.text.substr(from), R"("token_ids":[)");
  if (stream.tokens > 0) stream.begun = true;
}

long cachedOf(const Stream& stream) {
  const char* name = R"("cached_tokens":)";
  const std::size_t at = stream.text.rfind(name);
  if (at == std::string::npos || stream.text.find("[DONE]") == std::string::npos) {
    std::fprintf(stderr, "engine_load: %s\n", stream.text.c_str());
    std::exit(1);
  }
  return std::atol(stream.text.c_str() + at + std::strlen(name));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "engine_load SOCKET REQUESTS SHARED_TOKENS OWN_TOKENS TOKENS SALT\n");
    return 2;
  }
  const int requests = std::atoi(argv[2]);
  std::vector<Stream> streams(static_cast<std::size_t>(requests));
  for (Stream& stream : streams) stream.socket = connectTo(argv[1]);
  const Time start = std::chrono::steady_clock::now();
  for (int i = 0; i < requests; ++i) {
    const std::string request =
        requestOf(i, std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5]), argv[6]);
    if (::send(streams[static_cast<std::size_t>(i)].socket, request.data(), request.size(), 0) !=
        static_cast<ssize_t>(request.size()))
      return 1;
  }
  Time all_begun = start;
  long tokens_then = 0;
  bool counting = false;
  while (true) {
    std::vector<pollfd> waiting;
    std::vector<Stream*> whose;
    for (Stream& stream : streams) {
      if (stream.ended) continue;
      waiting.push_back({stream.socket, POLLIN, 0});
      whose.push_back(&stream);
    }
    if (waiting.empty()) break;
    ::poll(waiting.data(), waiting.size(), -1);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents != 0) take(*whose[i]);
    }
    bool all = true;
    long tokens = 0;
    for (const Stream& stream : streams) {
      all = all && (stream.begun || stream.ended);
      tokens += stream.tokens;
    }
    if (all && !counting) {
      counting = true;
      all_begun = std::chrono::steady_clock::now();
      tokens_then = tokens;
    }
  }
  const std::chrono::duration<double> until_begun = all_begun - start;
  const std::chrono::duration<double> generating = std::chrono::steady_clock::now() - all_begun;
  long cached = 0;
  long tokens = 0;
  for (const Stream& stream : streams) {
    cached += cachedOf(stream);
    tokens += stream.tokens;
  }
  std::printf(R"({"begun":%.4f,"seconds":%.4f,"tokens":%ld,"cached":%ld})"
              "\n",
              until_begun.count(), generating.count(), tokens - tokens_then, cached);
  return 0;
}
