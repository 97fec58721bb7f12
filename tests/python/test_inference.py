"""The official client with a small real chat model: facts, formats, request options and errors."""

import json
import unittest

import openai
import pydantic

from inference import MODEL, client

SYSTEM = {"role": "system", "content": "You are a helpful assistant."}


class Capital(pydantic.BaseModel):
    city: str
    country: str


def messages(text: str) -> list[dict]:
    return [SYSTEM, {"role": "user", "content": text}]


def ask(text: str, **more):
    return client().chat.completions.create(
        **{"model": MODEL, "temperature": 0, "max_tokens": 60, "messages": messages(text), **more})


def said(text: str, **more) -> str:
    return ask(text, **more).choices[0].message.content


class Facts(unittest.TestCase):
    def test_the_capital_of_france(self) -> None:
        self.assertIn("Paris", said("What is the capital of France?"))

    def test_the_capital_of_germany(self) -> None:
        self.assertIn("Berlin", said("What is the capital of Germany?"))

    def test_the_days_of_a_week(self) -> None:
        self.assertRegex(said("How many days are in a week?"), r"\b(7|seven)\b")

    def test_who_wrote_romeo_and_juliet(self) -> None:
        self.assertIn("Shakespeare", said("Who wrote Romeo and Juliet?"))

    def test_the_colour_of_the_sky(self) -> None:
        self.assertIn("blue", said("What colour is the sky on a clear day?").lower())

    def test_text_completion(self) -> None:
        answer = client().completions.create(model=MODEL, prompt="The capital of France is", max_tokens=4, temperature=0)
        self.assertIn("Paris", answer.choices[0].text)

    def test_similar_texts_have_similar_embeddings(self) -> None:
        texts = ["The cat sat on the mat.", "A cat is sitting on a rug.", "Quarterly revenue grew by five percent."]
        cat, rug, revenue = (row.embedding for row in client().embeddings.create(model=MODEL, input=texts).data)
        near = sum(a * b for a, b in zip(cat, rug))
        far = sum(a * b for a, b in zip(cat, revenue))
        self.assertGreater(near, far)


class Formats(unittest.TestCase):
    def test_list_has_one_line_per_item(self) -> None:
        text = said("List three colours, one per line.")
        self.assertGreaterEqual(len([line for line in text.splitlines() if line.strip()]), 3, text)

    def test_schema_is_followed_and_parsed(self) -> None:
        answer = client().chat.completions.parse(
            model=MODEL, temperature=0, max_tokens=100, response_format=Capital,
            messages=messages("What is the capital of France? Answer as JSON with the keys city and country."))
        self.assertEqual(answer.choices[0].finish_reason, "stop")
        self.assertEqual(answer.choices[0].message.parsed.city, "Paris")

    def test_schema_is_followed_with_any_seed(self) -> None:
        name = {"type": "string", "maxLength": 12}
        schema = {"type": "object", "properties": {"name": name, "age": {"type": "integer", "minimum": 0, "maximum": 150}},
                  "required": ["name", "age"], "additionalProperties": False}
        for seed in range(8):
            text = said("Describe a person as a JSON object with a name and an age.", temperature=1.5, seed=seed,
                        max_tokens=300,
                        response_format={"type": "json_schema", "json_schema": {"name": "person", "schema": schema}})
            person = json.loads(text)
            self.assertLessEqual(len(person["name"]), 12)
            self.assertIn(person["age"], range(151))

    def test_stop_string_ends_an_answer(self) -> None:
        choice = ask("What is the capital of France?", stop=["Paris"]).choices[0]
        self.assertNotIn("Paris", choice.message.content)
        self.assertEqual(choice.finish_reason, "stop")
        self.assertEqual(choice.stop_reason, "Paris")


class Requests(unittest.TestCase):
    def test_the_model_is_listed(self) -> None:
        self.assertIn(MODEL, [model.id for model in client().models.list()])

    def test_stream_equals_complete_answer(self) -> None:
        question = "Name a river in Germany."
        text, usage = "", None
        stream = ask(question, stream=True, stream_options={"include_usage": True})
        for chunk in stream:
            text += chunk.choices[0].delta.content or "" if chunk.choices else ""
            usage = chunk.usage or usage
        whole = ask(question)
        self.assertEqual(text, whole.choices[0].message.content)
        self.assertEqual(usage.completion_tokens, whole.usage.completion_tokens)

    def test_prompt_is_cached(self) -> None:
        question = "Tell me something about the sea, the wind and the weather on a long day in autumn."
        ask(question, max_tokens=1)
        self.assertGreater(ask(question, max_tokens=1).usage.prompt_tokens_details.cached_tokens, 20)

    def test_stream_can_be_cancelled(self) -> None:
        with ask("Count to one thousand.", stream=True, max_tokens=1000) as stream:
            for chunk in stream:
                if chunk.choices[0].delta.content:
                    break
        self.assertTrue(said("What is the capital of France?"))

    def test_same_seed_gives_same_answer(self) -> None:
        texts = {said("Tell me a story.", temperature=1, seed=11, max_tokens=20) for _ in range(2)}
        self.assertEqual(len(texts), 1)

    def test_several_answers(self) -> None:
        answer = ask("Say a number.", n=3, temperature=1, seed=5, max_tokens=8)
        self.assertEqual([choice.index for choice in answer.choices], [0, 1, 2])

    def test_log_probabilities(self) -> None:
        [choice] = ask("What is the capital of France?", logprobs=True, top_logprobs=2, max_tokens=5).choices
        self.assertEqual(len(choice.logprobs.content), 5)
        for token in choice.logprobs.content:
            self.assertEqual(token.logprob, token.top_logprobs[0].logprob)


class Errors(unittest.TestCase):
    def test_error_classes(self) -> None:
        with self.assertRaises(openai.NotFoundError):
            ask("Hi", model="another")
        with self.assertRaises(openai.UnprocessableEntityError):
            ask("Hi", temperature=3)
        with self.assertRaises(openai.BadRequestError) as caught:
            ask("Hi", max_tokens=100_000)
        self.assertEqual(caught.exception.code, "context_length_exceeded")

    def test_invalid_schema_is_rejected(self) -> None:
        with self.assertRaises(openai.BadRequestError):
            ask("Hi", response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "nothing"}}})

    def test_tools_are_rejected_without_template_support(self) -> None:
        tool = {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}
        with self.assertRaises(openai.BadRequestError) as caught:
            ask("What time is it?", tools=[tool])
        self.assertIn("tools", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
