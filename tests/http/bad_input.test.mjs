// Invalid, hostile and compressed bodies: each gets a proper response, and the server keeps serving valid
// requests meanwhile.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";

import { whileServing, expectMemoryReleased, expectServing } from "./support/liveness.mjs";
import { expectError, expectViolations } from "./support/expect.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { RawConnection, rawRequest } from "./support/raw_connection.mjs";
import { startServer } from "./support/server.mjs";

const MIB = 1024 * 1024;

let server;
let memoryBefore;

before(async () => {
  server = await startServer();
  for (let i = 0; i < 20; i += 1) await expectServing(server);
  memoryBefore = server.residentKilobytes();
});
after(() => server.dispose());

function post(body, headers) {
  return server.api("POST", "/api/v1/teams", { body, headers });
}

/** Expects 422 json_invalid and returns the position of the error. */
function expectBrokenJson(answer) {
  assert.equal(answer.status, 422, answer.text);
  const [violation, ...others] = answer.json.detail;
  assert.deepEqual(others, []);
  assert.equal(violation.type, "json_invalid");
  assert.equal(violation.msg, "JSON decode error");
  assert.deepEqual(violation.input, {});
  assert.equal(typeof violation.ctx.error, "string");
  const [place, position] = violation.loc;
  assert.equal(place, "body");
  assert.ok(Number.isInteger(position), answer.text);
  return position;
}

describe("text that is not JSON", () => {
  test("truncated at any position is rejected", async () => {
    const whole = '{"name":"t","admin_username":["\\u00e9",-1.5e3,{"a":true,"b":null}]}';
    for (let length = 1; length < whole.length; length += 1) {
      const position = expectBrokenJson(await post(whole.slice(0, length)));
      assert.ok(position <= length);
    }
  });

  test("is rejected with the position of the error", async () => {
    assert.equal(expectBrokenJson(await post('{"name": nope}')), 9);
    assert.equal(expectBrokenJson(await post('{"näme": nope}')), 9, "characters, not bytes");
    const texts = ["{'name':'x'}", '{"name":"x"} trailing', '{"name":"x",}', "NaN", "{]", "\ufeff{}"];
    for (const text of texts) expectBrokenJson(await post(text));
  });

  test("with invalid UTF-8 is rejected", async () => {
    const sequences = ["ff", "c0af", "eda080", "f8888080", "e282", "80", "f4908080"];
    for (const hex of sequences) {
      const body = Buffer.concat([
        Buffer.from('{"name":"'),
        Buffer.from(hex, "hex"),
        Buffer.from('"}'),
      ]);
      expectBrokenJson(await post(body));
    }
  });

  test("with control characters or unknown escapes in a string is rejected", async () => {
    expectBrokenJson(await post('{"name":"a\u0000b"}'));
    expectBrokenJson(await post('{"name":"a\nb"}'));
    expectBrokenJson(await post('{"name":"\\x41"}'));
    expectBrokenJson(await post('{"name":"\\u12g4"}'));
  });

  test("of random bytes is rejected", async () => {
    let seed = 12345;
    const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 16;
    for (let i = 0; i < 50; i += 1) {
      const bytes = Buffer.from(Array.from({ length: 1 + (random() % 200) }, () => random() & 255));
      const answer = await post(bytes);
      assert.equal(answer.status, 422, `${bytes.toString("hex")}: ${answer.text}`);
    }
  });
});

