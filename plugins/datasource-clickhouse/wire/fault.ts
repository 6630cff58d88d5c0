/** What a server says went wrong, and what no server of this kind says. */

/** An error of the server, by the number of its list. */
export class ServerFault extends Error {
  readonly code: number;
  /** The number's name, such as `UNKNOWN_TABLE`. */
  readonly kind: string;

  constructor(code: number, message: string, kind: string) {
    super(message);
    this.code = code;
    this.kind = kind;
  }
}

/** What answered is no ClickHouse. */
export class NotClickhouse extends Error {}

/** The answer is not in the format that was asked for. */
export class OtherFormat extends NotClickhouse {}

/** The error in a text such as `Code: 60. DB::Exception: Unknown table … (UNKNOWN_TABLE) (version 26.7)`. */
export function faultOf(text: string, code?: number): ServerFault | undefined {
  const [, named, rest = ''] = /Code: (\d{1,5})\. (?:DB::|Coordination::)?\w*Exception: ([\s\S]*)$/.exec(text) ?? [];
  const number = code ?? (named === undefined ? undefined : Number(named));
  if (number === undefined || !Number.isInteger(number)) return undefined;
  const whole = named === undefined ? text : rest;
  const [end = '', kind = ''] = /\(([A-Z][A-Z0-9_]+)\)(?: *\(version [\s\S]*)?\s*$/.exec(whole) ?? [];
  return new ServerFault(number, whole.slice(0, whole.length - end.length).trim(), kind);
}
