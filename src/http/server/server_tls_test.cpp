#include <cstdio>
#include <filesystem>
#include <thread>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <unistd.h>

#include "http/message/body_stream.h"
#include "http/server/server_fixture.h"

namespace spindle::http {
namespace {

/// A folder with a new self-signed certificate; the destructor removes it.
class Certificate {
 public:
  Certificate() {
    std::string name = std::filesystem::temp_directory_path() / "spindle-tls-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_sign(certificate, key, EVP_sha256());
    std::FILE* out = std::fopen(files().certificate.c_str(), "w");
    PEM_write_X509(out, certificate);
    std::fclose(out);
    out = std::fopen(files().private_key.c_str(), "w");
    PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(out);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ~Certificate() { std::filesystem::remove_all(folder_); }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  TlsFiles files() const {
    TlsFiles paths;
    paths.certificate = folder_ / "cert.pem";
    paths.private_key = folder_ / "key.pem";
    return paths;
  }

 private:
  std::filesystem::path folder_;
};

class ServerTls : public ServerTest {
 protected:
  ServerTls() { options_.tls = certificate_.files(); }

  Certificate certificate_;
};

constexpr BlockingClient::Tls kTls = BlockingClient::Tls::kYes;

TEST_F(ServerTls, ServesRequestsAndKeepsTheConnection) {
  service_.on_handle = [](Request& request) {
    Response response;
    response.body = (request.secure ? "secure " : "plain ") + request.body;
    return response;
  };
  start();
  EXPECT_EQ(server_->url(), "https://127.0.0.1:" + std::to_string(port()));
  BlockingClient client(port(), kTls);
  ASSERT_TRUE(client.connected());
  for (const std::size_t size : {1U, 10'000U, 500'000U}) {
    const std::string body(size, 'x');
    EXPECT_EQ(client.ask(post("/", body)).body, "secure " + body);
  }
  client.send(get("/") + get("/"));
  EXPECT_EQ(client.receive().body, "secure ");
  EXPECT_EQ(client.receive().body, "secure ");
}

TEST_F(ServerTls, SendsCloseNotify) {
  start();
  BlockingClient client(port(), kTls);
  EXPECT_EQ(client.ask(get("/", "Connection: close\r\n")).status, 200);
  EXPECT_TRUE(client.atEnd());
  EXPECT_FALSE(client.wasReset());
}

TEST_F(ServerTls, RefusesALargeBodySoThatTheClientCanReadIt) {
  service_.body_limit = 10;
  start();
  BlockingClient client(port(), kTls);
  EXPECT_EQ(client.ask(post("/", std::string(200'000, 'x'))).status, 413);
}

TEST_F(ServerTls, StreamsAndNoticesThatTheClientLeft) {
  auto body = std::make_shared<PushedBody>(1000);
  std::promise<void> cancelled;
  body->onSpace([&] { cancelled.set_value(); });
  service_.on_handle = [body](Request& /*request*/) {
    Response response;
    response.stream = body;
    return response;
  };
  start();
  BlockingClient client(port(), kTls);
  client.send(get("/"));
  EXPECT_NE(client.receiveSome().find("chunked"), std::string::npos);
  body->push("first");
  EXPECT_NE(client.receiveSome().find("first"), std::string::npos);
  client.close();
  cancelled.get_future().wait();
}

TEST_F(ServerTls, ClosesOnClientsThatSpeakPlainHttpOrNothing) {
  options_.limits.header_timeout = std::chrono::milliseconds(40);
  start();
  BlockingClient plain(port());
  plain.send(get("/"));
  EXPECT_EQ(plain.receive().status, 0);
  BlockingClient silent(port());
  EXPECT_TRUE(silent.atEnd());
}

TEST_F(ServerTls, DrainsIdleAndBusyConnections) {
  HandlerGate gate;
  service_.on_handle = [&](Request& /*request*/) {
    gate.pass();
    return Response(200);
  };
  start();
  BlockingClient idle(port(), kTls);
  BlockingClient busy(port(), kTls);
  busy.send(get("/"));
  gate.awaitHandler();
  std::future<bool> stopping = std::async(std::launch::async, [this] { return server_->stop(); });
  EXPECT_TRUE(idle.atEnd());
  gate.open();
  EXPECT_EQ(busy.receive().headers.get("Connection"), "close");
  EXPECT_TRUE(stopping.get());
}

}  // namespace
}  // namespace spindle::http
