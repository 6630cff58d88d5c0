/** Declares the parameters and answers of paged lists, and reads a page of a query with the number of all its rows. */
import { type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface PageOrder {
  readonly column: string;
  /** Default `asc`. */
  readonly order?: 'asc' | 'desc';
  /** A text, ordered by its code points: else PostgreSQL orders it by the locale of the database. */
  readonly isText?: boolean;
  /** Where rows without a value stand; of every column that may be null, as the databases differ. */
  readonly nulls?: 'first' | 'last';
}

/** The unique column by which whole rows are fetched once the page is known, so that skipped rows are not. */
export interface PageKey {
  readonly column: string;
  /** All rows of the table, as a new builder. */
  all(): Knex.QueryBuilder;
}

export interface PageSource {
  /** The rows that match, without order, as a new builder at each call. */
  matching(): Knex.QueryBuilder;
  /** The last column tells rows apart, so that a row is on one page only. */
  readonly order: readonly PageOrder[];
  /** Default: all. */
  readonly columns?: readonly string[];
  readonly key?: PageKey;
  /** How many rows match, where that is known without counting them. */
  total?(): Promise<number>;
}

/** The query parameters `limit` (default `limit`, at most `max`) and `offset`. */
export const pageQuery = ({ limit, max }: { readonly limit: number; readonly max: number }) => ({
  limit: Type.Integer({ default: limit, minimum: 1, maximum: max }),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
});

/** The answer `{<name>: [item], total, limit, offset}`. */
export const page = (name: string, item: TSchema) =>
  Type.Object({ [name]: Type.Array(item), total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() });

const REVERSE = { asc: 'desc', desc: 'asc', first: 'last', last: 'first' } as const;

const reversed = (order: readonly PageOrder[]): PageOrder[] =>
  order.map(({ nulls, ...item }) => ({
    ...item,
    order: REVERSE[item.order ?? 'asc'],
    ...(nulls !== undefined && { nulls: REVERSE[nulls] }),
  }));

/** Adds the order to the query. */
export function sorted<Query extends Knex.QueryBuilder>(query: Query, by: readonly PageOrder[]): Query {
  const collation = query.client.dialect === 'postgresql' ? ' collate "C"' : '';
  for (const { column, order = 'asc', isText = false, nulls } of by) {
    if (!isText && nulls === undefined) query.orderBy(column, order);
    else {
      const place = nulls === undefined ? '' : ` nulls ${nulls}`;
      query.orderByRaw(`??${isText ? collation : ''} ${order}${place}`, [column]);
    }
  }
  return query;
}

type Sort<Field extends string> = Field | `-${Field}`;

export interface Sortable<Field extends string> {
  /** The query parameter `sort`. */
  readonly query: { readonly sort: TUnsafe<Sort<Field>> };
  /** What the parameter asks for; default: the usual order. */
  order(sort?: Sort<Field>): readonly PageOrder[];
}

/** A page in one of the orders. */
export type SortedPage<Orders> = PageRequest & {
  readonly sort?: (Orders extends Sortable<infer Field> ? Sort<Field> : never) | undefined;
};

/**
 * Declares by which fields of its items a list is sorted: `fields` has the columns of each ascending order, the last of
 * which tells rows apart, and `usual` is the order of the list without the parameter. An index serves both directions.
 */
export function sortable<Field extends string>(
  fields: Readonly<Record<Field, readonly PageOrder[]>>,
  usual: NoInfer<Sort<Field>>,
): Sortable<Field> {
  const orders = new Map<string, readonly PageOrder[]>();
  for (const [field, order] of Object.entries<readonly PageOrder[]>(fields)) {
    orders.set(field, order);
    // Rows without a value come last in both directions.
    const kept = order.map(({ nulls }) => (nulls === undefined ? {} : { nulls }));
    orders.set(
      `-${field}`,
      reversed(order).map((item, index) => ({ ...item, ...kept[index] })),
    );
  }
  const choice = Type.Union(
    [...orders.keys()].map((name) => Type.Literal(name)),
    { default: usual, description: 'The field by which the list is sorted, with `-` in descending order.' },
  );
  return {
    query: { sort: choice as unknown as TUnsafe<Sort<Field>> },
    order: (sort = usual) => orders.get(sort) ?? [],
  };
}

async function readRows<Row>(
  { matching, order, columns = ['*'], key }: PageSource,
  { limit, offset }: PageRequest,
  isReversed = false,
): Promise<Row[]> {
  const sorting = isReversed ? reversed(order) : order;
  const cut = (query: Knex.QueryBuilder) => sorted(query, sorting).limit(limit).offset(offset);
  const rows: Row[] =
    key === undefined || offset === 0
      ? await cut(matching().select(columns))
      : await sorted(
          key
            .all()
            .whereIn(key.column, cut(matching().select(key.column)))
            .select(columns),
          sorting,
        );
  return isReversed ? rows.reverse() : rows;
}

async function count({ matching, total }: PageSource): Promise<number> {
  if (total !== undefined) return total();
  const [counted] = await matching().count({ total: '*' });
  return Number(counted?.total ?? 0);
}

/** Reads the page and the number of all rows that match. A page of the second half is read from the other end. */
export async function readPage<Row>(
  source: PageSource,
  { limit, offset }: PageRequest,
): Promise<{ rows: Row[]; total: number }> {
  if (offset === 0) {
    const rows = await readRows<Row>(source, { limit, offset });
    // Rows may have been deleted since.
    const total = rows.length < limit ? rows.length : Math.max(await count(source), rows.length);
    return { rows, total };
  }
  const total = await count(source);
  const size = Math.min(limit, total - offset);
  if (size <= 0) return { rows: [], total };
  const behind = total - offset - size;
  const isFar = behind < offset;
  const rows = await readRows<Row>(source, { limit: size, offset: isFar ? behind : offset }, isFar);
  return { rows, total };
}
