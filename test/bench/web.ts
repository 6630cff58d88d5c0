/** The web console in a real browser: what it loads, how soon it can be used, and what long answers and results take. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { startBrowser } from '../harness/browser.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';
import { startBuiltPage, startResultPage } from '../harness/result-page.ts';
import { OWN_TREE, startAtlas } from './atlas.ts';
import { type Bench, median, percentile, type Row } from './measure.ts';
import { processMemory } from './processes.ts';
import { startTimes } from './start.ts';
import { createWorkspace, type Workspace, writeLeavingOut } from './workspace.ts';

const KB = 1_000;
/** A slow telephone: 1.6 Mbit/s, 150 ms, a quarter of the processor. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 200 * KB, uploadThroughput: 200 * KB };
const SLOW_PROCESSOR = { rate: 4 };
const LOADS = 5;
const STARTS = 7;
const TURNS = 50;
const DELTAS = 2_000;
const DELTAS_MS = 10_000;
const FLICKS = 40;

/** A page with nothing but React and a box. */
const REACT_ALONE = `
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
createRoot(document.getElementById('console')).render(createElement('textarea', { autoFocus: true }));
`;

/** Notes when a box can be typed into, and how much of the page moved by itself until then. */
const WATCH_LOADING = `
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  const look = () => {
    if (document.activeElement?.localName === 'textarea') globalThis.usableAt = performance.now();
    else requestAnimationFrame(look);
  };
  look();
`;

/** Notes when the first text of an answer arrives and when it is shown, long tasks, and changes of finished answers. */
const WATCH_ANSWER = `
  const send = fetch;
  globalThis.fetch = async (...args) => {
    const response = await send(...args);
    if (!String(args[0]).includes('/api/v1/chat') || response.body === null) return response;
    const [body, watched] = response.body.tee();
    (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of watched) {
        if (decoder.decode(bytes, { stream: true }).includes('"text-delta"')) globalThis.arrivedAt ??= performance.now();
      }
      globalThis.endedAt = performance.now();
    })();
    return new Response(body, response);
  };
  globalThis.longMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longMs += duration;
  }).observe({ type: 'longtask' });
`;

/** Sums what a page has loaded since the last look. */
class Loaded {
  readonly #responses: Response[] = [];

  constructor(page: Page) {
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith('/api/')) this.#responses.push(response);
    });
  }

  async take(page: Page): Promise<{ gzipBytes: number; sentBytes: number }> {
    await page.waitForLoadState('networkidle');
    const sum = { gzipBytes: 0, sentBytes: 0 };
    for (const response of this.#responses.splice(0)) {
      sum.gzipBytes += gzipSync(await response.body()).length;
      sum.sentBytes += (await response.request().sizes()).responseBodySize;
    }
    return sum;
  }
}

/** Resolves once a script of the page has set a variable. The page's policy forbids that Playwright's own wait evaluates a text there. */
async function known(page: Page, name: string): Promise<void> {
  while ((await page.evaluate(`globalThis.${name} === undefined`)) === true) await sleep(20);
}

const ask = async (page: Page, question: string) => {
  await page.getByRole('textbox', { name: 'Ask a question' }).fill(question);
  await page.keyboard.press('Enter');
};

async function sizes(browser: Browser, url: string): Promise<Row[]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const loaded = new Loaded(page);
  await page.goto(url);
  await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
  const first = await loaded.take(page);
  await ask(page, 'Revenue by region in 2025');
  await page.getByRole('tab', { name: 'Table' }).waitFor();
  const table = await loaded.take(page);
  await page.getByRole('tab', { name: 'Chart' }).click();
  await page.locator('svg[role="img"]').waitFor();
  const chart = await loaded.take(page);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Administration' }).click();
  const links = page.getByRole('navigation', { name: 'Administration' }).getByRole('link');
  await links.first().waitFor();
  for (let index = 0; index < (await links.count()); index += 1) {
    await links.nth(index).click();
    await page.waitForLoadState('networkidle');
  }
  const administration = await loaded.take(page);
  await links.filter({ hasText: 'Semantic layer' }).click();
  await page.getByRole('table', { name: 'Entities' }).getByRole('link').first().click();
  await page.getByRole('tab', { name: 'YAML' }).click();
  await page.getByRole('textbox', { name: /^YAML of / }).click();
  await page.keyboard.type('#');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('textbox', { name: /^Changes of / }).waitFor();
  const editor = await loaded.take(page);
  await context.close();
  const row = (what: string, bytes: number, target: number): Row => ({ what, value: bytes / KB, unit: 'KB', target });
  return [
    row('first load, gzip', first.gzipBytes, 180),
    row('first load, as sent', first.sentBytes, 155),
    row('a table, gzip', table.gzipBytes, 40),
    row('a chart, gzip', chart.gzipBytes, 25),
    row('all of administration, gzip', administration.gzipBytes, 120),
    row('the editor of the semantic layer, with its view of changes, gzip', editor.gzipBytes, 125),
  ];
}

