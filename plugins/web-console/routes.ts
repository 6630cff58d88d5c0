/** Declares the routes of the console: one for each page and one for each built file. */
import { Type } from '@sinclair/typebox';
import { AtlasError, type Route, type RouteReply, type RouteRequest, type Scope } from '../../kernel/index.ts';
import type { HttpServer } from '../http/index.ts';
import type { ConsoleFile, ConsoleFiles, Encoding } from './console-files.ts';
import { FILE_HEADERS, PAGE_HEADERS } from './security-headers.ts';

interface Page {
  readonly path: string;
  readonly summary: string;
  /** A route without which the page has nothing to show. */
  readonly needs?: string;
}

/** Of the administration, with the route that each shows. */
const AREAS = [
  ['overview', '/api/v1/admin/overview'],
  ['users', '/api/v1/admin/users'],
  ['roles', '/api/v1/admin/roles'],
  ['invitations', '/api/v1/admin/users/invitations'],
  ['connections', '/api/v1/admin/connections'],
  ['audit', '/api/v1/admin/audit'],
  ['ip-allowlist', '/api/v1/admin/ip-allowlist'],
  ['approval-rules', '/api/v1/admin/approval/rules'],
  ['plugins', '/api/v1/admin/plugins'],
  ['usage', '/api/v1/usage'],
] as const;

const PAGES: readonly Page[] = [
  { path: '/', summary: 'The page to ask a question' },
  { path: '/c/:id', summary: 'The page of one conversation' },
  { path: '/s/:id', summary: 'The page of a shared answer', needs: '/api/v1/shares' },
  { path: '/history', summary: 'The page of all conversations', needs: '/api/v1/conversations' },
  { path: '/schedules', summary: 'The page of scheduled questions', needs: '/api/v1/scheduled-tasks' },
  { path: '/approvals', summary: 'The page of actions that wait for approval', needs: '/api/v1/admin/actions' },
  { path: '/admin', summary: 'The administration', needs: '/api/v1/admin/overview' },
  ...AREAS.map(([area, needs]) => ({ path: `/admin/${area}`, summary: `The administration: ${area}`, needs })),
  { path: '/account', summary: 'The page of your account and its sessions', needs: '/api/auth/list-sessions' },
];

const TEXT = Type.String();
const YEAR = 'public, max-age=31536000, immutable';

const header = (headers: RouteRequest['headers'], name: string) => [headers[name]].flat().join(',');

/** `*`, or one of several tags. */
function isKnown(headers: RouteRequest['headers'], { etag }: ConsoleFile): boolean {
  const tags = header(headers, 'if-none-match').split(',');
  return tags.some((tag) => tag.trim() === etag || tag.trim() === '*');
}

/** The best encoding that the client names, and not with a weight of zero. */
function encodingFor(headers: RouteRequest['headers'], { encodings }: ConsoleFile): Encoding {
  const taken = header(headers, 'accept-encoding')
    .split(',')
    .map((item) => item.split(';', 2).map((part) => part.trim().toLowerCase()))
    .filter(([, weight = '']) => !/^q\s*=\s*0(?:\.0*)?$/.test(weight))
    .map(([name]) => name);
  return encodings.find((encoding) => taken.includes(encoding)) ?? 'identity';
}

function fileReply(
  file: ConsoleFile,
  request: Pick<RouteRequest, 'headers'>,
  headers: Readonly<Record<string, string>>,
): RouteReply {
  const common = { ...headers, etag: file.etag, vary: 'Accept-Encoding' };
  if (isKnown(request.headers, file)) return { status: 304, headers: common };
  const encoding = encodingFor(request.headers, file);
  const encoded = encoding === 'identity' ? {} : { 'content-encoding': encoding };
  return { headers: { ...common, ...encoded, 'content-type': file.type }, body: file.bytes(encoding) };
}

function pageReply(files: ConsoleFiles, request: Pick<RouteRequest, 'headers'>): RouteReply {
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

/** The console's own page says that there is nothing; without a build, the server's answer does. */
export function missingPage(files: ConsoleFiles): RouteReply | undefined {
  if (files.page() === undefined) return undefined;
  return { ...pageReply(files, { headers: {} }), status: 404 };
}

/** Pages need no credentials: they show nothing until they have asked the API. */
export function consoleRoutes(files: ConsoleFiles, http: Pick<HttpServer, 'routes'>): Route[] {
  const common = {
    method: 'GET',
    tag: 'Web console',
    right: 'public',
    // A link on another site may lead here.
    origins: 'any',
    essential: true,
    page: true,
    responses: { 200: TEXT },
  } as const;
  /** Mounted, and not refusing everybody because its feature is off. */
  const isServed = (path: string, headers: RouteRequest['headers'], scope: Scope): boolean => {
    const route = http.routes().find(({ value }) => value.path === path && value.method === 'GET')?.value;
    try {
      route?.ready?.({ headers, params: {} }, scope);
      return route !== undefined;
    } catch (error) {
      return !(error instanceof AtlasError && error.code === 'not_available');
    }
  };
  return [
    ...PAGES.map(
      ({ path, summary, needs }): Route => ({
        ...common,
        path,
        summary,
        handle({ headers }, scope) {
          const reply = pageReply(files, { headers });
          return needs === undefined || isServed(needs, headers, scope) ? reply : { ...reply, status: 404 };
        },
      }),
    ),
    ...files.assets.map(
      (name): Route => ({
        ...common,
        path: `/assets/${name}`,
        summary: 'A file of the web console',
        handle: (request) => fileReply(files.asset(name), request, { ...FILE_HEADERS, 'cache-control': YEAR }),
      }),
    ),
  ];
}
