// Model requests of the server itself count for the user and key that caused them: model access, limits and
// budgets apply to them as to any other caller.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { eventually } from "./support/deliveries.mjs";
import { EvaluationProject } from "./support/evaluations.mjs";
import { addLimit, addModel, setDeploymentPrice } from "./support/gateway.mjs";
import { addMember, makeKey, makeMember, makeTeam } from "./support/people.mjs";
import { startScriptedUpstream } from "./support/scripted_upstream.mjs";
import { startServer } from "./support/server.mjs";
import { startUpstream } from "./support/upstream.mjs";

const ROWS = [{ question: "a", target: "x" }, { question: "b", target: "x" }];
const VERDICT = '{"score": 1, "reason": "right"}';

let server;
let otherUpstream; // the upstream for models outside the catalogue
let upstream;
before(async () => {
  otherUpstream = await startUpstream(() => ({ text: "from elsewhere" }));
  upstream = await startScriptedUpstream((exchange) => exchange.complete(VERDICT));
  server = await startServer({
    env: { SPINDLE_EVALUATION_UPSTREAM_URL: otherUpstream.url },
    args: ["--evaluation-retries", "0", "--evaluation-concurrency", "1"],
  });
});
after(async () => {
  await server.dispose();
  await upstream.close();
  await otherUpstream.close();
});

const judgeOf = (evaluations, model) => evaluations.scorer("judge", { kind: "llm_judge", model, rubric: "Is it right?" });

/** Every part of the server that requests a model: the op of its calls, and how to start it. */
const CALLERS = {
  "the model of an evaluation": {
    op: "bot.predict",
    start: async (evaluations, post, model) =>
      post("/evaluations/evaluate_model", {
        evaluation_ref: await evaluations.evaluation(ROWS, []),
        model_ref: await evaluations.model({ model }),
      }),
  },
  "the judge of an evaluation": {
    op: "judge.score",
    start: async (evaluations, post, model) =>
      post("/evaluations/evaluate_model", {
        evaluation_ref: await evaluations.evaluation(ROWS, [await judgeOf(evaluations, model)]),
        model_ref: await evaluations.model({ model: "not-in-the-catalogue" }),
      }),
  },
  "the judge of a rescored evaluation": {
    op: "judge.score",
    start: async (evaluations, post, model) => {
      const source = await evaluations.evaluate(await evaluations.evaluation(ROWS, []), await evaluations.model({ model: "not-in-the-catalogue" }));
      await evaluations.finished(source);
      return post("/evaluations/rescore", { source_evaluation_run_id: source, scorer_refs: [await judgeOf(evaluations, model)] });
    },
  },
  "the judge of scored calls": {
    op: "judge.score",
    hasRun: false,
    start: async (evaluations, post, model) => {
      const calls = await evaluations.calls.complete(...ROWS.map((inputs) => ({ inputs, output: "x" })));
      return post("/calls/score", { call_ids: calls.map(({ id }) => id), scorer_refs: [await judgeOf(evaluations, model)] });
    },
  },
};

