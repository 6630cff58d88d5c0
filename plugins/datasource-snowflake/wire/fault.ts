/** What an account says went wrong, and that it cannot be asked. */

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
