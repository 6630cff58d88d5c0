/** Defines the plugin that runs commands of a shell over the semantic layer. */
import { definePlugin } from '../../kernel/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { exploreSandbox } from '../semantic-layer/index.ts';
import { SandboxJustBashOptions } from './options.ts';
import { Shells } from './shells.ts';

export const sandboxJustBash = definePlugin({
  name: 'sandbox-just-bash',
  version: '1.0.0',
  type: 'sandbox',
  description: 'Explores the semantic layer with commands of a shell, over copies of its files in a thread.',
  options: SandboxJustBashOptions,
  setup(ctx, { timeoutMs, ...options }) {
    requirePackages(['just-bash'], import.meta.url);
    const shells = new Shells(options);
    ctx.tap(exploreSandbox, () => [
      {
        backend: 'just-bash',
        isolated: true,
        usage:
          'It is a bash script, run in a folder that holds the files: `ls -R`, `cat entities/orders.yml`, `grep -rin churn . | head`. Nothing else can be reached, and what is written is gone afterwards.',
        timeoutMs,
        run: (request, { signal }) => shells.run(request, signal),
      },
    ]);
    ctx.onClose(() => shells.close());
  },
});
