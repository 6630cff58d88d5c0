/** From starting the process to the first 200 of health, and to the first answered question. */
import { Agent, get } from 'node:http';
import { type AtlasSettings, startAtlas } from './atlas.ts';
import { send, textOf } from './client.ts';
import { type Bench, median } from './measure.ts';
import { treeProcessorMs } from './processes.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

const RUNS = 7;

interface StartTimes {
  readonly healthMs: number;
  /** Processor time of all processes of the server, until then. */
  readonly processorMs: number;
  readonly answerMs: number;
}

function healthStatus(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`${url}/api/health`, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).once('error', reject);
  });
}

export async function startTimes(workspace: Workspace, settings: AtlasSettings = {}): Promise<StartTimes> {
  await using atlas = await startAtlas(workspace, settings);
  while ((await healthStatus(atlas.url)) !== 200);
  const healthMs = performance.now() - atlas.startedAt;
  const processorMs = treeProcessorMs(atlas.pid);
  // A question that needs the layer and its index: the offline model reads it and answers, in whatever words.
  const agent = new Agent();
  const question = workspace.layer.questions[0]?.question;
  await textOf(await send(agent, `${atlas.url}/api/v1/query`, JSON.stringify({ question })));
  return { healthMs, processorMs, answerMs: performance.now() - atlas.startedAt };
}

export const start: Bench = async () => {
  using small = await createWorkspace(50, 20);
  using large = await createWorkspace(2_000, 20);
  const withoutCache = { env: { NODE_DISABLE_COMPILE_CACHE: '1' } };
  const subjects = [() => startTimes(small), () => startTimes(large), () => startTimes(small, withoutCache)];
  const runs: StartTimes[][] = subjects.map(() => []);
  for (const subject of subjects) await subject();
  for (let run = 0; run < RUNS; run += 1) {
    for (const [index, subject] of subjects.entries()) runs[index]?.push(await subject());
  }
  const [ofSmall = [], ofLarge = [], uncached = []] = runs;
  const healthOf = (times: readonly StartTimes[]) => median(times.map(({ healthMs }) => healthMs));
  const answerOf = (times: readonly StartTimes[]) => median(times.map(({ answerMs }) => answerMs));
  const unit = 'ms';
  return [
    { what: 'start to health, 50 entities', value: healthOf(ofSmall), unit, target: 800 },
    {
      what: 'start to health, 2,000 entities, against 50',
      value: healthOf(ofLarge),
      unit,
      floor: healthOf(ofSmall),
      target: 1.3,
    },
    { what: 'start to health, 50 entities, nothing in the compile cache', value: healthOf(uncached), unit },
    { what: 'start to the first answer, 50 entities', value: answerOf(ofSmall), unit },
    { what: 'start to the first answer, 2,000 entities', value: answerOf(ofLarge), unit },
  ];
};
