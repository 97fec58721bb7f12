// The embedded console on a large project: CPU time of the page in Chromium, its memory, and the time of the answers
// behind the explorer and the trace. Each figure is printed beside its budget.
//
// The benchmark first sends CONSOLE_CALLS calls to a project (BENCH_FOLDER keeps them for a second run), and a trace of
// 10,000 calls to another one. CPU time is the time of the page's main thread (TaskDuration of the DevTools protocol), so that
// other processes do not count. Without smooth scrolling a turn of the wheel is one frame, in which the list moves by 120
// pixels, however slow the machine is. The answers are measured with the requests that the page itself has sent.
//
//   CONSOLE_CALLS=1000000 ROUNDS=5 make bench ONLY=console

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { largeTraces, sendLargeTraces } from '../traces/large_traces.mjs';
import { post } from '../traces/post.mjs';
import { cleanUp, load, median, scratch, startServer, stop } from '../traces/programs.mjs';

const { chromium } = createRequire(new URL('../../tests/package.json', import.meta.url))('playwright-core');

const calls = Number(process.env.CONSOLE_CALLS ?? 1_000_000);
const rounds = Number(process.env.ROUNDS ?? 5);
const explored = 'bench/console';
const outlined = 'bench/outline';
const frames = 60;
const presses = 15; // less than the visible rows
const folder = join(scratch, 'console');

// The calls of the loader start here, 2 milliseconds apart. The statistics of calls have a range of at most 31 days.
const first = 1_760_000_000_000;
const range = `${new Date(first).toISOString()}~${new Date(first + calls * 2 + 60_000).toISOString()}`;
const explorerPage = `p/${explored}/traces?range=${range}`;
const tracePage = `p/${outlined}/traces/${largeTraces.calls}`;

/** Budgets in milliseconds of the answers, by path. */
const answerBudgets = {
  '/calls/stream_query': ['page of 100', 100],
  '/calls/stats': ['strip', 150],
  '/calls/facets': ['facets', 200],
  '/calls/attributes': ['attribute paths', 200],
  '/calls/query_stats': ['number of calls', 100],
  '/trace/outline': ['outline of 10,000', 200],
};

function print(name, value, unit, budget) {
  const verdict = budget === undefined ? '' : `${value <= budget ? 'within' : 'BEYOND'} ${budget} ${unit}`;
  console.log(`  ${name.padEnd(38)} ${value.toFixed(1).padStart(8)} ${unit}   ${verdict}`);
}

const keyCodes = { j: 74, '*': 56, Home: 36, ArrowLeft: 37, ArrowRight: 39 };

/**
 * A page of a signed-in person. Measured work uses the DevTools protocol alone: helpers of Playwright would run in the page
 * and count.
 */
class ConsolePage {
  static async open(browser, server) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const origin = server.url.origin;
    const answer = await context.request.post(`${origin}/api/v1/session`, {
      data: { api_key: server.key }, headers: { origin, 'sec-fetch-site': 'same-origin' },
    });
    if (answer.status() !== 201) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`);
    const page = await context.newPage();
    const client = await context.newCDPSession(page);
    await client.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new ConsolePage(context, page, client, origin);
  }

  constructor(context, page, client, origin) {
    Object.assign(this, { context, page, client, origin });
  }

  async metric(name) {
    const { metrics } = await this.client.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === name).value;
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.client.send('Runtime.evaluate', { expression, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  frame() {
    return this.evaluate('new Promise(requestAnimationFrame)');
  }

  /** Waits until an element is there and painted. */
  shown(selector) {
    return this.evaluate(`new Promise((resolve) => {
      const look = () => {
        if (!document.querySelector(${JSON.stringify(selector)})) return false;
        observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(resolve));
        return true;
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { childList: true, subtree: true });
      look();
    })`);
  }

  /** Does the work and returns the CPU time of the main thread in milliseconds. */
  async cpu(work) {
    const start = await this.metric('TaskDuration');
    await work();
    return ((await this.metric('TaskDuration')) - start) * 1000;
  }

  /** Opens an address of the console in a process that already runs, and returns the CPU time until the element is painted. */
  async timeTo(path, selector) {
    await this.page.goto(`${this.origin}/health`);
    return this.cpu(async () => {
      await this.client.send('Page.navigate', { url: `${this.origin}/console/${path}` });
      await this.shown(selector);
    });
  }

  /** Waits until no request has been open for a moment, except the stream of changes. */
  async settle() {
    let open = 0;
    let last = Date.now();
    const count = (by) => (request) => {
      if (request.url().includes('/api/v1/stream')) return;
      open += by;
      last = Date.now();
    };
    const [begin, end] = [count(1), count(-1)];
    this.page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
    while (open > 0 || Date.now() - last < 700) await this.page.waitForTimeout(100);
    this.page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
    await this.frame();
  }

  /** Returns the CPU time of a frame in which nothing happens, which is part of the other figures. */
  async idleFrame() {
    const all = await this.cpu(async () => {
      for (let i = 0; i < frames; ++i) await this.frame();
    });
    return all / frames;
  }

  /** Turns the wheel over an element and returns the CPU time of a frame. */
  async wheel(selector) {
    const box = await this.page.locator(selector).first().boundingBox();
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await this.client.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...at });
    const all = await this.cpu(async () => {
      for (let i = 0; i < frames; ++i) {
        await this.client.send('Input.dispatchMouseEvent', { type: 'mouseWheel', ...at, deltaX: 0, deltaY: 120 });
        await this.frame();
      }
    });
    const moved = await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).scrollTop`);
    if (moved < 20 * 120) throw new Error(`${selector} moved by ${moved} pixels`);
    return all / frames;
  }

  /** Presses a key, waiting for a frame each time, and returns the CPU time of one press. */
  async press(key, times = 1) {
    const event = { key, code: { j: 'KeyJ', '*': 'Digit8' }[key] ?? key, windowsVirtualKeyCode: keyCodes[key], ...(key.length === 1 ? { text: key } : {}) };
    const all = await this.cpu(async () => {
      for (let i = 0; i < times; ++i) {
        await this.client.send('Input.dispatchKeyEvent', { type: event.text ? 'keyDown' : 'rawKeyDown', ...event });
        await this.client.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
        await this.frame();
      }
    });
    return all / times;
  }

  async heap() {
    await this.client.send('HeapProfiler.collectGarbage');
    return (await this.metric('JSHeapUsedSize')) / 1e6;
  }

  close() {
    return this.context.close();
  }
}

