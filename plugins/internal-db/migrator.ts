/**
 * Applies the plugins' migrations, each in its own transaction together with the row that records it. The transaction
 * begins with a lock and looks again under it, so servers that start together apply each migration once.
 */
import type { Knex } from 'knex';
import { AtlasError, type Collected, type Logger, type Migration, messageOf } from '../../kernel/index.ts';
import type { AppliedMigration } from './api.ts';
import { changeColumnTypes } from './column-types.ts';
import type { Database } from './database.ts';
import type { Engine } from './engine.ts';

const TABLE = 'atlas_migrations';

interface Row {
  readonly plugin: string;
  readonly name: string;
  readonly applied_at: string;
}

type Planned = Collected<Migration>;

/** In the order of the plugins, and for each of them in the order of names. */
function planned(collected: readonly Planned[]): Planned[] {
  const byPlugin = Map.groupBy(collected, ({ plugin }) => plugin);
  for (const [plugin, list] of byPlugin) {
    list.sort((a, b) => (a.value.name < b.value.name ? -1 : 1));
    const twice = list.find(({ value }, index) => value.name === list[index + 1]?.value.name);
    if (twice === undefined) continue;
    throw new AtlasError(`Plugin "${plugin}" brings two migrations "${twice.value.name}".`, {
      reason: 'E_MIGRATION_DUPLICATE',
      hint: 'Rename the later one.',
    });
  }
  return [...byPlugin.values()].flat();
}

const sentence = (error: unknown) => messageOf(error).replace(/[.\s]*$/, '.');

function failed({ plugin, value }: Planned, error: unknown): AtlasError {
  const { code = 'internal_error' } = error instanceof AtlasError ? error : {};
  return new AtlasError(
    `The migration "${value.name}" of plugin "${plugin}" failed and was rolled back: ${sentence(error)}`,
    {
      code,
      reason: 'E_MIGRATION_FAILED',
      hint: 'Nothing of it was kept; those before it stay. Correct the cause and start again.',
      cause: error,
    },
  );
}

/** Something is wrong with the table of applied migrations itself, such as the right to create it. */
function unrecordable(error: unknown): unknown {
  if (error instanceof AtlasError) return error;
  return new AtlasError(`The migrations of the internal database cannot be looked up or recorded: ${sentence(error)}`, {
    code: 'configuration_error',
    reason: 'E_MIGRATION_TABLE',
    hint: 'Give the user in DATABASE_URL the right to create and use tables there.',
    cause: error,
  });
}

export interface MigratorInit {
  readonly database: Database;
  /** Those of the composition. */
  collect(): Promise<readonly Planned[]>;
  now(): number;
  readonly log: Logger;
}

export class Migrator {
  readonly #init: MigratorInit;

  constructor(init: MigratorInit) {
    this.#init = init;
  }

  /** Creates nothing: before the first start, everything is missing. */
  async list(): Promise<AppliedMigration[]> {
    const all = planned(await this.#init.collect());
    const rows = this.#init.database.engine.exists() ? await this.#recorded() : [];
    return all.map((item) => described(item, find(rows, item)?.applied_at));
  }

  /** Resolves to those applied now; rejects with plugin and migration at the first that fails. */
  apply(): Promise<AppliedMigration[]> {
    return this.#init.database.engine.migrating(async () => {
      const all = planned(await this.#init.collect());
      const rows = await this.#recorded();
      this.#warnOfUnknown(rows, all);
      const applied: AppliedMigration[] = [];
      for (const item of all.filter((one) => find(rows, one) === undefined)) {
        const appliedAt = await this.#applyOne(item);
        if (appliedAt !== undefined) applied.push(described(item, appliedAt));
      }
      return applied;
    });
  }

  async #recorded(): Promise<Row[]> {
    return this.#init.database.run(recorded).catch((error: unknown) => {
      throw unrecordable(error);
    });
  }

  /** `undefined`: another server has just done it. */
  async #applyOne(item: Planned): Promise<string | undefined> {
    const { database, now } = this.#init;
    const { plugin } = item;
    const { name } = item.value;
    let begun = false;
    const work = async (trx: Knex.Transaction) => {
      await database.engine.lock(trx);
      await createTable(trx, database.engine.dialect);
      if ((await trx<Row>(TABLE).where({ plugin, name }).first()) !== undefined) return undefined;
      begun = true;
      await item.value.up(trx);
      const appliedAt = new Date(now()).toISOString();
      await trx<Row>(TABLE).insert({ plugin, name, applied_at: appliedAt });
      return appliedAt;
    };
    try {
      // SQLite changes tables by building them anew, which must not cascade to others; it checks all keys at the end.
      return await database.transaction(work, { enforceForeignCheck: false });
    } catch (error) {
      throw begun ? failed(item, error) : unrecordable(error);
    }
  }

  #warnOfUnknown(rows: readonly Row[], all: readonly Planned[]): void {
    const unknown = rows
      .filter((row) => !all.some(({ plugin, value }) => plugin === row.plugin && value.name === row.name))
      .map(({ plugin, name }) => `${plugin}: ${name}`);
    if (unknown.length === 0) return;
    this.#init.log.warn(
      { migrations: unknown },
      'The internal database has migrations that this composition does not bring: of a later version, or of plugins left out.',
    );
  }
}

function find(rows: readonly Row[], { plugin, value }: Planned): Row | undefined {
  return rows.find((row) => row.plugin === plugin && row.name === value.name);
}

function described({ plugin, value }: Planned, appliedAt: string | undefined): AppliedMigration {
  return { plugin, name: value.name, appliedAt };
}

async function recorded(db: Knex): Promise<Row[]> {
  return (await db.schema.hasTable(TABLE)) ? await db<Row>(TABLE).select('plugin', 'name', 'applied_at') : [];
}

async function createTable(trx: Knex.Transaction, dialect: Engine['dialect']): Promise<void> {
  if (!(await trx.schema.hasTable(TABLE))) {
    await trx.schema.createTable(TABLE, (table) => {
      table.text('plugin').notNullable();
      table.text('name').notNullable();
      table.text('applied_at').notNullable();
      table.primary(['plugin', 'name']);
    });
  }
  if (dialect === 'sqlite') return;
  const { type } = (await trx(TABLE).columnInfo('applied_at')) as unknown as Knex.ColumnInfo;
  if (type === 'text') await changeColumnTypes(trx, TABLE, { applied_at: 'timestamptz(3)' });
}