async function slowed(context: BrowserContext, page: Page, isNetworkSlow: boolean): Promise<void> {
  const session = await context.newCDPSession(page);
  if (isNetworkSlow) await session.send('Network.emulateNetworkConditions', SLOW);
  await session.send('Emulation.setCPUThrottlingRate', SLOW_PROCESSOR);
}

/** One load without a cache. */
async function load(browser: Browser, url: string): Promise<{ usableAt: number; shift: number }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await slowed(context, page, true);
  await page.addInitScript(WATCH_LOADING);
  await page.goto(url);
  await known(page, 'usableAt');
  const usableAt = (await page.evaluate('usableAt')) as number;
  await page.waitForLoadState('networkidle');
  const shift = (await page.evaluate('shift')) as number;
  await context.close();
  return { usableAt, shift };
}

async function loading(browser: Browser, url: string): Promise<Row[]> {
  await using alone = await startBuiltPage(REACT_ALONE);
  const [ours, floor]: [number[], number[]] = [[], []];
  const shifts: number[] = [];
  for (let run = 0; run < LOADS; run += 1) {
    floor.push((await load(browser, alone.url)).usableAt);
    const { usableAt, shift } = await load(browser, url);
    ours.push(usableAt);
    shifts.push(shift);
  }
  return [
    { what: 'box usable on a slow telephone', value: median(ours), unit: 'ms', floor: median(floor), target: 1.7 },
    { what: 'layout shift', value: Math.max(...shifts), unit: '', target: 0.05 },
  ];
}

/** A long answer, after a conversation of many turns. */
async function answering(browser: Browser, workspace: Workspace): Promise<Row[]> {
  const words = Array.from({ length: DELTAS }, (_, at) => ({ content: at % 40 === 39 ? 'word.\n\n' : 'word ' }));
  await using model = await startOpenAIServer({
    record: false,
    respond: ({ text }) =>
      text.includes('At length')
        ? { deltas: words, everyMs: DELTAS_MS / DELTAS }
        : { text: '**Done**: `it`.\n\n- one\n- two' },
  });
  const env = { DATABASE_URL: `sqlite:${join(workspace.dir, 'turns.db')}` };
  await using atlas = await startAtlas(workspace, { modelUrl: model.url, env });
  let conversationId: string | undefined;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const response = await fetch(`${atlas.url}/api/v1/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: `Turn ${turn}`, ...(conversationId && { conversationId }) }),
    });
    ({ conversationId } = (await response.json()) as { conversationId: string });
  }
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(WATCH_ANSWER);
  await page.goto(`${atlas.url}/c/${conversationId}`);
  await page.getByRole('article', { name: `Turn ${TURNS - 1}` }).waitFor();
  const shownAt = async (text: string) => {
    await page.evaluate(`globalThis.arrivedAt = undefined; globalThis.shownAt = new Promise((resolve) => {
      const before = document.querySelectorAll('article').length;
      new MutationObserver((_, observer) => {
        const last = [...document.querySelectorAll('article')].slice(before).at(-1);
        if (!last?.textContent.includes(${JSON.stringify(text)})) return;
        observer.disconnect();
        resolve(performance.now());
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    }); 0`);
  };
  await shownAt('Done');
  await ask(page, 'At once');
  const first = (await page.evaluate('shownAt.then((at) => at - arrivedAt)')) as number;
  await known(page, 'endedAt');
  await slowed(context, page, false);
  await page.evaluate(`globalThis.endedAt = undefined; globalThis.longMs = 0; globalThis.changes = 0;
    const finished = [...document.querySelectorAll('article')].slice(0, ${TURNS});
    const observer = new MutationObserver((records) => { globalThis.changes += records.length; });
    for (const article of finished) observer.observe(article, { subtree: true, childList: true, characterData: true });`);
  await ask(page, 'At length');
  await known(page, 'endedAt');
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  const { longMs, changes } = (await page.evaluate('({ longMs, changes })')) as { longMs: number; changes: number };
  await context.close();
  return [
    { what: 'first text shown after it arrived', value: first, unit: 'ms', target: 60 },
    {
      what: '2,000 deltas after 50 turns, a quarter of the processor: long tasks',
      value: longMs,
      unit: 'ms',
      target: 300,
    },
    { what: 'changes of finished answers meanwhile', value: changes, unit: '', target: 0 },
  ];
}

/** Milliseconds from an action of the page until what it brings is there, looked at once a frame. */
async function timed(page: Page, action: string, isThere: string): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const startedAt = performance.now();
    const look = () => (${isThere} ? resolve(performance.now() - startedAt) : requestAnimationFrame(look));
    ${action};
    look();
  })`);
}

/** Tables that the page of the result view is given. */
function tables(): Readonly<Record<string, object>> {
  const tableOf = (rows: readonly object[]) => {
    const facts = { rowCount: rows.length, truncated: false, connectionId: 'demo', durationMs: 1 };
    const table = { columns: Object.keys(rows[0] ?? {}), rows, sql: 'SELECT 1', executedSql: 'SELECT 1', ...facts };
    return { question: 'Rows', isStored: false, table };
  };
  const long = Array.from({ length: 10_000 }, (_, at) =>
    Object.fromEntries(Array.from({ length: 10 }, (_v, place) => [`c${place}`, (at * 7_919 + place) % 10_007])),
  );
  const bars = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `bar ${at}`, value: at * 17 }));
  return { few: tableOf(bars(3)), long: tableOf(long), bars: tableOf(bars(50)) };
}

