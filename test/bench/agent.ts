/** What a question costs with a careful scripted model: tokens of the prompt, the share that prompt caches keep, calls. */
import { Agent } from 'node:http';
import { type RecordedRequest, type Step, startOpenAIServer } from '../harness/openai-server.ts';
import { startAtlas } from './atlas.ts';
import { send, textOf } from './client.ts';
import { type Bench, median, type Row } from './measure.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

const SIZES = [50, 500, 2_000];
const QUESTIONS = 80;
/** For English text and JSON; what a tokenizer gives differs by some percent. */
const BYTES_PER_TOKEN = 4;
const SMALL_CONTEXT_TOKENS = 4_096;
/** What is left of it for the answer. */
const SMALL_REQUEST_TOKENS = 4_000;

/** The model calls of one question, in order. */
type Calls = readonly RecordedRequest[];

/** Tools and messages in the order in which providers cache them. */
const promptOf = ({ body }: RecordedRequest) =>
  Buffer.from(JSON.stringify(body.tools ?? []) + JSON.stringify(body.messages));

function commonBytes(a: Buffer, b: Buffer): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** Explores where the prompt does not name the columns of the right entity, queries it, and answers. */
function careful({ layer, model }: Workspace): (request: RecordedRequest) => Step {
  return (request) => {
    const asked = layer.questions.find(({ question }) => request.question.endsWith(question));
    const entity = model.entity(asked?.entity ?? '');
    const own = entity?.dimensions.find(({ name }) => /_(score|amount|level|ratio)$/.test(name));
    if (asked === undefined || entity === undefined || own === undefined) return { text: 'Not one of the questions.' };
    const { toolResults } = request;
    if (toolResults.some((result) => result.includes('"rowCount"'))) return { text: 'There are some.' };
    if (!request.text.includes(own.name) && toolResults.length === 0) {
      return { toolCall: { name: 'explore', args: { path: `?${asked.question}` } } };
    }
    return { toolCall: { name: 'executeSQL', args: { sql: `SELECT COUNT(*) AS n FROM ${entity.table}` } } };
  };
}

async function askAll(workspace: Workspace, env: Record<string, string> = {}): Promise<Calls[]> {
  await using model = await startOpenAIServer({ respond: careful(workspace) });
  await using atlas = await startAtlas(workspace, { modelUrl: model.url, env });
  const agent = new Agent({ keepAlive: true });
  const asked: Calls[] = [];
  for (const { question } of workspace.layer.questions) {
    const before = model.requests.length;
    await textOf(await send(agent, `${atlas.url}/api/v1/query`, JSON.stringify({ question })));
    asked.push(model.requests.slice(before));
  }
  agent.destroy();
  return asked;
}

const firstPrompts = (asked: readonly Calls[]) => asked.map(([first]) => promptOf(first!));

const tokensOf = (asked: readonly Calls[]) => firstPrompts(asked).map(({ length }) => length / BYTES_PER_TOKEN);

/** The common beginning of the first requests of neighbouring questions, as a share of the longer. */
function shares(asked: readonly Calls[]): number[] {
  const prompts = firstPrompts(asked);
  return prompts.slice(1).map((prompt, index) => {
    const other = prompts[index]!;
    return commonBytes(prompt, other) / Math.max(prompt.length, other.length);
  });
}

async function measure(entities: number): Promise<Row[]> {
  using workspace = await createWorkspace(entities, QUESTIONS);
  const asked = await askAll(workspace);
  const of = `${entities.toLocaleString('en-US')} entities`;
  const calls = asked.flat().length;
  const rows: Row[] = [
    { what: `first request, ${of}, median`, value: median(tokensOf(asked)), unit: 'tokens' },
    { what: `share that a prompt cache keeps, ${of}, least`, value: Math.min(...shares(asked)), unit: '' },
    { what: `model calls per question, ${of}`, value: calls / asked.length, unit: 'calls', target: 3 },
  ];
  if (entities !== SIZES[0]) return rows;
  const small = await askAll(workspace, { SVC_MODEL_CONTEXT_TOKENS: `${SMALL_CONTEXT_TOKENS}` });
  const largest = Math.max(...tokensOf(small));
  const what = `first request, ${of}, context of ${SMALL_CONTEXT_TOKENS} tokens, largest`;
  return [...rows, { what, value: largest, unit: 'tokens', target: SMALL_REQUEST_TOKENS }];
}

export const agent: Bench = async () => {
  const rows: Row[] = [];
  for (const size of SIZES) rows.push(...(await measure(size)));
  return rows;
};
