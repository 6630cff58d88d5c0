/** What a coordinator says went wrong, and where else it points. */

/** An error of a query, by the name that Trino gives it, such as `TABLE_NOT_FOUND`. */
export class TrinoFault extends Error {
  /** In capital letters. */
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The rest of an answer is said to be at another server, which is not asked. */
export class ForeignPage extends Error {}

/** The error that an answer tells; its parts are what the documentation of the protocol calls `QueryError`. */
export function faultOf(error: unknown): TrinoFault {
  const { errorName, message } = error as { readonly errorName?: unknown; readonly message?: unknown };
  return new TrinoFault(
    /^[A-Z_]{1,60}$/.test(String(errorName)) ? String(errorName) : 'UNKNOWN',
    String(message ?? ''),
  );
}
