/** Stores which model an organization has chosen, with its key encrypted. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AtlasError } from '../../kernel/index.ts';
import type { RowOf } from '../admin-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { maskedKey } from '../redaction-kit/index.ts';
import { MODEL_CONFIGS } from './migrations.ts';
import type { ModelConfig } from './schemas.ts';

export interface ModelConfigRow extends RowOf<ModelConfig> {
  /** Encrypted. */
  readonly api_key: string | null;
  readonly version: number;
}

/** What is to be stored. */
export interface ModelConfigInit extends Pick<ModelConfigRow, 'org_id' | 'provider' | 'model' | 'base_url'> {
  readonly apiKey: string | undefined;
}

/** Runs in the transaction of a change. */
type Record = (trx: Knex.Transaction) => Promise<unknown>;

const purposeOf = ({ id, org_id }: Pick<ModelConfigRow, 'id' | 'org_id'>) => `${MODEL_CONFIGS}/${org_id ?? ''}/${id}`;

const changedMeanwhile = () =>
  new AtlasError('The model was changed by somebody else at the same time.', {
    code: 'conflict',
    hint: 'Look at what is configured now, and try again.',
  });

export function modelConfigStore(db: InternalDb, now: () => number) {
  return {
    read: (orgId: string | null): Promise<ModelConfigRow | undefined> =>
      db.run((knex) => knex<ModelConfigRow>(MODEL_CONFIGS).where({ org_id: orgId }).first()),

    /** The stored key, if there is one. */
    async keyOf(row: ModelConfigRow): Promise<string | undefined> {
      return row.api_key === null ? undefined : db.secrets.open(row.api_key, purposeOf(row));
    },

    /** The row that is to be written in place of `before`. Rejects with `configuration_error` where no key encrypts. */
    async prepared({ apiKey, ...init }: ModelConfigInit, before: ModelConfigRow | undefined): Promise<ModelConfigRow> {
      const at = new Date(now()).toISOString();
      const id = before?.id ?? randomUUID();
      return {
        ...init,
        id,
        api_key: apiKey === undefined ? null : await db.secrets.seal(apiKey, purposeOf({ id, org_id: init.org_id })),
        api_key_masked: apiKey === undefined ? null : maskedKey(apiKey),
        version: (before?.version ?? 0) + 1,
        created_at: before?.created_at ?? at,
        updated_at: at,
      };
    },

    /** Rejects with `conflict` unless what is stored is `before`. */
    write: (row: ModelConfigRow, before: ModelConfigRow | undefined, record: Record): Promise<void> =>
      db.transaction(async (trx) => {
        const table = trx(MODEL_CONFIGS);
        const written: unknown[] =
          before === undefined
            ? await table.insert(row).onConflict().ignore().returning('id')
            : await table.where({ id: before.id, version: before.version }).update(row).returning('id');
        if (written.length === 0) throw changedMeanwhile();
        await record(trx);
      }),

    /** Whether there was one. */
    remove: (orgId: string | null, record: (before: ModelConfigRow, trx: Knex.Transaction) => Promise<unknown>) =>
      db.transaction(async (trx) => {
        const table = () => trx<ModelConfigRow>(MODEL_CONFIGS).where({ org_id: orgId });
        const row = await table().first();
        if (row === undefined || (await table().delete()) === 0) return false;
        await record(row, trx);
        return true;
      }),
  };
}
export type ModelConfigStore = ReturnType<typeof modelConfigStore>;
