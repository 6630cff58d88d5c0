/** Writes the log to standard error: JSON lines, or lines for people on a terminal. Whatever a caller puts in, no credential comes out. */
import colors from 'picocolors';
import { type DestinationStream, pino } from 'pino';
import { type Logger, messagesOf } from '../kernel/index.ts';
import { printableText } from '../plugins/cli/index.ts';
import { withoutCredentials } from '../plugins/redaction-kit/index.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const HIDDEN = '***';
const MAX_DEPTH = 8;
const MAX_ITEMS = 200;
const MAX_TEXT_LENGTH = 16_384;

/** Keys, in lower case and without `-`, `_` and `.`, whose value nobody may read. */
const SECRET_KEY =
  /password|passwd|passphrase|pwd$|secret|authorization|cookie|apikey|accesskey|privatekey|encryptionkey|signingkey|credential|connectionstring|tokens?$|jwt$|sessionid$/;

/**
 * Written at once to standard error, unless to `destination`: a line about a crash must not be lost with the process.
 * JSON, or for people where standard error is a terminal.
 */
export function createLog(level: LogLevel, destination: DestinationStream = standardError()): Logger {
  const clean = cleaner(level === 'debug');
  return pino(
    {
      level,
      base: null,
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
  return process.stderr.isTTY ? { write: (line) => void stream.write(terminalLine(line)) } : stream;
}

const LEVELS: Readonly<Record<number, string>> = {
  20: colors.dim('debug'),
  30: colors.green('info '),
  40: colors.yellow('warn '),
  50: colors.red('error'),
};

const LONGEST_SQL_CHARS = 100;

/** Of an audited statement what fits a line. */
function auditFields({ surface, error, rowCount, durationMs, sql }: Record<string, unknown>): object {
  const statement = String(sql).replace(/\s+/g, ' ');
  const cut = statement.length > LONGEST_SQL_CHARS ? `${statement.slice(0, LONGEST_SQL_CHARS)}…` : statement;
  return { surface, rows: rowCount, ms: durationMs, error, sql: cut };
}

/** A JSON line of the log as people read it: `12:30:00 warn  http: Message. key=value`. */
export function terminalLine(line: string): string {
  const { level, time, msg = '', plugin, audit, ...fields } = JSON.parse(line);
  const all = audit === undefined ? fields : auditFields(audit);
  const known = Object.entries(all).filter(([, value]) => value !== undefined && value !== null);
  const shown = known.map(([key, value]) => {
    const isWord = typeof value === 'string' && /^[^\s"=]+$/.test(value);
    return colors.dim(printableText(`${key}=${isWord ? value : JSON.stringify(value)}`));
  });
  const at = colors.dim(new Date(time).toTimeString().slice(0, 8));
  const text = printableText(plugin === undefined ? msg : `${plugin}: ${msg}`);
  return `${[at, LEVELS[level] ?? level, text, ...shown].join(' ')}\n`;
}

/** Makes a copy of a line's fields that is safe to write: bounded, without cycles and credentials. */
function cleaner(withStacks: boolean): (fields: unknown) => unknown {
  const errorText = (error: Error) => text(withStacks ? stacksOf(error) : messagesOf(error));

  const entries = (list: Iterable<readonly [string, unknown]>, outer: readonly object[]) => {
    const kept: [string, unknown][] = [];
    for (const [key, value] of list) {
      if (kept.length === MAX_ITEMS) break;
      if (key === 'stack' && !withStacks) continue;
      kept.push([text(key), isSecret(key, value) ? HIDDEN : copy(value, outer)]);
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
function isSecret(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  const name = key.replace(/[-_.\s]/g, '').toLowerCase();
  return SECRET_KEY.test(name) && !(typeof value === 'number' && name.endsWith('s'));
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
