/** Stores the authentication library's records with knex, in PostgreSQL and SQLite; tokens of sessions as hashes. */
import type { BetterAuthOptions } from 'better-auth';
import { type CleanedWhere, createAdapterFactory, type DBAdapter } from 'better-auth/adapters';
import type { Knex } from 'knex';
import { TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { hashedRow, hashedWhere, withToken } from './stored-sessions.ts';

const COMPARISONS: Readonly<Record<string, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** `instr` and its likes take the text as it is, where LIKE would need it escaped. */
const TEXT_MATCHES: Readonly<Record<string, (position: string) => string>> = {
  contains: (position) => `${position}(#, cast(? as text)) > 0`,
  starts_with: (position) => `${position}(#, cast(? as text)) = 1`,
  ends_with: () => 'substr(#, length(#) - length(cast(? as text)) + 1) = ?',
};

type Condition = (query: Knex.QueryBuilder) => void;

type Where = Omit<CleanedWhere, 'operator'> & { readonly operator?: string | undefined };

function condition({ field, operator = 'eq', value, mode }: Where, dialect: Store['dialect']): Condition {
  const texts = [value].flat().every((item) => typeof item === 'string');
  const folded = mode === 'insensitive' && texts;
  const column = folded ? 'lower(??)' : '??';
  const given = (item: unknown) => (folded && typeof item === 'string' ? item.toLowerCase() : item) as Knex.Value;
  const match = TEXT_MATCHES[operator];
  if (match !== undefined) {
    const sql = match(dialect === 'postgres' ? 'strpos' : 'instr');
    const bindings = [...sql.matchAll(/[#?]/g)].map(([mark]) => (mark === '#' ? field : given(value)));
    return (query) => void query.whereRaw(sql.replaceAll('#', column), bindings);
  }
  if (operator === 'in' || operator === 'not_in') {
    const list = [value].flat().map(given);
    const marks = list.map(() => '?').join(', ');
    if (list.length === 0) return (query) => void query.whereRaw(operator === 'in' ? '1 = 0' : '1 = 1');
    return (query) =>
      void query.whereRaw(`${column} ${operator === 'in' ? 'in' : 'not in'} (${marks})`, [field, ...list]);
  }
  if (value === null) return (query) => void (operator === 'ne' ? query.whereNotNull(field) : query.whereNull(field));
  const comparison = COMPARISONS[operator] ?? (operator === 'ne' ? '<>' : '=');
  return (query) => void query.whereRaw(`${column} ${comparison} ?`, [field, given(value)]);
}

/** As the library's own adapters read it: all of the conditions joined by AND, and one of those joined by OR. */
function narrow<Q extends Knex.QueryBuilder>(
  query: Q,
  where: readonly CleanedWhere[] | undefined,
  dialect: Store['dialect'],
): Q {
  const [all, any] = [where ?? [], where ?? []].map((list, index) =>
    list.filter(({ connector }) => (connector === 'OR') === (index === 1)).map((item) => condition(item, dialect)),
  );
  for (const apply of all ?? []) apply(query);
  if (any !== undefined && any.length > 0) {
    query.where((group) => {
      for (const apply of any) group.orWhere((one) => apply(one));
    });
  }
  return query;
}

/** A row of a table as the library gets it. */
export type ReadRow = (table: string, row: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** Makes the adapter for the library's options. Its transactions are those of `store`. */
export function knexAdapter(store: Store, read?: ReadRow): (options: BetterAuthOptions) => DBAdapter {
  const { dialect } = store;
  const native = dialect === 'postgres';
  const shown = async <R>(model: string, row: R): Promise<R> =>
    read === undefined || row == null ? row : ((await read(model, row)) as R);
  return (options) => {
    const adapter: DBAdapter = createAdapterFactory({
      config: {
        adapterId: 'knex',
        adapterName: 'Knex',
        // The internal database answers times as ISO 8601 texts.
        supportsDates: false,
        supportsBooleans: native,
        supportsJSON: false,
        transaction: (work) => store.transaction(() => work(adapter)),
      },
      adapter: () => ({
        create: ({ model, data }) =>
          store.run(async (db) => {
            const [row] = await db(model).insert(hashedRow(model, data)).returning('*');
            return 'token' in data ? { ...row, token: data.token } : row;
          }),
        findOne: ({ model, where, select }) =>
          store.run(async (db) => {
            const query = narrow(db(model), hashedWhere(model, where), dialect).select(select ?? '*');
            return shown(model, withToken(model, where, await query.first()) ?? null);
          }),
        findMany: ({ model, where, limit, offset, sortBy, select }) =>
          store.run(async (db) => {
            const query = narrow(db(model), hashedWhere(model, where), dialect)
              .select(select ?? '*')
              .limit(limit);
            if (sortBy !== undefined) query.orderBy(sortBy.field, sortBy.direction);
            // Members, which the library pages without an order: some would be on two pages, others on none.
            else if (model === TABLES.member) query.orderBy(['createdAt', 'id']);
            if (offset !== undefined) query.offset(offset);
            return query;
          }),
        update: ({ model, where, update }) =>
          store.run(async (db) => {
            if (where.length === 0) return null;
            const rows = await narrow(db(model), hashedWhere(model, where), dialect)
              .update(hashedRow(model, update as Record<string, unknown>))
              .returning('*');
            return shown(model, withToken(model, where, rows[0]) ?? null);
          }),
        updateMany: ({ model, where, update }) =>
          store.run(async (db) =>
            narrow(db(model), hashedWhere(model, where), dialect).update(hashedRow(model, update)),
          ),
        delete: ({ model, where }) =>
          store.run(async (db) => void (await narrow(db(model), hashedWhere(model, where), dialect).delete())),
        deleteMany: ({ model, where }) =>
          store.run(async (db) => narrow(db(model), hashedWhere(model, where), dialect).delete()),
        consumeOne: ({ model, where }) =>
          store.run(async (db) => {
            const row = await narrow(db(model), hashedWhere(model, where), dialect).first();
            if (row === undefined) return null;
            // The one that deletes it has it.
            const deleted = await narrow(db(model), hashedWhere(model, where), dialect).where('id', row.id).delete();
            return deleted === 1 ? row : null;
          }),
        incrementOne: ({ model, where, increment, set }) =>
          store.run(async (db) => {
            const one = narrow(db(model), hashedWhere(model, where), dialect).select('id').limit(1);
            const sums = Object.entries(increment).map(([field, by]) => [field, db.raw('?? + ?', [field, by])]);
            const changes = { ...set, ...Object.fromEntries(sums) };
            const rows = await narrow(db(model), hashedWhere(model, where), dialect)
              .where('id', one)
              .update(changes)
              .returning('*');
            return rows[0] ?? null;
          }),
        count: ({ model, where }) =>
          store.run(async (db) =>
            Number(
              (await narrow(db(model), hashedWhere(model, where), dialect).count({ count: '*' }).first())?.count ?? 0,
            ),
          ),
      }),
    })(options);
    return adapter;
  };
}