describe("unusual JSON", () => {
  test("the last of two members with the same name counts", async () => {
    const [first, last] = [freshName("first"), freshName("last")];
    const answer = await post(`{"name":"${first}","name":"${last}"}`);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json.name, last);
    assert.equal((await server.api("GET", `/api/v1/teams/${first}`)).status, 404);
  });

  test("numbers of any size are rejected or stored exactly", async () => {
    const { name } = await makeTeam(server);
    const patch = (number) =>
      server.api("PATCH", `/api/v1/teams/${name}`, {
        body: `{"default_artifact_ttl_days":${number}}`,
      });
    const numbers = [
      "1e400",
      "-1e400",
      "1e-400",
      "18446744073709551616",
      "9223372036854775808",
      "9".repeat(5000),
      `1${"0".repeat(100000)}`,
      `0.${"1".repeat(100000)}`,
      `1e${"9".repeat(1000)}`,
    ];
    for (const number of numbers) {
      const answer = await patch(number);
      assert.equal(answer.status, 422, `${number.slice(0, 40)}: ${answer.text.slice(0, 200)}`);
      assert.deepEqual(answer.json.detail[0].loc, ["body", "default_artifact_ttl_days"]);
    }
    for (const number of ["01", "+1", ".5", "1.", "0x10", "1e", "--1", "Infinity"]) {
      expectBrokenJson(await patch(number));
    }
    assert.equal((await patch("7.0")).json.default_artifact_ttl_days, 7);
  });

  test("NUL in a string is rejected if it would be stored", async () => {
    const username = freshName("nul");
    const body = `{"username":"${username}","email":"${username}@x.test","name":"a\\u0000b"}`;
    const answer = await server.api("POST", "/api/v1/users", { body });
    assert.equal(answer.status, 422, answer.text);
    assert.deepEqual(answer.json.detail.map(({ loc }) => loc), [["body", "name"]]);
    expectViolations(await post('{"name":"a\\u0000"}'), ["value_error", "body", "name"]);
  });

  test("an unpaired surrogate is replaced", async () => {
    const username = freshName("half");
    const body = `{"username":"${username}","email":"${username}@x.test","name":"a\\ud83db"}`;
    const answer = await server.api("POST", "/api/v1/users", { body });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json.name, "a\ufffdb");
  });

  test("nesting is accepted up to the limit and rejected beyond it", async () => {
    const nested = (depth) => `{"name":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expectViolations(await post(nested(150)), ["string_type", "body", "name"]);
    for (const depth of [250, 1000, 100_000, 500_000]) {
      assert.equal((await post(nested(depth))).status, 422, String(depth));
    }
    for (const opening of ["[", '{"a":', "[{", '["']) {
      expectBrokenJson(await post(opening.repeat(Math.floor(MIB / opening.length))));
    }
  });

  test("any number of members and items gets a response with a limited number of errors", async () => {
    const members = Array.from({ length: 60_000 }, (_, i) => `"m${i}":1`);
    const answer = await post(`{"name":"x",${members.join(",")}}`);
    assert.equal(answer.status, 422);
    const { detail } = answer.json;
    assert.ok(detail.length >= 100 && detail.length <= 1000, String(detail.length));
    assert.deepEqual(detail[0].loc, ["body", "m0"]);
    const commas = await post(`[${"1,".repeat(500_000)}1]`);
    expectViolations(commas, ["model_attributes_type", "body"]);
  });

  test("hostile names in paths and queries get a 4xx response", async () => {
    const paths = [
      "/api/v1/teams/%00",
      "/api/v1/teams/%ff",
      "/api/v1/teams/%zz",
      "/api/v1/teams/%",
      "/api/v1/teams/a%2",
      "/api/v1/teams/..%2f..%2fetc%2fpasswd",
      "/api/v1/teams/%27%20OR%201=1",
      `/api/v1/teams/${"x".repeat(10_000)}`,
      "/api/v1/teams?limit=%zz",
      "/api/v1/teams?limit=1&limit=2&cursor=%00",
      "/api/v1//me",
      "/api/v1/teams/../me",
    ];
    for (const path of paths) {
      const { status, text } = await rawGet(path);
      assert.ok([400, 404, 422].includes(status), `${path.slice(0, 60)}: ${status} ${text}`);
    }
  });

  /** Sends GET with an unchanged path; the usual client would normalize it. */
  async function rawGet(path) {
    const connection = await RawConnection.open(server.url);
    try {
      const key = `Authorization: Bearer ${server.adminKey}`;
      await connection.send(rawRequest(`GET ${path} HTTP/1.1`, [key]));
      return await connection.response();
    } finally {
      connection.destroy();
    }
  }
});

describe("an endless body", () => {
  /** Sends chunks until the response arrives; resolves with the response and the number of sent bytes. */
  async function flood(fields, piece, most) {
    const connection = await RawConnection.open(server.url);
    const key = `Authorization: Bearer ${server.adminKey}`;
    const type = "Content-Type: application/json";
    let sent = 0;
    let answer;
    const answered = connection.response().then((response) => (answer = response));
    try {
      await connection.send(rawRequest("POST /api/v1/teams HTTP/1.1", [key, type, ...fields]));
      while (!answer && sent < most && (await connection.send(piece))) sent += piece.length;
      await answered;
      return { answer, sent };
    } finally {
      connection.destroy();
    }
  }

  const openings = Buffer.alloc(64 * 1024, "[");

  test("100 MB of [ with Content-Length are rejected unread", async () => {
    const { answer, sent } = await whileServing(server, () =>
      flood([`Content-Length: ${100_000_000}`], openings, 100_000_000),
    );
    assert.equal(answer.status, 413);
    assert.ok(sent < 50_000_000, `${sent} bytes were taken`);
  });

  test("100 MB of [ in chunks are rejected at the limit", async () => {
    const chunk = Buffer.concat([Buffer.from("10000\r\n"), openings, Buffer.from("\r\n")]);
    const { answer, sent } = await whileServing(server, () =>
      flood(["Transfer-Encoding: chunked"], chunk, 100_000_000),
    );
    assert.equal(answer.status, 413);
    assert.ok(sent < 50_000_000, `${sent} bytes were taken`);
  });

  test("several at once do not block other requests", async () => {
    const floods = () =>
      Promise.all(
        Array.from({ length: 8 }, () =>
          flood([`Content-Length: ${100_000_000}`], openings, 100_000_000),
        ),
      );
    for (const { answer } of await whileServing(server, floods)) assert.equal(answer.status, 413);
  });
});

describe("compressed bodies", () => {
  const packed = (coding, bytes) => post(bytes, { "Content-Encoding": coding });
  const team = () => Buffer.from(`{"name":"${freshName("packed")}"}`.padEnd(3000));

  const MAGIC = Buffer.from("28b52ffd00", "hex"); // zstd magic number; flags: no checksum, no content size
  const WINDOW = { "2 MiB": 0x58, "16 MiB": 0x70 };

  /** Returns a zstd frame (RFC 8878) of zeros with `blocks` blocks, each four bytes for 128 KiB. */
  function zstdZeros(blocks, window = WINDOW["2 MiB"]) {
    const block = Buffer.alloc(4);
    block.writeUIntLE(((128 * 1024) << 3) | (1 << 1), 0, 3); // RLE block, not the last
    const last = Buffer.from([0x01, 0, 0]); // an empty last block
    return Buffer.concat([MAGIC, Buffer.from([window]), ...Array(blocks).fill(block), last]);
  }

  test("in gzip, deflate and zstd are decoded", async () => {
    const ways = [
      ["gzip", gzipSync(team())],
      ["x-gzip", gzipSync(team())],
      ["GZIP", gzipSync(team())],
      ["deflate", deflateSync(team())],
      ["deflate", deflateRawSync(team())],
      ["identity", team()],
    ];
    for (const [coding, bytes] of ways) {
      const answer = await packed(coding, bytes);
      assert.equal(answer.status, 201, `${coding}: ${answer.text}`);
    }
    // Output of the zstd program for {"name":"packed-with-zstd" and 4000 spaces.
    const frame = "KLUv/QBoHQEA4HsibmFtZSI6InBhY2tlZC13aXRoLXpzdGQiIH0BAHPeB2M=";
    const answer = await packed("zstd", Buffer.from(frame, "base64"));
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json.name, "packed-with-zstd");
  });

  test("in unknown codings are 415", async () => {
    for (const coding of ["br", "compress", "gzip, gzip", "nonsense"]) {
      expectError(await packed(coding, gzipSync(team())), 415, "unsupported_media_type");
    }
  });

  test("that are damaged or truncated are 4xx", async () => {
    const good = gzipSync(team());
    const wrongSum = Buffer.from(good);
    wrongSum[wrongSum.length - 5] ^= 0xff;
    const damaged = [
      ["gzip", good.subarray(0, good.length - 9)],
      ["gzip", wrongSum],
      ["gzip", team()],
      ["deflate", Buffer.from("this is not deflate")],
      ["zstd", zstdZeros(1).subarray(0, 7)],
      ["zstd", zstdZeros(1, WINDOW["16 MiB"])], // RFC 9659: 8 MiB at most
      ["zstd", team()],
    ];
    for (const [coding, bytes] of damaged) {
      const answer = await packed(coding, bytes);
      assert.ok([400, 422].includes(answer.status), `${coding}: ${answer.status} ${answer.text}`);
    }
  });

  test("that expand beyond the limit are 413", async () => {
    const bombs = [
      ["gzip", gzipSync(Buffer.alloc(100 * MIB))],
      ["gzip", Buffer.concat(Array(90).fill(gzipSync(Buffer.alloc(10 * MIB), { level: 9 })))],
      ["deflate", deflateSync(Buffer.alloc(100 * MIB))],
      ["zstd", zstdZeros(8 * 1024)], // 1 GiB
    ];
    for (const [coding, bytes] of bombs) {
      assert.ok(bytes.length < MIB, `the bomb is ${bytes.length} bytes`);
      const answer = await whileServing(server, () => packed(coding, bytes));
      expectError(answer, 413, "too_large");
      await expectMemoryReleased(server, memoryBefore);
    }
  });

  test("many decompression bombs at once do not block other requests", async () => {
    const bomb = gzipSync(Buffer.alloc(100 * MIB));
    const answers = await whileServing(server, () =>
      Promise.all(Array.from({ length: 50 }, () => packed("gzip", bomb))),
    );
    for (const answer of answers) assert.equal(answer.status, 413);
  });
});

test("the memory is released afterwards", () => expectMemoryReleased(server, memoryBefore));
