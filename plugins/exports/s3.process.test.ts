/** Exports on S3, against a server of its protocol that checks signatures. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { emptyFolder } from '../../test/harness/command.ts';
import { freePort } from '../../test/harness/port.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import type { Storage } from './storage.ts';
import { storageOf } from './storage-url.ts';

const PACKAGE = 's3rver@3.7.1';
/** The folder in whose `node_modules` the server is. */
const root = process.env.ATLAS_S3RVER;
const program = join(root ?? '', 'node_modules', 's3rver', 'bin', 's3rver.js');

suiteNeeding(
  's3',
  root !== undefined && existsSync(program),
  `Run "npm install --prefix FOLDER --no-save ${PACKAGE}" and set ATLAS_S3RVER=FOLDER.`,
)('S3', () => {
  const folder = emptyFolder();
  const path = join(folder.path, 'work.partial');
  const name = `${'0'.repeat(36)}.parquet`;
  let server: ChildProcess;
  let storage: Storage;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    const args = ['--directory', join(folder.path, 'bucket-files'), '--port', String(port), '--address', '127.0.0.1'];
    server = spawn(process.execPath, [program, ...args, '--configure-bucket', 'exports'], { stdio: 'ignore' });
    await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`).then((reply) => reply.body?.cancel()), 20_000);
    url = `s3://exports/of/atlas?endpoint=http://127.0.0.1:${port}&region=us-east-1`;
    // Those of the server.
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
    storage = storageOf({ url, workDir: folder.path }, '/');
  }, 60_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    server.kill();
    await once(server, 'exit');
    folder[Symbol.dispose]();
  });

  it('keeps, gives and deletes a file of several parts', async () => {
    const before = Date.now() - 60_000;
    const content = Buffer.alloc(35 * 1024 * 1024, 'rows ');
    writeFileSync(path, content);
    await storage.keep(path, name, new AbortController().signal);
    expect(existsSync(path)).toBe(false);
    const read = await buffer(await storage.read(name));
    expect(read.equals(content)).toBe(true);
    await storage.removeOlderThan(before);
    expect((await buffer(await storage.read(name))).length).toBe(content.length);
    await storage.remove(name);
    await storage.remove(name);
    await expect(storage.read(name)).rejects.toMatchObject({ code: 'conflict', reason: 'E_EXPORT_FILE_MISSING' });
  });

  it('deletes what is older than a time', async () => {
    writeFileSync(path, 'x');
    await storage.keep(path, name, new AbortController().signal);
    await storage.removeOlderThan(Date.now() + 60_000);
    await expect(storage.read(name)).rejects.toMatchObject({ reason: 'E_EXPORT_FILE_MISSING' });
  });

  it('is told of a wrong key, and leaves the file for another try', async () => {
    writeFileSync(path, 'x');
    const refused = { code: 'unavailable', message: expect.not.stringContaining('nobody') };
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'nobody');
    const other = storageOf({ url, workDir: folder.path }, '/');
    await expect(other.keep(path, name, new AbortController().signal)).rejects.toMatchObject(refused);
    expect(statSync(path).size).toBe(1);
    expect(readdirSync(folder.path).some((entry) => entry.endsWith('.parquet'))).toBe(false);
  });
});

it.each(['s3:bucket', 's3://', 's3://key:secret@bucket/x', 's3://bucket?endpoint=nowhere', 'ftp://x'])(
  'refuses %s as a place',
  (url) => {
    expect(() => storageOf({ url }, '/')).toThrow(/invalid: expected "(?:s3|file):/);
  },
);
