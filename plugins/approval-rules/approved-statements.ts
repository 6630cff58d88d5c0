/** Remembers, for one request, which statement was approved. */
import { type Scope, type SqlStatement, scopeValue } from '../../kernel/index.ts';

/** What an approval is for: exactly this text, on this connection, for this organization. */
export interface ApprovedStatement {
  readonly sql: string;
  readonly connectionId: string;
  readonly orgId: string | null;
}

export class ApprovedStatements {
  readonly #approved = scopeValue<ApprovedStatement & { readonly scope: Scope }>();

  /** For one statement of this scope. */
  allow(scope: Scope, approved: ApprovedStatement): void {
    this.#approved.set(scope, { ...approved, scope });
  }

  /** Whether the statement is the approved one of the scope, or of what it is a part of; that approval is used up. */
  take({ requested, connection }: SqlStatement, scope: Scope): boolean {
    const approved = this.#approved.nearest(scope);
    if (approved === undefined) return false;
    const { sql, connectionId, orgId } = approved;
    const isSame = sql === requested && connectionId === connection.id && orgId === scope.orgId;
    return isSame && this.#approved.delete(approved.scope);
  }
}
