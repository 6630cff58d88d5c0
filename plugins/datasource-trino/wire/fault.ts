/** What a coordinator says went wrong, and what no coordinator says. */

/** An error of a query, by the name that Trino gives it, such as `TABLE_NOT_FOUND`. */
export class TrinoFault extends Error {
  /** In capital letters. */
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A status of HTTP other than 200; the body may be anything and is not told. */
export class HttpFault extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP status ${status}`);
    this.status = status;
  }
}

/** What answered is no Trino. */
export class NotTrino extends Error {}

/** The rest of an answer is said to be at another server, which is not asked. */
export class ForeignPage extends Error {}

/** A part of the answer is larger than is read at once. */
export class PageTooLarge extends Error {}

/** The statement is none that reads. */
export class NotReading extends Error {}

/** The error that an answer tells; its parts are what the documentation of the protocol calls `QueryError`. */
export function faultOf(error: unknown): TrinoFault {
  const { errorName, message } = error as { readonly errorName?: unknown; readonly message?: unknown };
  return new TrinoFault(
    /^[A-Z_]{1,60}$/.test(String(errorName)) ? String(errorName) : 'UNKNOWN',
    String(message ?? ''),
  );
}
