/** Adds `atlas tables`, which lists the tables of every connected database. */
import { cliCommands, createApp, datasourceDescribe, datasourceList, definePlugin } from 'atlas-query';
import { cli } from 'atlas-query/plugins/cli';

export const listTables = definePlugin({
  name: 'list-tables',
  version: '1.0.0',
  type: 'command',
  description: 'The command `tables`: lists the tables of every connected database.',
  needs: { cli },
  setup(ctx, _options, { cli }) {
    ctx.tap(cliCommands, () => [
      {
        name: 'tables',
        summary: 'list the tables of every connected database',
        run: async (run) => {
          const { config, options } = await cli.compose(run);
          const app = await createApp(config, { ...options, until: 'sealed' });
          try {
            const scope = app.scope({ signal: run.signal });
            for (const { value } of await app.call(datasourceList, undefined, scope)) {
              const tables = await app.callKey(datasourceDescribe, value.id, undefined, scope);
              for (const { name } of tables) run.stdout.write(`${value.id} ${name}\n`);
            }
            return 0;
          } finally {
            await app.close();
          }
        },
      },
    ]);
  },
});
