/** `atlas query`: sends a question to a running server and prints answer, SQL and rows. */
import { AtlasError, type CliCommand, type CliRun } from '../../../kernel/index.ts';
import { progress } from '../progress.ts';
import { printableText, renderAnswer, renderCsv, terminalStyle } from '../render.ts';
import { post, type QueryReply, type Server, serverOf } from '../server-client.ts';

/** An action that waits for approval leaves the code as it is. */
const EXIT_CODES = { answered: 0, failed: 1, clarify: 2, declined: 3 } as const;

/** Approves what the answer left pending; gives back one line for each. */
async function approve(server: Server, reply: QueryReply): Promise<string[]> {
  const lines: string[] = [];
  for (const action of reply.pendingActions ?? []) {
    const result = await post<{ status: string }>(server, action.approveUrl, {});
    lines.push(`${action.summary}: ${result.status}`);
  }
  return lines;
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

async function ask(run: CliRun): Promise<number> {
  const { options } = run;
  const server = serverOf(run);
  const body = {
    question: run.args[0],
    ...(options.connection === undefined ? {} : { connectionId: options.connection }),
  };
  const quiet = options.quiet === true || options.json === true || options.csv === true;
  const reply = await progress(run, 'Thinking', () => post<QueryReply>(server, 'api/v1/query', body));
  run.stdout.write(print(run, reply));
  if (!quiet) for (const { message } of reply.notes ?? []) run.stderr.write(`Note: ${printableText(message)}\n`);
  const pending = reply.pendingActions ?? [];
  if (pending.length > 0) {
    const lines =
      options.autoApprove === true
        ? await approve(server, reply)
        : pending.map((action) => `Waits for approval: ${action.summary} (${action.approveUrl})`);
    run.stderr.write(`${lines.join('\n')}\n`);
  }
  return EXIT_CODES[reply.outcome ?? 'answered'];
}

export const query = (): CliCommand => ({
  name: 'query <question>',
  summary: 'ask a running server a question',
  options: [
    { flags: '--json', description: 'print the whole reply as JSON' },
    { flags: '--csv', description: 'print the rows as CSV', conflicts: ['--json'] },
    { flags: '--quiet', description: 'print the answer only' },
    { flags: '--auto-approve', description: 'approve the actions that the answer asks for' },
    { flags: '--connection <id>', description: 'ask this connection' },
  ],
  examples: [
    'atlas query "How many orders were placed last month?"',
    'atlas query "Revenue by region" --csv > revenue.csv',
  ],
  exitCodes: { 0: 'answered', 1: 'failed', 2: 'a choice between meanings is needed', 3: 'the data cannot answer it' },
  run: ask,
});
