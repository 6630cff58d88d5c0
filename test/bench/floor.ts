/**
 * The floor: what a question cannot do without. The same two model requests that Atlas sends for it, and the one
 * statement that the model asks for, one after the other, by hand.
 */
import { Agent } from 'node:http';
import Sqlite from 'better-sqlite3';
import { send, textOf } from './client.ts';

/** The bodies of the two requests of one question. */
export type Exchange = readonly [string, string];

export interface FloorInput {
  readonly modelUrl: string;
  readonly databasePath: string;
}

export interface FloorAnswer {
  readonly text: string;
  readonly sql: string;
  readonly rows: readonly unknown[];
}

interface Completion {
  readonly choices: readonly [
    {
      readonly message: {
        readonly content: string;
        readonly tool_calls?: readonly [{ readonly function: { readonly arguments: string } }];
      };
    },
  ];
}

export class Floor implements Disposable {
  readonly #url: string;
  readonly #db: Sqlite.Database;
  readonly #agent = new Agent({ keepAlive: true });

  constructor({ modelUrl, databasePath }: FloorInput) {
    this.#url = `${modelUrl}/chat/completions`;
    this.#db = new Sqlite(databasePath, { readonly: true });
  }

  async answer([first, second]: Exchange): Promise<FloorAnswer> {
    const asked = JSON.parse(await this.#post(first)) as Completion;
    const sql = sqlIn(asked.choices[0].message.tool_calls?.[0].function.arguments ?? '{}');
    const rows = this.#db.prepare(sql).all();
    const said = JSON.parse(await this.#post(second)) as Completion;
    return { text: said.choices[0].message.content, sql, rows };
  }

  /** The same for a stream. Milliseconds until the tool call is complete, and until the first text after it. */
  async stream([first, second]: Exchange): Promise<{ readonly callMs: number; readonly textMs: number }> {
    const startedAt = performance.now();
    const sql = sqlIn(
      eventsIn(await this.#post(first))
        .map(({ choices }) => choices[0]?.delta.tool_calls?.[0]?.function.arguments ?? '')
        .join(''),
    );
    const callMs = performance.now() - startedAt;
    this.#db.prepare(sql).all();
    let textMs = 0;
    await this.#post(second, (text) => {
      if (textMs === 0 && /"content":"[^"]/.test(text)) textMs = performance.now() - startedAt;
    });
    return { callMs, textMs };
  }

  async #post(body: string, onText?: (text: string) => void): Promise<string> {
    return textOf(await send(this.#agent, this.#url, body), onText);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
    this.#db.close();
  }
}

const sqlIn = (args: string) => (JSON.parse(args) as { sql: string }).sql;

interface Chunk {
  readonly choices: readonly {
    readonly delta: { readonly tool_calls?: readonly { readonly function: { readonly arguments?: string } }[] };
  }[];
}

function eventsIn(text: string): Chunk[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)) as Chunk);
}
