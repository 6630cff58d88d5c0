/** `atlas explain`: prints what a model would be sent for a question, and how its parts were chosen. */
import { type CliCommand, type CliRun, type Static, Type } from '../../../kernel/index.ts';
import type { Cli } from '../api.ts';
import { openServer } from '../local-server.ts';
import { printableText, renderTable, terminalStyle } from '../render.ts';
import { post } from '../server-client.ts';

/** Entities that are listed without `--json`. */
const MAX_LISTED = 12;

const EXPLAINED = Type.Object({
  model: Type.String(),
  bytes: Type.Number(),
  parts: Type.Array(Type.Object({ title: Type.String(), text: Type.String(), bytes: Type.Number() })),
  entities: Type.Array(Type.Object({ name: Type.String(), score: Type.Number(), bytes: Type.Number() })),
});
type Explained = Static<typeof EXPLAINED>;

function rendered(run: CliRun, { model, bytes, parts, entities }: Explained): string {
  const style = terminalStyle(run.stdout);
  const rows = entities
    .slice(0, MAX_LISTED)
    .map((entity) => ({ entity: entity.name, score: entity.score.toFixed(2), bytes: entity.bytes }));
  const sizes = parts.map(({ title, bytes: size }) => `${title} ${size}`).join(', ');
  return [
    `${bytes} bytes for ${printableText(model)}: ${sizes}.`,
    ...(rows.length === 0
      ? ['No entity has to do with the words of the question.']
      : [renderTable({ columns: ['entity', 'score', 'bytes'], rows }, { ...style, maxRows: MAX_LISTED })]),
    ...(run.options.brief === true
      ? []
      : parts.filter(({ title }) => title !== 'tools').map(({ title, text }) => `[${title}]\n${printableText(text)}`)),
  ].join('\n\n');
}

async function explain(run: CliRun, cli: Cli): Promise<number> {
  const { connection: connectionId } = run.options;
  await using server = await openServer(run, cli);
  const body = { question: run.args[0], ...(connectionId !== undefined && { connectionId }) };
  const reply: Explained = await post(server, 'api/v1/admin/semantic/explain', body, EXPLAINED);
  run.stdout.write(`${run.options.json === true ? JSON.stringify(reply, undefined, 2) : rendered(run, reply)}\n`);
  return 0;
}

export const explainQuestion = (cli: Cli): CliCommand => ({
  name: 'explain <question>',
  summary: 'print what a model would be sent for a question, and how its parts were chosen',
  options: [
    { flags: '--brief', description: 'print sizes and scores only' },
    { flags: '--json', description: 'print all of it as JSON, the tools included' },
    { flags: '--connection <id>', description: 'ask about this connection' },
  ],
  examples: ['atlas explain "How many orders were cancelled?"', 'atlas explain "Revenue by region" --brief'],
  run: (run) => explain(run, cli),
});
