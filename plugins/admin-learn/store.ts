/** Keeps which proposals somebody did not want, with an entry of the audit log. */
import type { Scope } from '../../kernel/index.ts';
import type { Audit } from '../audit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { Proposal } from '../learn/index.ts';
import { DISMISSED } from './migrations.ts';

export interface DismissedInit {
  readonly db: InternalDb;
  readonly log: Audit;
  readonly now: () => number;
}

export class DismissedProposals {
  readonly #init: DismissedInit;

  constructor(init: DismissedInit) {
    this.#init = init;
  }

  async ids(orgId: string | null): Promise<ReadonlySet<string>> {
    const rows: { id: string }[] = await this.#init.db.run((db) =>
      db(DISMISSED)
        .where({ org_id: orgId ?? '' })
        .select('id'),
    );
    return new Set(rows.map(({ id }) => id));
  }

  async add(id: string, { kind, summary, owner }: Proposal, scope: Scope): Promise<void> {
    const { db, log, now } = this.#init;
    const row = { org_id: scope.orgId ?? '', id, dismissed_at: new Date(now()).toISOString() };
    await db.transaction(async (trx) => {
      await trx(DISMISSED).insert(row).onConflict(['org_id', 'id']).ignore();
      const target = { type: 'learn_proposal', id, label: summary };
      await log.change({ action: 'learn_proposal.dismissed', target, before: { kind, file: owner.file } }, scope, trx);
    });
  }
}
