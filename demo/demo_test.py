"""Unit tests of the demo; tests/http/demo.test.mjs runs the whole demo."""

import http.client
import io
import json
import pathlib
import sys
import threading
import unittest
import urllib.parse
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import agent  # noqa: E402
import desk  # noqa: E402
import exam  # noqa: E402
import plots  # noqa: E402
import screen  # noqa: E402
import tracing  # noqa: E402
import training  # noqa: E402
import webhook  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


class TheDesk(unittest.TestCase):
    def setUp(self):
        self.book = desk.OrderBook(asked=5, taught=7, tried=6)

    def test_is_the_same_every_time(self):
        again = desk.OrderBook(asked=5, taught=7, tried=6)
        self.assertEqual([self.book.exam, self.book.taught, self.book.tried], [again.exam, again.taught, again.tried])

    def test_has_unique_order_numbers(self):
        orders = self.book.exam + self.book.taught + self.book.tried
        self.assertEqual(len({order.number for order in orders}), 5 + 5 + 7 + 6)
        for order in orders:
            self.assertEqual(self.book.find(order.number), {"items": list(order.items)})

    def test_uses_held_out_orders_only_for_evaluations(self):
        def asked(orders):
            return {order.question(order.items) for order in orders}
        self.assertFalse(asked(self.book.exam) & asked(self.book.taught + self.book.tried))

    def test_keeps_the_items_out_of_the_request(self):
        for order in self.book.exam + self.book.tried:
            self.assertIn("{items}", order.request)
            self.assertIn(", ".join(order.items), order.question(order.items))
            self.assertNotIn(", ".join(order.items), order.request)

    def test_scores_right_answers_with_1(self):
        for order in self.book.exam + self.book.taught + self.book.tried:
            self.assertEqual(order.score(order.right_answer()), 1)
            self.assertLess(order.score("nonsense"), 1)

    def test_reports_unknown_orders(self):
        self.assertIn("error", self.book.find(1))


class Scripted:
    """A client with scripted responses that records its requests."""

    def __init__(self, answers):
        self.answers, self.sent, self.lock = list(answers), [], threading.Lock()

    def post(self, path, body, headers=None):
        with self.lock:
            self.sent.append((path, body, headers))
            return {"choices": [{"message": self.answers.pop(0)}], "usage": USAGE} if path == "/v1/chat/completions" else {}


USAGE = {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}


def called(arguments):
    return {"content": "", "tool_calls": [{"function": {"name": "find_order", "arguments": arguments}}]}


class TheAgent(unittest.TestCase):
    def run_with(self, *answers, times=1, temperature=0.0):
        book = desk.OrderBook(asked=1, taught=0, tried=0)
        client = Scripted(answers)
        worker = agent.Agent(client, tracing.Recorder(client, "a/b"), book, "m", temperature)
        outcomes = [worker.run_all([book.exam[0]], {"phase": "p"})[0] for _ in range(times)]
        calls = [call for path, body, _ in client.sent if path == "/v2/a/b/calls/complete" for call in body["batch"]]
        return book.exam[0], outcomes, calls, client.sent

    def test_looks_up_the_order_and_adds_its_items_to_the_prompt(self):
        order, [outcome], calls, sent = self.run_with(called(json.dumps({"order_id": 1000})), {"content": " one, two "})
        self.assertEqual(outcome.answer, "one, two")
        self.assertEqual(outcome.score, order.score("one, two"))
        self.assertEqual(sent[1][1]["messages"][-1]["content"], order.question(order.items))
        tool, root = calls
        self.assertEqual((tool["op_name"], tool["parent_id"], tool["output"]), ("find_order", root["id"],
                                                                             {"items": list(order.items)}))
        self.assertEqual((root["op_name"], root["parent_id"], root["attributes"]["phase"]), ("order_desk", None, "p"))
        self.assertEqual((root["thread_id"], root["turn_id"], tool["thread_id"]), ("order-1000", root["id"], None))
        self.assertEqual(root["summary"]["usage"], {"m": {"requests": 2, "prompt_tokens": 60, "completion_tokens": 8,
                                                         "total_tokens": 68}})
        for _, _, headers in sent[:2]:
            self.assertEqual(headers["traceparent"], f"00-{root['trace_id']}-{root['id']}-01")

    def test_adds_its_score_as_feedback_on_the_root_call(self):
        _, [outcome], _, sent = self.run_with(called('{"order_id": 1000}'), {"content": "x"})
        [feedback] = [body["batch"] for path, body, _ in sent if path == "/feedback/batch/create"]
        self.assertEqual(feedback[0]["svc_ref"], f"svc:///a/b/call/{outcome.call_id}")
        self.assertEqual(feedback[0]["payload"], {"score": outcome.score, "right": False})

    def test_looks_up_an_order_once(self):
        _, outcomes, calls, _ = self.run_with(called('{"order_id": 1000}'), {"content": "a"}, {"content": "b"}, times=2)
        self.assertEqual([outcome.answer for outcome in outcomes], ["a", "b"])
        self.assertEqual([call["op_name"] for call in calls], ["find_order", "order_desk", "order_desk"])

    def test_tolerates_a_model_that_does_not_call_the_tool(self):
        for reply in ({"content": "no"}, called("{"), called("[]"), called("{}")):
            _, [outcome], calls, _ = self.run_with(reply, {"content": "?"})
            self.assertLess(outcome.score, 1)
            self.assertEqual(len(calls), 1)

    def test_requests_tokens_when_it_samples(self):
        _, _, _, sent = self.run_with(called('{"order_id": 1000}'), {"content": "a"}, temperature=1.0)
        self.assertEqual(sent[0][1]["temperature"], 0)
        self.assertEqual((sent[1][1]["temperature"], sent[1][1]["logprobs"], sent[1][1]["return_token_ids"]),
                         (1.0, True, True))


