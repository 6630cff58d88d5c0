/** Keeps checked statements for repeats. */
import type { AllowedTables } from './allowed-tables.ts';
import type { CheckedSql } from './check.ts';

/** Texts beyond this length are checked anew each time: keeping them would cost more than it saves. */
const MAX_TEXT_LENGTH = 8_000;

/**
 * Statements already checked, the least recently used forgotten first. What shaped a check, the layer's version and
 * what may be seen, is one `AllowedTables`, so nothing checked for another one is ever found.
 */
export class CheckedStatements {
  readonly #maxStatements: number;
  readonly #shapes = new WeakMap<AllowedTables, Map<string, CheckedSql>>();

  constructor(maxStatements: number) {
    this.#maxStatements = maxStatements;
  }

  /** The statement checked before, or what `check` returns. A refusal is not kept. */
  get(sql: string, tables: AllowedTables, check: () => CheckedSql): CheckedSql {
    if (sql.length > MAX_TEXT_LENGTH || this.#maxStatements === 0) return check();
    let statements = this.#shapes.get(tables);
    if (statements === undefined) {
      statements = new Map();
      this.#shapes.set(tables, statements);
    }
    const known = statements.get(sql);
    const checked = known ?? check();
    if (known !== undefined) statements.delete(sql);
    else if (statements.size >= this.#maxStatements) statements.delete(statements.keys().next().value!);
    statements.set(sql, checked);
    return checked;
  }
}
