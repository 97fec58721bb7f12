#include "http/client/name_lookup.h"

#include <algorithm>
#include <array>
#include <memory>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

namespace spindle::http {
namespace {

std::string textOf(const in_addr& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET, &address, text.data(), text.size());
}

std::string textOf(const in6_addr& address) {
  if (IN6_IS_ADDR_V4MAPPED(&address) != 0) {
    in_addr inner{};
    std::copy_n(address.s6_addr + 12, 4, reinterpret_cast<unsigned char*>(&inner));
    return textOf(inner);
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET6, &address, text.data(), text.size());
}

}  // namespace

std::optional<std::string> addressLiteral(const std::string& host) {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return textOf(four);
  in6_addr six{};
  if (inet_pton(AF_INET6, host.c_str(), &six) == 1) return textOf(six);
  return std::nullopt;
}

std::vector<std::string> lookUpAddresses(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family == AF_INET) {
      addresses.push_back(textOf(reinterpret_cast<const sockaddr_in*>(entry->ai_addr)->sin_addr));
    } else if (entry->ai_family == AF_INET6) {
      addresses.push_back(textOf(reinterpret_cast<const sockaddr_in6*>(entry->ai_addr)->sin6_addr));
    }
  }
  return addresses;
}

}  // namespace spindle::http
