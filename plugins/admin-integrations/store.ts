/** Stores the bots of organizations, with their credentials encrypted. */
import type { Knex } from 'knex';
import type { RowOf } from '../admin-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { BotCredentials } from './chat-platform.ts';
import { INTEGRATION_KEY, INTEGRATIONS } from './migrations.ts';
import type { Integration } from './schemas.ts';

export interface IntegrationRow extends RowOf<Integration> {
  /** `BotCredentials` as JSON, encrypted. */
  readonly credentials: string;
}

type Owner = Pick<IntegrationRow, 'org_id' | 'platform'>;
type Change = (
  before: IntegrationRow | undefined,
  after: IntegrationRow | undefined,
  trx: Knex.Transaction,
) => Promise<unknown>;

const purposeOf = ({ org_id, platform }: Owner) => `${INTEGRATIONS}/${org_id ?? ''}/${platform}`;

/** What a second installation leaves as it is. */
const KEPT: readonly (keyof IntegrationRow)[] = ['id', 'created_by', 'created_at'];

export function integrationStore(db: InternalDb) {
  const find = (knex: Knex, { org_id, platform }: Owner): Promise<IntegrationRow | undefined> =>
    knex<IntegrationRow>(INTEGRATIONS).where({ org_id, platform }).first();
  return {
    find: (owner: Owner) => db.run((knex) => find(knex, owner)),
    list: (orgId: string | null): Promise<IntegrationRow[]> =>
      db.run((knex) => knex<IntegrationRow>(INTEGRATIONS).where({ org_id: orgId }).orderBy('platform')),
    /** Rejects with `configuration_error` where no key encrypts. */
    seal: (owner: Owner, credentials: BotCredentials): Promise<string> =>
      db.secrets.seal(JSON.stringify(credentials), purposeOf(owner)),
    async open(row: IntegrationRow): Promise<BotCredentials> {
      return JSON.parse(await db.secrets.open(row.credentials, purposeOf(row)));
    },
    /** Replaces the bot that the organization had. */
    save: (row: IntegrationRow, changed: Change): Promise<void> =>
      db.transaction(async (trx) => {
        const before = await find(trx, row);
        const replaced = Object.keys(row).filter((name) => !KEPT.some((kept) => kept === name));
        const [after]: IntegrationRow[] = await trx(INTEGRATIONS)
          .insert(row)
          .onConflict(trx.raw(INTEGRATION_KEY) as never)
          .merge(replaced)
          .returning('*');
        await changed(before, after, trx);
      }),
    /** Whether there was one. */
    remove: (owner: Owner, changed: Change): Promise<boolean> =>
      db.transaction(async (trx) => {
        const before = await find(trx, owner);
        if (before === undefined || (await trx(INTEGRATIONS).where({ id: before.id }).delete()) === 0) return false;
        await changed(before, undefined, trx);
        return true;
      }),
  };
}
export type IntegrationStore = ReturnType<typeof integrationStore>;
