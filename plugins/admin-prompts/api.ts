/** Declares what the plugin offers to others. */
import type { Scope } from '../../kernel/index.ts';

export interface PromptItem {
  readonly id: string;
  readonly collectionId: string;
  readonly question: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly sortOrder: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface PromptCollection {
  readonly id: string;
  /** `null`: of no organization, or built in. */
  readonly orgId: string | null;
  readonly name: string;
  readonly industry: string;
  readonly description: string | null;
  /** Whether it comes with the server, and cannot be changed. */
  readonly isBuiltin: boolean;
  readonly sortOrder: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface PromptCollectionWithItems extends PromptCollection {
  readonly items: readonly PromptItem[];
}

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
