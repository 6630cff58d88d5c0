/** Declares the routes of the console: one for each page and one for each built file. */
import {
  AtlasError,
  type Collected,
  httpRoutes,
  type PluginContext,
  type Route,
  type RouteReply,
  type RouteRequest,
  type Scope,
} from '../../kernel/index.ts';
import { type HttpServer, httpNotFound } from '../http/index.ts';
import type { BuiltFiles } from './built-files.ts';
import { FOR_A_YEAR, fileReply, PAGE_ROUTE } from './file-reply.ts';
import { FILE_HEADERS, PAGE_HEADERS } from './security-headers.ts';

interface Page {
  readonly path: string;
  readonly summary: string;
  /** The area of the routes without which the page has nothing to show. */
  readonly area?: string;
}

/** Those of the administration that have a page. */
const ADMIN_AREAS = [
  'overview',
  'users',
  'roles',
  'invitations',
  'connections',
  'semantic',
  'learn',
  'audit',
  'model',
  'prompts',
  'ip-allowlist',
  'approval-rules',
  'plugins',
  'usage',
  'backups',
  'settings',
];

const PAGES: readonly Page[] = [
  { path: '/', summary: 'The page to ask a question' },
  { path: '/c/:id', summary: 'The page of one conversation' },
  { path: '/s/:id', summary: 'The page of a shared answer', area: 'shares' },
  { path: '/history', summary: 'The page of all conversations', area: 'history' },
  { path: '/schedules', summary: 'The page of scheduled questions', area: 'schedules' },
  { path: '/approvals', summary: 'The page of actions that wait for approval', area: 'approvals' },
  { path: '/account', summary: 'The page of your account and its sessions', area: 'account' },
  { path: '/admin', summary: 'The administration', area: 'overview' },
  ...ADMIN_AREAS.map((area) => ({ path: `/admin/${area}`, summary: `The administration: ${area}`, area })),
];

const ASSETS = 'assets/';

function pageReply(files: BuiltFiles, request: Pick<RouteRequest, 'headers'>): RouteReply {
  const page = files.page();
  if (page === undefined) {
    throw new AtlasError('The web console has not been built.', {
      code: 'unavailable',
      reason: 'E_CONSOLE_UNBUILT',
      hint: 'Run npm run build:console and start the server again.',
    });
  }
  return fileReply(page, request, { ...PAGE_HEADERS, 'cache-control': 'no-cache' });
}

/** Whether a route shows the area, and does not refuse everybody because its feature is off. */
function isOffered(
  routes: readonly Collected<Route>[],
  area: string,
  { headers }: RouteRequest,
  scope: Scope,
): boolean {
  return routes.some(({ value: route }) => {
    if (route.area !== area) return false;
    try {
      route.ready?.({ headers, params: {} }, scope);
      return true;
    } catch (error) {
      return !(error instanceof AtlasError && error.code === 'not_available');
    }
  });
}

/** Pages need no credentials: they show nothing until they have asked the API. */
function consoleRoutes(files: BuiltFiles, http: HttpServer): Route[] {
  return [
    ...PAGES.map(
      ({ path, summary, area }): Route => ({
        ...PAGE_ROUTE,
        path,
        summary,
        handle(request, scope) {
          const isThere = area === undefined || isOffered(http.routes(), area, request, scope);
          const reply = pageReply(files, request);
          return isThere ? reply : { ...reply, status: 404 };
        },
      }),
    ),
    ...[...files.paths]
      .filter((path) => path.startsWith(ASSETS))
      .map(
        (path): Route => ({
          ...PAGE_ROUTE,
          path: `/${path}`,
          summary: 'A file of the web console',
          handle: (request) => fileReply(files.file(path), request, { ...FILE_HEADERS, 'cache-control': FOR_A_YEAR }),
        }),
      ),
  ];
}

/** Serves the pages, their files and `further` ones; the console's own page says that there is none at an address. */
export function serveConsole(
  ctx: Pick<PluginContext, 'tap'>,
  http: HttpServer,
  files: BuiltFiles,
  further: readonly Route[] = [],
): void {
  ctx.tap(httpRoutes, () => [...consoleRoutes(files, http), ...further]);
  ctx.tap(httpNotFound, () =>
    files.page() === undefined ? undefined : { ...pageReply(files, { headers: {} }), status: 404 },
  );
}
