/** What goes wrong with the answers of engines that are asked over HTTP, besides the errors that the engines tell. */
import { AtlasError } from '../../../kernel/index.ts';
import { statementFailed } from '../errors.ts';

/** A status of HTTP that tells no error of a statement; the body may be anything, and only a code of it is kept. */
export class HttpFault extends Error {
  readonly status: number;
  /** Of digits, or empty. */
  readonly code: string;

  constructor(status: number, code = '') {
    super(`HTTP status ${status}`);
    this.status = status;
    this.code = code;
  }
}

/** What answered is not the engine. */
export class OtherServer extends Error {}

/** A part of the answer is larger than is read at once. */
export class PartTooLarge extends Error {
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`more than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/** Errors that are the same for every engine; `undefined` for all others. `cut`: how SQL of the engine shortens a value. */
export function answerError(error: unknown, cut: string): AtlasError | undefined {
  if (error instanceof AtlasError) return error;
  if (!(error instanceof PartTooLarge)) return undefined;
  return statementFailed(
    `A part of the result is larger than ${error.limitBytes / 1024 / 1024} MB`,
    `Select fewer or shorter values, such as ${cut}.`,
  );
}

/** The object that the text holds as JSON; `undefined` for what is none. */
export function objectIn(
  text: string,
  parse: (text: string) => unknown = JSON.parse,
): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
