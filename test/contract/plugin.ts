/** What every plugin must keep: `pluginContract('my-plugin', () => myPlugin({ … }))`. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PluginEntry } from '../../kernel/index.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { type Check, registerChecks } from './kit.ts';

export interface PluginContractOptions {
  /** The plugins it needs. Made anew for each check. */
  readonly with?: () => readonly PluginEntry[];
  /** What the plugin's clock shows. Default as in `createTestApp`. */
  readonly now?: Date;
  /** Time limit of setup and close, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
}

function resources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

export function pluginChecks(make: () => PluginEntry, options: PluginContractOptions = {}): Check[] {
  const timeoutMs = options.timeoutMs ?? 5_000;
  const boot = (entry = make()) =>
    createTestApp({
      plugins: [...(options.with?.() ?? []), entry],
      timeoutMs,
      ...(options.now !== undefined && { now: options.now }),
    });
  return [
    {
      name: 'says who it is: kebab-case name, version, one-sentence description',
      run: async () => {
        const { name, version, description } = make().definition;
        assert.match(name, /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
        assert.match(version, /^\d+\.\d+\.\d+/);
        assert.match(description, /^[A-Z].{5,}\.$/);
      },
    },
    {
      name: 'starts and closes in time, without errors',
      run: async () => {
        const app = await boot();
        await app.close();
        await app.close();
      },
    },
    {
      name: 'runs twice in one process, each app on its own',
      run: async () => {
        const [one, two] = await Promise.all([boot(), boot()]);
        const taps = (app: typeof one) => app.describe().hooks.map(({ id, taps: list }) => `${id} ${list.length}`);
        assert.deepEqual(taps(one), taps(two));
        await one.close();
        assert.ok(two.describe().plugins.every(({ status }) => status === 'ready'));
        await two.close();
      },
    },
    {
      name: 'refuses an option that it does not know, by name',
      run: async () => {
        const entry = make();
        const wrong = { ...entry, options: { ...(entry.options as object), notAnOption: 1 } };
        const booted = boot(wrong);
        await assert.rejects(
          async () => {
            await (await booted).close();
          },
          (error: Error) => error.message.includes('notAnOption') && error.message.includes(entry.definition.name),
        );
      },
    },
    {
      name: 'prints nothing: it logs',
      run: async () => {
        const written: string[] = [];
        const { write } = process.stdout;
        process.stdout.write = ((text: string) => written.push(String(text)) > 0) as typeof write;
        try {
          await (await boot()).close();
        } finally {
          process.stdout.write = write;
        }
        assert.deepEqual(written, []);
      },
    },
    {
      name: 'leaves no timer, socket or process behind',
      run: async () => {
        await (await boot()).close();
        await sleep(50);
        const before = resources();
        // Several rounds: what leaks grows with each, what the test runner itself holds does not.
        for (let round = 0; round < 4; round += 1) await (await boot()).close();
        await sleep(100);
        for (const [kind, count] of resources()) {
          const more = count - (before.get(kind) ?? 0);
          assert.ok(more < 3, `four starts left ${more} more of ${kind} open`);
        }
      },
    },
  ];
}

export function pluginContract(name: string, make: () => PluginEntry, options?: PluginContractOptions): void {
  registerChecks(`plugin contract: ${name}`, pluginChecks(make, options));
}
