/** Archives that are cut off, changed, foreign, of a later version or hostile are refused before anything is written. */
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { emptyFolder } from '../../test/harness/command.ts';
import { command, serverIn } from './fixtures/organization-server.ts';

const AUDIT = {
  ...{
    id: '6b0b5c4e-1d0a-4c3e-9d53-7f3f5a0f7a01',
    timestamp: '2026-01-15T12:00:00.123Z',
    auth_mode: 'none',
    sql: 'SELECT 1',
  },
  ...{ duration_ms: 1.5, row_count: 1, success: true, tables: '[]', request_id: 'r', surface: 'api' },
};
const ROW = `${JSON.stringify(AUDIT)}\n`;
const COLUMNS = Object.keys(AUDIT);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const part = (path: string, text: string) => ({ path, bytes: Buffer.byteLength(text), sha256: sha256(text) });

type Json = Record<string, unknown>;
const table = (text = ROW, more: Json = {}) => ({
  ...part('tables/audit_log.ndjson', text),
  ...{ table: 'audit_log', plugin: 'audit', columns: COLUMNS, rows: text.split('\n').length - 1, ...more },
});

/** A manifest that is right about what is given. */
function manifest(tables: Json[], files: Json[] = [], more: Json = {}) {
  const rows = tables.reduce((sum, one) => sum + Number(one.rows), 0);
  return {
    ...{ format: 'atlas-archive', version: 1, createdAt: '2026-01-15T12:00:00.000Z', atlas: '0.1.0', secretKeys: [] },
    ...{ counts: { tables: tables.length, rows, files: files.length }, tables, files, ...more },
  };
}

async function zip(path: string, entries: Readonly<Record<string, string>>): Promise<void> {
  const file = new ZipFile();
  for (const [name, text] of Object.entries(entries)) file.addBuffer(Buffer.from(text), name);
  file.end();
  await pipeline(file.outputStream, createWriteStream(path));
}

const archive = (value: Json, parts: Readonly<Record<string, string>> = { 'tables/audit_log.ndjson': ROW }) => ({
  ...parts,
  'manifest.json': JSON.stringify(value),
});

async function importOf(write: (path: string) => Promise<void> | void) {
  using folder = emptyFolder();
  const path = join(folder.path, 'archive.zip');
  await write(path);
  const env = serverIn(join(folder.path, 'server'), `sqlite:${join(folder.path, 'target.db')}`);
  const done = await command(['migrate-import', path], folder.path, env);
  const evil = existsSync(join(folder.path, 'evil.yml')) || existsSync(join(folder.path, 'server/evil.yml'));
  const layer = existsSync(env.SVC_SEMANTIC_DIR ?? '');
  return { ...done, database: existsSync(join(folder.path, 'target.db')), layer, evil };
}

/** The entry of another name of the same length. */
function renamed(path: string, from: string, to: string): void {
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) bytes.write(to, at);
  writeFileSync(path, bytes);
}

const SOUND = archive(manifest([table()]));
const FILE = 'table: orders\n';
const withFile = (path: string, text = FILE) => archive(manifest([], [part(path, text)]), { [path]: text });

it('one that is sound is imported', async () => {
  const done = await importOf((path) => zip(path, SOUND));
  expect(done).toMatchObject({ code: 0, stderr: '', database: true });
});

