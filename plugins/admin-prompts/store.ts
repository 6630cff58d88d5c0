/** Reads and writes prompt collections and their prompts in the internal database. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AtlasError, Type } from '../../kernel/index.ts';
import { type PageRequest, type RowOf, readPage, shownBy } from '../admin-kit/index.ts';
import { lockName } from '../internal-db/index.ts';
import type { PromptCollection, PromptItem } from './api.ts';
import { COLLECTIONS, ITEMS } from './migrations.ts';
import {
  Collection,
  type CreateCollection,
  type CreateItem,
  Item,
  type UpdateCollection,
  type UpdateItem,
} from './schemas.ts';

/** Limit for one organization. */
const MAX_COLLECTIONS = 200;
/** Limit for one collection. */
const MAX_ITEMS = 100;

type Table = typeof COLLECTIONS | typeof ITEMS;

/** `org_id` is empty for no organization. */
type CollectionRow = RowOf<Omit<PromptCollection, 'isBuiltin' | 'orgId'>> & { readonly org_id: string };
type ItemRow = RowOf<PromptItem>;

export type CollectionFields = Omit<CreateCollection, 'isBuiltin'>;

const shownItem = shownBy(Item);
const shownColumns = shownBy(Type.Omit(Collection, ['isBuiltin']));
const shownCollection = (row: CollectionRow): PromptCollection => ({
  ...shownColumns(row),
  orgId: row.org_id || null,
  isBuiltin: false,
});

const notFound = (what: string) =>
  new AtlasError(`There is no such ${what}.`, { code: 'not_found', hint: 'GET /api/v1/admin/prompts lists them.' });

const full = (what: string, most: number) =>
  new AtlasError(`There are ${most} ${what}, which is as many as there may be.`, {
    code: 'conflict',
    hint: 'Delete one first.',
  });

const ownerOf = (orgId: string | null) => ({ org_id: orgId ?? '' });

/** The columns of the fields that are given. */
function columnsOf({ sortOrder, ...fields }: { readonly sortOrder?: number | undefined }) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(sortOrder !== undefined && { sort_order: sortOrder }) };
}

/** Collections of one organization, in the transaction of a change. Ids of others are unknown to it. */
export class PromptStore {
  readonly #trx: Knex;
  readonly #orgId: string | null;

  constructor(trx: Knex, orgId: string | null) {
    this.#trx = trx;
    this.#orgId = orgId;
  }