for (const [name, { op, start, hasRun = true }] of Object.entries(CALLERS)) {
  describe(name, () => {
    /** Creates a team, a member with its own key, and a project. */
    async function prepared() {
      const team = (await makeTeam(server)).name;
      const member = await makeMember(server, team, "MEMBER");
      const key = await makeKey(server, member.username);
      return { team, member, key, evaluations: new EvaluationProject(server, `${team}/lab`) };
    }

    /** Returns the outcome of each item: null, or the reason of its failure. */
    async function outcomes({ evaluations, key }, model) {
      const post = async (path, body) => {
        const answer = await evaluations.post(path, body, { key: key.key });
        assert.equal(answer.status, 200, answer.text);
      };
      await start(evaluations, post, model);
      const done = await evaluations.eventually(async () => {
        const calls = (await evaluations.calls.query({})).filter(({ op_name, ended_at }) => op_name === op && ended_at);
        return calls.length === ROWS.length ? calls : undefined;
      });
      return done.map(({ exception }) => exception);
    }

    const asked = async (work) => {
      const before = upstream.exchanges.length;
      const result = await work();
      return { result, requests: upstream.exchanges.length - before };
    };

    test("counts for the user and the key", async () => {
      const caller = await prepared();
      const model = await addModel(server, [upstream.url]);
      assert.deepEqual(await outcomes(caller, model), [null, null]);
      // A node reports the usage of other nodes after about a second.
      const { items } = await eventually(
        async () => (await server.api("GET", `/api/v1/usage?${new URLSearchParams({ group_by: "project,user,key", model })}`)).json,
        (usage) => usage.items[0]?.requests >= 2,
        "not all requests are in the usage",
      );
      const rows = items.map(({ project, user, key, requests }) => ({ project, user, key, requests }));
      assert.deepEqual(rows, [{ project: caller.evaluations.id, user: caller.member.username, key: caller.key.key_id, requests: 2 }]);
    });

    test("does not reach a model of another team", async () => {
      const caller = await prepared();
      const model = await addModel(server, [upstream.url], { teams: [(await makeTeam(server)).name] });
      const { result, requests } = await asked(() => outcomes(caller, model));
      for (const reason of result) assert.match(reason, /does not exist/);
      assert.equal(requests, 0);
    });

    test("reaches a model of the caller's team", async () => {
      const caller = await prepared();
      const model = await addModel(server, [upstream.url], { teams: [caller.team] });
      assert.deepEqual(await outcomes(caller, model), [null, null]);
    });

    test("is subject to the rate limit of the key", async () => {
      const caller = await prepared();
      const model = await addModel(server, [upstream.url]);
      await addLimit(server, { key: caller.key.key_id, requests_per_minute: 1 });
      const { result, requests } = await asked(() => outcomes(caller, model));
      assert.equal(requests, 1);
      assert.equal(result.filter((reason) => reason === null).length, 1, JSON.stringify(result));
    });

    for (const of of ["key", "project"]) {
      test(`is subject to the budget of the ${of}`, async () => {
        const caller = await prepared();
        const model = await addModel(server, [upstream.url], { max_output_tokens: 5 });
        // A request costs at most 1, and costs 1.
        await setDeploymentPrice(server, model, { prompt: 0, completion: 0.2 });
        await makeProject(caller);
        await addLimit(server, { [of]: of === "key" ? caller.key.key_id : caller.evaluations.id, budget_usd: 1 });
        const { result, requests } = await asked(() => outcomes(caller, model));
        assert.equal(requests, 1);
        assert.equal(result.filter((reason) => /quota/.test(reason ?? "")).length, 1, JSON.stringify(result));
      });
    }

    /** Creates the project. */
    const makeProject = ({ evaluations }) => evaluations.publish("made", {});

    /** Runs `work` during the first request, and waits for an ended call with the exception. Returns the requests. */
    async function during({ evaluations, key }, model, work, isExpected) {
      upstream.script = async (exchange) => {
        upstream.script = (later) => later.complete(VERDICT);
        await work();
        exchange.complete(VERDICT);
      };
      const { requests } = await asked(async () => {
        await start(evaluations, (path, body) => evaluations.post(path, body, { key: key.key }), model);
        await evaluations.eventually(async () =>
          (await evaluations.calls.query({})).find(({ ended_at, exception }) => ended_at && isExpected(exception)));
      });
      return requests;
    }

    test("stops when the key is revoked", async () => {
      const caller = await prepared();
      const model = await addModel(server, [upstream.url]);
      const requests = await during(
        caller,
        model,
        async () => {
          const removed = await server.api("DELETE", `/api/v1/api-keys/${caller.key.id}`);
          assert.equal(removed.status, 204, removed.text);
        },
        (exception) => exception?.includes("The API key that started this job is no longer valid."),
      );
      assert.equal(requests, 1);
    });

    const losses = {
      "loses the permission to write to the project": ({ team, member }) =>
        addMember(server, team, member.username, "VIEWER"),
      "is suspended": async ({ member }) => {
        const path = `/api/v1/users/${member.username}`;
        const changed = await server.api("PATCH", path, { body: { suspended: true } });
        assert.equal(changed.status, 200, changed.text);
      },
    };
    for (const [loss, lose] of hasRun ? Object.entries(losses) : []) {
      test(`fails when the user ${loss}`, async () => {
        const caller = await prepared();
        const model = await addModel(server, [upstream.url]);
        const reason = "The user who started this job may no longer change the project.";
        const requests = await during(caller, model, () => lose(caller), (exception) => exception === reason);
        assert.equal(requests, 1);
      });
    }
  });
}
