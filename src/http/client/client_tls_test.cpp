#include <atomic>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include "http/client/client.h"
#include "http/testing/scripted_server.h"

namespace spindle::http {
namespace {

template <auto kFree>
struct Freeing {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freeing<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freeing<X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Freeing<SSL_CTX_free>>;

void addExtension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

/// A private key and a self-signed certificate of a server, and a file for clients to trust.
class Identity {
 public:
  /// `names` as in a certificate: `DNS:localhost,IP:127.0.0.1`.
  explicit Identity(const std::string& names, long valid_seconds = 3600)
      : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
    X509* it = certificate_.get();
    X509_set_version(it, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(it), 1);
    X509_gmtime_adj(X509_getm_notBefore(it), -7200);
    X509_gmtime_adj(X509_getm_notAfter(it), valid_seconds);
    X509_set_pubkey(it, key_.get());
    X509_NAME* name = X509_get_subject_name(it);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(it, name);
    addExtension(it, NID_basic_constraints, "critical,CA:TRUE");
    addExtension(it, NID_subject_alt_name, names);
    X509_sign(it, key_.get(), EVP_sha256());

    context_.reset(SSL_CTX_new(TLS_server_method()));
    SSL_CTX_use_certificate(context_.get(), it);
    SSL_CTX_use_PrivateKey(context_.get(), key_.get());

    file_ = std::filesystem::temp_directory_path() / "spindle-client-tls-XXXXXX";
    const int descriptor = ::mkstemp(file_.data());
    FILE* out = ::fdopen(descriptor, "w");
    PEM_write_X509(out, it);
    std::fclose(out);
  }
  ~Identity() { std::filesystem::remove(file_); }
  Identity(const Identity&) = delete;
  Identity& operator=(const Identity&) = delete;

  SSL_CTX* context() const { return context_.get(); }
  const std::string& file() const { return file_; }

 private:
  Key key_;
  Certificate certificate_;
  Context context_;
  std::string file_;
};

ClientOptions trusting(const Identity& identity) {
  ClientOptions options;
  options.ca_file = identity.file();
  return options;
}

ClientRequest get(std::string_view host, const ScriptedServer& server) {
  ClientRequest request;
  request.url = "https://" + std::string(host) + ":" + std::to_string(server.port()) + "/";
  return request;
}

/// Expects that a request to the server fails with kUpstream.
void expectUpstreamError(const ClientOptions& options, const ScriptedServer& server) {
  Client client(options);
  const auto answer = client.fetch(get("localhost", server));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kUpstream);
}

TEST(ClientTls, AcceptsATrustedCertificate) {
  const Identity identity("DNS:localhost,IP:127.0.0.1");
  ScriptedServer server(
      [](Peer& peer) {
        while (!peer.readRequest().empty()) peer.send(okResponse(peer.serverName()));
      },
      identity.context());
  Client client(trusting(identity));
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.fetch(get("localhost", server));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->body, "localhost");
  }
  EXPECT_EQ(server.connections(), 1);
  const auto by_address = client.fetch(get("127.0.0.1", server));
  ASSERT_TRUE(by_address) << by_address.error().message();
  EXPECT_EQ(by_address->body, "");
}

TEST(ClientTls, RejectsACertificateForAnotherHost) {
  const Identity identity("DNS:other.example,IP:10.0.0.1");
  std::atomic<bool> secured = false;
  ScriptedServer server(
      [&secured](Peer& peer) {
        if (!peer.readRequest().empty()) secured = true;
      },
      identity.context());
  Client client(trusting(identity));
  for (const std::string_view host : {"localhost", "127.0.0.1"}) {
    const auto answer = client.fetch(get(host, server));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), ErrorCode::kUpstream);
    EXPECT_TRUE(answer.error().message().find("mismatch") != std::string::npos)
        << answer.error().message();
  }
  EXPECT_FALSE(secured) << "the request was sent to a stranger";
}

TEST(ClientTls, RejectsAnUntrustedCertificate) {
  const Identity identity("DNS:localhost");
  const Identity other("DNS:localhost");
  ScriptedServer server([](Peer& peer) { peer.readRequest(); }, identity.context());
  for (const ClientOptions& options : {ClientOptions(), trusting(other)}) {
    expectUpstreamError(options, server);
  }
}

TEST(ClientTls, RejectsAnExpiredCertificate) {
  const Identity identity("DNS:localhost", -3600);
  ScriptedServer server([](Peer& peer) { peer.readRequest(); }, identity.context());
  Client client(trusting(identity));
  const auto answer = client.fetch(get("localhost", server));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message(),
            "The TLS handshake with the server failed: certificate has expired.");
  EXPECT_EQ(answer.error().reason(), "tls_error");
}

TEST(ClientTls, RejectsAServerWithoutTls) {
  const Identity identity("DNS:localhost");
  ScriptedServer server([](Peer& peer) {
    peer.read();
    peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  });
  expectUpstreamError(trusting(identity), server);
}

TEST(ClientTls, DetectsATruncatedBody) {
  const Identity identity("DNS:localhost");
  ScriptedServer server(
      [](Peer& peer) {
        peer.readRequest();
        peer.send("HTTP/1.1 200 OK\r\n\r\nthe end is not sign");  // without close_notify
      },
      identity.context());
  expectUpstreamError(trusting(identity), server);
}

TEST(ClientTls, CarriesLargeBodiesBothWays) {
  const Identity identity("DNS:localhost");
  const std::string body(3000000, 'b');
  ScriptedServer server(
      [](Peer& peer) {
        const std::string request = peer.readRequest();
        peer.send(okResponse(request.substr(request.find("\r\n\r\n") + 4)));
      },
      identity.context());
  Client client(trusting(identity));
  ClientRequest request = get("localhost", server);
  request.method = Method::kPut;
  request.body = body;
  const auto answer = client.fetch(request);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->body, body);
}

TEST(ClientTls, ConstructorThrowsIfTheCaFileIsMissing) {
  ClientOptions options;
  options.ca_file = "/nowhere/ca.pem";
  EXPECT_THROW(Client client(options), std::runtime_error);
}

}  // namespace
}  // namespace spindle::http