class Shares(unittest.TestCase):
    def test_have_a_wilson_interval(self):
        low, high = exam.Share(35, 100).interval
        self.assertAlmostEqual(low, 0.2636, 3)
        self.assertAlmostEqual(high, 0.4475, 3)
        self.assertEqual(str(exam.Share(1, 4)), "25 % right (1 of 4; 95 %: 5–70 %)")

    def test_of_no_orders_are_zero(self):
        self.assertEqual(exam.Share(0, 0).share, 0)
        self.assertEqual(exam.Share(0, 0).interval, (0.0, 1.0))

    def test_of_rewards_are_means(self):
        reward = exam.Reward.of([0, 1, 0.5, 0.5])
        self.assertEqual((reward.mean, reward.count), (0.5, 4))
        self.assertAlmostEqual(reward.high - reward.mean, 1.96 * 0.125 ** 0.5 / 2)
        self.assertEqual(exam.Reward.of([1, 1]), exam.Reward(1, 1, 1, 2))

    def test_print_differences_with_their_sign(self):
        self.assertEqual(str(exam.Difference(0.5, 0.25, 0.75, 6, 1)),
                         "+50 points (95 %: +25 to +75); 6 orders better, 1 worse")
        self.assertTrue(str(exam.Difference(0, -0.25, 0.25, 1, 1)).endswith("; 1 order better, 1 worse"))


class Schedules(unittest.TestCase):
    def test_rise_to_the_peak_and_fall_to_zero(self):
        rates = training.schedule(100, 3e-3)
        self.assertEqual(len(rates), 100)
        self.assertAlmostEqual(rates[0], 3e-4)
        self.assertAlmostEqual(max(rates), 3e-3)
        self.assertEqual(rates.index(max(rates)), 9)
        self.assertAlmostEqual(rates[-1], 0)
        self.assertEqual(rates[10:], sorted(rates[10:], reverse=True))

    def test_of_few_batches_begin_at_the_peak(self):
        self.assertEqual(training.schedule(1, 1.0), [1.0])
        self.assertEqual(training.schedule(2, 1.0), [1.0, 0.0])


class Events:
    """A fake server whose job has these pages of events."""

    def __init__(self, *pages):
        self.pages, self.asked = list(pages), []

    def post(self, _path, _body):
        return {"id": "j"}

    def get(self, path):
        if "/events" not in path:
            return {"status": "RUNNING", "seconds_left": 3.0}
        self.asked.append(path.partition("after=")[2])
        return {"data": self.pages.pop(0), "has_more": bool(self.pages)}


def event(number, kind, **data):
    return {"id": f"e{number}", "type": kind, "data": data}


class Jobs(unittest.TestCase):
    def follow(self, *pages):
        events = Events(*pages)
        school = training.School(events, "a/b", "m", "base")
        return school, events, lambda: school.learn_from_rewards("RL 1", [], {}, lambda *_: None)

    def test_are_followed_from_event_to_event(self):
        school, events, learn = self.follow([event(1, "training_started", num_sequences=2)],
                                            [event(2, "gradient_step", loss=2.0)],
                                            [event(3, "gradient_step", loss=1.0), event(4, "training_ended")])
        lesson = learn()
        self.assertEqual(lesson.series("loss"), [2.0, 1.0])
        self.assertEqual(events.asked, ["", "e1", "e2"])
        self.assertEqual(school.address(), "svc-artifact:///a/b/m:step1")
        self.assertEqual(school.address("production"), "svc-artifact:///a/b/m:production")

    def test_that_fail_have_a_reason(self):
        school, _, learn = self.follow([event(1, "training_failed", error_message="The loss is not a number.")])
        with self.assertRaisesRegex(training.Failed, "RL 1: The loss is not a number."):
            learn()
        self.assertEqual(school.step, 0)


