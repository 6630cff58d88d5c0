/** `atlas hooks` and `atlas boot`: a composition seen from outside. */
import { type AppDescription, type AtlasConfig, type CliCommand, createApp } from '../../kernel/index.ts';
import { renderTable, terminalStyle } from '../cli/index.ts';
import type { Compose } from '../cli-serve/index.ts';

interface HookRow {
  readonly [column: string]: string | number | null;
}

/** One row a tap, in the order in which they run; a hook that nobody taps has one row. */
function hookRows(app: AppDescription): HookRow[] {
  return app.hooks.flatMap(({ id, kind, gate, taps }): HookRow[] => {
    const shown = { hook: id, kind: gate ? `${kind}, gate` : kind };
    if (taps.length === 0) return [{ ...shown, order: null, plugin: '' }];
    return taps.map((tap, index) => ({
      ...shown,
      order: index + 1,
      plugin: tap.key === undefined ? tap.plugin : `${tap.plugin} (${tap.key})`,
    }));
  });
}

export function hooksCommand(compose: Compose): CliCommand {
  return {
    name: 'hooks',
    summary: 'list every hook with its taps in order',
    options: [{ flags: '--json', description: 'print JSON' }],
    run: async (run) => {
      const { config, options } = await compose(run);
      await using app = await createApp(config, { ...options, until: 'sealed' });
      const rows = hookRows(app.describe());
      const text =
        run.options.json === true
          ? JSON.stringify(app.describe().hooks, undefined, 2)
          : renderTable(
              { columns: ['hook', 'kind', 'order', 'plugin'], rows },
              { ...terminalStyle(run.stdout), maxRows: rows.length },
            );
      run.stdout.write(`${text}\n`);
      return 0;
    },
  };
}

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

/** A running server keeps its port while somebody looks at how the next one would start. */
function withoutPort({ plugins }: AtlasConfig): AtlasConfig {
  return {
    plugins: plugins.map((entry) =>
      entry.definition.name === 'http' ? { ...entry, options: { ...Object(entry.options), listen: false } } : entry,
    ),
  };
}

export function bootCommand(compose: Compose): CliCommand {
  return {
    name: 'boot',
    summary: 'start the composition without taking its port, show how it went, and stop',
    options: [{ flags: '--trace', description: 'show every plugin with its times' }],
    run: async (run) => {
      const { config, options } = await compose(run);
      await using app = await createApp(withoutPort(config), options);
      const shown = app.describe();
      run.stdout.write(
        run.options.trace === true
          ? bootTree(shown)
          : `${shown.plugins.length} plugins ready after ${shown.bootMs.toFixed(1)} ms\n`,
      );
      return 0;
    },
  };
}
