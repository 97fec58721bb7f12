#include "inference/upstream_adapters/upstream_adapter_loader.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <future>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"
#include "base/core/log.h"
#include "http/testing/scripted_server.h"

namespace spindle::inference {
namespace {

using Lease = std::shared_ptr<UpstreamAdapterLease>;
using Granted = Result<Lease>;
using std::chrono::milliseconds;

/// A vLLM server: knows a set of adapters, and responds to a request as `respond` says.
class FakeVllm {
 public:
  struct Response {
    int status = 200;
    std::string body = "{}";
  };
  /// Returns nothing for the usual response.
  using Respond = std::function<std::optional<Response>(const std::string& line)>;

  std::string url() const { return server_.url("/v1"); }
  /// Returns the requests so far: method, path and the name of the adapter.
  std::vector<std::string> requests() {
    const MutexLock lock(mutex_);
    return requests_;
  }
  std::int64_t count(const std::string& line) {
    const std::vector<std::string> all = requests();
    return std::count(all.begin(), all.end(), line);
  }
  std::set<std::string> loaded() {
    const MutexLock lock(mutex_);
    return loaded_;
  }
  void restart(std::set<std::string> loaded = {}) {
    const MutexLock lock(mutex_);
    loaded_ = std::move(loaded);
  }
  void respond(Respond respond) {
    const MutexLock lock(mutex_);
    respond_ = std::move(respond);
  }

 private:
  static std::string nameIn(const std::string& request) {
    const std::size_t at = request.find("spindle-");
    return at == std::string::npos ? ""
                                   : request.substr(at, request.find_first_of("\"/ ", at) - at);
  }

  Response usual(const std::string& method, const std::string& path, const std::string& name)
      SPINDLE_REQUIRES(mutex_) {
    if (path == "/v1/models") {
      std::string list;
      for (const std::string& each : loaded_) {
        list += (list.empty() ? "" : ",") + (R"({"id":")" + each + "\"}");
      }
      return {200, R"({"object":"list","data":[)" + list + "]}"};
    }
    if (path == "/v1/load_lora_adapter") {
      const bool fresh = loaded_.insert(name).second;
      return fresh
                 ? Response{200, "Success"}
                 : Response{
                       400,
                       R"({"error":{"message":"The lora adapter 'x' has already been loaded."}})"};
    }
    if (path == "/v1/unload_lora_adapter") return {loaded_.erase(name) > 0 ? 200 : 404, "{}"};
    if (method == "GET") return {received_.contains(name) ? 200 : 404, "{}"};
    received_.insert(name);
    return {};
  }

  void serve(http::Peer& peer) {
    while (true) {
      const std::string request = peer.readRequest();
      if (request.empty()) return;
      const std::string method = request.substr(0, request.find(' '));
      const std::string rest = request.substr(method.size() + 1);
      const std::string path = rest.substr(0, rest.find(' '));
      const std::string name = nameIn(request);
      const std::string line =
          method + " " + path + (name.empty() || path.ends_with(name) ? "" : " " + name);
      Respond respond;
      {
        const MutexLock lock(mutex_);
        requests_.push_back(line);
        respond = respond_;
      }
      std::optional<Response> response = respond ? respond(line) : std::nullopt;
      if (!response) {
        const MutexLock lock(mutex_);
        response = usual(method, path, name);
      }
      peer.send("HTTP/1.1 " + std::to_string(response->status) + " X\r\nContent-Length: " +
                std::to_string(response->body.size()) + "\r\n\r\n" + response->body);
    }
  }

