/** Questions over HTTP with an instant scripted model, against the same model calls and SQL made by hand. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOpenAIServer } from '../harness/openai-server.ts';
import { startAtlas } from './atlas.ts';
import { startChild } from './child.ts';
import { send, textOf } from './client.ts';
import { type Exchange, Floor } from './floor.ts';
import type { LoadInput, LoadResult } from './load.ts';
import { type Bench, median, percentile, type Row } from './measure.ts';
import { treeMemory } from './memory.ts';
import { modelClientRows } from './model-client.ts';
import { scriptOf } from './scripted-model.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

const ENTITIES = 50;
const QUESTIONS = 40;
const WARM_UP = 300;
const ROUNDS = 1_000;
const CHAT_ROUNDS = 500;
const LOAD = { connections: 16, amount: 10_000 };

interface Captured {
  readonly question: string;
  /** Bodies sent to the model for `POST /query`. */
  readonly query: Exchange;
  /** The same for a chat stream. */
  readonly chat: Exchange;
}

const queryBody = (question: string) => JSON.stringify({ question });
const chatBody = (question: string) =>
  JSON.stringify({ messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: question }] }] });

/** Asks every question once, to learn what Atlas sends to the model. */
async function capture(workspace: Workspace, agent: Agent): Promise<Captured[]> {
  await using model = await startOpenAIServer({ respond: scriptOf(workspace.sql) });
  await using atlas = await startAtlas(workspace, { modelUrl: model.url });
  const exchange = async (path: string, body: string): Promise<Exchange> => {
    const before = model.requests.length;
    await textOf(await send(agent, `${atlas.url}${path}`, body));
    const [first, second, ...more] = model.requests.slice(before);
    if (first === undefined || second === undefined || more.length > 0) {
      throw new Error(`A question took ${model.requests.length - before} model calls instead of two.`);
    }
    return [first.text, second.text];
  };
  const captured: Captured[] = [];
  for (const { question } of workspace.layer.questions) {
    const query = await exchange('/api/v1/query', queryBody(question));
    captured.push({ question, query, chat: await exchange('/api/v1/chat', chatBody(question)) });
  }
  return captured;
}

/** Milliseconds of each subject, which take turns in changing order, so that a busy moment hits all of them. */
async function interleaved(
  subjects: readonly ((index: number) => Promise<unknown>)[],
  rounds: number,
): Promise<number[][]> {
  const times: number[][] = subjects.map(() => []);
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const index = (Math.abs(round) + turn) % subjects.length;
      const startedAt = performance.now();
      await subjects[index]?.(Math.abs(round));
      if (round >= 0) times[index]?.push(performance.now() - startedAt);
    }
  }
  return times;
}

function latencyRows(own: readonly number[], floor: readonly number[], hop: readonly number[]): Row[] {
  const unit = 'ms';
  return [
    { what: 'POST /query, median', value: median(own), unit, floor: median(floor), target: 1.7 },
    { what: 'POST /query, p95', value: percentile(own, 0.95), unit, floor: percentile(floor, 0.95), target: 2.5 },
    { what: 'POST /query, median, floor behind one HTTP hop', value: median(own), unit, floor: median(hop) },
    {
      what: 'POST /query, p95, floor behind one HTTP hop',
      value: percentile(own, 0.95),
      unit,
      floor: percentile(hop, 0.95),
    },
  ];
}

/** Milliseconds until the first event of a chat answer, and until its first text. */
async function chatTimes(
  agent: Agent,
  url: string,
  question: string,
): Promise<{ readonly eventMs: number; readonly textMs: number }> {
  const startedAt = performance.now();
  let eventMs = 0;
  let textMs = 0;
  const response = await send(agent, `${url}/api/v1/chat`, chatBody(question));
  await textOf(response, (text) => {
    if (eventMs === 0 && text.includes('data: ')) eventMs = performance.now() - startedAt;
    if (textMs === 0 && text.includes('data: 0:')) textMs = performance.now() - startedAt;
  });
  return { eventMs, textMs };
}

