/** Serves the web console: pages where people ask, see what ran and keep answers, on the origin of the API. */
import { definePlugin, httpRoutes } from '../../kernel/index.ts';
import { http, httpNotFound } from '../http/index.ts';
import { ConsoleFiles } from './console-files.ts';
import { WebConsoleOptions } from './options.ts';
import { consoleRoutes, missingPage } from './routes.ts';

export { PAGE_HEADERS } from './security-headers.ts';

export const webConsole = definePlugin({
  name: 'web-console',
  version: '1.0.0',
  type: 'interaction',
  description: 'Serves the web console: pages where people ask, see what ran and keep answers.',
  needs: { http },
  options: WebConsoleOptions,
  setup(ctx, { folder }, needs) {
    const files = ConsoleFiles.find(folder);
    ctx.tap(httpRoutes, () => consoleRoutes(files, needs.http));
    ctx.tap(httpNotFound, () => missingPage(files));
  },
});
