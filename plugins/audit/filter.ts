/** Declares by what entries are filtered, and reads the times among it. */
import type { ChangesQuery, ExportQuery } from './schemas.ts';

/** What a request filters by, of its organization. */
type Filter<Query> = { readonly [Name in keyof Query]?: Query[Name] | undefined } & {
  /** `null`: what belongs to no organization. Never all of them. */
  readonly orgId: string | null;
};
export type AuditFilter = Filter<ExportQuery>;
export type ChangeFilter = Filter<Omit<ChangesQuery, 'limit' | 'offset' | 'sort'>>;

/** The first moment that `from` names, in UTC: SQLite compares times as texts. */
export const firstMoment = (from: string): string => new Date(from).toISOString();

/** The last moment that `to` names, in UTC. */
export const lastMoment = (to: string): string =>
  to.length === '2026-01-31'.length ? `${to}T23:59:59.999Z` : new Date(to).toISOString();
