"""Tests of check_coroutines.py: rejected and accepted code."""

import unittest

from check_coroutines import complaints


def refused(body: str) -> bool:
    return bool(list(complaints("net::awaitable<int> f(Pool& pool) {\n  " + body + "\n}\n")))


class CheckCoroutines(unittest.TestCase):
    def test_rejects_a_braced_temporary_as_argument(self):
        self.assertTrue(refused("co_await open(Options{.retries = 3});"))
        self.assertTrue(refused("co_await open({.retries = 3});"))
        self.assertTrue(refused("co_await open(path, {1, 2});"))

    def test_rejects_a_braced_temporary_before_co_await(self):
        self.assertTrue(refused("use(Options{.retries = 3}, co_await next());"))

    def test_rejects_a_capturing_lambda(self):
        self.assertTrue(refused("co_await onWorker(pool, [id] { return id; });"))
        self.assertTrue(refused("co_await onWorker(pool, [=](std::function<void()> f) mutable { f(); });"))

    def test_rejects_co_await_inside_a_braced_initialiser(self):
        self.assertTrue(refused("return Reply{.status = co_await status()};"))
        self.assertTrue(refused("return Reply{co_await status()};"))
        self.assertTrue(refused("Reply reply = {200, co_await body()};"))

    def test_names_the_line(self):
        text = "task<> f() {\n  g();\n  co_await h({1});\n}\n"
        self.assertEqual([line for line, _ in complaints(text)], [3])

    def test_accepts_a_named_and_moved_value(self):
        self.assertFalse(refused("auto job = [id] { return id; };\n  co_await onWorker(pool, std::move(job));"))

    def test_accepts_control_flow(self):
        self.assertFalse(refused("if (co_await ready()) { g({1}); } else { co_await other(); }"))
        self.assertFalse(refused("while (!stopped_) {\n co_await tick();\n g();\n}"))
        self.assertFalse(refused("for (auto& part : parts) {\n co_await write(part);\n}\n co_await flush();"))
        self.assertFalse(refused("try {\n co_await tick();\n } catch (...) {\n}\n co_return co_await end();"))
        self.assertFalse(refused("switch (kind) { case Kind::kOne: co_await one(); break; default: break; }"))

    def test_accepts_a_structured_binding_and_calls(self):
        self.assertFalse(refused("auto [error, n] = co_await socket.read(buffer[0], net::as_tuple(token));"))
        self.assertFalse(refused("const auto home = co_await net::this_coro::executor;"))

    def test_accepts_a_lambda_that_is_a_coroutine(self):
        self.assertFalse(refused("auto run = [](Session s) -> net::awaitable<void> { co_await s.run(); };"))
        self.assertFalse(refused("auto run = [] { co_await g(); };"))

    def test_accepts_an_overriding_coroutine(self):
        self.assertFalse(list(complaints("net::awaitable<void> run() override {\n  co_await tick();\n}\n")))

    def test_does_not_read_comments_and_strings(self):
        self.assertFalse(refused("// co_await open(Options{1});"))
        self.assertFalse(refused('log("co_await f({1})");'))


if __name__ == "__main__":
    unittest.main()
