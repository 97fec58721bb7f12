// Requests: addresses, errors, CSRF token, retries, signing in again, lost connections.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";
import { installFetch, installPage, installTimers, json, settle } from "./support/page.mjs";

const api = await importSources("api/client.ts", "api/urls.ts", "api/errors.ts", "api/connection.ts");

let page;
let timers;
let network;

beforeEach(() => {
  page = installPage();
  timers = installTimers();
});
afterEach(() => {
  network?.remove();
  timers.remove();
  page.remove();
  api.setSessionAccess({ csrfToken: () => null, refresh: async () => false, signInAgain: async () => false });
});

function answer(...answers) {
  network = installFetch(answers);
  return network.requests;
}

async function thrownBy(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: "nothing was thrown" });
}

describe("addresses", () => {
  test("are relative to the base path of the page", () => {
    assert.equal(api.url("api/v1/me"), "http://console.test/prefix/api/v1/me");
    assert.equal(api.consolePath(), "/prefix/console/");
  });

  test("encode values and leave out empty ones", () => {
    const query = { a: "x y&z", none: null, missing: undefined, empty: "", zero: 0, no: false, list: ["1", "2"] };
    assert.equal(api.url("p", query), "http://console.test/prefix/p?a=x+y%26z&zero=0&no=false&list=1&list=2");
  });

  test("cannot be left by a name", () => {
    assert.equal(api.path`teams/${"a/b?c#d"}/x`, "teams/a%2Fb%3Fc%23d/x");
    assert.equal(api.path`projects/${api.segments("acme/a b")}/runs/${7}`, "projects/acme/a%20b/runs/7");
    for (const name of [".", ".."]) {
      const address = new URL(api.url(api.path`teams/${name}/secrets`));
      assert.match(address.pathname, /^\/prefix\/teams\/[^/]+\/secrets$/);
    }
  });
});

describe("errors", () => {
  test("have the server's words in every shape, and the request id", async () => {
    const bodies = [
      { detail: "words", code: "x" },
      { reason: "words" },
      { error: { message: "words" } },
      { message: "words" },
    ];
    for (const body of bodies) {
      answer(json(body, 409, { "X-Request-Id": "r1" }));
      const error = await thrownBy(api.get("p"));
      assert.deepEqual([error.message, error.status, error.requestId], ["words", 409, "r1"]);
      network.remove();
    }
  });

  test("name the members that are wrong", async () => {
    answer(json({ detail: [{ loc: ["body", "name"], msg: "is too short", type: "x" }] }, 422));
    const error = await thrownBy(api.change("POST", "p", {}));
    assert.equal(error.message, "name: is too short");
    assert.equal(error.field("name"), "is too short");
    assert.equal(error.field("other"), null);
  });

  test("that no input of a form shows are shown by the form", async () => {
    answer(json({ detail: [{ loc: ["body", "name"], msg: "is too short" }, { loc: ["body", "rows", 3], msg: "is no object" }] }, 422));
    const error = await thrownBy(api.change("POST", "p", {}));
    assert.equal(error.besides("name", "rows.3"), null);
    assert.equal(error.besides("name"), "name: is too short; rows.3: is no object");
  });

  test("say what to do where the server does not", async () => {
    const cases = [
      [413, "The body is too large", {}, "The body is too large. Make it smaller, or send it in parts."],
      [429, "Too many requests.", { "Retry-After": "7" }, "Too many requests. Try again in 7 seconds."],
      [503, "Overloaded, try again shortly", { "Retry-After": "7" }, "Overloaded, try again shortly"],
      [503, undefined, {}, "The server is busy. Try again in a moment."],
    ];
    for (const [status, detail, headers, words] of cases) {
      answer(json({ detail }, status, headers));
      assert.equal((await thrownBy(api.change("POST", "p", {}))).message, words);
      network.remove();
    }
  });

  test("never show the page of a proxy", async () => {
    answer(new Response("<html>Bad gateway</html>", { status: 502 }));
    assert.equal((await thrownBy(api.get("p"))).message, "The server behind this one did not answer.");
  });
});

