/** Declares what the library offers to statements of one's own, and the commands that end one. */

export interface ProtocolConnection {
  readonly stream: { cork(): void; uncork(): void };
  parse(query: { name?: string; text: string; types?: readonly number[] }): void;
  bind(config: { values: readonly (string | Buffer | null)[] }): void;
  describe(message: { type: 'P'; name: '' }): void;
  execute(config: { portal: ''; rows: 0 }): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}

export const ROLLBACK = 'ROLLBACK';
/** A message of several statements would be one transaction, in which it is refused. */
export const DISCARD = 'DISCARD ALL';

/** Sends a command without parameters. */
export function execute(connection: ProtocolConnection, text: string): void {
  connection.parse({ text });
  connection.bind({ values: [] });
  connection.execute({ portal: '', rows: 0 });
}
