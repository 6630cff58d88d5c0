/** What BigQuery says went wrong, and that Google lets nobody in. */

/** An error of the API, by the reason that it gives, such as `invalidQuery`. */
export class BigqueryFault extends Error {
  readonly reason: string;
  readonly status: number;

  constructor(reason: string, message: string, status: number) {
    super(message);
    this.reason = reason;
    this.status = status;
  }
}

/** Google gives no access token. */
export class NoToken extends Error {}

/** What is called `ErrorProto` and `error` in the documentation of the API. */
export function faultOf(error: unknown, status = 200): BigqueryFault {
  const { message, errors, reason } = (error ?? {}) as {
    readonly message?: unknown;
    readonly reason?: unknown;
    readonly errors?: readonly { readonly reason?: unknown }[];
  };
  const named = String(reason ?? (Array.isArray(errors) ? errors[0]?.reason : undefined));
  return new BigqueryFault(/^[A-Za-z]{1,60}$/.test(named) ? named : 'unknown', String(message ?? ''), status);
}