async function chatRows(
  floor: Floor,
  captured: readonly Captured[],
  ask: (question: string) => ReturnType<typeof chatTimes>,
): Promise<Row[]> {
  const events: number[] = [];
  const texts: number[] = [];
  for (let round = -WARM_UP; round < CHAT_ROUNDS; round += 1) {
    const { question, chat } = captured[Math.abs(round) % captured.length]!;
    const { callMs, textMs } = await floor.stream(chat);
    const own = await ask(question);
    if (round < 0) continue;
    events.push(own.eventMs - callMs);
    texts.push(own.textMs - textMs);
  }
  return [
    { what: 'chat, first event (the tool call), over the floor', value: median(events), unit: 'ms', target: 4 },
    { what: 'chat, first text after the tool call, over the floor', value: median(texts), unit: 'ms', target: 4 },
  ];
}

async function load(input: LoadInput): Promise<LoadResult> {
  await using child = await startChild<LoadResult>(new URL('./load.ts', import.meta.url), input);
  return child.message;
}

function loadRows(own: LoadResult, hop: LoadResult): Row[] {
  const what = `POST /query, ${LOAD.connections} concurrent`;
  return [
    { what, value: own.requestsPerSecond, unit: 'req/s', atLeast: 500 },
    { what: `${what}, floor behind one HTTP hop`, value: hop.requestsPerSecond, unit: 'req/s' },
    { what: `${what}, median`, value: own.p50Ms, unit: 'ms' },
    { what: `${what}, p99`, value: own.p99Ms, unit: 'ms' },
    { what: `${what}, failed`, value: own.failed, unit: 'requests', target: 0 },
  ];
}

export const query: Bench = async () => {
  using workspace = await createWorkspace(ENTITIES, QUESTIONS);
  const agent = new Agent({ keepAlive: true });
  const captured = await capture(workspace, agent);
  const { sql, databasePath } = workspace;
  await using model = await startChild<{ url: string }>(new URL('./scripted-model.ts', import.meta.url), { sql });
  const floorInput = { modelUrl: model.message.url, databasePath };
  const exchanges = captured.map((one) => one.query);
  await using hop = await startChild<{ url: string }>(new URL('./floor-server.ts', import.meta.url), {
    ...floorInput,
    exchanges,
  });
  using floor = new Floor(floorInput);
  await using atlas = await startAtlas(workspace, { modelUrl: model.message.url });
  const queryUrl = `${atlas.url}/api/v1/query`;
  const hopBody = (index: number) => JSON.stringify({ index });
  await sleep(3_000);
  const idle = treeMemory(atlas.pid);

  const at = (round: number) => round % captured.length;
  const [own = [], byHand = [], behindHop = []] = await interleaved(
    [
      async (round) => textOf(await send(agent, queryUrl, queryBody(captured[at(round)]!.question))),
      (round) => floor.answer(exchanges[at(round)]!),
      async (round) => textOf(await send(agent, hop.message.url, hopBody(at(round)))),
    ],
    ROUNDS,
  );
  const chat = await chatRows(floor, captured, (question) => chatTimes(agent, atlas.url, question));

  const bodies = captured.map(({ question }) => queryBody(question));
  const hopLoad = await load({ ...LOAD, url: hop.message.url, bodies: bodies.map((_, index) => hopBody(index)) });
  const ownLoad = await load({ ...LOAD, url: queryUrl, bodies });
  await sleep(5_000);
  const after = treeMemory(atlas.pid);
  agent.destroy();
  const [
    {
      query: [asked],
      chat: [streamed],
    },
  ] = captured as [Captured];
  const client = await modelClientRows(model.message.url, [asked, streamed]);
  return [
    ...latencyRows(own, byHand, behindHop),
    ...chat,
    ...loadRows(ownLoad, hopLoad),
    ...client,
    { what: 'memory of all processes, idle', value: idle.rssMb, unit: 'MB', target: 150 },
    { what: 'the same, shared pages counted once', value: idle.pssMb, unit: 'MB' },
    { what: 'memory of all processes, after 10,000 questions', value: after.rssMb, unit: 'MB', target: 270 },
    { what: 'the same, shared pages counted once', value: after.pssMb, unit: 'MB' },
  ];
};
