#include "inference/engines/engine_supervisor.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>

#include <gtest/gtest.h>

#include "http/client/client.h"
#include "inference/catalogue/model_for_test.h"
#include "inference/engines/engine_json.h"
#include "inference/model_files/model_file.h"

namespace spindle::inference {
namespace {

using Lease = std::shared_ptr<EngineLease>;

class Supervisor : public testing::Test {
 public:
  ~Supervisor() override { supervisor_ = nullptr; }

 protected:
  Supervisor() { begin(); }

  void begin(FleetLimits limits = {}, const std::string& executable = SPINDLE_FAKE_ENGINE) {
    if (limits.memory == 0) limits.memory = 1UL << 30;
    EngineOptions options;
    options.executable = executable;
    options.data_folder = folder_.path();
    options.temporary_folder = "/tmp";
    options.probe_limit = probe_limit_;
    options.limits = limits;
    supervisor_ = std::make_unique<EngineSupervisor>(
        options, [this] { return catalogue(); }, metrics_);
    supervisor_->start();
  }
  std::shared_ptr<const CatalogueSnapshot> catalogue() {
    const MutexLock lock(mutex_);
    return catalogue_;
  }
  void use(std::shared_ptr<const CatalogueSnapshot> directory) {
    const MutexLock lock(mutex_);
    catalogue_ = std::move(directory);
  }
  std::shared_ptr<const Model> model(const std::string& name,
                                     const std::string& script,
                                     std::uint32_t memory = 0) {
    std::shared_ptr<const Model> made = scriptedModel(folder_, name, script, memory);
    auto directory = std::make_shared<CatalogueSnapshot>(*catalogue());
    directory->models[name] = made;
    use(directory);
    return made;
  }
  Result<Lease> acquire(const std::shared_ptr<const Model>& model,
                        const std::shared_ptr<const AdapterFile>& adapter = nullptr) {
    std::promise<Result<Lease>> answered;
    supervisor_->acquire(
        model, adapter, [&answered](Result<Lease> lease) { answered.set_value(std::move(lease)); });
    return answered.get_future().get();
  }
  /// Blocks until an engine is in a state; a test that blocks forever has failed.
  EngineStatus await(const std::string& name, EngineState state) {
    while (true) {
      for (EngineStatus& engine : supervisor_->engines()) {
        if (engine.model == name && engine.state == state) return std::move(engine);
      }
      std::this_thread::yield();
    }
  }
  Result<http::Response> ask(const EngineLease& lease) {
    http::ClientRequest request;
    request.method = http::Method::kPost;
    request.url = lease.url() + "/chat/completions";
    request.body = "{}";
    return client_.fetch(std::move(request));
  }