  /** Makes others wait that change prompts of the organization, until the transaction ends. */
  lock(): Promise<void> {
    return lockName(this.#trx, `${COLLECTIONS} ${this.#orgId}`);
  }

  async page(industry: string | undefined, request: PageRequest) {
    const wanted = { ...ownerOf(this.#orgId), ...(industry !== undefined && { industry }) };
    const order = ['sort_order', 'name', 'id'].map((column) => ({ column }));
    const source = { matching: () => this.#trx(COLLECTIONS).where(wanted), order };
    const { rows, total } = await readPage<CollectionRow>(source, request);
    return { collections: rows.map(shownCollection), total };
  }

  /** In their order. */
  async items(collectionIds: readonly string[]): Promise<PromptItem[]> {
    if (collectionIds.length === 0) return [];
    const rows: ItemRow[] = await this.#trx(ITEMS)
      .whereIn('collection_id', collectionIds)
      .orderBy(['collection_id', 'sort_order', 'id']);
    return rows.map(shownItem);
  }

  async collection(id: string): Promise<PromptCollection> {
    const row = await this.#trx(COLLECTIONS)
      .where({ ...ownerOf(this.#orgId), id })
      .first<CollectionRow | undefined>();
    if (row === undefined) throw notFound('prompt collection');
    return shownCollection(row);
  }

  async item(collectionId: string, id: string): Promise<PromptItem> {
    await this.collection(collectionId);
    const row = await this.#trx(ITEMS).where({ collection_id: collectionId, id }).first<ItemRow | undefined>();
    if (row === undefined) throw notFound('prompt');
    return shownItem(row);
  }

  /** Rejects with `conflict` when there are too many. */
  async createCollection(fields: CollectionFields, at: string): Promise<PromptCollection> {
    const owner = ownerOf(this.#orgId);
    const next = await this.#next(COLLECTIONS, owner, MAX_COLLECTIONS);
    const row: CollectionRow = {
      ...{ id: randomUUID(), ...owner, name: fields.name, industry: fields.industry },
      ...{ description: fields.description ?? null, sort_order: fields.sortOrder ?? next },
      ...{ created_at: at, updated_at: at },
    };
    await this.#trx(COLLECTIONS).insert(row);
    return shownCollection(row);
  }

  async createItem(collectionId: string, fields: CreateItem, at: string): Promise<PromptItem> {
    await this.collection(collectionId);
    const next = await this.#next(ITEMS, { collection_id: collectionId }, MAX_ITEMS);
    const row: ItemRow = {
      ...{ id: randomUUID(), collection_id: collectionId, question: fields.question },
      ...{ description: fields.description ?? null, category: fields.category ?? null },
      ...{ sort_order: fields.sortOrder ?? next, created_at: at, updated_at: at },
    };
    await this.#trx(ITEMS).insert(row);
    return shownItem(row);
  }

  async updateCollection(id: string, fields: UpdateCollection, at: string): Promise<PromptCollection> {
    await this.#trx(COLLECTIONS)
      .where({ ...ownerOf(this.#orgId), id })
      .update({ ...columnsOf(fields), updated_at: at });
    return this.collection(id);
  }

  async updateItem(collectionId: string, id: string, fields: UpdateItem, at: string): Promise<PromptItem> {
    await this.#trx(ITEMS)
      .where({ collection_id: collectionId, id })
      .update({ ...columnsOf(fields), updated_at: at });
    return this.item(collectionId, id);
  }

  /** With its prompts. */
  async deleteCollection(id: string): Promise<void> {
    await this.#trx(ITEMS).where({ collection_id: id }).delete();
    await this.#trx(COLLECTIONS)
      .where({ ...ownerOf(this.#orgId), id })
      .delete();
  }

  /** With all prompts, which go with their collections. */
  async deleteAll(): Promise<void> {
    const own = this.#trx(COLLECTIONS).where(ownerOf(this.#orgId)).select('id');
    await this.#trx(ITEMS).whereIn('collection_id', own).delete();
    await this.#trx(COLLECTIONS).where(ownerOf(this.#orgId)).delete();
  }

  async deleteItem(id: string): Promise<void> {
    await this.#trx(ITEMS).where({ id }).delete();
  }

  /** Gives the collections, or the prompts of one, this order. Rejects with `conflict` unless it names all of them. */
  async reorder(ids: readonly string[], collectionId: string | undefined, at: string): Promise<readonly string[]> {
    const table = collectionId === undefined ? COLLECTIONS : ITEMS;
    const wanted = collectionId === undefined ? ownerOf(this.#orgId) : { collection_id: collectionId };
    const order = collectionId === undefined ? ['sort_order', 'name', 'id'] : ['sort_order', 'id'];
    const present: string[] = await this.#trx(table).where(wanted).orderBy(order).pluck('id');
    const known = new Set(present);
    if (ids.length !== known.size || !ids.every((id) => known.has(id))) {
      throw new AtlasError('The order does not name each of them exactly once.', {
        code: 'conflict',
        hint: 'Read the list again, and send all ids of your own ones.',
      });
    }
    for (const [index, id] of ids.entries()) {
      await this.#trx(table)
        .where({ id })
        .whereNot({ sort_order: index })
        .update({ sort_order: index, updated_at: at });
    }
    return present;
  }

  /** The place behind all others. Rejects with `conflict` when there are too many. */
  async #next(table: Table, wanted: object, most: number): Promise<number> {
    if ((await this.#count(table, wanted)) >= most) {
      throw full(table === COLLECTIONS ? 'prompt collections' : 'prompts in this collection', most);
    }
    const last = await this.#trx(table).where(wanted).max({ place: 'sort_order' }).first();
    return last?.place === null || last?.place === undefined ? 0 : Math.min(Number(last.place) + 1, 1_000_000);
  }

  async #count(table: Table, wanted: object): Promise<number> {
    const counted = await this.#trx(table).where(wanted).count({ total: '*' }).first();
    return Number(counted?.total ?? 0);
  }
}
