/** Starts the built-in composition on a free port, for tests that need the whole of it. */
import { composePreset } from '../../bin/compose.ts';
import { createApp } from '../../kernel/index.ts';
import { http } from '../../plugins/http/index.ts';
import { observed } from './observed-apps.ts';

export interface BuiltInServer extends AsyncDisposable {
  readonly url: string;
}

/** `env` as in a shell, and nothing of this process's own. Logs nothing. */
export async function startBuiltIn(env: Readonly<Record<string, string>>): Promise<BuiltInServer> {
  const { config, options } = composePreset({ PORT: '0', ...env });
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const app = await observed(() => createApp(config, { ...options, log }));
  return { url: app.get(http).url(), [Symbol.asyncDispose]: () => app.close() };
}
