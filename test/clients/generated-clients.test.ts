/** Clients that are generated from the interface description: they compile, and work against a server. */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { type BuiltInServer, startBuiltIn } from '../harness/built-in-server.ts';

const here = import.meta.dirname;
const run = promisify(execFile);

/** This folder has its own packages, with a lock file of their own. */
const packages = join(here, 'node_modules');
const node = (...args: string[]) => run(process.execPath, args, { cwd: project });

/** A separate project below this folder, where the generators' packages are found. */
let project: string;
let server: BuiltInServer;

beforeAll(async () => {
  if (!existsSync(packages)) await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here });
  project = mkdtempSync(join(here, 'generated-'));
  await createSimpleDemo(join(project, 'shop.db'));
  server = await startBuiltIn({
    SVC_DATASOURCE_URL: `sqlite:${join(project, 'shop.db')}`,
    SVC_SEMANTIC_DIR: join(here, '../../semantic'),
    DATABASE_URL: `sqlite:${join(project, 'atlas.db')}`,
    AUTHLIB_SECRET: 'a secret of more than thirty-two characters',
  });
  const description = await (await fetch(`${server.url}/api/v1/openapi.json`)).text();
  writeFileSync(join(project, 'openapi.json'), description);
  const compilerOptions = {
    target: 'esnext',
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    outDir: 'out',
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
}, 180_000);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(project, { recursive: true, force: true });
});

/** Compiles the program, which fails on a type that does not fit, and runs it. */
async function compileAndRun(program: string): Promise<Record<string, unknown>> {
  copyFileSync(join(here, program), join(project, program));
  await node(join(packages, 'typescript/bin/tsc'), '-p', '.').catch(({ stdout }) => {
    throw new Error(`The program does not compile:\n${stdout}`);
  });
  rmSync(join(project, program));
  const { stdout } = await node(join('out', program.replace(/\.ts$/, '.js')), server.url);
  return JSON.parse(stdout);
}

describe('a generated client', () => {
  it('of openapi-typescript and openapi-fetch', async () => {
    await node(join(packages, 'openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'schema.d.ts');
    expect(await compileAndRun('openapi-fetch.program.ts')).toEqual({
      signedUp: 'fetch@example.com',
      answer: expect.stringContaining('5,000'),
      row: { count: 5000 },
      sameConversation: true,
      listed: ['How many orders are there?'],
      roles: ['user', 'assistant', 'user', 'assistant'],
      starred: true,
      deleted: 204,
      wrong: 422,
      misspelt: [422, 'validation_error', 'is not a known field (did you mean "connectionId"?)'],
      anonymously: [401, 'auth_error'],
      users: ['fetch@example.com'],
      text: expect.stringContaining('5,000'),
      codes: expect.stringMatching(/^0*9a0+d$/),
      conversation: true,
    });
  }, 300_000);

  it('of hey-api', async () => {
    await node(join(packages, '@hey-api/openapi-ts/bin/run.js'), '-i', 'openapi.json', '-o', 'hey', '--silent');
    expect(await compileAndRun('hey-api.program.ts')).toEqual({
      session: expect.objectContaining({ user: expect.objectContaining({ email: 'hey@example.com' }) }),
      answer: expect.stringContaining('5,000'),
      total: 1,
      roles: ['user', 'assistant'],
      anonymously: [401, 'auth_error'],
      text: expect.stringContaining('5,000'),
    });
  }, 300_000);
});
