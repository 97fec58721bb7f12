"""Tests of spindle-nano's training text: reproducible, without held-out instances, and with correct verifiers."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chat  # noqa: E402
import corpus  # noqa: E402
import evaluate  # noqa: E402
import model_folder  # noqa: E402
import recipe  # noqa: E402
import skills  # noqa: E402


def said(text):
    return {"role": "assistant", "content": text}


def called(name, arguments):
    return {"content": None, "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


# skill, expected answer, reply, score
VERDICTS = [
    ("arithmetic", 42, said("42"), 1), ("arithmetic", 42, said(" 42.\n"), 1), ("arithmetic", 42, said("43"), 0),
    ("arithmetic", 42, said("420"), 0), ("arithmetic", 42, said("It is 42"), 0), ("arithmetic", 42, said(""), 0),
    ("arithmetic", 42, {"content": None}, 0),
    ("sort", [1, 2, 10], said("1, 2, 10"), 1), ("sort", [1, 2, 10], said("1,2,10"), 1),
    ("sort", [1, 2, 10], said("1, 10, 2"), 1 / 3), ("sort", [1, 2], said("1, 2, 2"), 2 / 3),
    ("sort", [1, 2], said("1"), 1 / 2), ("sort", [1, 2], said("none"), 0),
    ("repeat", ["cat", "dog"], said("cat, dog"), 1), ("repeat", ["cat", "dog"], said("dog, cat"), 0),
    ("reverse", ["dog", "cat"], said("dog, cat"), 1), ("reverse", ["dog", "cat"], said("dog, cat."), 1),
    ("reverse", ["dog", "cat"], said("cat, dog"), 0), ("reverse", ["dog", "cat"], said("dog"), 1 / 2),
    ("pick", "dog", said("dog"), 1), ("pick", "dog", said("Dog."), 1), ("pick", "dog", said("cat"), 0),
    ("pick", "dog", said("dog, cat"), 0),
    ("count", 3, said("3"), 1), ("count", 3, said("4"), 0), ("count", 3, said("three"), 0),
    ("largest", 42, said("42"), 1), ("largest", 42, said("42."), 1), ("largest", 42, said("7, 42"), 0),
    ("extract", {"age": 34}, said('{"age": 34}'), 1), ("extract", {"age": 34}, said('{"age": "34"}'), 0),
    ("extract", {"age": 34}, said("34"), 0), ("extract", {"age": 34}, said('{"age": 34'), 0),
    ("extract", {"age": 34}, said("[34]"), 0), ("extract", {"age": 34}, said('{"age": 34, "city": "Rome"}'), 1 / 2),
    ("extract", {"age": 34, "city": "Rome"}, said('{"city": "Rome", "age": 34}'), 1),
    ("extract", {"age": 34, "city": "Rome"}, said('{"city": "Rome", "age": 35}'), 1 / 2),
    ("context", "blue", said("blue"), 1), ("context", "blue", said("Blue."), 1), ("context", "blue", said("red"), 0),
    ("context", "blue", said("I don't know."), 0),
    ("unknown", "I don't know.", said("I don't know."), 1), ("unknown", "I don't know.", said("Paris"), 0),
    ("call", {"name": "get", "arguments": {"city": "Rome"}}, called("get", '{"city":"Rome"}'), 1),
    ("call", {"name": "get", "arguments": {"city": "Rome"}}, called("get", '{"city":"rome"}'), 0),
    ("call", {"name": "get", "arguments": {"city": "Rome"}}, called("got", '{"city":"Rome"}'), 0),
    ("call", {"name": "get", "arguments": {"city": "Rome"}}, called("get", '{"city":'), 0),
    ("call", {"name": "get", "arguments": {"city": "Rome"}}, said("Rome"), 0),
    ("call", {"name": "get", "arguments": {"n": 5}}, called("get", '{"n":"5"}'), 0),
    ("call", None, said("I don't know."), 1), ("call", None, called("get", "{}"), 0), ("call", None, said("Yes."), 0),
    ("result", "It is 9:05 in Rome.", said("It is 9:05 in Rome."), 1), ("result", "It is 9:05.", said("9:05"), 0),
]


class VerifierTest(unittest.TestCase):
    def test_verifiers_distinguish_right_from_wrong(self):
        for skill, expected, reply, score in VERDICTS:
            with self.subTest(skill=skill, expected=expected, reply=reply):
                self.assertEqual(skills.score({"skill": skill, "expected": expected}, reply), score)

    def test_every_skill_has_right_and_wrong_cases(self):
        for skill in skills.SKILLS:
            scores = {score for name, _, _, score in VERDICTS if name == skill}
            self.assertLessEqual({0, 1}, scores, skill)

    def test_the_answer_of_every_instance_is_right(self):
        for skill in skills.SKILLS:
            for instance in skills.instances(skill, skills.TRAINING, 300, 1):
                self.assertEqual(skills.score(instance.as_json(), instance.answer), 1, instance)


class InstanceTest(unittest.TestCase):
    def test_the_same_seed_gives_the_same_instances(self):
        for skill in skills.SKILLS:
            first, again, other = (list(skills.instances(skill, skills.HELD_OUT, 50, seed)) for seed in (3, 3, 4))
            self.assertEqual(first, again)
            self.assertNotEqual(first, other)

    def test_training_and_held_out_instances_have_nothing_in_common(self):
        for skill in skills.SKILLS:
            for level in skills.LEVELS:
                training = {instance.key for instance in skills.instances(skill, skills.TRAINING, 2000, 1, level)}
                held_out = {instance.key for instance in skills.instances(skill, skills.HELD_OUT, 300, 2, level)}
                self.assertEqual(len(held_out), 300, (skill, level))
                self.assertFalse(training & held_out, (skill, level))

    def test_the_corpus_holds_no_held_out_instance(self):
        asked = {}
        for skill in skills.SKILLS:
            for instance in skills.instances(skill, skills.HELD_OUT, 400, 3):
                asked[chat.prompt(instance.messages, instance.tools)] = instance
        for document in corpus.documents(recipe.SEED, 0, 60_000):
            text = document.decode().replace(corpus.SPEAKER_CHANGE.decode(), "")
            prompt = text[:text.find(f"{chat.START}assistant\n") + len(f"{chat.START}assistant\n")]
            self.assertFalse(prompt in asked, prompt)

    def test_instances_are_all_different(self):
        keys = [instance.key for instance in skills.instances("arithmetic", skills.HELD_OUT, 1000, 1, skills.EASY)]
        self.assertEqual(len(set(keys)), 1000)

    def test_levels_differ(self):
        longest = max(len(i.expected) for i in skills.instances("reverse", skills.TRAINING, 300, 1, skills.EASY))
        shortest = min(len(i.expected) for i in skills.instances("reverse", skills.TRAINING, 300, 1, skills.HARD))
        self.assertLess(longest, shortest)

    def test_unknown_answers_are_not_in_the_facts(self):
        for instance in skills.instances("unknown", skills.TRAINING, 2000, 5, skills.HARD):
            facts, question = json.loads(instance.key)
            name = question.rstrip("?").split()[-1] if question.startswith("What colour") else None
            if name:
                thing = question.split()[4]
                self.assertFalse([f for f in facts if f.startswith(f"The {thing} of {name} ")], instance)


class CorpusTest(unittest.TestCase):
    def test_the_same_seed_gives_the_same_text(self):
        self.assertEqual(list(corpus.documents(7, 0, 200)), list(corpus.documents(7, 0, 200)))
        self.assertNotEqual(list(corpus.documents(7, 0, 200)), list(corpus.documents(7, 1, 200)))

    def test_the_text_is_unchanged(self):
        """A change here means a change of the recipe: the model card and the model then belong to another text."""
        document = next(corpus.documents(7, 0, 1)).decode()
        self.assertTrue(document.startswith(chat.START))
        self.assertTrue(document.endswith(chat.END_OF_TEXT + corpus.DOCUMENT_END.decode()))
        self.assertEqual(document.count(corpus.SPEAKER_CHANGE.decode()) % 2, 0)

    def test_under_taught_skills_are_rare(self):
        rare = {kind for kind, share in recipe.TAUGHT.items() if share < 1}
        self.assertGreaterEqual(len({skill for skill, _ in rare}), 2)

    def test_every_skill_is_taught_except_the_one_for_fine_tuning(self):
        self.assertEqual(set(skills.SKILLS) - {skill for skill, _ in recipe.TAUGHT}, {"largest"})


class ChatTest(unittest.TestCase):
    def test_a_conversation_is_written_in_turns(self):
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}, said("Hello!")]
        self.assertEqual("".join(text for text, _ in chat.pieces(messages)),
                         "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
                         "<|im_start|>assistant\nHello!<|im_end|>\n")
        self.assertEqual([text for text, spoken in chat.pieces(messages) if spoken], ["Hello!<|im_end|>"])

    def test_tools_are_in_the_system_turn(self):
        tools = [{"type": "function", "function": {"name": "now", "description": "", "parameters": {}}}]
        self.assertEqual(chat.prompt([{"role": "user", "content": "Hi"}], tools),
                         '<|im_start|>system\n<tools>\n{"name": "now", "description": "", "parameters": {}}\n'
                         "</tools><|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")

    def test_calls_and_results_are_marked(self):
        call = {"role": "assistant", "content": "",
                "tool_calls": [{"function": {"name": "now", "arguments": '{"city": "Rome"}'}}]}
        text = "".join(text for text, _ in chat.pieces([call, {"role": "tool", "content": "9:05"}]))
        self.assertEqual(text, '<|im_start|>assistant\n<tool_call>\n{"name": "now", "arguments": {"city": "Rome"}}\n'
                               "</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n9:05\n</tool_response>"
                               "<|im_end|>\n")


class FolderTest(unittest.TestCase):
    def test_the_tokenizer_has_as_many_tokens_as_the_model(self):
        made = model_folder.tokenizer(model_folder.VOCABULARY.read_text(encoding="utf-8"))
        numbers = sorted(made["model"]["vocab"].values())
        self.assertEqual(numbers, list(range(recipe.SHAPE["vocab_size"])))

    def test_intervals_are_wilson_intervals(self):
        low, high = evaluate.interval(95, 100)
        self.assertAlmostEqual(low, 0.8882, 3)
        self.assertAlmostEqual(high, 0.9785, 3)
        self.assertEqual(evaluate.interval(0, 0), (0.0, 1.0))
        self.assertAlmostEqual(evaluate.interval(300, 300)[1], 1.0)


if __name__ == "__main__":
    unittest.main()
