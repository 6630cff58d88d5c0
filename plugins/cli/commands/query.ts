/** `atlas query`: asks a running server, or the composition of the folder, and prints answer, SQL and rows. */
import { AtlasError, type CliCommand, type CliRun, Type } from '../../../kernel/index.ts';
import type { Cli } from '../api.ts';
import { openServer } from '../local-server.ts';
import { progress } from '../progress.ts';
import { originText, printableText, renderAnswer, renderCsv, terminalStyle } from '../render.ts';
import { type AnswerEnd, post, QUERY_REPLY, type QueryReply, type Server, verifiedLine } from '../server-client.ts';

/** An action that waits for approval leaves the code as it is. */
const EXIT_CODES = { answered: 0, failed: 1, clarify: 2, declined: 3 } as const;

const APPROVED = Type.Object({
  status: Type.String(),
  error: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

/** Approves what the answer left pending and prints a line for each. Resolves to whether all of them were executed. */
async function approve(run: CliRun, server: Server, { pendingActions = [] }: AnswerEnd): Promise<boolean> {
  let isDone = true;
  for (const { id, summary } of pendingActions) {
    // By its id: the URL of the reply may lead elsewhere, where the key must not go.
    const path = `api/v1/actions/${encodeURIComponent(id)}/approve`;
    const { status, error } = await post(server, path, {}, APPROVED);
    isDone &&= status === 'executed';
    run.stderr.write(`${printableText(`${summary}: ${status}${error ? `: ${error}` : ''}`)}\n`);
  }
  return isDone;
}

function print(run: CliRun, reply: QueryReply): string {
  const { json, csv, quiet } = run.options;
  if (json === true) return `${JSON.stringify(reply, undefined, 2)}\n`;
  if (csv === true) {
    const table = reply.data.at(-1);
    if (table === undefined) {
      throw new AtlasError(`The answer has no rows: ${reply.answer}`, { hint: 'Ask without --csv to read it.' });
    }
    return renderCsv(table);
  }
  if (quiet === true) return `${reply.answer}\n`;
  return renderAnswer(reply, terminalStyle(run.stdout));
}

async function ask(run: CliRun, cli: Cli): Promise<number> {
  const { options } = run;
  await using server = await openServer(run, cli);
  const body = {
    question: run.args[0],
    ...(options.connection === undefined ? {} : { connectionId: options.connection }),
    ...(options.fresh === true && { fresh: true }),
  };
  const quiet = options.quiet === true || options.json === true || options.csv === true;
  const reply: QueryReply = await progress(run, 'Thinking', () => post(server, 'api/v1/query', body, QUERY_REPLY));
  run.stdout.write(print(run, reply));
  if (!quiet) for (const line of reply.data.flatMap(originText)) run.stderr.write(`${line}\n`);
  if (!quiet) for (const { message } of reply.notes ?? []) run.stderr.write(`Note: ${printableText(message)}\n`);
  if (!quiet && reply.verified !== undefined) run.stderr.write(`${verifiedLine(reply.verified)}\n`);
  const code = EXIT_CODES[reply.outcome ?? 'answered'];
  if (options.autoApprove === true) return (await approve(run, server, reply)) ? code : 1;
  for (const { summary, approveUrl } of reply.pendingActions ?? []) {
    run.stderr.write(`${printableText(`Waits for approval: ${summary} (${approveUrl})`)}\n`);
  }
  return code;
}

export const query = (cli: Cli): CliCommand => ({
  name: 'query <question>',
  summary: 'ask a question: a running server, or the database of this folder where none runs',
  options: [
    { flags: '--json', description: 'print the whole reply as JSON' },
    { flags: '--csv', description: 'print the rows as CSV', conflicts: ['--json'] },
    { flags: '--quiet', description: 'print the answer only' },
    { flags: '--auto-approve', description: 'approve the actions that the answer asks for' },
    { flags: '--connection <id>', description: 'ask this connection' },
    { flags: '--fresh', description: 'read all rows from the database now, none from the cache of results' },
  ],
  examples: [
    'atlas query "How many orders were placed last month?"',
    'atlas query "Revenue by region" --csv > revenue.csv',
  ],
  exitCodes: { 0: 'answered', 1: 'failed', 2: 'a choice between meanings is needed', 3: 'the data cannot answer it' },
  run: (run) => ask(run, cli),
});
