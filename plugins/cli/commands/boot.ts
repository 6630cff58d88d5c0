/** `atlas boot`: starts the composition without taking its port, prints how the start went, and stops. */
import { type AppDescription, type CliCommand, type CliRun, createApp } from '../../../kernel/index.ts';
import type { Cli } from '../api.ts';
import { withHttpOptions } from '../http-options.ts';

/** The plugins in boot order, each under the last one it needs, with its times. */
function bootTree(app: AppDescription): string {
  const depth = new Map<string, number>();
  const lines = app.plugins.map(({ name, version, needs, setupMs, readyMs }) => {
    const level = Math.max(-1, ...needs.map((need) => depth.get(need) ?? -1)) + 1;
    depth.set(name, level);
    const label = `${'  '.repeat(level)}${name} ${version}`;
    const after = needs.length === 0 ? '' : `  needs ${needs.join(', ')}`;
    return `${label.padEnd(34)} setup ${setupMs.toFixed(1).padStart(7)} ms  ready ${readyMs.toFixed(1).padStart(7)} ms${after}`;
  });
  return `${lines.join('\n')}\nready after ${app.bootMs.toFixed(1)} ms\n`;
}

function bootText(app: AppDescription, { json, trace }: CliRun['options']): string {
  const { plugins, bootMs } = app;
  if (json === true) return `${JSON.stringify({ bootMs, plugins }, undefined, 2)}\n`;
  return trace === true ? bootTree(app) : `${plugins.length} plugins ready after ${bootMs.toFixed(1)} ms\n`;
}

export const boot = ({ compose }: Cli): CliCommand => ({
  name: 'boot',
  summary: 'start the composition without taking its port, show how it went, and stop',
  options: [
    { flags: '--trace', description: 'show every plugin with its times' },
    { flags: '--json', description: 'print every plugin with its times as JSON', conflicts: ['--trace'] },
  ],
  examples: ['atlas boot --trace'],
  run: async (run) => {
    const { config, options } = await compose(run);
    // A server that runs already keeps its port.
    await using app = await createApp(withHttpOptions(config, { listen: false }), options);
    const shown = app.describe();
    run.stdout.write(bootText(shown, run.options));
    return 0;
  },
});
