/** Starts an app in which actions of a plugin can be asked for and run at once. */
import { join } from 'node:path';
import type { PluginEntry } from '../../kernel/index.ts';
import { type AskedAction, actions } from '../../plugins/actions/index.ts';
import { internalDb } from '../../plugins/internal-db/index.ts';
import { jobs } from '../../plugins/jobs/index.ts';
import { emptyFolder } from './command.ts';
import { createTestApp } from './create-test-app.ts';

export interface ActionApp extends AsyncDisposable {
  /** Asks for an action; it ends as `executed` or `failed`. */
  ask(payload: object): Promise<AskedAction>;
}

/** What a plugin with actions needs, without a database. */
export const actionNeeds = (): PluginEntry[] => [internalDb(), jobs(), actions()];

export async function startActionApp(type: string, plugins: readonly PluginEntry[]): Promise<ActionApp> {
  const folder = emptyFolder();
  const app = await createTestApp({
    plugins: [
      internalDb({ url: `sqlite:${join(folder.path, 'atlas.db')}` }),
      jobs(),
      actions({ approval: { [type]: 'auto' } }),
      ...plugins,
    ],
  });
  return {
    ask: (payload) => app.get(actions).request({ type, payload, surface: 'api' }, app.scope()),
    async [Symbol.asyncDispose]() {
      await app.close();
      folder[Symbol.dispose]();
    },
  };
}