describe("requests", () => {
  test("send JSON and the token of the session, but no token with GET", async () => {
    api.setSessionAccess({ csrfToken: () => "token", refresh: async () => false, signInAgain: async () => false });
    const requests = answer(json({}), json({}));
    await api.change("POST", "p", { a: 1 });
    await api.get("p");
    assert.equal(requests[0].headers["X-CSRF-Token"], "token");
    assert.equal(requests[0].headers["Content-Type"], "application/json");
    assert.equal(requests[0].body, '{"a":1}');
    assert.equal(requests[0].credentials, "same-origin");
    assert.equal(requests[1].headers["X-CSRF-Token"], undefined);
  });

  test("return nothing for 204", async () => {
    answer(json(null, 204));
    assert.equal(await api.change("DELETE", "p"), undefined);
  });

  test("repeat reads after 429 and 503, as long as the server says", async () => {
    const requests = answer(json({}, 429, { "Retry-After": "3" }), json({}, 503), json({ fine: true }));
    assert.deepEqual(await api.read("p", {}), { fine: true });
    assert.equal(requests.length, 3);
    assert.equal(timers.waits[0], 3000);
    assert.ok(timers.waits[1] > 0);
  });

  test("give up reads that the server wants later, or too often", async () => {
    answer(json({ detail: "later" }, 503, { "Retry-After": "60" }));
    assert.equal((await thrownBy(api.get("p"))).retryAfter, 60);
    network.remove();
    const requests = answer(...Array.from({ length: 4 }, () => json({ detail: "busy" }, 503)));
    assert.equal((await thrownBy(api.get("p"))).message, "busy. Try again in a moment.");
    assert.equal(requests.length, 4);
  });

  test("ask the guard before changes, and send nothing that it rejects", async () => {
    const asked = [];
    api.setChangeGuard(async (path) => {
      asked.push(path);
      if (path === "gone") throw new api.ApiError(404, "deleted");
    });
    const requests = answer(json({}), json({}), json({}));
    await api.get("p");
    await api.read("p", {});
    await api.change("POST", "p", {});
    assert.equal((await thrownBy(api.change("POST", "gone", {}))).message, "deleted");
    api.setChangeGuard(async () => undefined);
    assert.deepEqual(asked, ["p", "gone"]);
    assert.equal(requests.length, 3);
  });

  test("never repeat changes", async () => {
    const requests = answer(json({ detail: "busy" }, 503));
    await thrownBy(api.change("POST", "p", {}));
    assert.equal(requests.length, 1);
  });

  test("end when they are aborted while they wait", async () => {
    answer(json({}, 503));
    const abort = new AbortController();
    const failure = thrownBy(api.get("p", {}, abort.signal));
    abort.abort();
    assert.equal((await failure).name, "AbortError");
  });
});

describe("a session", () => {
  test("that has ended asks to sign in, then repeats the request with the new token", async () => {
    let token = "old";
    const requests = answer(json({ detail: "ended" }, 401), json({ stored: true }));
    api.setSessionAccess({
      csrfToken: () => token,
      refresh: async () => false,
      signInAgain: async () => {
        token = "new";
        return true;
      },
    });
    assert.deepEqual(await api.change("POST", "p", { typed: "text" }), { stored: true });
    assert.deepEqual(requests.map(({ headers }) => headers["X-CSRF-Token"]), ["old", "new"]);
    assert.deepEqual(requests.map(({ body }) => body), ['{"typed":"text"}', '{"typed":"text"}']);
  });

  test("that is not renewed fails the request", async () => {
    answer(json({ detail: "ended" }, 401));
    assert.equal((await thrownBy(api.get("p"))).status, 401);
  });

  test("does not matter to requests that open one", async () => {
    api.setSessionAccess({
      csrfToken: () => null,
      refresh: async () => false,
      signInAgain: () => assert.fail("asked to sign in"),
    });
    answer(json({ detail: "wrong key" }, 401));
    assert.equal((await thrownBy(api.send("POST", "p", { anonymous: true }))).message, "wrong key");
  });

  test("of another tab is taken over when the token is refused", async () => {
    let token = "old";
    const requests = answer(json({ detail: "token" }, 403), json({}));
    api.setSessionAccess({
      csrfToken: () => token,
      refresh: async () => {
        token = "new";
        return true;
      },
      signInAgain: async () => false,
    });
    await api.change("PUT", "p", {});
    assert.deepEqual(requests.map(({ headers }) => headers["X-CSRF-Token"]), ["old", "new"]);
  });

  test("that may not do something is refused once", async () => {
    const requests = answer(json({ detail: "viewers may not" }, 403));
    assert.equal((await thrownBy(api.change("PUT", "p", {}))).message, "viewers may not");
    assert.equal(requests.length, 1);
  });
});

describe("a lost connection", () => {
  const lost = () => {
    throw new TypeError("Failed to fetch");
  };

  test("makes reads wait for the server and then succeed", async () => {
    const requests = answer(lost, lost, json({ status: "ok" }), json({ fine: true }));
    const reading = api.get("p");
    await settle(1);
    assert.equal(api.connected.value, false);
    assert.deepEqual(await reading, { fine: true });
    assert.equal(api.connected.value, true);
    assert.deepEqual(requests.map(({ url }) => new URL(url).pathname), ["/prefix/p", "/prefix/health", "/prefix/health", "/prefix/p"]);
  });

  test("fails changes, which may have been made", async () => {
    answer(lost, json({ status: "ok" }));
    const error = await thrownBy(api.change("POST", "p", {}));
    assert.ok(error.offline);
    assert.match(error.message, /may not have been made/);
    await settle();
    assert.equal(api.connected.value, true);
  });
});
