/** What every backend of the explore tool must keep: `sandboxContract('just-bash', () => subject)`. */
import assert from 'node:assert/strict';
import type { PluginEntry, Scope } from '../../kernel/index.ts';
import { exploreSandbox, type Sandbox, type VisibleFile } from '../../plugins/semantic-layer/index.ts';
import { createTestApp, type TestApp } from '../harness/create-test-app.ts';
import { type Check, deepFreeze, HANG_MS, registerChecks, within } from './kit.ts';

export interface SandboxSubject {
  readonly plugin: PluginEntry;
  /** The plugins it needs. */
  readonly with?: readonly PluginEntry[];
  /** Commands in the language of the backend. */
  readonly commands: {
    /** Names all files. */
    readonly list: string;
    /** Shows a file. */
    read(path: string): string;
    /** Shows the lines or files in which a word stands. */
    find(word: string): string;
    /** What the backend does not understand. */
    readonly invalid: string;
    /** Attempts to reach what is outside: files of the machine, its environment, the network, a shell. */
    readonly hostile: readonly string[];
    /** Attempts to change a file, each with the command that would then show it. Not for a backend without writing. */
    readonly writes?: readonly string[];
    /** Runs for half a minute or more unless it is stopped. Not for a backend that cannot be kept busy. */
    readonly slow?: string;
    /** Answers with far more than it may. Not for a backend that shows files only. */
    readonly endless?: string;
  };
}

const PASSWORD = 'hunter2-of-the-environment';
const MAX_BYTES = 4_000;

const FILES: readonly VisibleFile[] = deepFreeze([
  { path: 'catalog.yml', text: 'name: Shop\ndescription: What a shop sold.\n' },
  { path: 'entities/customers.yml', text: 'table: customers\ndescription: One row per customer. Grüße 東京\n' },
  { path: 'entities/orders.yml', text: 'table: orders\ndescription: One row per order, with its churn-flag.\n' },
  { path: "eu/entities/it's $HOME.yml", text: 'table: odd\ndescription: `id` $(id)\n' },
]);
const LARGE: readonly VisibleFile[] = deepFreeze([
  { path: 'entities/large.yml', text: 'a line of 東京東京東京東京\n'.repeat(50_000) },
]);

/** What may not be in any answer: what the machine has and the layer has not. */
const OUTSIDE = [PASSWORD, 'root:x:0', process.cwd(), '"atlas-query"', '"devDependencies"'];

interface Bench {
  readonly subject: SandboxSubject;
  readonly sandbox: Sandbox;
  readonly app: TestApp;
  run(command: string, files?: readonly VisibleFile[], scope?: Scope, maxBytes?: number): Promise<string>;
}

