/** Reads and writes approval rules, each organization's apart. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AtlasError } from '../../kernel/index.ts';
import { type RowOf, readPage, type SortedPage, shownBy, sorted } from '../admin-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { RULES } from './migrations.ts';
import { RULE_ORDERS, Rule, type RuleFields } from './schemas.ts';

/** Most rules of one organization: each is tried with every statement. */
export const MAX_RULES = 200;

interface RuleRow extends RowOf<Rule> {
  /** Empty: of no organization. */
  readonly org_id: string;
}

export interface RulePage {
  readonly rules: readonly Rule[];
  readonly total: number;
}

/** Called in the transaction of a change. */
export type Along = (before: Rule | null, after: Rule | null, trx: Knex.Transaction) => Promise<void>;

export class RuleStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /** By default in the order in which they were made. */
  async page(orgId: string | null, request: SortedPage<typeof RULE_ORDERS>): Promise<RulePage> {
    const { rows, total } = await this.#db.run((db) =>
      readPage<RuleRow>({ matching: () => of(db, orgId), order: RULE_ORDERS.order(request.sort) }, request),
    );
    return { rules: rows.map(ruleOf), total };
  }

  /** Those that are in force. */
  async enabled(orgId: string | null): Promise<readonly Rule[]> {
    const rows = await this.#db.run((db) =>
      sorted(of(db, orgId).where({ enabled: true }), RULE_ORDERS.order()).limit(MAX_RULES),
    );
    return rows.map(ruleOf);
  }

  /** Rejects with `not_found` for one that does not exist or is another organization's, alike. */
  async find(orgId: string | null, id: string): Promise<Rule> {
    return found(await this.#db.run((db) => of(db, orgId).where({ id }).first()));
  }

  /** Rejects with `conflict` when there are too many. */
  async add(orgId: string | null, fields: RuleFields, at: string, along: Along): Promise<Rule> {
    return this.#db.transaction(async (trx) => {
      const [counted] = await of(trx, orgId).count({ total: '*' });
      if (Number(counted?.total ?? 0) >= MAX_RULES) {
        throw new AtlasError(`There are ${MAX_RULES} approval rules already, which is the most.`, {
          code: 'conflict',
          hint: 'Delete one first, or write one pattern with * in place of several.',
        });
      }
      const row: RuleRow = {
        id: randomUUID(),
        org_id: orgId ?? '',
        ...columnsOf(fields),
        created_at: at,
        updated_at: at,
      };
      await trx(RULES).insert(row);
      const rule = ruleOf(row);
      await along(null, rule, trx);
      return rule;
    });
  }

  /** `change` makes the new fields of the present ones, and throws for what is not valid. */
  async change(
    orgId: string | null,
    id: string,
    change: (rule: Rule) => RuleFields,
    at: string,
    along: Along,
  ): Promise<Rule> {
    return this.#db.transaction(async (trx) => {
      const before = found(await of(trx, orgId).where({ id }).forUpdate().first());
      const set = { ...columnsOf(change(before)), updated_at: at };
      await of(trx, orgId).where({ id }).update(set);
      const after = { ...before, ...change(before), updatedAt: at };
      await along(before, after, trx);
      return after;
    });
  }

  async remove(orgId: string | null, id: string, along: Along): Promise<void> {
    await this.#db.transaction(async (trx) => {
      const before = found(await of(trx, orgId).where({ id }).forUpdate().first());
      await of(trx, orgId).where({ id }).delete();
      await along(before, null, trx);
    });
  }
}

/** Without this, all. */
const of = (db: Knex, orgId: string | null) => db<RuleRow>(RULES).where({ org_id: orgId ?? '' });

function found(row: RuleRow | undefined): Rule {
  if (row !== undefined) return ruleOf(row);
  throw new AtlasError('There is no such approval rule.', {
    code: 'not_found',
    hint: 'GET /api/v1/admin/approval/rules lists those of your organization.',
  });
}

function columnsOf({ name, ruleType, pattern, threshold, enabled }: RuleFields) {
  return { name, rule_type: ruleType, pattern, threshold, enabled };
}

const shown = shownBy(Rule);
const ruleOf = (row: RuleRow): Rule => ({ ...shown(row), orgId: row.org_id || null });