const row = '[role=grid] [role=gridcell]';
const span = '[aria-label=Spans] [role=treeitem] ~ [role=treeitem]';

/** Opens a page several times, each time with an empty cache, and returns the median CPU time. */
async function opening(browser, server, path, selector) {
  const times = [];
  for (let round = 0; round <= rounds; ++round) {
    const page = await ConsolePage.open(browser, server);
    const ms = await page.timeTo(path, selector);
    if (round > 0) times.push(ms); // the first round is the warm-up
    await page.close();
  }
  return median(times);
}

async function measureExplorer(browser, server) {
  console.log(`explorer of ${calls} calls, CPU time of the page`);
  print('to the first rows', await opening(browser, server, explorerPage, row), 'ms', 150);
  const opened = await ConsolePage.open(browser, server);
  await opened.timeTo(explorerPage, row);
  await opened.settle();
  print('a frame without any work', await opened.idleFrame(), 'ms');
  print('a frame, wheel of 120 px', await opened.wheel('[role=grid]'), 'ms', 10);
  await opened.settle();
  await opened.page.locator('[role=grid]').focus();
  await opened.press('Home');
  await opened.press('j', 2);
  print('a key press', await opened.press('j', presses), 'ms', 4);
  await opened.press('j', 6); // to the last visible row
  print('a key press that scrolls', await opened.press('j', presses), 'ms', 10);
  print('heap after scrolling', await opened.heap(), 'MB', 40);
  await opened.close();
}

async function measureTrace(browser, server) {
  console.log('trace of 10,000 calls, CPU time of the page');
  print('to the first spans', await opening(browser, server, tracePage, span), 'ms', 150);
  const opened = await ConsolePage.open(browser, server);
  await opened.timeTo(tracePage, span);
  await opened.settle();
  await opened.page.locator('[aria-label=Spans]').first().focus();
  await opened.press('Home');
  await opened.press('*'); // opens all
  await opened.settle();
  print('a frame, wheel of 120 px', await opened.wheel('[aria-label=Spans]'), 'ms', 10);
  await opened.press('Home');
  await opened.settle();
  const times = [];
  for (let round = 0; round <= rounds; ++round) {
    const closed = await opened.press('ArrowLeft');
    if ((await opened.page.locator('[aria-label=Spans] [role=treeitem]').count()) !== 1) throw new Error('the trace was not closed');
    const open = await opened.press('ArrowRight');
    if (round > 0) times.push(closed + open);
  }
  print('all closed and opened', median(times), 'ms', 80);
  print('heap after scrolling', await opened.heap(), 'MB', 40);
  await opened.close();
}

/** Returns the requests that a page sends while it opens: [path, body]. */
async function requestsOf(browser, server, address) {
  const opened = await ConsolePage.open(browser, server);
  const requests = new Map();
  opened.page.on('request', (request) => {
    const path = new URL(request.url()).pathname;
    if (request.method() === 'POST' && path in answerBudgets) requests.set(`${path} ${request.postData()}`, [path, request.postDataJSON()]);
  });
  await opened.timeTo(address, address === tracePage ? span : row);
  await opened.settle();
  await opened.close();
  return [...requests.values()];
}

/** Measures the answers behind a page. */
async function measureAnswers(browser, server, title, address) {
  console.log(title);
  for (const [path, body] of await requestsOf(browser, server, address)) {
    const times = [];
    for (let round = 0; round <= rounds; ++round) {
      const { ms } = await post(server, path, body, { coding: 'gzip' });
      if (round > 0) times.push(ms);
    }
    const [name, budget] = answerBudgets[path];
    const fields = body.facets?.map(({ field }) => field.replace('attributes.', '')).join(', ');
    print(fields ? `${name}: ${fields}`.slice(0, 38) : name, median(times), 'ms', budget);
  }
}

let browser;
try {
  const filled = existsSync(folder);
  const server = await startServer(folder);
  if (!filled) {
    const sent = await load(server, { connections: 16, batch: 100, calls, projects: [explored] });
    console.log(`${calls} calls sent at ${sent.rate} calls/s`);
    await sendLargeTraces(server, outlined);
  }
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-smooth-scrolling'] });
  await measureExplorer(browser, server);
  await measureTrace(browser, server);
  await measureAnswers(browser, server, 'answers behind the explorer: traces', explorerPage);
  await measureAnswers(browser, server, 'answers behind the explorer: all calls', `${explorerPage}&scope=all`);
  await measureAnswers(browser, server, 'answers behind the explorer: all calls with errors', `${explorerPage}&scope=all&q=status%3Aerror`);
  await measureAnswers(browser, server, 'answers behind the trace', tracePage);
  console.log(`memory of the server ${server.rss().toFixed(0)} MB resident, peak ${server.peak().toFixed(0)} MB`);
  await browser.close();
  await stop(server);
} finally {
  await browser?.close();
  cleanUp();
}