class Signatures(unittest.TestCase):
    # The example of the libraries of standardwebhooks.com, with the key as plain bytes.
    BODY = b'{"test": 2432232314}'

    def headers(self, secret="secret", timestamp="1614265330"):
        return {"Webhook-Id": "msg_1", "Webhook-Timestamp": timestamp,
                "X-Svc-Signature": webhook.signature(secret, self.BODY),
                "Webhook-Signature": webhook.standard_signature(secret, "msg_1", timestamp, self.BODY)}

    def test_with_the_secret_are_accepted(self):
        self.assertTrue(webhook.is_genuine("secret", self.headers(), self.BODY, now=1614265331))

    def test_may_be_several_during_a_rotation(self):
        headers = self.headers()
        headers["Webhook-Signature"] = "v1,AAAA " + headers["Webhook-Signature"]
        self.assertTrue(webhook.is_genuine("secret", headers, self.BODY, now=1614265331))

    def test_that_are_wrong_old_or_missing_are_rejected(self):
        good, now = self.headers(), 1614265331
        for headers, body, when in ((self.headers("other"), self.BODY, now), (good, self.BODY + b" ", now),
                                    (good, self.BODY, now + 301), ({}, self.BODY, now),
                                    ({**good, "X-Svc-Signature": "0"}, self.BODY, now),
                                    ({**good, "Webhook-Id": "msg_2"}, self.BODY, now)):
            self.assertFalse(webhook.is_genuine("secret", headers, body, now=when))

    def test_are_verified_by_the_receiver(self):
        receiver = webhook.Receiver()
        self.addCleanup(receiver.close)
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(receiver.url).netloc, timeout=60)
        self.addCleanup(connection.close)
        connection.request("POST", "/desk", b"{}")
        self.assertEqual(connection.getresponse().status, 401)
        self.assertEqual(receiver.wait("ADD_ARTIFACT_ALIAS", seconds=0), [])
        self.assertEqual([call.genuine for call in receiver.calls], [False])


class Plots(unittest.TestCase):
    def test_have_round_ticks_that_span_the_values(self):
        for low, high, expected in ((0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0, 0, [0, 0.2, 0.4, 0.6, 0.8, 1]),
                                    (0, 3.44, [0, 1, 2, 3, 4]), (0, 60, [0, 20, 40, 60]),
                                    (0, 0.012, [0, 0.0025, 0.005, 0.0075, 0.01, 0.0125])):
            self.assertEqual(plots.ticks(low, high), expected)

    def test_are_svg_with_a_bar_of_the_right_height_for_each_share(self):
        drawing = xml.fromstring(plots.bars("Scores <1>", "note", ["before", "after"],
                                            [("a & b", [(0.25, (0.1, 0.4)), (0.75, (0.6, 0.9))])]))
        heights = [float(box.get("height")) for box in drawing.iter(f"{SVG}rect") if box.get("height") not in ("10.0",)]
        self.assertAlmostEqual(heights[-1], 3 * heights[-2], 0)
        words = [text.text for text in drawing.iter(f"{SVG}text")]
        for word in ("Scores <1>", "a & b", "before", "after", "25 %", "75 %"):
            self.assertIn(word, words)

    def test_draw_a_point_for_each_value(self):
        drawing = xml.fromstring(plots.curve("Loss", "", "step", [4, 2, 1, 0.5]))
        [line] = drawing.iter(f"{SVG}polyline")
        places = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        self.assertEqual(len(places), 4)
        self.assertEqual([x for x, _ in places], sorted(x for x, _ in places))
        self.assertEqual([y for _, y in places], sorted(y for _, y in places))

    def test_are_valid_with_one_value_or_none(self):
        for drawing in (plots.curve("", "", "", []), plots.curve("", "", "", [1]), plots.climb("", "", []),
                        plots.climb("", "", [("a", 0.5, (0.2, 0.8))]), plots.bars("", "", [], [])):
            xml.fromstring(drawing)

    def test_stay_inside_their_frame(self):
        drawing = xml.fromstring(plots.climb("", "", [("a", 0, (0, 0.2)), ("b", 1, (0.8, 1))]))
        for line in drawing.iter(f"{SVG}line"):
            for name, most in (("x1", plots.WIDTH), ("x2", plots.WIDTH), ("y1", plots.HEIGHT), ("y2", plots.HEIGHT)):
                self.assertTrue(0 <= float(line.get(name)) <= most)


class TheScreen(unittest.TestCase):
    def test_writes_plain_lines_without_a_terminal(self):
        out = io.StringIO()
        shown = screen.Screen(out)
        shown.step("First")
        shown.progress(1, 2, "steps")
        shown.quote([("user", "Hello"), ("tool", "x")])
        self.assertEqual(out.getvalue(), "\n 0:00  1. First\n       │ user  Hello\n       │ tool  x\n       ╵\n")

    def test_prints_minutes_and_seconds(self):
        self.assertEqual([screen.clock(seconds) for seconds in (0, 9.9, 75, 600)], ["0:00", "0:09", "1:15", "10:00"])

    def test_fills_bars_by_shares(self):
        self.assertEqual([screen.Screen.bar(share).count("█") for share in (-1, 0, 0.5, 1, 2)], [0, 0, 12, 24, 24])


if __name__ == "__main__":
    unittest.main()