async function results(browser: Browser): Promise<Row[]> {
  await using served = await startResultPage();
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  const page = await context.newPage();
  const given = JSON.stringify(tables());
  const click = (tab: string) => page.getByRole('tab', { name: tab }).click();
  const barsDrawn = (count: number) => `document.querySelectorAll('svg .mark-bar rect').length === ${count}`;
  const shown: number[] = [];
  const sorted: number[] = [];
  const charts: number[] = [];
  for (let run = 0; run < LOADS; run += 1) {
    // The view keeps its sort and its tab in the address, so each round begins at one without.
    await page.goto(served.url);
    await known(page, 'showResult');
    await page.evaluate(`globalThis.tables = ${given}; showResult(tables.few); 0`);
    await click('Chart');
    await page.locator('svg .mark-bar').first().waitFor();
    charts.push(await timed(page, 'showResult(tables.bars)', barsDrawn(50)));
    await click('Table');
    shown.push(await timed(page, 'showResult(tables.long)', `document.querySelector('[aria-rowcount="10001"] td')`));
    const sort = `document.querySelector('thead button').click()`;
    sorted.push(await timed(page, sort, `document.querySelector('[aria-sort="ascending"]')`));
  }
  const elements = await page.locator('body *').count();
  await page.mouse.move(400, 400);
  await page.evaluate(`globalThis.frames = []; let last = performance.now(); const next = (now) => {
    frames.push(now - last); last = now; requestAnimationFrame(next); }; requestAnimationFrame(next); 0`);
  for (let flick = 0; flick < FLICKS; flick += 1) {
    await page.mouse.wheel(0, 2_000);
    await sleep(16);
  }
  const frames = (await page.evaluate('frames')) as number[];
  await context.close();
  const unit = 'ms';
  return [
    { what: '10,000 × 10 rows, shown', value: median(shown), unit, target: 600 },
    { what: '10,000 × 10 rows, sorted', value: median(sorted), unit, target: 120 },
    { what: '10,000 × 10 rows, p95 of a frame at a fast flick', value: percentile(frames, 0.95), unit, target: 25 },
    { what: '10,000 × 10 rows, elements of the page', value: elements, unit: '', target: 600 },
    { what: 'a chart of 50 bars', value: median(charts), unit, target: 120 },
  ];
}

/** What the plugin adds to a start and to the memory of a server. */
async function weight(workspace: Workspace): Promise<Row[]> {
  writeLeavingOut(workspace);
  const compositions = ['', 'web-console'].map((name) => ({ env: { BENCH_WITHOUT: name } }));
  const starts = compositions.map(() => ({ ms: [] as number[], mb: [] as number[] }));
  for (let run = 0; run <= STARTS; run += 1) {
    for (const [index, settings] of compositions.entries()) {
      const { healthMs } = await startTimes(workspace, settings);
      await using atlas = await startAtlas(workspace, settings);
      await sleep(2_000);
      // The first start of a composition fills caches.
      if (run === 0) continue;
      starts[index]?.ms.push(healthMs);
      starts[index]?.mb.push(processMemory(atlas.pid).rssMb);
    }
  }
  const [whole, without] = starts.map(({ ms, mb }) => ({ ms: median(ms), mb: median(mb) }));
  return [
    { what: 'start to health, more than without the console', value: whole!.ms - without!.ms, unit: 'ms', target: 60 },
    { what: 'memory, more than without the console', value: whole!.mb - without!.mb, unit: 'MB', target: 6 },
  ];
}

export const web: Bench = async () => {
  execFileSync(process.execPath, [join(OWN_TREE, 'scripts/build-console.ts')], { stdio: 'inherit' });
  using workspace = await createWorkspace(50, 20);
  const rows: Row[] = [];
  await using browser = await startBrowser([]);
  {
    const shop = join(workspace.dir, 'shop.db');
    createSimpleDemo(shop);
    const env = {
      DATABASE_URL: `sqlite:${join(workspace.dir, 'atlas.db')}`,
      SVC_DATASOURCE_URL: `sqlite:${shop}`,
      SVC_SEMANTIC_DIR: DEMOS.simple.layer,
    };
    await using atlas = await startAtlas(workspace, { env });
    rows.push(...(await sizes(browser, atlas.url)), ...(await loading(browser, atlas.url)));
  }
  rows.push(...(await answering(browser, workspace)), ...(await results(browser)), ...(await weight(workspace)));
  return rows;
};
