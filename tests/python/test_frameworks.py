"""Agents of real frameworks with their standard instrumentation and a scripted model: each trace is shown as a chat."""

import asyncio
import json
import logging
import unittest

import agents
import openai
import pydantic_ai
from openinference.instrumentation.openai import OpenAIInstrumentor as OpenInferenceOpenAI
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.openai import OpenAIInstrumentor as OpenLLMetryOpenAI
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from support import ADMIN_KEY, SERVER, fresh_project
from upstream import ANSWER, CALL, MODEL, QUESTION, THOUGHT, forecast, start

# One instrumentation sets attributes to unset values, and OpenTelemetry logs a warning for each.
logging.getLogger("opentelemetry.attributes").setLevel(logging.ERROR)

UPSTREAM = start()
INSTRUCTIONS = "Be brief."


class Exported:
    """Traces into a new project."""

    def __init__(self) -> None:
        self.project = fresh_project()
        exporter = OTLPSpanExporter(endpoint=f"{SERVER.url}/v1/traces",
                                    headers={"authorization": f"Bearer {ADMIN_KEY}", "project_id": self.project})
        self.provider = TracerProvider()
        self.provider.add_span_processor(BatchSpanProcessor(exporter))
        self.tracer = self.provider.get_tracer("test")

    def chat(self) -> dict:
        """Sends all spans and returns the only trace as a chat."""
        self.provider.shutdown()
        spans = self._post("/agents/spans/query")["spans"]
        traces = {span["trace_id"] for span in spans}
        assert len(traces) == 1, spans
        return self._post("/agents/traces/chat", trace_id=traces.pop())

    def _post(self, path: str, **body) -> dict:
        return json.loads(SERVER.post(path, {"project_id": self.project, **body}))


class Conversations(unittest.TestCase):
    def expect_conversation(self, view: dict, *, thought: bool = False) -> None:
        """Expects the prompt, the tool and the answer, each once; and the reasoning if the API returns it."""
        shown = json.dumps(view["messages"], indent=1)
        of = lambda kind: [message[kind] for message in view["messages"] if message["type"] == kind]
        self.assertEqual([user["text"] for user in of("user_message")], [QUESTION], shown)
        (tool,) = of("tool_call")
        self.assertEqual(tool["tool_name"], CALL["name"], shown)
        self.assertEqual(json.loads(tool["tool_arguments"]), json.loads(CALL["arguments"]), shown)
        self.assertIn("4 C in Oslo", tool["tool_result"], shown)
        answers = [answer["text"] for answer in of("assistant_message") if answer["text"]]
        self.assertEqual(answers, [ANSWER], shown)
        if thought:
            self.assertTrue(any(THOUGHT in (said["reasoning_content"] or "") for said in of("assistant_message")), shown)

    def talk(self, exported: Exported, root: dict, tool: dict, result: str) -> None:
        """Sends a prompt, runs the tool and sends its result, inside the program's own spans."""
        client = openai.OpenAI(api_key="none", base_url=UPSTREAM)
        messages = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": QUESTION}]
        with exported.tracer.start_as_current_span("weather", attributes=root):
            first = client.chat.completions.create(model=MODEL, messages=messages).choices[0].message
            (wanted,) = first.tool_calls
            with exported.tracer.start_as_current_span("forecast", attributes=tool) as span:
                told = forecast(**json.loads(wanted.function.arguments))
                span.set_attribute(result, told)
            messages += [first.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": wanted.id, "content": told}]
            second = client.chat.completions.create(model=MODEL, messages=messages).choices[0].message
        self.assertEqual(second.content, ANSWER)

    def test_openinference_with_the_openai_client(self):
        exported = Exported()
        instrumentor = OpenInferenceOpenAI()
        instrumentor.instrument(tracer_provider=exported.provider)
        try:
            self.talk(exported, {"openinference.span.kind": "CHAIN"},
                      {"openinference.span.kind": "TOOL", "tool.name": "forecast", "tool.parameters": CALL["arguments"]}, "output.value")
        finally:
            instrumentor.uninstrument()
        view = exported.chat()
        self.expect_conversation(view)
        self.assertEqual(view["total_input_tokens"], 100)

    def test_openllmetry_with_the_openai_client(self):
        exported = Exported()
        instrumentor = OpenLLMetryOpenAI()
        instrumentor.instrument(tracer_provider=exported.provider)
        try:
            self.talk(exported, {"traceloop.span.kind": "workflow", "traceloop.entity.name": "weather"},
                      {"traceloop.span.kind": "tool", "traceloop.entity.name": "forecast", "gen_ai.tool.name": "forecast",
                       "gen_ai.tool.call.arguments": CALL["arguments"]}, "gen_ai.tool.call.result")
        finally:
            instrumentor.uninstrument()
        view = exported.chat()
        self.expect_conversation(view)
        self.assertEqual(view["total_input_tokens"], 100)

    def test_pydantic_ai_with_a_model_made_of_a_function(self):
        def scripted(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
            told = any(part.part_kind == "tool-return" for message in messages for part in message.parts)
            if told:
                return ModelResponse(parts=[TextPart(ANSWER)])
            return ModelResponse(parts=[ThinkingPart(THOUGHT), ToolCallPart("forecast", {"city": "Oslo"}, tool_call_id="c1")])

        for version in (2, 3, 5, 6):
            with self.subTest(version=version):
                exported = Exported()
                agent = pydantic_ai.Agent(FunctionModel(scripted, model_name=MODEL), name="weatherman", instructions=INSTRUCTIONS,
                                          tools=[forecast])
                agent.instrument = InstrumentationSettings(tracer_provider=exported.provider, version=version)
                self.assertEqual(agent.run_sync(QUESTION).output, ANSWER)
                view = exported.chat()
                self.expect_conversation(view, thought=True)
                self.assertEqual(view["agent_name"], "weatherman")

    def test_pydantic_ai_with_the_openai_client(self):
        exported = Exported()
        model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=UPSTREAM, api_key="none"))
        agent = pydantic_ai.Agent(model, name="weatherman", instructions=INSTRUCTIONS, tools=[forecast])
        agent.instrument = InstrumentationSettings(tracer_provider=exported.provider)
        self.assertEqual(agent.run_sync(QUESTION).output, ANSWER)
        view = exported.chat()
        self.expect_conversation(view)
        self.assertEqual(view["total_input_tokens"], 100)

    def test_the_openai_agents_sdk_with_openinference(self):
        exported = Exported()
        instrumentor = OpenAIAgentsInstrumentor()
        instrumentor.instrument(tracer_provider=exported.provider)
        agents.set_default_openai_client(openai.AsyncOpenAI(api_key="none", base_url=UPSTREAM), use_for_tracing=False)
        agent = agents.Agent(name="weatherman", instructions=INSTRUCTIONS, model=MODEL, tools=[agents.function_tool(forecast)])
        try:
            self.assertEqual(asyncio.run(agents.Runner.run(agent, QUESTION)).final_output, ANSWER)
        finally:
            instrumentor.uninstrument()
        view = exported.chat()
        self.expect_conversation(view, thought=True)
        self.assertTrue(any(message["agent_name"] == "weatherman" for message in view["messages"]))
