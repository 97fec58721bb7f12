"""The life cycle of a model with the unmodified public client of the training API: sample, train, request, delete."""

import asyncio
import http.server
import json
import threading
import unittest

import openai

import support
from training_client import BASE_MODEL, client, training_server

QUESTIONS = ["What is 27 + 48?", "Reverse: lamp"]


class Files(http.server.ThreadingHTTPServer):
    """Serves one file for every path."""

    def __init__(self, text: str) -> None:
        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/train.jsonl"


class ModelLifeCycle(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.art = cls.enterClassContext(client())
        cls.server = training_server()

    async def asyncSetUp(self) -> None:
        asyncio.get_running_loop().slow_callback_duration = 60
        self.place = support.fresh_project()
        self.backend = self.art.serverless.ServerlessBackend(
            api_key=support.ADMIN_KEY, base_url=f"{self.server.url}/v1")
        self.model = self.named()
        await self.model.register(self.backend)
        # The model's own client is not compatible with the current official client.
        self.openai = openai.AsyncOpenAI(
            base_url=self.model.inference_base_url, api_key=self.model.inference_api_key, max_retries=0)

    def named(self):
        [entity, project] = self.place.split("/")
        return self.art.TrainableModel(name="solver", project=project, entity=entity, base_model=BASE_MODEL)

    async def asyncTearDown(self) -> None:
        await self.openai.close()
        await self.backend.close()

    async def sampled(self, question: str, reward: float):
        """Samples one trajectory, as a rollout does."""
        messages = [{"role": "user", "content": question}]
        answer = await self.openai.chat.completions.create(
            model=self.model.get_inference_name(), messages=messages, max_tokens=24)
        choice = answer.choices[0]
        self.assertEqual(len(choice.token_ids), answer.usage.completion_tokens)
        self.assertEqual(len(choice.logprobs.content), len(choice.token_ids))
        self.assertEqual(len(answer.prompt_token_ids), answer.usage.prompt_tokens)
        return self.art.Trajectory(messages_and_choices=[*messages, choice], reward=reward)

    async def groups(self):
        return [
            self.art.TrajectoryGroup([await self.sampled(question, reward) for reward in (0.0, 0.5, 1.0)])
            for question in QUESTIONS]

    async def events(self, jobs, job) -> list:
        """Waits for the end of a job and returns its events."""
        while True:
            seen = [event async for event in jobs.events.list(training_job_id=job.id, limit=100)]
            if seen and seen[-1].type in ("training_ended", "training_failed"):
                return seen
            await asyncio.sleep(0.2)

    async def test_is_registered_trained_by_rewards_and_asked(self) -> None:
        self.assertEqual(await self.model.get_step(), 0)
        again = self.named()
        await again.register(self.backend)
        self.assertEqual(again.id, self.model.id)
        groups = await self.groups()
        result = await self.backend.train(self.model, groups, learning_rate=1e-5)
        self.assertEqual(result.step, 1)
        self.assertEqual(result.artifact_name, f"{self.place}/solver:step1")
        self.assertIn("loss/train", result.metrics)
        self.assertEqual(await self.model.get_step(), 1)
        for step in (None, 0, 1):
            answer = await self.openai.chat.completions.create(
                model=self.model.get_inference_name(step), max_tokens=8,
                messages=[{"role": "user", "content": QUESTIONS[0]}])
            self.assertEqual(answer.choices[0].message.role, "assistant")
        await self.backend._client.models.log(model_id=self.model.id, trajectory_groups=groups, split="val")
        [newest] = [one async for one in self.backend._client.models.checkpoints.list(
            model_id=self.model.id, limit=1, order="desc")][:1]
        self.assertEqual(newest.metrics["val/reward"], 0.5)

    async def test_learns_from_examples_and_loses_checkpoints(self) -> None:
        line = {"messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day."}]}
        files = Files(f"{json.dumps(line)}\n" * 4)
        self.addCleanup(files.shutdown)
        jobs = self.backend._client.sft_training_jobs
        for number in (1, 2):
            job = await jobs.create(
                model_id=self.model.id, training_data_url=f"{files.url()}?{number}",
                config={"batch_size": 2, "learning_rate": [1e-4, 5e-5]})
            types = [event.type for event in await self.events(jobs, job)]
            self.assertEqual(types, ["training_started", "gradient_step", "gradient_step", "training_ended"])
            self.assertEqual(await self.model.get_step(), number)
        await self.backend._delete_checkpoint_files(self.model, steps_to_keep=[2])
        steps = [one.step async for one in self.backend._client.models.checkpoints.list(model_id=self.model.id)]
        self.assertEqual(steps, [2])
        gone = await self.backend._client.models.checkpoints.delete(model_id=self.model.id, steps=[1])
        self.assertEqual((gone.deleted_count, gone.not_found_steps), (0, [1]))
        with self.assertRaises(openai.NotFoundError):
            await self.openai.chat.completions.create(
                model=self.model.get_inference_name(1), messages=[{"role": "user", "content": "Hello"}])

    async def test_is_deleted_with_all_it_owns(self) -> None:
        await self.backend.delete(self.model)
        with self.assertRaises(openai.NotFoundError):
            await self.model.get_step()

    async def test_says_why_training_failed(self) -> None:
        broken = Files('{"messages": "none"}\n')
        self.addCleanup(broken.shutdown)
        jobs = self.backend._client.sft_training_jobs
        job = await jobs.create(model_id=self.model.id, training_data_url=broken.url())
        last = (await self.events(jobs, job))[-1]
        self.assertEqual(last.type, "training_failed")
        self.assertIn("messages", last.data["error_message"])
        with self.assertRaises(openai.BadRequestError):
            await jobs.create(model_id=self.model.id, training_data_url="http://127.0.0.1:1/none.jsonl")
