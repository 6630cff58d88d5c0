/** Carries out what administrators do with prompts, each change with its entry of the audit log. */
import { AtlasError, type Scope } from '../../kernel/index.ts';
import type { Audit, AuditedChange } from '../audit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { SemanticLayerApi } from '../semantic-layer/index.ts';
import type {
  PromptCollection,
  PromptCollectionWithItems,
  PromptItem,
  PromptPage,
  PromptQuery,
  Prompts,
} from './api.ts';
import { builtIn, isBuiltIn } from './built-in.ts';
import type { CreateCollection, CreateItem, UpdateCollection, UpdateItem } from './schemas.ts';
import { PromptStore } from './store.ts';

export interface PromptServiceInit {
  readonly db: InternalDb;
  readonly log: Audit | undefined;
  readonly layer: SemanticLayerApi | undefined;
  readonly now: () => number;
}

const shownBuiltIn = ({ items: _, ...collection }: PromptCollectionWithItems): PromptCollection => collection;

function refuseBuiltIn(id: string): void {
  if (!isBuiltIn(id)) return;
  throw new AtlasError('This prompt collection comes with the server and cannot be changed.', {
    code: 'forbidden',
    hint: 'Create a collection, and copy the prompts that you want to change.',
  });
}

const ofCollection = ({ id, name }: PromptCollection) => ({ type: 'prompt_collection', id, label: name });
const ofItem = ({ id, question }: PromptItem) => ({ type: 'prompt', id, label: question.slice(0, 200) });

export class PromptService implements Prompts {
  readonly #init: PromptServiceInit;

  constructor(init: PromptServiceInit) {
    this.#init = init;
  }

  /** The collections without their prompts. */
  async collections(scope: Scope, query: PromptQuery): Promise<PromptPage<PromptCollection>> {
    const { own, others, total } = await this.#page(scope, query);
    return { collections: [...own, ...others.map(shownBuiltIn)], total };
  }

  async list(scope: Scope, query: PromptQuery): Promise<PromptPage<PromptCollectionWithItems>> {
    const { own, others, total } = await this.#page(scope, query);
    const ids = own.map(({ id }) => id);
    const items = ids.length === 0 ? [] : await this.#init.db.run((db) => new PromptStore(db, scope.orgId).items(ids));
    const byCollection = Map.groupBy(items, ({ collectionId }) => collectionId);
    const filled = own.map((collection) => ({ ...collection, items: byCollection.get(collection.id) ?? [] }));
    return { collections: [...filled, ...others], total };
  }

  async find(scope: Scope, id: string): Promise<PromptCollectionWithItems> {
    const known = (await this.#builtIn(scope)).find((collection) => collection.id === id);
    if (known !== undefined) return known;
    return this.#init.db.run(async (db) => {
      const store = new PromptStore(db, scope.orgId);
      return { ...(await store.collection(id)), items: await store.items([id]) };
    });
  }

  create(scope: Scope, { isBuiltin: _, ...fields }: CreateCollection): Promise<PromptCollection> {
    return this.#change(scope, async (store, at) => {
      const after = await store.createCollection(fields, at);
      return [after, { action: 'prompt_collection.created', target: ofCollection(after), before: null, after }];
    });
  }

  update(scope: Scope, id: string, fields: UpdateCollection): Promise<PromptCollection> {
    refuseBuiltIn(id);
    return this.#change(scope, async (store, at) => {
      const before = await store.collection(id);
      const after = await store.updateCollection(id, fields, at);
      return [after, { action: 'prompt_collection.updated', target: ofCollection(after), before, after }];
    });
  }

  remove(scope: Scope, id: string): Promise<void> {
    refuseBuiltIn(id);
    return this.#change(scope, async (store) => {
      const before = await store.collection(id);
      const prompts = (await store.items([id])).length;
      await store.deleteCollection(id);
      const entry = { before: { ...before, prompts }, after: null };
      return [undefined, { action: 'prompt_collection.deleted', target: ofCollection(before), ...entry }];
    });
  }

  createItem(scope: Scope, collectionId: string, fields: CreateItem): Promise<PromptItem> {
    refuseBuiltIn(collectionId);
    return this.#change(scope, async (store, at) => {
      const after = await store.createItem(collectionId, fields, at);
      return [after, { action: 'prompt.created', target: ofItem(after), before: null, after }];
    });
  }

  updateItem(scope: Scope, collectionId: string, id: string, fields: UpdateItem): Promise<PromptItem> {
    refuseBuiltIn(collectionId);
    return this.#change(scope, async (store, at) => {
      const before = await store.item(collectionId, id);
      const after = await store.updateItem(collectionId, id, fields, at);
      return [after, { action: 'prompt.updated', target: ofItem(after), before, after }];
    });
  }

  removeItem(scope: Scope, collectionId: string, id: string): Promise<void> {
    refuseBuiltIn(collectionId);
    return this.#change(scope, async (store) => {
      const before = await store.item(collectionId, id);
      await store.deleteItem(id);
      return [undefined, { action: 'prompt.deleted', target: ofItem(before), before, after: null }];
    });
  }

  /** Gives the collections this order. */
  reorder(scope: Scope, ids: readonly string[]): Promise<void> {
    ids.forEach(refuseBuiltIn);
    return this.#change(scope, async (store, at) => {
      const target = { type: 'prompt_collection', id: 'all', label: 'all prompt collections' };
      const before = { ids: await store.reorder(ids, undefined, at) };
      return [undefined, { action: 'prompt_collection.reordered', target, before, after: { ids } }];
    });
  }

  /** Gives the prompts of a collection this order. */
  reorderItems(scope: Scope, collectionId: string, ids: readonly string[]): Promise<void> {
    refuseBuiltIn(collectionId);
    return this.#change(scope, async (store, at) => {
      const collection = await store.collection(collectionId);
      const before = { ids: await store.reorder(ids, collectionId, at) };
      const action = 'prompt_collection.prompts_reordered';
      return [undefined, { action, target: ofCollection(collection), before, after: { ids } }];
    });
  }

  /** Deletes what an organization has that ends. */
  deleteOrganization(orgId: string): Promise<void> {
    return this.#init.db.transaction((trx) => new PromptStore(trx, orgId).deleteAll());
  }

  /** One page: the organization's own collections, then those that are built in. */
  async #page(scope: Scope, { industry, limit, offset }: PromptQuery) {
    const { db } = this.#init;
    const [{ collections: own, total }, all] = await Promise.all([
      db.configured
        ? db.run((knex) => new PromptStore(knex, scope.orgId).page(industry, { limit, offset }))
        : { collections: [], total: 0 },
      this.#builtIn(scope),
    ]);
    const known = all.filter((collection) => industry === undefined || collection.industry === industry);
    const others = known.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total));
    return { own, others, total: total + known.length };
  }

  async #builtIn(scope: Scope): Promise<PromptCollectionWithItems[]> {
    // Prompts are there without the layer, too.
    return builtIn(await this.#init.layer?.for(scope).catch(() => undefined));
  }

  #change<T>(scope: Scope, work: (store: PromptStore, at: string) => Promise<[T, AuditedChange]>): Promise<T> {
    const { db, log, now } = this.#init;
    return db.transaction(async (trx) => {
      const store = new PromptStore(trx, scope.orgId);
      await store.lock();
      const [result, audited] = await work(store, new Date(now()).toISOString());
      await log?.change(audited, scope, trx);
      return result;
    });
  }
}
