/** Declares by what entries are filtered, and reads the times among it. */

export interface AuditFilter {
  /** `null`: what belongs to no organization. Never all of them. */
  readonly orgId: string | null;
  readonly user?: string | undefined;
  readonly success?: boolean | undefined;
  readonly connection?: string | undefined;
  readonly surface?: string | undefined;
  /** Id of the entry. */
  readonly id?: string | undefined;
  /** A part of the statement, in any case. */
  readonly text?: string | undefined;
  /** ISO 8601 with a zone, or a day in UTC; both inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The first moment that `from` names, in UTC: SQLite compares times as texts. */
export const firstMoment = (from: string): string => new Date(from).toISOString();

/** The last moment that `to` names, in UTC. */
export const lastMoment = (to: string): string =>
  to.length === '2026-01-31'.length ? `${to}T23:59:59.999Z` : new Date(to).toISOString();