  Mutex mutex_;
  std::vector<std::string> requests_ SPINDLE_GUARDED_BY(mutex_);
  std::set<std::string> loaded_ SPINDLE_GUARDED_BY(mutex_);
  std::set<std::string> received_ SPINDLE_GUARDED_BY(mutex_);
  Respond respond_ SPINDLE_GUARDED_BY(mutex_);
  http::ScriptedServer server_{[this](http::Peer& peer) { serve(peer); }};
};

class UpstreamAdapterLoading : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }

  std::shared_ptr<const ReachableUpstream> upstream(std::int64_t most = 2,
                                                    std::int64_t version = 1) {
    auto made = std::make_shared<ReachableUpstream>();
    made->upstream.id = "ups_1";
    made->upstream.name = "vllm";
    made->upstream.url = vllm_.url();
    made->upstream.version = version;
    made->upstream.adapters = {.loading = AdapterLoading::kVllm,
                               .path = "/mnt/adapters",
                               .receiver = receiver_,
                               .most = most,
                               .load_ms = load_ms_};
    made->key = Secret("sk-very-secret");
    made->filter = SecretFilter(made->key);
    return made;
  }
  static std::shared_ptr<const PeftAdapter> adapter(const std::string& name) {
    auto made = std::make_shared<PeftAdapter>();
    made->name = "spindle-" + name;
    made->artifact = "team/project/" + name + ":v1";
    made->write = [](const std::string& folder) -> Result<void> {
      std::ofstream(folder + "/adapter_config.json") << "{}";
      std::ofstream(folder + "/adapter_model.safetensors") << "weights";
      return {};
    };
    return made;
  }
  std::future<Granted> start(const std::shared_ptr<const PeftAdapter>& wanted,
                             const std::shared_ptr<const ReachableUpstream>& at) {
    auto promise = std::make_shared<std::promise<Granted>>();
    loader_.acquire(at, wanted, [promise](Granted lease) { promise->set_value(std::move(lease)); });
    return promise->get_future();
  }
  std::future<Granted> start(const std::string& name, std::int64_t most = 2) {
    return start(adapter(name), upstream(most));
  }
  Granted acquire(const std::string& name, std::int64_t most = 2) {
    return start(name, most).get();
  }
  /// Waits until nobody uses the adapter: the loader drops its own copy of a lease a moment after
  /// the test has received it.
  void awaitUnused(const std::string& name) const {
    const auto is_used = [&] {
      const std::vector<LoadedUpstreamAdapter> all = loader_.loaded("ups_1");
      return std::any_of(all.begin(), all.end(), [&](const LoadedUpstreamAdapter& one) {
        return one.name == "spindle-" + name && one.requests > 0;
      });
    };
    while (is_used()) std::this_thread::yield();
  }
  std::string refusal(const std::string& name) {
    const Granted lease = acquire(name);
    return lease ? "" : lease.error().message();
  }

  FolderForTest files_;
  FakeVllm vllm_;
  std::string receiver_;
  std::int64_t load_ms_ = 60'000;
  PeftFolder folder_{{.folder = files_.path() + "/peft", .most = 1 << 20}};
  MetricRegistry metrics_;
  UpstreamAdapterLoader loader_{
      folder_, metrics_, {.failure_pause = milliseconds(0), .most_waiting = 4, .threads = 2}};
};

TEST_F(UpstreamAdapterLoading, LoadsAnAdapterOnceForAllRequests) {
  std::promise<void> open;
  vllm_.respond([opened = open.get_future().share()](const std::string& line) {
    if (line.find("load_lora") != std::string::npos) opened.wait();
    return std::nullopt;
  });
  std::vector<std::future<Granted>> waiting;
  for (int i = 0; i < 4; ++i) waiting.push_back(start("a"));
  open.set_value();
  for (std::future<Granted>& each : waiting) EXPECT_EQ((*each.get())->model(), "spindle-a");
  EXPECT_TRUE(acquire("a"));
  EXPECT_EQ(vllm_.requests(),
            (std::vector<std::string>{"GET /v1/models", "POST /v1/load_lora_adapter spindle-a"}));
}

TEST_F(UpstreamAdapterLoading, BoundsTheWaitingRequests) {
  std::promise<void> open;
  vllm_.respond([opened = open.get_future().share()](const std::string&) {
    opened.wait();
    return std::nullopt;
  });
  std::vector<std::future<Granted>> waiting;
  for (int i = 0; i < 4; ++i) waiting.push_back(start("a"));
  EXPECT_EQ(refusal("b"), "Too many requests wait for adapters of the upstream.");
  open.set_value();
  for (std::future<Granted>& each : waiting) EXPECT_TRUE(each.get());
}

