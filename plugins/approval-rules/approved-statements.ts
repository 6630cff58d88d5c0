/** Remembers, for one request, which statement was approved. */
import type { Scope, SqlStatement } from '../../kernel/index.ts';

/** What an approval is for: exactly this text, on this connection, for this organization. */
export interface ApprovedStatement {
  readonly sql: string;
  readonly connectionId: string;
  readonly orgId: string | null;
}

export class ApprovedStatements {
  readonly #approved = new WeakMap<Scope, ApprovedStatement>();

  /** For one statement of this scope. */
  allow(scope: Scope, approved: ApprovedStatement): void {
    this.#approved.set(scope, approved);
  }

  /** Whether the statement is the approved one of the scope, or of what it is a part of. */
  has(statement: SqlStatement, scope: Scope): boolean {
    return this.#holder(statement, scope) !== undefined;
  }

  /** The same, and the approval is used up. */
  take(statement: SqlStatement, scope: Scope): boolean {
    const holder = this.#holder(statement, scope);
    return holder !== undefined && this.#approved.delete(holder);
  }

  #holder({ requested, connection }: SqlStatement, scope: Scope): Scope | undefined {
    for (let holder: Scope | undefined = scope; holder !== undefined; holder = holder.parent) {
      const approved = this.#approved.get(holder);
      if (approved === undefined) continue;
      const { sql, connectionId, orgId } = approved;
      return sql === requested && connectionId === connection.id && orgId === scope.orgId ? holder : undefined;
    }
    return undefined;
  }
}
