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

  /** Whether the statement is the approved one of the scope, or of what it is a part of; that approval is used up. */
  take({ requested, connection }: SqlStatement, scope: Scope): boolean {
    for (let holder: Scope | undefined = scope; holder !== undefined; holder = holder.parent) {
      const approved = this.#approved.get(holder);
      if (approved === undefined) continue;
      const { sql, connectionId, orgId } = approved;
      const isSame = sql === requested && connectionId === connection.id && orgId === scope.orgId;
      return isSame && this.#approved.delete(holder);
    }
    return false;
  }
}
