/** What an account says went wrong, and what no account says. */

/** An error of a statement, by its code in Snowflake's list, such as `002003`. */
export class SnowflakeFault extends Error {
  readonly code: string;
  readonly sqlState: string;

  constructor(code: string, sqlState: string, message: string) {
    super(message);
    this.code = code;
    this.sqlState = sqlState;
  }
}

/** A status of HTTP that tells of no statement; the body may be anything, and only a code of it is kept. */
export class HttpFault extends Error {
  readonly status: number;
  /** Six digits, or empty. */
  readonly code: string;

  constructor(status: number, code = '') {
    super(`HTTP status ${status}`);
    this.status = status;
    this.code = code;
  }
}

/** What answered is no Snowflake. */
export class NotSnowflake extends Error {}

/** A part of the answer is larger than is read at once. */
export class PartTooLarge extends Error {}

/** The statement is none that reads. */
export class NotReading extends Error {}

/** The private key of the URL cannot be read. */
export class UnusableKey extends Error {}

/** The error that an answer tells. */
export function faultOf(answer: Readonly<Record<string, unknown>>): SnowflakeFault {
  const { code, sqlState, message } = answer;
  return new SnowflakeFault(
    /^\d{6}$/.test(String(code)) ? String(code) : '',
    /^[0-9A-Z]{5}$/.test(String(sqlState)) ? String(sqlState) : '',
    String(message ?? ''),
  );
}
