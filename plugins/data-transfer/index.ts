/** Defines the plugin of the commands `export`, `migrate-import` and `import`. */
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { cli } from '../cli/index.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { migrateImportCommand } from './migrate-import.ts';

export const dataTransfer = definePlugin({
  name: 'data-transfer',
  version: '1.0.0',
  type: 'command',
  description: 'The commands `export`, `migrate-import` and `import`: move data and semantic files between servers.',
  needs: { cli },
  setup(ctx, _options, { cli: api }) {
    ctx.tap(cliCommands, () => [exportCommand(api), migrateImportCommand(api), importCommand(api)]);
  },
});
