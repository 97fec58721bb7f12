"""Objects, datasets and evaluations written with the real Python SDK and read over HTTP."""

import asyncio
import unittest

from support import Traced, op_name, weave


class Objects(unittest.TestCase):
    def setUp(self):
        self.traced = Traced()

    def test_an_object_is_published_and_read_back(self):
        ref = weave.publish({"temperature": 0.5, "words": ["é", 1, None]}, "settings")
        value = weave.ref(ref.uri).get()
        self.assertEqual(value["temperature"], 0.5)
        self.assertEqual(list(value["words"]), ["é", 1, None])
        stored = self.traced.post("/obj/read", object_id="settings", digest="latest")["obj"]
        self.assertEqual(stored["val"], {"temperature": 0.5, "words": ["é", 1, None]})
        self.assertEqual(stored["version_index"], 0)

    def test_op_is_read_back_as_a_function(self):
        @weave.op
        def triple(x: int) -> int:
            return x * 3

        ref = weave.publish(triple)
        self.traced.client.flush()
        self.assertEqual(weave.ref(ref.uri).get()(4), 12)

    def test_custom_class_is_a_model_with_its_ops(self):
        class Shouter(weave.Model):
            marks: int

            @weave.op
            def predict(self, text: str) -> str:
                return text.upper() + "!" * self.marks

        self.assertEqual(Shouter(name="shouter", marks=2).predict("hey"), "HEY!!")
        call = self.traced.call_of("Shouter.predict", expand_columns=["inputs.self"])
        self.assertEqual(call["inputs"]["self"]["marks"], 2)
        listed = self.traced.post("/objs/query", filter={"base_object_classes": ["Model"]})["objs"]
        self.assertEqual([obj["leaf_object_class"] for obj in listed], ["Shouter"])

    def test_a_dataset_is_published_and_read_back_row_by_row(self):
        rows = [{"id": n, "value": n + 1} for n in range(250)]
        ref = weave.publish(weave.Dataset(name="numbers", rows=rows))
        dataset = weave.ref(ref.uri).get()
        self.assertEqual(len(dataset.rows), 250)
        self.assertEqual([dict(row) for row in dataset.rows], rows)

    def test_digests_equal_those_computed_by_the_sdk(self):
        client = weave.init(self.traced.project, settings={"enable_client_side_digests": True})
        self.addCleanup(weave.init, self.traced.project, settings={"enable_client_side_digests": False})
        inner = weave.publish({"n": 1}, "inner")
        weave.publish({"é": [1.0, 1e22, inner.uri], "rows": weave.Dataset(name="d", rows=[{"a": "ß"}])}, "outer")
        client.flush()
        self.assertFalse(client.project_id_resolver.is_disabled)
        self.assertIsNotNone(client.project_id_resolver.get_internal_project_id(self.traced.project))

    def test_a_dataset_in_chunks_is_one_table(self):
        rows = [{"n": n} for n in range(2500)]
        ref = weave.publish(weave.Dataset(name="many", rows=rows))
        self.assertEqual(len(weave.ref(ref.uri).get().rows), 2500)


class Evaluations(unittest.TestCase):
    def test_an_evaluation_runs_and_scores(self):
        traced = Traced()

        @weave.op
        def correct(expected: str, output: str) -> dict:
            return {"match": expected == output}

        @weave.op
        def guess(question: str) -> str:
            return "Paris"

        evaluation = weave.Evaluation(
            name="quiz",
            dataset=[{"question": "France?", "expected": "Paris"}, {"question": "Italy?", "expected": "Rome"}],
            scorers=[correct])
        summary = asyncio.run(evaluation.evaluate(guess))
        self.assertEqual(summary["correct"]["match"]["true_count"], 1)

        calls = traced.calls()
        names = [op_name(call) for call in calls]
        self.assertEqual(names.count("Evaluation.evaluate"), 1)
        self.assertEqual(names.count("Evaluation.predict_and_score"), 2)
        self.assertEqual(names.count("guess"), 2)
        self.assertEqual(names.count("correct"), 2)
        root = next(call for call in calls if op_name(call) == "Evaluation.evaluate")
        self.assertIsNotNone(root["ended_at"])
        self.assertEqual(root["output"]["correct"], {"match": {"true_count": 1, "true_fraction": 0.5}})
        self.assertTrue(all(call["trace_id"] == root["trace_id"] for call in calls))
        scores = [record for record in traced.feedback() if record["feedback_type"] == "svc.runnable.correct"]
        self.assertEqual(len(scores), 2)


if __name__ == "__main__":
    unittest.main()
