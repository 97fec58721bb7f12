// Questions of annotation queues, conversations of the playground, texts of objects.

import assert from "node:assert/strict";
import { test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const { questionOf, keyAnswer, nextQuestion, nextOpen, answerProblem, schemaOf } = await importSources("screens/queues/questions.ts");
const { fromCall, fromPrompt, variablesOf, filled, requestOf, canSend, promptValue, EMPTY_DRAFT } = await importSources("screens/playground/conversation.ts");
const { messagesOf, answerOf, contentText, chatOf } = await importSources("screens/shared_values/chat.ts");
const { textOfVersion, noteOf, isTag, aliasProblem, classOf } = await importSources("screens/objects/classes.ts");

const spec = (field_schema, object_id = "q") => questionOf(`svc:///a/b/object/${object_id}:x`, { object_id, val: { name: "Q", field_schema } });

test("specs become choices, numbers or texts", () => {
  assert.deepEqual(spec({ enum: ["a", "b"] }).options.map(({ value }) => value), ["a", "b"]);
  assert.deepEqual(spec({ type: "boolean" }).options.map(({ text }) => text), ["yes", "no"]);
  assert.deepEqual(spec({ type: "integer", minimum: 1, maximum: 5 }).options.length, 5);
  assert.equal(spec({ type: "integer", minimum: 0, maximum: 100 }).kind, "number");
  assert.equal(spec({ type: "string", maxLength: 5 }).maxLength, 5);
  assert.equal(spec({ type: "object" }).kind, "text");
  assert.equal(questionOf("r", { object_id: "id", val: null }).name, "id");
});

test("digits choose by value on a scale and by place elsewhere", () => {
  assert.equal(keyAnswer(spec({ enum: ["a", "b"] }), 2), "b");
  assert.equal(keyAnswer(spec({ enum: ["a", "b"] }), 3), undefined);
  assert.equal(keyAnswer(spec({ type: "integer", minimum: 1, maximum: 5 }), 4), 4);
  assert.equal(keyAnswer(spec({ type: "integer", minimum: 2, maximum: 5 }), 5), 5);
  assert.equal(keyAnswer(spec({ type: "boolean" }), 2), false);
  assert.equal(keyAnswer(spec({ type: "string" }), 1), undefined);
});

test("the cursor goes to the next question without an answer", () => {
  const questions = ["a", "b", "c"].map((id) => spec({ type: "boolean" }, id));
  assert.equal(nextQuestion(questions, {}, 0), 1);
  assert.equal(nextQuestion(questions, { [questions[1].ref]: true }, 0), 2);
  assert.equal(nextQuestion(questions, {}, 2), null);
});

test("the next open item, from the start after the end", () => {
  const items = ["completed", "unstarted", "skipped", "in_progress"].map((annotation_state, index) => ({ id: String(index), annotation_state }));
  assert.equal(nextOpen(items, null), "1");
  assert.equal(nextOpen(items, "1"), "3");
  assert.equal(nextOpen(items, "3"), "1");
  assert.equal(nextOpen(items.slice(0, 1), "0"), null);
  assert.equal(nextOpen([], null), null);
});

test("answers outside of their bounds are named", () => {
  const number = spec({ type: "integer", minimum: 0, maximum: 100 });
  assert.equal(answerProblem(number, 5), null);
  assert.match(answerProblem(number, 1.5), /whole/);
  assert.match(answerProblem(number, 101), /most 100/);
  assert.match(answerProblem(spec({ type: "string", maxLength: 2 }), "abc"), /2 characters/);
  assert.equal(answerProblem(number, undefined), null);
  assert.deepEqual(schemaOf("choice", ["a", "b"]), { type: "string", enum: ["a", "b"] });
});

test("conversations of calls and prompts", () => {
  const call = { model: "m", temperature: 0.3, messages: [{ role: "developer", content: "S" }, { role: "user", content: [{ type: "text", text: "Hi" }, { type: "image_url" }] }] };
  const { draft, model } = fromCall(call);
  assert.equal(model, "m");
  assert.equal(draft.settings.temperature, 0.3);
  assert.deepEqual(draft.messages, [{ role: "system", text: "S" }, { role: "user", text: "Hi\n[image_url]" }]);
  assert.equal(fromCall({ question: "Why?" }).draft.messages[0].text, "Why?");
  assert.match(fromCall({ x: 1 }).draft.messages[0].text, /"x": 1/);
  assert.equal(fromCall("text"), null);
  assert.equal(fromPrompt({ content: "Hello {name}" }).messages[0].text, "Hello {name}");
  assert.equal(fromPrompt({ other: 1 }), null);
});

test("names in braces are found and filled, doubled braces are braces", () => {
  const messages = [{ role: "user", text: 'Say {{x}} to {name} about {a.b} in {"json": 1}' }];
  assert.deepEqual(variablesOf(messages), ["name", "a.b"]);
  assert.equal(filled(messages[0].text, { name: "$& Ada" }), 'Say {x} to $& Ada about {a.b} in {"json": 1}');
  assert.deepEqual(requestOf("m", { messages: [{ role: "system", text: " " }, ...messages], settings: { temperature: 0, maxTokens: null, topP: null } }, {}).messages.length, 1);
  assert.equal(requestOf("m", { messages, settings: { temperature: 0, maxTokens: null, topP: null } }, {}).temperature, 0);
  assert.equal(canSend(EMPTY_DRAFT), false);
  assert.equal(promptValue("p", "", [{ role: "user", text: "x" }, { role: "user", text: "" }]).messages.length, 1);
});

test("answers of outputs", () => {
  assert.equal(answerOf("text").content, "text");
  assert.equal(answerOf({ choices: [{ message: { content: "hi" } }] }).content, "hi");
  assert.equal(answerOf({ choices: [] }), null);
  assert.equal(answerOf(["x"]), null);
  assert.equal(messagesOf({ messages: [] }), null);
  assert.equal(contentText(null), "");
  assert.equal(chatOf([{ role: "assistant", content: null, tool_calls: [{ function: { name: "f", arguments: "{}" } }] }])[0].parts[0].kind, "tool_call");
});

test("texts, notes, aliases and tags of objects", () => {
  assert.equal(textOfVersion({ val: { messages: [{ role: "user", content: "Hi" }] } }), "user:\nHi");
  assert.equal(textOfVersion({ val: { content: "Hello" } }), "Hello");
  assert.equal(noteOf({ val: { kind: "contains", description: "" }, leaf_object_class: "BuiltInScorer" }), "contains");
  assert.equal(noteOf({ val: {}, leaf_object_class: "Thing" }), "Thing");
  assert.equal(aliasProblem("production"), null);
  for (const wrong of ["", "latest", "v3", "a/b", "a:b"]) assert.notEqual(aliasProblem(wrong), null, wrong);
  assert.equal(isTag("short answers"), true);
  assert.equal(isTag("two  spaces"), false);
  assert.equal(classOf(undefined).name, "prompts");
  assert.equal(classOf("nothing"), undefined);
});