TEST_F(UpstreamAdapterLoading, UnloadsTheLeastRecentlyUsedAdapterThatIsNotInUse) {
  { const Granted a = acquire("a"); }
  const Granted b = acquire("b");
  { const Granted a = acquire("a"); }
  awaitUnused("a");
  EXPECT_TRUE(acquire("c"));
  EXPECT_EQ(vllm_.loaded(), (std::set<std::string>{"spindle-b", "spindle-c"}));
  awaitUnused("c");
  EXPECT_TRUE(acquire("a"));
  EXPECT_EQ(vllm_.loaded(), (std::set<std::string>{"spindle-a", "spindle-b"}));
  const std::vector<LoadedUpstreamAdapter> listed = loader_.loaded("ups_1");
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].artifact, "team/project/a:v1");
  EXPECT_EQ(listed[1].requests, 1U);
}

TEST_F(UpstreamAdapterLoading, RejectsARequestWhenAllAdaptersAreInUse) {
  const Granted a = acquire("a", 1);
  const Granted b = acquire("b", 1);
  ASSERT_FALSE(b);
  EXPECT_EQ(b.error().reason(), "adapters_in_use");
}

TEST_F(UpstreamAdapterLoading, LoadsAgainAfterTheUpstreamHasLostTheAdapter) {
  const Granted first = acquire("a");
  const Granted second = acquire("a");
  vllm_.restart();
  (*first)->lost();
  const Granted third = acquire("a");
  EXPECT_EQ(vllm_.count("POST /v1/load_lora_adapter spindle-a"), 2);
  // A lease from before the restart does not affect the new loading.
  (*second)->lost();
  EXPECT_TRUE(acquire("a"));
  EXPECT_EQ(vllm_.count("POST /v1/load_lora_adapter spindle-a"), 2);
}

TEST_F(UpstreamAdapterLoading, TreatsALoadedAdapterAsSuccess) {
  vllm_.respond([](const std::string& line) -> std::optional<FakeVllm::Response> {
    if (line.starts_with("GET")) return FakeVllm::Response{500, "busy"};
    return std::nullopt;
  });
  vllm_.restart({"spindle-a"});
  EXPECT_TRUE(acquire("a"));
}

TEST_F(UpstreamAdapterLoading, CountsTheAdaptersOfAnEarlierServer) {
  vllm_.restart({"base", "sql-lora", "spindle-1", "spindle-2", "spindle-3"});
  EXPECT_TRUE(acquire("1"));
  EXPECT_EQ(vllm_.count("POST /v1/load_lora_adapter spindle-1"), 1);
  EXPECT_TRUE(acquire("b"));
  // No request waits until this one is unloaded.
  while (vllm_.loaded().contains("spindle-3")) std::this_thread::yield();
  EXPECT_EQ(vllm_.loaded(), (std::set<std::string>{"base", "spindle-1", "spindle-b", "sql-lora"}));
}

TEST_F(UpstreamAdapterLoading, RejectsEveryWaitingRequestOnceWhenLoadingFails) {
  vllm_.respond([](const std::string& line) -> std::optional<FakeVllm::Response> {
    if (line.find("load_lora") == std::string::npos) return std::nullopt;
    return FakeVllm::Response{
        500, R"({"error":{"message":"rank 64 is greater than max_lora_rank 16"}})"};
  });
  EXPECT_EQ(refusal("a"),
            "The upstream vllm did not load the adapter (load, 500): rank 64 is greater than "
            "max_lora_rank 16");
  vllm_.respond({});
  EXPECT_TRUE(acquire("a"));
}

