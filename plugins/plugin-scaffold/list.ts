/** `atlas plugin list`: shows the plugins of the composition, as the kernel describes them. */
import { type CliRun, createApp } from '../../kernel/index.ts';
import { type Cli, renderTable, terminalStyle } from '../cli/index.ts';

export async function listPlugins(run: CliRun, { compose }: Cli): Promise<number> {
  const { config, options } = await compose(run);
  await using app = await createApp(config, { ...options, until: 'sealed' });
  const plugins = app.describe().plugins.map(({ name, type, version, status, description }) => ({
    id: name,
    name,
    type,
    version,
    status,
    description,
  }));
  const columns = ['name', 'type', 'version', 'description'];
  const text =
    run.options.json === true
      ? JSON.stringify(plugins, undefined, 2)
      : renderTable({ columns, rows: plugins }, { ...terminalStyle(run.stdout), maxRows: plugins.length });
  run.stdout.write(`${text}\n`);
  return 0;
}