  std::chrono::milliseconds probe_limit_{60'000};
  TestFolder folder_;
  MetricRegistry metrics_;
  http::Client client_{http::ClientOptions{}};
  Mutex mutex_;
  std::shared_ptr<const CatalogueSnapshot> catalogue_ SPINDLE_GUARDED_BY(mutex_) =
      std::make_shared<const CatalogueSnapshot>();
  std::unique_ptr<EngineSupervisor> supervisor_;
};

TEST_F(Supervisor, RunsAnEngine) {
  const Result<Lease> lease = acquire(model("tiny", "loads", 5000));
  ASSERT_TRUE(lease) << lease.error().message();
  EXPECT_EQ((*lease)->model(), "tiny");
  EXPECT_TRUE((*lease)->url().starts_with("unix:" + folder_.path() + "/run/")) << (*lease)->url();
  EXPECT_TRUE((*lease)->url().ends_with(".sock:/v1")) << (*lease)->url();
  const Result<http::Response> answer = ask(**lease);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 200);
  const EngineStatus engine = await("tiny", EngineState::kReady);
  EXPECT_GT(engine.pid, 0);
  EXPECT_EQ(engine.memory, 5000U);
  EXPECT_EQ(engine.leases, 1U);
}

TEST_F(Supervisor, SharesOneEngineAmongRequests) {
  const auto tiny = model("tiny", "loads");
  std::vector<std::promise<Result<Lease>>> answered(8);
  for (std::promise<Result<Lease>>& each : answered) {
    supervisor_->acquire(tiny, nullptr,
                         [&each](Result<Lease> lease) { each.set_value(std::move(lease)); });
  }
  std::set<std::string> urls;
  std::vector<Lease> leases;
  for (std::promise<Result<Lease>>& each : answered) {
    Result<Lease> lease = each.get_future().get();
    ASSERT_TRUE(lease);
    urls.insert((*lease)->url());
    leases.push_back(*std::move(lease));
  }
  EXPECT_EQ(urls.size(), 1U);
  EXPECT_EQ(supervisor_->engines().at(0).leases, 8U);
  leases.clear();
  EXPECT_EQ(supervisor_->engines().at(0).leases, 0U);
}

TEST_F(Supervisor, RestartsAKilledEngine) {
  const auto tiny = model("tiny", "");
  {
    const Result<Lease> lease = acquire(tiny);
    ASSERT_TRUE(lease);
    const EngineStatus engine = await("tiny", EngineState::kReady);
    ASSERT_EQ(::kill(engine.pid, SIGKILL), 0);
    while (supervisor_->engines().at(0).pid == engine.pid) std::this_thread::yield();
  }
  const Result<Lease> again = acquire(tiny);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(ask(**again)->status, 200);
  EXPECT_EQ(supervisor_->engines().at(0).restarts, 1);
}

TEST_F(Supervisor, FailsOnlyRunningRequestsOfACrashedEngine) {
  const auto tiny = model("tiny", "crash_on_request");
  const auto other = model("other", "");
  const Result<Lease> bystander = acquire(other);
  const Result<Lease> lease = acquire(tiny);
  ASSERT_TRUE(bystander && lease);
  const Result<http::Response> answer = ask(**lease);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kUpstream);
  EXPECT_EQ(ask(**bystander)->status, 200);
}

TEST_F(Supervisor, KillsAndRestartsAHungEngine) {
  supervisor_->stop();
  probe_limit_ = std::chrono::milliseconds(100);
  begin({.health_probe = std::chrono::milliseconds(1), .missed_probes = 1});
  const auto tiny = model("tiny", "hangs");
  ASSERT_TRUE(acquire(tiny));
  while (supervisor_->engines().at(0).restarts == 0) std::this_thread::yield();
  EXPECT_EQ(supervisor_->engines().at(0).last_error, "stopped responding");
}

TEST_F(Supervisor, ReportsTheErrorOfAnUnloadableFile) {
  const auto tiny = model("tiny", "unloadable");
  for (int i = 0; i < 2; ++i) {
    const Result<Lease> lease = acquire(tiny);
    ASSERT_FALSE(lease);
    EXPECT_EQ(lease.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(lease.error().message(), "the fake engine rejects the file");
  }
  scriptedModel(folder_, "tiny", "loads");
  EXPECT_TRUE(acquire(tiny)) << "the file has changed";
}

TEST_F(Supervisor, RejectsAnInvalidModelFile) {
  const auto tiny = model("tiny", "");
  std::ofstream(tiny->file) << "this is no model";
  const Result<Lease> lease = acquire(tiny);
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(lease.error().message().find(folder_.path()), std::string::npos)
      << lease.error().message();
  std::filesystem::remove(tiny->file);
  EXPECT_EQ(acquire(tiny).error().message(), "The model file does not exist.");
}

TEST_F(Supervisor, BacksOffWhenAnEngineDoesNotStart) {
  const auto tiny = model("tiny", "exits");
  const Result<Lease> lease = acquire(tiny);
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(lease.error().message(), "The engine of the model tiny exited with code 1.");
  EXPECT_EQ(supervisor_->engines().at(0).last_error, "exited with code 1: for me");
}

TEST_F(Supervisor, ReportsAMissingExecutable) {
  supervisor_->stop();
  begin({}, "/no/such/engine");
  const Result<Lease> lease = acquire(model("tiny", ""));
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(supervisor_->engines().at(0).last_error,
            "exited with code 127: The program cannot be started: No such file or directory");
}

TEST_F(Supervisor, SwitchesBetweenTwoModelsWhenOneFits) {
  supervisor_->stop();
  const auto one = model("one", "", 900'000);
  const auto two = model("two", "", 900'000);
  begin({.memory = 1'200'000});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(acquire(one));
    const Result<Lease> lease = acquire(two);
    ASSERT_TRUE(lease) << lease.error().message();
    const Result<Lease> refused = acquire(one);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason(), "no_memory");
  }
}

TEST_F(Supervisor, LoadsAndUnloadsAdapters) {
  supervisor_->stop();
  begin({.adapters = 1});
  const auto tiny = model("tiny", "");
  const auto good = std::make_shared<const AdapterFile>(AdapterFile{"good", "/a"});
  const auto better = std::make_shared<const AdapterFile>(AdapterFile{"better", "/b"});
  const auto bad = std::make_shared<const AdapterFile>(AdapterFile{"bad", "/c"});
  {
    const Result<Lease> lease = acquire(tiny, good);
    ASSERT_TRUE(lease);
    EXPECT_EQ((*lease)->model(), "good");
    EXPECT_EQ(acquire(tiny, better).error().reason(), "adapters_in_use");
  }
  EXPECT_TRUE(acquire(tiny, better));
  EXPECT_EQ(supervisor_->engines().at(0).adapters, std::vector<std::string>{"better"});
  const Result<Lease> refused = acquire(tiny, bad);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().message(), "no adapter");
}

TEST_F(Supervisor, UnloadsWhenTheLastRequestEnds) {
  const auto tiny = model("tiny", "");
  {
    const Result<Lease> lease = acquire(tiny);
    ASSERT_TRUE(lease);
    ASSERT_TRUE(supervisor_->unload("tiny"));
    EXPECT_EQ(supervisor_->engines().at(0).state, EngineState::kDraining);
    EXPECT_EQ(ask(**lease)->status, 200);
  }
  await("tiny", EngineState::kStopped);
  EXPECT_EQ(supervisor_->unload("tiny").error().code(), ErrorCode::kNotFound);
}

TEST_F(Supervisor, KillsAnEngineThatIgnoresTheStop) {
  supervisor_->stop();
  begin({.stop_grace = std::chrono::milliseconds(1)});
  ASSERT_TRUE(acquire(model("tiny", "stubborn")));
  ASSERT_TRUE(supervisor_->unload("tiny"));
  await("tiny", EngineState::kStopped);
}

TEST_F(Supervisor, StartsModelsWithStartAtBoot) {
  supervisor_->stop();
  auto directory = std::make_shared<CatalogueSnapshot>();
  auto tiny = std::make_shared<Model>(*scriptedModel(folder_, "tiny", ""));
  tiny->start_at_boot = true;
  directory->models["tiny"] = tiny;
  use(directory);
  begin();
  await("tiny", EngineState::kReady);
}

TEST_F(Supervisor, StopsAllProcesses) {
  const Result<Lease> lease = acquire(model("tiny", ""));
  ASSERT_TRUE(lease);
  const int pid = supervisor_->engines().at(0).pid;
  supervisor_->stop();
  EXPECT_NE(::kill(pid, 0), 0);
  EXPECT_EQ(acquire(catalogue()->models.at("tiny")).error().code(), ErrorCode::kUnavailable);
}

TEST_F(Supervisor, ALeaseMayOutliveIt) {
  Result<Lease> lease = acquire(model("tiny", ""));
  ASSERT_TRUE(lease);
  supervisor_->stop();
  supervisor_ = nullptr;
  lease = Error::notFound("gone");
}

TEST_F(Supervisor, PublishesMetrics) {
  ASSERT_TRUE(acquire(model("tiny", "", 4096)));
  const std::string up = "spindle_inference_engine_up{model=\"tiny\"} 1";
  while (metrics_.prometheusText().find(up) == std::string::npos) std::this_thread::yield();
  EXPECT_NE(
      metrics_.prometheusText().find("spindle_inference_engine_memory_bytes{model=\"tiny\"} 4096"),
      std::string::npos);
}

TEST(SocketFolder, IsInTheDataFolderAndPrivate) {
  const TestFolder data;
  const SocketFolder folder(data.path(), "/tmp");
  EXPECT_EQ(folder.path(), data.at("run"));
  EXPECT_EQ(folder.socketOf(7), data.at("run/engine-7.sock"));
  EXPECT_EQ(std::filesystem::status(folder.path()).permissions(),
            std::filesystem::perms::owner_all);
}

TEST(SocketFolder, RemovesSocketsOfAnEarlierServer) {
  const TestFolder data;
  const SocketFolder first(data.path(), "/tmp");
  std::ofstream(first.socketOf(3)) << "";
  std::ofstream(first.path() + "/note") << "";
  const SocketFolder second(data.path(), "/tmp");
  EXPECT_FALSE(std::filesystem::exists(second.socketOf(3)));
  EXPECT_TRUE(std::filesystem::exists(second.path() + "/note"));
}

TEST(SocketFolder, UsesTheTemporaryFolderForLongPaths) {
  const TestFolder data;
  const TestFolder temporary;
  const std::string deep = data.at(std::string(120, 'x'));
  std::filesystem::create_directory(deep);
  const SocketFolder folder(deep, temporary.path());
  EXPECT_TRUE(folder.path().starts_with(temporary.path() + "/spindle-")) << folder.path();
  EXPECT_LE(folder.socketOf(UINT64_MAX).size(), SocketFolder::kLongestPath);
  EXPECT_EQ(SocketFolder(deep, temporary.path()).path(), folder.path());
  EXPECT_NE(SocketFolder(deep + "/" + std::string(80, 'y') + "/..", temporary.path()).path(), "");
}

TEST(SocketFolder, RejectsAPathThatIsNoFolder) {
  const TestFolder data;
  std::ofstream(data.at("run")) << "";
  EXPECT_THROW(SocketFolder(data.path(), "/tmp"), std::runtime_error);
}

TEST(ModelFile, NeedsMemoryForWeightsAndKvCache) {
  const TestFolder folder;
  const auto model = scriptedModel(folder, "tiny", "");
  const auto bytes = std::filesystem::file_size(model->file);
  // Four layers, two heads of 64 / 8 numbers, keys and values, of two bytes each.
  constexpr std::uint64_t kOfToken = 4UL * 2 * (8 + 8) * 2;
  EXPECT_EQ(inspectModelFile(model->file, {.slots = 3, .context = 100})->need,
            bytes + 3UL * 100 * kOfToken);
  EXPECT_EQ(inspectModelFile(model->file, {.slots = 1, .context = 100'000})->need,
            bytes + 1024 * kOfToken)
      << "the file limits the context length";
}

TEST(ModelFile, HasANewStampAfterAChange) {
  const TestFolder folder;
  const auto model = scriptedModel(folder, "tiny", "");
  const std::string stamp = inspectModelFile(model->file, {})->stamp;
  EXPECT_EQ(inspectModelFile(model->file, {})->stamp, stamp);
  scriptedModel(folder, "tiny", "longer");
  EXPECT_NE(inspectModelFile(model->file, {})->stamp, stamp);
}

TEST(EngineJson, ParsesTheHealthOfAnEngine) {
  const Result<EngineHealth> ready = engineHealthOf(200, R"({"status":"ok","memory_bytes":12})");
  ASSERT_TRUE(ready);
  EXPECT_TRUE(ready->ready);
  EXPECT_EQ(ready->memory_bytes, 12U);
  const Result<EngineHealth> loading =
      engineHealthOf(503, R"({"status":"loading","progress":0.5})");
  ASSERT_TRUE(loading);
  EXPECT_FALSE(loading->ready);
  EXPECT_EQ(loading->progress, 0.5);
}

TEST(EngineJson, RejectsInvalidHealthResponses) {
  for (const char* body : {"", "{}", "[]", "ok", R"({"status":1})", R"({"status":"fine"})"}) {
    EXPECT_EQ(engineHealthOf(200, body).error().code(), ErrorCode::kUpstream) << body;
  }
  EXPECT_FALSE(engineHealthOf(503, R"({"status":"ok"})"));
}

TEST(EngineJson, ParsesTheErrorOfAnEngine) {
  EXPECT_EQ(refusalOf(400, R"({"error":{"message":"why"}})").message(), "why");
  EXPECT_EQ(refusalOf(422, R"({"detail":[]})").code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusalOf(500, "broken").code(), ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace spindle::inference
