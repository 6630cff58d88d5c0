/** Declares by what the audit log is sorted; each order has an index. */
import { sortable } from '../admin-kit/index.ts';

/** The organization first: else PostgreSQL sorts all rows that belong to none. */
const by = (column: string) => ['org_id', column, 'id'].map((name) => ({ column: name }));

export const AUDIT_ORDERS = sortable({ timestamp: by('timestamp'), durationMs: by('duration_ms') }, '-timestamp');
export const CHANGE_ORDERS = sortable({ timestamp: by('timestamp') }, '-timestamp');