export function sandboxChecks(make: () => SandboxSubject | Promise<SandboxSubject>): Check[] {
  const check = (name: string, verify: (bench: Bench) => Promise<void>): Check => ({
    name,
    run: async () => {
      const subject = await make();
      await using app = await createTestApp({ plugins: [...(subject.with ?? []), subject.plugin] });
      const [found, ...others] = await app.call(exploreSandbox, undefined, app.scope());
      assert.ok(found !== undefined && others.length === 0, 'it must bring one backend');
      const sandbox = found.value;
      const run: Bench['run'] = async (command, files = FILES, scope = app.scope(), maxBytes = MAX_BYTES) =>
        sandbox.run({ command, files, maxBytes }, scope);
      await verify({ subject, sandbox, app, run });
    },
  });

  return [
    check('says what it is, and to the model how it is used', async ({ sandbox }) => {
      assert.match(sandbox.backend, /^[a-z][a-z0-9-]*$/, 'the name of the backend');
      assert.equal(typeof sandbox.isolated, 'boolean');
      assert.ok(sandbox.usage.trim().length >= 20, 'the usage says too little to the model');
      const health = (await sandbox.health?.()) ?? { status: 'ok' };
      assert.ok(['ok', 'degraded', 'error', 'disabled'].includes(health.status), `"${health.status}" is no status`);
    }),
    check('names the files, and shows each as it is', async ({ subject, run }) => {
      const listed = await run(subject.commands.list);
      for (const { path, text } of FILES) {
        assert.ok(listed.includes(path), `${path} is not listed`);
        if (!/[ $']/.test(path)) assert.equal((await run(subject.commands.read(path))).trim(), text.trim());
      }
    }),
    check('finds a word, and only where it stands', async ({ subject, run }) => {
      const found = await run(subject.commands.find('churn'));
      assert.ok(found.includes('entities/orders.yml'), 'the file with the word is not named');
      assert.ok(!found.includes('customers'), 'a file without the word is named');
    }),
    check('shows the files of this request only', async ({ subject, run }) => {
      const other = [{ path: 'entities/secret.yml', text: 'table: secret_of_another_organization\n' }];
      await run(subject.commands.read('entities/secret.yml'), other);
      for (const command of [subject.commands.list, subject.commands.read('entities/secret.yml')]) {
        assert.ok(!(await run(command)).includes('secret_of_another'), 'it shows a file of another request');
      }
      assert.ok(!(await run(subject.commands.list)).includes('secret.yml'), 'it lists a file of another request');
      const both = await Promise.all([run(subject.commands.list), run(subject.commands.list, other)]);
      assert.deepEqual([both[0]?.includes('secret.yml'), both[1]?.includes('orders.yml')], [false, false]);
    }),
    check('answers what it does not understand with text for the model', async ({ subject, run }) => {
      for (const command of [subject.commands.invalid, '', ' ', '\u0000', '"', '('.repeat(1_000), 'ä'.repeat(1_999)]) {
        const answer = await run(command);
        assert.equal(typeof answer, 'string', `no text for ${JSON.stringify(command.slice(0, 40))}`);
        assert.ok(!/\n\s+at .+:\d+:\d+/.test(answer), 'the answer holds a stack');
      }
      assert.ok((await run(subject.commands.invalid)).trim() !== '', 'a failed command is answered with nothing');
    }),
    check('reaches nothing outside: no files, no environment, no network', async ({ subject, run }) => {
      process.env.ATLAS_TEST_PASSWORD = PASSWORD;
      try {
        const given = FILES.map(({ path, text }) => `${path}\n${text}`).join('\n');
        for (const command of [...subject.commands.hostile, subject.commands.read('/etc/passwd')]) {
          const answer = await run(command);
          for (const text of OUTSIDE) {
            assert.ok(!answer.includes(text) || given.includes(text), `"${command}" shows "${text}"`);
          }
          assert.ok(!/\buid=\d+/.test(answer), `"${command}" ran a program`);
        }
      } finally {
        delete process.env.ATLAS_TEST_PASSWORD;
      }
    }),
    check('changes no file, and keeps nothing between two commands', async ({ subject, run }) => {
      const before = await run(subject.commands.list);
      for (const command of subject.commands.writes ?? []) await run(command);
      assert.equal(await run(subject.commands.list), before, 'the list of files has changed');
      const { path, text } = FILES[2] as VisibleFile;
      assert.equal((await run(subject.commands.read(path))).trim(), text.trim(), 'a file has changed');
    }),
    check('keeps to the size of an answer, and cuts no letter in two', async ({ subject, run }) => {
      const answers = [await run(subject.commands.find('line'), LARGE)];
      // Some of these cut between two letters whatever the file's lines are.
      for (const less of [0, 1, 2, 12, 13, 14]) {
        answers.push(await run(subject.commands.read('entities/large.yml'), LARGE, undefined, MAX_BYTES - less));
      }
      for (const answer of answers) {
        assert.ok(Buffer.byteLength(answer) <= MAX_BYTES, `an answer of ${Buffer.byteLength(answer)} bytes`);
        assert.ok(answer.length > 100, 'a long answer is not shown in part');
        assert.ok(!answer.includes('\ufffd'), 'a letter was cut in two');
      }
      if (subject.commands.endless === undefined) return;
      const endless = await run(subject.commands.endless);
      assert.ok(endless !== '' && Buffer.byteLength(endless) <= MAX_BYTES, `${Buffer.byteLength(endless)} bytes`);
    }),
    check('ends with the signal of its scope, and leaves the server responsive', async ({ subject, app, run }) => {
      const stopped = run(subject.commands.list, FILES, app.scope({ signal: AbortSignal.abort() }));
      await assert.rejects(stopped);
      if (subject.commands.slow === undefined) return;
      const slow = run(subject.commands.slow, FILES, app.scope({ signal: AbortSignal.timeout(300) }));
      const outcome = slow.then(
        () => 'answered',
        () => 'ended',
      );
      let turns = 0;
      const counting = setInterval(() => {
        turns += 1;
      }, 10);
      await within('what goes on after its signal', HANG_MS, outcome).finally(() => clearInterval(counting));
      assert.ok(turns > 3, 'the server could do nothing else meanwhile');
      assert.ok((await run(subject.commands.list)).includes('catalog.yml'), 'it does not work any more');
    }),
    check('answers many commands at once', async ({ subject, run }) => {
      const [path = '', other = ''] = [FILES[1]?.path, FILES[2]?.path];
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => run(subject.commands.read(index % 2 === 0 ? path : other))),
      );
      for (const [index, answer] of answers.entries()) {
        assert.ok(
          answer.includes(index % 2 === 0 ? 'customers' : 'orders'),
          'two commands got in the way of each other',
        );
      }
    }),
  ];
}

export function sandboxContract(name: string, make: () => SandboxSubject | Promise<SandboxSubject>): void {
  registerChecks(`sandbox contract: ${name}`, sandboxChecks(make));
}
