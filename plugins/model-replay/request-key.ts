/** Makes the key of a request: the same for the same question on another day, in another process, with another API key. */
import { createHash } from 'node:crypto';
import { withoutCredentials } from '../redaction-kit/index.ts';

/** What is kept of a request. */
export interface RecordedRequest {
  readonly method: string;
  /** With its query, without credentials. */
  readonly path: string;
  /** JSON with sorted keys, or text. */
  readonly body: unknown;
}

const CREDENTIAL_NAME = /key|token|secret|signature|credential|password/i;
/** The tags that the agent puts around untrusted text, with the mark that is new in every process. */
const MARK = /<(?:data|context) ([0-9a-f]{12})>/g;
const TODAY = /^Today is \d{4}-\d\d-\d\d \(UTC\)\.$/gm;
/** Where requests name tool calls. Their ids are random where the provider gives none. */
const CALL_ID_NAMES = new Set(['call_id', 'tool_call_id', 'tool_use_id', 'toolUseId', 'toolCallId']);
const CALL_TYPES = new Set(['function', 'function_call', 'tool_use']);
const CALL_PARTS = new Set(['functionCall', 'functionResponse']);
const KEY_LENGTH = 16;

export function recordedRequest(method: string, url: string, body: string): RecordedRequest {
  const { pathname, searchParams } = new URL(url, 'http://replay.invalid');
  for (const name of [...searchParams.keys()]) if (CREDENTIAL_NAME.test(name)) searchParams.delete(name);
  searchParams.sort();
  const query = searchParams.toString();
  const marks = [...new Set([...body.matchAll(MARK)].map(([, mark = '']) => mark))];
  const value = parsed(body);
  const callIds = callIdsIn(value);
  const normalized = (text: string) => {
    const place = callIds.indexOf(text);
    if (place >= 0) return `call-${place + 1}`;
    const unmarked = marks.reduce((rest, mark) => rest.replaceAll(mark, 'mark'), text);
    return withoutCredentials(unmarked.replace(TODAY, 'Today is <today>.'));
  };
  return { method, path: query === '' ? pathname : `${pathname}?${query}`, body: stable(value, normalized) };
}

export function keyOf(request: RecordedRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, KEY_LENGTH);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Ids of tool calls, in the order of the conversation. */
function callIdsIn(value: unknown): string[] {
  const ids = new Set<string>();
  const visit = (item: unknown, name: string): void => {
    if (typeof item !== 'object' || item === null) return;
    const { type, id } = item as Readonly<Record<string, unknown>>;
    const isCall = CALL_PARTS.has(name) || CALL_TYPES.has(String(type));
    if (isCall && typeof id === 'string') ids.add(id);
    for (const [key, inner] of Object.entries(item)) {
      if (CALL_ID_NAMES.has(key) && typeof inner === 'string') ids.add(inner);
      else visit(inner, key);
    }
  };
  visit(value, '');
  return [...ids];
}

/** The same value with sorted keys and rewritten texts. */
function stable(value: unknown, rewrite: (text: string) => string): unknown {
  if (typeof value === 'string') return rewrite(value);
  if (Array.isArray(value)) return value.map((item) => stable(item, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, stable(item, rewrite)]));
}
