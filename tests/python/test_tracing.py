"""Ops traced with the real Python SDK and read over HTTP."""

import asyncio
import os
import unittest
import unittest.mock

from support import SERVER, Traced, op_name, weave


class TracedOps(unittest.TestCase):
    def setUp(self):
        self.traced = Traced()

    def test_a_call_has_inputs_output_and_the_attributes_of_the_sdk(self):
        @weave.op
        def add(a: int, b: int) -> int:
            return a + b

        self.assertEqual(add(2, b=3), 5)
        call = self.traced.call_of("add")
        self.assertEqual(call["inputs"], {"a": 2, "b": 3})
        self.assertEqual(call["output"], 5)
        self.assertIsNone(call["exception"])
        self.assertIsNone(call["parent_id"])
        self.assertIn("client_version", call["attributes"]["svc"])
        self.assertEqual(call["summary"]["svc"]["status"], "success")
        self.assertEqual(call["summary"]["svc"]["trace_name"], "add")
        self.assertEqual(call["summary"]["status_counts"], {"success": 1, "error": 0})

    def test_nested_calls_are_one_trace_and_usage_is_aggregated(self):
        @weave.op
        def ask(text: str) -> dict:
            return {"model": "gpt-4o", "usage": {"prompt_tokens": 1000, "completion_tokens": 500}, "text": text}

        @weave.op
        def twice(text: str) -> list:
            return [ask(text), ask("again " + text)]

        twice("why")
        parent, *children = self.traced.calls(include_costs=True)
        self.assertEqual(op_name(parent), "twice")
        self.assertEqual([op_name(child) for child in children], ["ask", "ask"])
        for child in children:
            self.assertEqual(child["parent_id"], parent["id"])
            self.assertEqual(child["trace_id"], parent["trace_id"])
            cost = child["summary"]["svc"]["costs"]["gpt-4o"]
            self.assertAlmostEqual(cost["prompt_tokens_total_cost"], 1000 * cost["prompt_token_cost"])
        self.assertEqual(parent["summary"]["usage"]["gpt-4o"]["prompt_tokens"], 2000)

    def test_failure_is_raised_and_recorded(self):
        @weave.op
        def fail():
            raise ValueError("no such luck")

        @weave.op
        def parent():
            fail()

        with self.assertRaisesRegex(ValueError, "no such luck"):
            parent()
        failed, inner = self.traced.calls()
        self.assertIn("no such luck", inner["exception"])
        self.assertEqual(inner["summary"]["svc"]["status"], "error")
        self.assertEqual(failed["summary"]["svc"]["status"], "error")
        query = {"$expr": {"$eq": [{"$getField": "summary.svc.status"}, {"$literal": "error"}]}}
        self.assertEqual(self.traced.post("/calls/query_stats", query=query)["count"], 2)

    def test_a_generator_ends_with_its_stream(self):
        @weave.op(accumulator=lambda state, word: (state or []) + [word])
        def words(count: int):
            for i in range(count):
                yield f"word{i}"

        self.assertEqual(list(words(3)), ["word0", "word1", "word2"])
        call = self.traced.call_of("words")
        self.assertEqual(call["output"], ["word0", "word1", "word2"])
        self.assertIsNotNone(call["ended_at"])

    def test_concurrent_tasks_keep_their_traces(self):
        @weave.op
        async def inner(n: int) -> int:
            await asyncio.sleep(0)
            return n + 1

        @weave.op
        async def outer(n: int) -> int:
            return await inner(n * 10)

        async def all_of_them():
            return await asyncio.gather(*(outer(n) for n in range(20)))

        self.assertEqual(asyncio.run(all_of_them()), [n * 10 + 1 for n in range(20)])
        calls = self.traced.calls()
        parents = {call["id"]: call for call in calls if op_name(call) == "outer"}
        self.assertEqual((len(calls), len(parents)), (40, 20))
        for call in calls:
            if call["id"] not in parents:
                self.assertEqual(call["inputs"]["n"], parents[call["parent_id"]]["inputs"]["n"] * 10)

    def test_threads_of_a_conversation_are_listed(self):
        @weave.op
        def turn(text: str) -> str:
            return text

        with weave.thread("chat-1"):
            turn("a")
            turn("b")
        self.traced.client.flush()
        call = self.traced.calls()[0]
        self.assertEqual(call["thread_id"], "chat-1")
        self.assertEqual(call["turn_id"], call["id"])
        text = SERVER.post("/threads/stream_query", {"project_id": self.traced.project})
        self.assertIn('"turn_count":2', text)

    def test_calls_are_renamed_deleted_and_given_attributes(self):
        @weave.op
        def greet(name: str) -> str:
            return "Hello " + name

        with weave.attributes({"tenant": "acme"}):
            _, first = greet.call("Ada")
        _, second = greet.call("Bob")
        self.traced.client.flush()
        first.set_display_name("renamed")
        self.assertEqual(self.traced.calls()[0]["display_name"], "renamed")
        self.assertEqual(self.traced.calls()[0]["attributes"]["tenant"], "acme")
        second.delete()
        self.assertEqual(len(self.traced.calls()), 1)


