import { Type } from '@sinclair/typebox';
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import type { Composition } from '../cli-serve/index.ts';
import { demoCommand } from './demo.ts';

export const cliDemo = definePlugin({
  name: 'cli-demo',
  version: '1.0.0',
  type: 'command',
  description: 'The command `demo`: a first answer from a demo database.',
  options: Type.Object(
    {
      compose: Type.Unsafe<(env: Readonly<Record<string, string | undefined>>) => Promise<Composition>>(
        Type.Any({ description: 'a function that builds the built-in composition from an environment' }),
      ),
      semanticDir: Type.String({ description: "folder of the demo's semantic layer" }),
    },
    { additionalProperties: false },
  ),
  setup(ctx, options) {
    ctx.tap(cliCommands, () => [demoCommand(options)]);
  },
});
