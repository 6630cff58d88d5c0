import { Type } from '@sinclair/typebox';
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import type { Compose } from '../cli-serve/index.ts';
import { migrateCommand } from './migrate.ts';

export const cliMigrate = definePlugin({
  name: 'cli-migrate',
  version: '1.0.0',
  type: 'command',
  description: 'The command `migrate`: shows and applies the migrations of the internal database.',
  options: Type.Object(
    { compose: Type.Unsafe<Compose>(Type.Any({ description: 'a function that finds or builds the composition' })) },
    { additionalProperties: false },
  ),
  setup(ctx, options) {
    ctx.tap(cliCommands, () => [migrateCommand(options.compose)]);
  },
});