it.each<[string, (path: string) => Promise<void> | void, RegExp]>([
  ['a missing file', () => {}, /archive\.zip does not exist\. Check the path/],
  ['an empty file', (path) => writeFileSync(path, ''), /cut off, or not an archive/],
  ['a text', (path) => writeFileSync(path, 'SELECT 1;'), /not an archive/],
  ['a file of gzip', (path) => writeFileSync(path, gzipSync('x'.repeat(1_000_000))), /not an archive/],
  [
    'one that is cut off',
    async (path) => {
      await zip(path, SOUND);
      writeFileSync(path, readFileSync(path).subarray(0, -40));
    },
    /cut off, or not an archive|damaged/,
  ],
  [
    'one with a changed byte',
    async (path) => {
      await zip(path, { ...SOUND, 'tables/audit_log.ndjson': ROW.replace('SELECT 1', 'SELECT 2') });
    },
    /damaged, "tables\/audit_log\.ndjson" was changed/,
  ],
  [
    'one with a longer part',
    (path) => zip(path, { ...SOUND, 'tables/audit_log.ndjson': ROW + ROW }),
    /has another size/,
  ],
  [
    'one with a changed manifest',
    async (path) => {
      await zip(path, SOUND);
      renamed(path, 'zzz', 'zzz');
      const bytes = readFileSync(path);
      const at = bytes.lastIndexOf('manifest.json', bytes.lastIndexOf('manifest.json') - 1) + 40;
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      writeFileSync(path, bytes);
    },
    /damaged|not JSON|not that of an archive/,
  ],
  ['a foreign ZIP file', (path) => zip(path, { 'a.txt': 'x' }), /it has no manifest\.json/],
  [
    'a foreign manifest',
    (path) => zip(path, { 'manifest.json': '{"name":"app","version":1}' }),
    /not that of an archive of Atlas/,
  ],
  ['a manifest that is no JSON', (path) => zip(path, { 'manifest.json': '{' }), /is not JSON/],
  [
    'a later format',
    (path) => zip(path, { 'manifest.json': '{"format":"atlas-archive","version":2,"new":true}' }),
    /has the format 2.*Update Atlas here/,
  ],
  [
    'an invalid manifest',
    (path) => zip(path, archive(manifest([table(ROW, { rows: -1 })]))),
    /manifest is not valid at \/counts\/rows/,
  ],
  ['a missing part', (path) => zip(path, archive(manifest([table()]), {})), /"tables\/audit_log\.ndjson" is missing/],
  [
    'a part besides',
    (path) => zip(path, { ...SOUND, 'more.txt': 'x' }),
    /has the part "more\.txt", which is not in its manifest/,
  ],
  [
    'wrong counts',
    (path) => zip(path, archive(manifest([table()], [], { counts: { tables: 1, rows: 2, files: 0 } }))),
    /counts otherwise/,
  ],
  [
    'a table in the wrong place',
    (path) => zip(path, archive(manifest([table(ROW, { table: 'auth_user' })]))),
    /in the wrong place/,
  ],
  [
    'a path out of the layer',
    async (path) => {
      await zip(path, withFile('semantic/xx/xx/evil.yml'));
      renamed(path, 'semantic/xx/xx/evil.yml', 'semantic/../../evil.yml');
    },
    /list of parts cannot be read/,
  ],
  [
    'a file that no layer has',
    (path) => zip(path, withFile('semantic/.orgs/acme/../x.yml'.replace('..', 'zz'))),
    /no place of a semantic file/,
  ],
  [
    'a script as a semantic file',
    (path) => zip(path, withFile('semantic/entities/run.sh')),
    /no place of a semantic file/,
  ],
  [
    'a semantic file that is too large',
    (path) => zip(path, withFile('semantic/entities/a.yml', 'x'.repeat(600_000))),
    /too large/,
  ],
])('%s is refused', async (_, write, says) => {
  const done = await importOf(write);
  expect(done.stderr).toMatch(says);
  expect(done.stderr).not.toMatch(/\n\s+at /);
  expect(done).toMatchObject({ code: 1, stdout: '', database: false, layer: false, evil: false });
});

it.each<[string, Json[], string, RegExp]>([
  ['a row that is no JSON', [table('{\n')], '{\n', /has a line that is not JSON/],
  ['a row that is a list', [table('[1]\n')], '[1]\n', /a row with other columns/],
  [
    'a row with another column',
    [table(ROW.replace('"sql"', '"sqm"'))],
    ROW.replace('"sql"', '"sqm"'),
    /a row with other columns/,
  ],
  [
    'a row with a deep value',
    [table(ROW.replace('"r"', '{"a":{}}'))],
    ROW.replace('"r"', '{"a":{}}'),
    /a row with other columns/,
  ],
  [
    'a last line that is cut off',
    [table(ROW + ROW.slice(0, 20), { rows: 1 })],
    ROW + ROW.slice(0, 20),
    /last line .* is cut off/,
  ],
  ['fewer rows than counted', [table(ROW, { rows: 2 })], ROW, /has 1 rows where the manifest says 2/],
  [
    'a column that is new',
    [table(ROW.replace('"sql"', '"plan"'), { columns: COLUMNS.map((name) => (name === 'sql' ? 'plan' : name)) })],
    ROW.replace('"sql"', '"plan"'),
    /later version of Atlas.*no column "plan" here\. Update Atlas/,
  ],
  [
    'a needed column that is missing',
    [table('{"id":"a"}\n', { columns: ['id'] })],
    '{"id":"a"}\n',
    /earlier version of Atlas: it has no column "timestamp"/,
  ],
  [
    'a name that is SQL',
    [
      table(ROW.replace('"sql"', '"x\\") ; DROP TABLE audit_log"'), {
        columns: COLUMNS.map((name) => (name === 'sql' ? 'x") ; DROP TABLE audit_log' : name)),
      }),
    ],
    ROW.replace('"sql"', '"x\\") ; DROP TABLE audit_log"'),
    /has no column/,
  ],
  ['the same row twice', [table(ROW + ROW)], ROW + ROW, /cannot be added to the table "audit_log"/],
])('%s undoes the whole import', async (_, tables, text, says) => {
  const file = { path: 'semantic/entities/orders.yml', text: FILE };
  const entries = archive(manifest(tables, [part(file.path, file.text)]), {
    'tables/audit_log.ndjson': text,
    [file.path]: file.text,
  });
  const done = await importOf((path) => zip(path, entries));
  expect(done.stderr).toMatch(says);
  expect(done).toMatchObject({ code: 1, stdout: '', layer: false });
});

it('a table that nothing here has is named', async () => {
  const entry = { ...table(), ...part('tables/notes.ndjson', ROW), table: 'notes', plugin: 'own-notes' };
  const done = await importOf((path) => zip(path, archive(manifest([entry]), { 'tables/notes.ndjson': ROW })));
  expect(done.stderr).toMatch(/rows of the table "notes" \(plugin own-notes\), which this composition does not have/);
  expect(done).toMatchObject({ code: 1, database: false });
});
