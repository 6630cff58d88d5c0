/** `atlas download`: has a running server export all rows of a question or a statement, and saves the file. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AtlasError, type CliCommand, type CliRun, Type } from '../../../kernel/index.ts';
import { fileFault } from '../file-fault.ts';
import { progress } from '../progress.ts';
import { printableText } from '../render.ts';
import { getForStream, post, QUERY_REPLY, request, type Server, serverOf } from '../server-client.ts';

const POLL_MS = 500;
const FORMATS: Readonly<Record<string, string>> = { '.parquet': 'parquet', '.csv': 'csv' };

const ANSWERED = Type.Intersect([QUERY_REPLY, Type.Object({ conversationId: Type.Optional(Type.String()) })]);
const CONVERSATION = Type.Object({ messages: Type.Array(Type.Object({ id: Type.String() })) });
const EXPORT = Type.Object({
  id: Type.String(),
  status: Type.String(),
  rows: Type.Number(),
  bytes: Type.Number(),
  error: Type.Union([Type.String(), Type.Null()]),
  url: Type.Optional(Type.String()),
});

/** What is exported: the statement that was given, or that of the answer to the question. */
async function wanted({ args, options }: CliRun, server: Server): Promise<object> {
  const [question] = args;
  const connection = options.connection === undefined ? {} : { connectionId: options.connection };
  if ((question === undefined) === (options.sql === undefined)) {
    throw new AtlasError('Give either a question or --sql.', {
      hint: 'atlas download "All orders of May" --out may.csv',
    });
  }
  if (question === undefined) return { sql: options.sql, ...connection };
  const { answer, sql, conversationId } = await post(server, 'api/v1/query', { question, ...connection }, ANSWERED);
  if (sql.length === 0 && conversationId === undefined) throw new AtlasError(`The answer has no rows: ${answer}`);
  if (conversationId === undefined) {
    throw new AtlasError('The server stores no conversations, so an answer of it cannot be exported.', {
      hint: 'Give the statement with --sql, or have the server set DATABASE_URL.',
    });
  }
  const { messages } = await request(
    server,
    { method: 'GET', path: `api/v1/conversations/${encodeURIComponent(conversationId)}` },
    CONVERSATION,
  );
  return { conversationId, messageId: messages.at(-1)?.id };
}

async function finished(server: Server, body: object, shown: (rows: number) => void) {
  let state = await post(server, 'api/v1/exports', body, EXPORT);
  while (state.status === 'waiting' || state.status === 'running') {
    await sleep(POLL_MS, undefined, { signal: server.signal });
    state = await request(server, { method: 'GET', path: `api/v1/exports/${encodeURIComponent(state.id)}` }, EXPORT);
    shown(state.rows);
  }
  if (state.status === 'finished') return state;
  throw new AtlasError(state.error ?? 'The export failed.');
}

async function download(run: CliRun): Promise<number> {
  const { options, cwd, stderr } = run;
  const out = resolve(cwd, String(options.out));
  const format = options.format ?? FORMATS[extname(out).toLowerCase()];
  if (format === undefined) {
    throw new AtlasError('The format is not known from the name of the file.', {
      hint: 'Let it end in .parquet or .csv, or give --format.',
    });
  }
  const server = serverOf(run);
  const {
    id,
    rows,
    bytes,
    url = '',
  } = await progress(run, 'Exporting', async (report) => {
    const body = await wanted(run, server);
    return finished(server, { ...body, format }, (count) => report(count, undefined, 'rows'));
  });
  // By its id: the URL of the reply may lead elsewhere, where the key must not go.
  const { search } = new URL(url, 'http://localhost');
  const file = await getForStream(server, `api/v1/exports/${encodeURIComponent(id)}/file${search}`);
  const part = `${out}.partial`;
  try {
    const body = Readable.fromWeb(file.body as Parameters<typeof Readable.fromWeb>[0]);
    await pipeline(body, createWriteStream(part, { mode: 0o600 }), { signal: run.signal });
    await rename(part, out);
  } catch (error) {
    await rm(part, { force: true });
    if (run.signal.aborted) throw new AtlasError('Cancelled.', { cause: error });
    // What the system says of a file names its call; anything else is the connection.
    if (!(error instanceof Error && 'syscall' in error)) {
      throw new AtlasError('The connection to the server broke off before the file was whole.', {
        hint: 'Run the command again.',
        cause: error,
      });
    }
    throw new AtlasError(`${String(options.out)} cannot be written: ${fileFault(error)}.`, { cause: error });
  }
  stderr.write(printableText(`${rows} rows, ${bytes} bytes: ${String(options.out)}`).concat('\n'));
  return 0;
}

export const downloadRows = (): CliCommand => ({
  name: 'download [question]',
  summary: 'save all rows of a question or a statement as Parquet or CSV; needs a running server with exports',
  options: [
    { flags: '--out <file>', description: 'file to write', required: true },
    { flags: '--sql <statement>', description: 'in place of a question' },
    { flags: '--format <parquet|csv>', description: 'format; without it as the name of the file ends' },
    { flags: '--connection <id>', description: 'ask this connection' },
  ],
  examples: [
    'atlas download "All orders of last year" --out orders.parquet',
    'atlas download --sql "SELECT * FROM orders" --format csv --out orders.csv',
  ],
  run: download,
});
