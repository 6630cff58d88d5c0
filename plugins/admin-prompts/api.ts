/** Declares what the plugin offers to others. */
import type { Scope, Static } from '../../kernel/index.ts';
import type { Collection, CollectionDetail, Item } from './schemas.ts';

export type PromptItem = Static<typeof Item>;
export type PromptCollection = Static<typeof Collection>;
export type PromptCollectionWithItems = Static<typeof CollectionDetail>;

export interface PromptPage<Collection> {
  readonly collections: readonly Collection[];
  readonly total: number;
}

export interface PromptQuery {
  readonly industry?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface Prompts {
  /** The collections of the request's organization in their order, then those that are built in, with their prompts. */
  list(scope: Scope, query: PromptQuery): Promise<PromptPage<PromptCollectionWithItems>>;
}
