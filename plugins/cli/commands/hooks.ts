/** `atlas hooks`: lists the hooks of the composition with their taps. */
import { type AppDescription, type CliCommand, createApp } from '../../../kernel/index.ts';
import type { Cli } from '../api.ts';
import { renderTable, terminalStyle } from '../render.ts';

interface HookRow {
  readonly [column: string]: string | number | null;
}

/** One row for each tap, in the order in which they run; a hook without taps has one row. */
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

export const hooks = ({ compose }: Cli): CliCommand => ({
  name: 'hooks',
  summary: 'list every hook with its taps in order',
  options: [{ flags: '--json', description: 'print JSON' }],
  examples: ['atlas hooks', 'atlas hooks --json'],
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
});
