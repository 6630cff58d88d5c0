/** Serves the web console: pages where people ask, see what ran and keep answers, on the origin of the API. */
import { definePlugin } from '../../kernel/index.ts';
import { http } from '../http/index.ts';
import { BuiltFiles } from './built-files.ts';
import { documentationRoutes } from './documentation.ts';
import { serveConsole } from './routes.ts';

export { PAGE_HEADERS } from './security-headers.ts';

export const webConsole = definePlugin({
  name: 'web-console',
  version: '1.0.0',
  type: 'interaction',
  description: 'Serves the web console: pages where people ask, see what ran and keep answers.',
  needs: { http },
  setup(ctx, _options, needs) {
    serveConsole(ctx, needs.http, BuiltFiles.find('public'), documentationRoutes(BuiltFiles.find('docs')));
  },
});
