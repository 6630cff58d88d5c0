/** Answers with a file of a build: compressed as the client takes it, and not again where the client has it. */
import { Type } from '@sinclair/typebox';
import type { RouteReply, RouteRequest } from '../../kernel/index.ts';
import type { BuiltFile, Encoding } from './built-files.ts';

/** What routes of pages and their files have in common. */
export const PAGE_ROUTE = {
  method: 'GET',
  tag: 'Web console',
  right: 'public',
  // A link on another site may lead here.
  origins: 'any',
  essential: true,
  page: true,
  responses: { 200: Type.String() },
} as const;

/** For a file whose name changes with its content. */
export const FOR_A_YEAR = 'public, max-age=31536000, immutable';

const header = (headers: RouteRequest['headers'], name: string) => [headers[name]].flat().join(',');

/** `*`, or one of several tags. */
function isKnown(headers: RouteRequest['headers'], { etag }: BuiltFile): boolean {
  const tags = header(headers, 'if-none-match').split(',');
  return tags.some((tag) => tag.trim() === etag || tag.trim() === '*');
}

/** The best encoding that the client names, and not with a weight of zero. */
function encodingFor(headers: RouteRequest['headers'], { encodings }: BuiltFile): Encoding {
  const taken = header(headers, 'accept-encoding')
    .split(',')
    .map((item) => item.split(';', 2).map((part) => part.trim().toLowerCase()))
    .filter(([, weight = '']) => !/^q\s*=\s*0(?:\.0*)?$/.test(weight))
    .map(([name]) => name);
  return encodings.find((encoding) => taken.includes(encoding)) ?? 'identity';
}

/** The file in the best encoding that the client takes, or that it is still what the client has. */
export function fileReply(
  file: BuiltFile,
  request: Pick<RouteRequest, 'headers'>,
  headers: Readonly<Record<string, string>>,
): RouteReply {
  const common = { ...headers, etag: file.etag, vary: 'Accept-Encoding' };
  if (isKnown(request.headers, file)) return { status: 304, headers: common };
  const encoding = encodingFor(request.headers, file);
  const encoded = encoding === 'identity' ? {} : { 'content-encoding': encoding };
  return { headers: { ...common, ...encoded, 'content-type': file.type }, body: file.bytes(encoding) };
}
