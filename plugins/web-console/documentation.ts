/** Declares the routes of the documentation: the files of its site below `/docs/`. */
import { AtlasError, type Route, type RouteReply } from '../../kernel/index.ts';
import type { BuiltFiles } from './built-files.ts';
import { FOR_A_YEAR, fileReply, PAGE_ROUTE } from './file-reply.ts';
import { DOCUMENTATION_HEADERS, FILE_HEADERS } from './security-headers.ts';

/** Files stand in up to two folders. */
const PATHS = ['/docs/', '/docs/:name', '/docs/:folder/:name', '/docs/:folder/:inner/:name'];
const START = 'index.html';
const MISSING = '404.html';

function documentationFile(files: BuiltFiles, given: string, request: Parameters<Route['handle']>[0]): RouteReply {
  if (files.page() === undefined) {
    throw new AtlasError('The documentation has not been built.', {
      code: 'unavailable',
      reason: 'E_DOCS_UNBUILT',
      hint: 'Run npm run build:docs and start the server again, or read the folder docs of the package.',
    });
  }
  const isThere = files.paths.has(given);
  const path = isThere ? given : MISSING;
  const reply = fileReply(files.file(path), request, {
    ...(path.endsWith('.html') ? DOCUMENTATION_HEADERS : FILE_HEADERS),
    // Names in this folder change with their content.
    'cache-control': path.startsWith('assets/') ? FOR_A_YEAR : 'no-cache',
  });
  return isThere ? reply : { ...reply, status: 404 };
}

/** Documentation is public, and says the same to everybody. */
export const documentationRoutes = (files: BuiltFiles): Route[] => [
  {
    ...PAGE_ROUTE,
    path: '/docs',
    summary: 'The documentation',
    handle: () => ({ status: 308, headers: { location: '/docs/' } }),
  },
  ...PATHS.map(
    (path): Route => ({
      ...PAGE_ROUTE,
      path,
      summary: 'A file of the documentation',
      handle(request) {
        const { folder, inner, name = START } = request.params;
        return documentationFile(files, [folder, inner, name].filter((part) => part !== undefined).join('/'), request);
      },
    }),
  ),
];
