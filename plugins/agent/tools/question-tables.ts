/** Keeps the results of a question; a tool may change what is told of the last one. */
import type { Actor } from '../../../kernel/index.ts';
import type { AnswerTable, StatementFacts, TableFacts } from '../api.ts';
import { statementFacts } from './statement-facts.ts';

const KEY = 'agent.tables';

export interface LastResult {
  readonly table: AnswerTable;
  /** Adds facts, or takes the place of those of the same name; the stream tells them with the call's own result. */
  tell(facts: TableFacts): void;
}

export class QuestionTables {
  readonly list: AnswerTable[] = [];
  readonly #callIds: string[] = [];
  #changed: number | undefined;

  constructor(memory: Map<string, unknown>) {
    memory.set(KEY, this);
  }

  add(table: AnswerTable, toolCallId: string): void {
    this.list.push(table);
    this.#callIds.push(toolCallId);
  }

  get last(): LastResult | undefined {
    const at = this.list.length - 1;
    const table = this.list[at];
    if (table === undefined) return undefined;
    const tell = (facts: TableFacts) => {
      this.list[at] = { ...table, about: { ...table.about, ...facts } };
      this.#changed = at;
    };
    return { table, tell };
  }

  /** What is told anew of a result; `undefined` where nothing was changed since it was asked for. */
  news(actor: Actor): StatementFacts | undefined {
    const at = this.#changed ?? -1;
    const [table, toolCallId] = [this.list[at], this.#callIds[at]];
    this.#changed = undefined;
    return table && toolCallId !== undefined ? statementFacts(toolCallId, table, actor) : undefined;
  }
}

/** The last result of a question so far. A tool finds it through the `memory` of its run. */
export const lastResultOf = (memory: ReadonlyMap<string, unknown>): LastResult | undefined =>
  (memory.get(KEY) as QuestionTables | undefined)?.last;
