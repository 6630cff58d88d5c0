/** Writes the log to standard error, without credentials: as JSON lines, and on a terminal by pino-pretty. */
import { createRequire } from 'node:module';
import colors from 'picocolors';
import { type DestinationStream, pino, stdTimeFunctions } from 'pino';
import { type Logger, messagesOf } from '../kernel/index.ts';
import { printableText } from '../plugins/cli/index.ts';
import { withoutCredentials } from '../plugins/redaction-kit/index.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const HIDDEN = '***';
const MAX_DEPTH = 8;
const MAX_ITEMS = 200;
const MAX_TEXT_LENGTH = 16_384;
const MAX_KEPT_KEYS = 500;
const LONGEST_KEPT_KEY = 64;

/** Keys, in lower case and without `-`, `_` and `.`, whose value is hidden. */
const SECRET_KEY =
  /password|passwd|passphrase|pwd$|secret|authorization|cookie|apikey|accesskey|privatekey|encryptionkey|signingkey|credential|connectionstring|tokens?$|jwt$|sessionid$/;

/**
 * Writes at once to standard error, unless to `destination`: a line about a crash must not be lost with the process.
 * JSON, or for people where standard error is a terminal.
 */
export function createLog(level: LogLevel, destination: DestinationStream = standardError()): Logger {
  const clean = cleaner(level === 'debug');
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      hooks: {
        logMethod([fields, message], write) {
          write.apply(this, [clean(fields) as object, message === undefined ? undefined : text(message)]);
        },
      },
    },
    destination,
  );
}

function standardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: true });
  if (!process.stderr.isTTY) return stream;
  const terminalLine = terminalLines(colors.isColorSupported);
  return { write: (line) => void stream.write(terminalLine(line)) };
}

const LONGEST_SQL_CHARS = 100;

/** The part of an audited statement that fits a line. */
function auditFields({ surface, error, rowCount, durationMs, sql }: Record<string, unknown>): object {
  const statement = String(sql).replace(/\s+/g, ' ');
  const cut = statement.length > LONGEST_SQL_CHARS ? `${statement.slice(0, LONGEST_SQL_CHARS)}…` : statement;
  return { surface, rows: rowCount, ms: durationMs, error, sql: cut };
}

/** For `JSON.parse`: control characters are shown, not sent to the terminal, and what is empty is left out. */
function printableValue(_: string, value: unknown): unknown {
  if (typeof value === 'string') return printableText(value);
  if (value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [printableText(key), item]));
}

/** Writes JSON lines of the log as people read them: `[12:30:00] WARN: http: Message. {"key":"value"}`. */
export function terminalLines(colorize: boolean): (line: string) => string {
  // Loaded on a terminal only.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  const pretty = prettyFactory({ colorize, translateTime: 'SYS:HH:MM:ss', singleLine: true, errorLikeObjectKeys: [] });
  return (line) => {
    const { plugin, msg = '', audit, ...fields } = JSON.parse(line, printableValue);
    const shown = audit === undefined ? fields : { ...fields, ...auditFields(audit) };
    return pretty({ ...shown, msg: plugin === undefined ? msg : `${plugin}: ${msg}` });
  };
}

/** Makes a copy of a line's fields that is safe to write: bounded, without cycles and credentials. */
function cleaner(withStacks: boolean): (fields: unknown) => unknown {
  const errorText = (error: Error) => text(withStacks ? stacksOf(error) : messagesOf(error));

  /** Most keys are the same in every line. */
  const keys = new Map<string, { readonly shown: string; readonly isSecret: boolean }>();

  const keyOf = (key: string) => {
    const known = keys.get(key);
    if (known !== undefined) return known;
    const isSecret = SECRET_KEY.test(key.replace(/[-_.\s]/g, '').toLowerCase());
    const found = { shown: text(key), isSecret };
    if (keys.size < MAX_KEPT_KEYS && key.length <= LONGEST_KEPT_KEY) keys.set(key, found);
    return found;
  };

  const entries = (list: Iterable<readonly [string, unknown]>, outer: readonly object[]) => {
    const kept: [string, unknown][] = [];
    for (const [key, value] of list) {
      if (kept.length === MAX_ITEMS) break;
      if (key === 'stack' && !withStacks) continue;
      const { shown, isSecret } = keyOf(key);
      kept.push([shown, isSecret && holdsSecret(key, value) ? HIDDEN : copy(value, outer)]);
    }
    return Object.fromEntries(kept);
  };

  const copy = (value: unknown, outer: readonly object[]): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Error) return errorText(value);
    if (outer.includes(value)) return '[circular]';
    if (outer.length >= MAX_DEPTH) return '[too deep]';
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    const inner = [...outer, value];
    if (Array.isArray(value) || value instanceof Set)
      return [...value].slice(0, MAX_ITEMS).map((item) => copy(item, inner));
    if (value instanceof Map)
      return entries(
        [...value].map(([key, item]) => [String(key), item]),
        inner,
      );
    const { toJSON } = value as { toJSON?: unknown };
    return typeof toJSON === 'function' ? copy(toJSON.call(value), inner) : entries(Object.entries(value), inner);
  };
  return (fields) => copy(fields, []);
}

/** A number under a plural name is a count, such as `totalTokens`; whether there is a secret is none. */
function holdsSecret(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  return !(typeof value === 'number' && /s[-_.\s]*$/i.test(key));
}

function text(value: string): string {
  const clean = withoutCredentials(value.slice(0, 2 * MAX_TEXT_LENGTH));
  return clean.length > MAX_TEXT_LENGTH ? `${clean.slice(0, MAX_TEXT_LENGTH)}…` : clean;
}

function stacksOf(error: Error, depth = 0): string {
  const stack = error.stack ?? messagesOf(error);
  const { cause } = error;
  return cause instanceof Error && depth < MAX_DEPTH ? `${stack}\nCause: ${stacksOf(cause, depth + 1)}` : stack;
}
