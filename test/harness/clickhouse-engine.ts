/**
 * One process with an embedded ClickHouse: reads statements as lines of JSON from its standard input, one at a time, and
 * writes frames to its standard output: a letter, four bytes of length, the content. `D` is data, `E` an error, `F` the end.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface Stream extends AsyncIterable<{ raw(): Uint8Array; text(): string }> {
  cancel(): void;
}

interface Session {
  query(sql: string, format?: string): string;
  queryStream(sql: string, options: { format: string }): Stream;
}

interface Request {
  readonly sql: string;
  readonly format: string;
  readonly database: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
}

const [packages = '', path = '', script = ''] = process.argv.slice(2);
const { Session: Embedded } = createRequire(join(packages, 'x.js'))('chdb') as {
  Session: new (path: string) => Session;
};
const session = new Embedded(path);
let running: Stream | undefined;

function send(kind: 'D' | 'E' | 'F', content: Uint8Array | string): Promise<void> | undefined {
  const bytes = Buffer.from(content);
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32BE(bytes.length, 1);
  process.stdout.write(head);
  if (process.stdout.write(bytes)) return undefined;
  return new Promise((resolve) => process.stdout.once('drain', resolve));
}

const literal = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
const value = (text: string) => (/^-?\d+(?:\.\d+)?$/.test(text) ? text : literal(text));

const COLUMNS = Buffer.from('{"meta":');
const ROW = Buffer.from('{"row":');

/** The library begins each of its chunks anew; a server names the columns once. */
function withoutColumns(chunk: Buffer): Buffer {
  let at = 0;
  while (at < chunk.length) {
    const end = chunk.indexOf(10, at) + 1 || chunk.length;
    const line = chunk.subarray(at, end);
    if (line.subarray(0, COLUMNS.length).equals(COLUMNS)) {
      return Buffer.concat([chunk.subarray(0, at), chunk.subarray(end)]);
    }
    if (line.subarray(0, ROW.length).equals(ROW)) break;
    at = end;
  }
  return chunk;
}

async function run({ sql, format, database, settings, params }: Request): Promise<void> {
  // Once set it stays, as nothing may take it back.
  const names = Object.keys(settings).filter((name) => name !== 'readonly');
  try {
    session.query(`USE \`${database}\``);
    for (const [name, text] of Object.entries(params)) session.query(`SET param_${name} = ${literal(text)}`);
    if (settings.readonly !== undefined) session.query(`SET readonly = ${settings.readonly}`);
    for (const name of names) session.query(`SET ${name} = ${value(settings[name] ?? '')}`);
    if (!/^\s*(?:SELECT|WITH|\()/i.test(sql)) {
      // The library streams only what selects.
      await send('D', session.query(sql, format));
      await send('F', '');
      return;
    }
    running = session.queryStream(sql, { format });
    let isFirst = true;
    for await (const chunk of running) {
      const bytes = Buffer.from(chunk.raw());
      await send('D', isFirst ? bytes : withoutColumns(bytes));
      isFirst = false;
    }
    await send('F', '');
  } catch (error) {
    await send('E', error instanceof Error ? error.message : String(error));
  } finally {
    running = undefined;
    if (names.length > 0) session.query(`SET ${names.map((name) => `${name} = DEFAULT`).join(', ')}`);
  }
}

for (const statement of script === '' ? [] : (JSON.parse(script) as string[])) session.query(statement);
await send('F', '');

let last = Promise.resolve();
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'cancel') running?.cancel();
  else last = last.then(() => run(JSON.parse(line) as Request));
}
await last;
