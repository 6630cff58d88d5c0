/** Declares by what entries are filtered. */

export interface AuditFilter {
  /** `null`: what belongs to no organization. Never all of them. */
  readonly orgId: string | null;
  readonly user?: string | undefined;
  readonly success?: boolean | undefined;
  readonly connection?: string | undefined;
  readonly surface?: string | undefined;
  /** ISO 8601 with a zone; both inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