TEST_F(UpstreamAdapterLoading, ShowsClientsNeitherPathsNorKeys) {
  for (const char* message :
       {"No adapter found for /mnt/adapters/spindle-a", "key sk-very-secret"}) {
    vllm_.respond([message](const std::string& line) -> std::optional<FakeVllm::Response> {
      if (line.find("load_lora") == std::string::npos) return std::nullopt;
      return FakeVllm::Response{404, R"({"error":{"message":")" + std::string(message) + "\"}}"};
    });
    const std::string shown = refusal("a");
    EXPECT_NE(shown.find("(load, 404)"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("/mnt"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("secret"), std::string::npos) << shown;
  }
}

TEST_F(UpstreamAdapterLoading, SurvivesResponsesThatAreNonsense) {
  for (const std::string& body :
       {std::string("\xff\xfe"), std::string(100'000, '['), std::string()}) {
    vllm_.respond([body](const std::string&) { return FakeVllm::Response{400, body}; });
    EXPECT_NE(refusal("a"), "");
  }
}

TEST_F(UpstreamAdapterLoading, WaitsNoLongerThanTheTimeout) {
  load_ms_ = 50;
  std::promise<void> open;
  vllm_.respond([opened = open.get_future().share()](const std::string& line) {
    if (line.find("load_lora") != std::string::npos) opened.wait();
    return std::nullopt;
  });
  EXPECT_EQ(refusal("a"), "The upstream vllm did not load the adapter in time.");
  open.set_value();
}

TEST_F(UpstreamAdapterLoading, ReturnsTheErrorOfFilesThatAreNoAdapter) {
  auto bad = std::make_shared<PeftAdapter>(*adapter("a"));
  bad->write = [](const std::string&) -> Result<void> {
    return Error::invalidArgument("no adapter");
  };
  const Granted lease = start(bad, upstream()).get();
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(UpstreamAdapterLoading, TransfersTheFilesToAReceiverOnce) {
  receiver_ = vllm_.url() + "/adapters";
  EXPECT_TRUE(acquire("a"));
  EXPECT_EQ(vllm_.requests(), (std::vector<std::string>{
                                  "GET /v1/models", "GET /v1/adapters/spindle-a",
                                  "PUT /v1/adapters/spindle-a/adapter_model.safetensors spindle-a",
                                  "PUT /v1/adapters/spindle-a/adapter_config.json spindle-a",
                                  "POST /v1/load_lora_adapter spindle-a"}));
  vllm_.restart();
  (*acquire("a"))->lost();
  EXPECT_TRUE(acquire("a"));
  EXPECT_EQ(vllm_.count("GET /v1/adapters/spindle-a"), 2);
  EXPECT_EQ(vllm_.requests().size(), 7U);
}

TEST_F(UpstreamAdapterLoading, StartsAnewWhenTheUpstreamHasChanged) {
  const Granted before = acquire("a");
  const Granted after = start(adapter("a"), upstream(2, 2)).get();
  ASSERT_TRUE(after);
  EXPECT_EQ(vllm_.count("GET /v1/models"), 2);
  (*before)->lost();
  EXPECT_TRUE(start(adapter("a"), upstream(2, 2)).get());
  EXPECT_EQ(vllm_.count("GET /v1/models"), 2);
}

TEST_F(UpstreamAdapterLoading, RejectsWaitingRequestsWhenItStops) {
  std::promise<void> open;
  vllm_.respond([opened = open.get_future().share()](const std::string&) {
    opened.wait();
    return std::nullopt;
  });
  std::future<Granted> waiting = start("a");
  loader_.stop();
  EXPECT_FALSE(waiting.get());
  EXPECT_EQ(refusal("b"), "The server is stopping.");
  open.set_value();
}

TEST_F(UpstreamAdapterLoading, RemembersAFailureForAWhile) {
  PeftFolder folder({.folder = files_.path() + "/other", .most = 1 << 20});
  UpstreamAdapterLoader patient(folder, metrics_, {.failure_pause = std::chrono::hours(1)});
  vllm_.respond([](const std::string& line) -> std::optional<FakeVllm::Response> {
    if (line.find("load_lora") == std::string::npos) return std::nullopt;
    return FakeVllm::Response{500, "{}"};
  });
  for (int i = 0; i < 3; ++i) {
    std::promise<Granted> promise;
    patient.acquire(upstream(), adapter("a"),
                    [&promise](Granted lease) { promise.set_value(std::move(lease)); });
    EXPECT_FALSE(promise.get_future().get());
  }
  EXPECT_EQ(vllm_.count("POST /v1/load_lora_adapter spindle-a"), 1);
}

}  // namespace
}  // namespace spindle::inference