class Batches(unittest.TestCase):
    def test_starts_and_ends_may_arrive_separately(self):
        with unittest.mock.patch.dict(os.environ, {"WEAVE_USE_CALLS_COMPLETE": "false"}):
            traced = Traced()

            @weave.op
            def double(n: int) -> int:
                return n * 2

            for n in range(30):
                double(n)
            calls = traced.calls()
        self.assertEqual([call["output"] for call in calls], [n * 2 for n in range(30)])


class Reading(unittest.TestCase):
    def test_calls_are_found_by_filter_and_query_and_counted(self):
        traced = Traced()

        @weave.op
        def one(n: int) -> dict:
            return {"n": n, "even": n % 2 == 0}

        for n in range(10):
            one(n)
        traced.client.flush()
        calls = traced.client.get_calls(filter={"trace_roots_only": True}, sort_by=[
            {"field": "started_at", "direction": "desc"}])
        self.assertEqual(len(calls), 10)
        self.assertEqual([call.inputs["n"] for call in calls], list(range(9, -1, -1)))
        self.assertEqual(calls[0].summary["weave"]["status"], "success")
        query = {"$expr": {"$gt": [{"$getField": "output.n"}, {"$literal": 6}]}}
        self.assertEqual([call.output["n"] for call in traced.client.get_calls(query=query)], [7, 8, 9])
        again = traced.client.get_call(calls[0].id)
        self.assertEqual(again.output["n"], 9)
        self.assertTrue(again.op_name.startswith("weave:///"))

    def test_costs_are_added_used_listed_and_purged(self):
        traced = Traced()
        ids = traced.client.add_cost("my-model", 1e-6, 2e-6).ids
        self.assertEqual(ids[0][1], "my-model")

        @weave.op
        def ask() -> dict:
            return {"model": "my-model", "usage": {"prompt_tokens": 10, "completion_tokens": 5}}

        ask()
        traced.client.flush()
        [call] = traced.client.get_calls(include_costs=True)
        cost = call.summary["weave"]["costs"]["my-model"]
        self.assertAlmostEqual(cost["prompt_tokens_total_cost"], 1e-5)
        self.assertEqual(cost["pricing_level"], "project")
        [listed] = traced.client.query_costs(llm_ids=["my-model", "other"])
        self.assertEqual((listed.id, listed.llm_id), (ids[0][0], "my-model"))
        traced.client.purge_costs([ids[0][0]])
        self.assertEqual(traced.client.query_costs(), [])


class Feedback(unittest.TestCase):
    def test_notes_reactions_and_scores_are_added_and_removed(self):
        traced = Traced()

        @weave.op
        def answer() -> str:
            return "42"

        _, call = answer.call()
        traced.client.flush()
        call.feedback.add_note("well said")
        call.feedback.add_reaction("👍")
        custom = call.feedback.add("correctness", {"value": 5})
        kinds = {record["feedback_type"]: record for record in traced.feedback()}
        self.assertEqual(set(kinds), {"svc.note.1", "svc.reaction.1", "correctness"})
        self.assertEqual(kinds["svc.note.1"]["payload"], {"note": "well said"})
        self.assertEqual(kinds["svc.reaction.1"]["payload"]["alias"], ":thumbs_up:")
        self.assertEqual(kinds["correctness"]["svc_ref"], f"svc:///{traced.project}/call/{call.id}")
        self.assertEqual(len(list(call.feedback.refresh())), 3)
        call.feedback.purge(custom)
        self.assertEqual(len(traced.feedback()), 2)


if __name__ == "__main__":
    unittest.main()
