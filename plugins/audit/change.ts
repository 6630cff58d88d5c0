/** Makes the audit entry of a change by an administrator: what was changed, from what to what, without secrets. */
import type { Scope } from '../../kernel/index.ts';
import type { RowOf } from '../admin-kit/index.ts';
import { jsonText } from '../internal-db/index.ts';
import { masked } from '../redaction-kit/index.ts';
import type { AuditedChange } from './api.ts';
import { type AuditRow, entryOfEvent, NAME_LENGTH } from './entry.ts';
import type { AdminChange } from './schemas.ts';

/** The surface of entries that tell of changes. */
export const ADMIN_SURFACE = 'admin';

/** Names whose values are hidden besides those of secrets: paths of URLs hold secrets too, as those of webhooks do. */
const ALSO_HIDDEN = /ur[il]s?$|keys?$|keymaterial|pem$|certificate/;

/** Bounds of what is kept of a state. */
const MAX_JSON_LENGTH = 16_384;
const MAX_TEXT_LENGTH = 1_000;
const MAX_ITEMS = 100;
/** Limit for one value in the line, in characters. */
const SHOWN_LENGTH = 60;

/** A row of the table `audit_log` that tells of a change. */
export type ChangeRow = AuditRow & RowOf<AdminChange>;

type State = Readonly<Record<string, unknown>>;

export function rowOfChange(
  { action, target, before, after }: AuditedChange,
  { actor, orgId, requestId }: Pick<Scope, 'actor' | 'orgId' | 'requestId'>,
  at: number,
): ChangeRow {
  const label = target.label?.slice(0, NAME_LENGTH) ?? null;
  const states = { before: plain(before), after: plain(after) };
  const entry = entryOfEvent({
    at: new Date(at).toISOString(),
    text: lineOf(action, label ?? target.id, states.before, states.after),
    userId: actor.id,
    userLabel: actor.label,
    authMode: actor.mode,
    orgId,
    surface: ADMIN_SURFACE,
    requestId,
    conversationId: null,
    error: null,
  });
  return {
    ...entry,
    action,
    target_type: target.type,
    target_id: target.id.slice(0, NAME_LENGTH),
    target_label: label,
    before: stored(states.before),
    after: stored(states.after),
  };
}

/** As JSON has it. */
function plain(state: object | null | undefined): State | null {
  return state === null || state === undefined ? null : (JSON.parse(JSON.stringify(state)) as State);
}

const hidden = (state: State | null) => masked(state, ALSO_HIDDEN) as State | null;

function stored(state: State | null): string | null {
  if (state === null) return null;
  const text = jsonText(bounded(hidden(state)));
  return text.length <= MAX_JSON_LENGTH
    ? text
    : jsonText({ truncated: true, keys: Object.keys(state).slice(0, MAX_ITEMS) });
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= MAX_TEXT_LENGTH ? value : `${value.slice(0, MAX_TEXT_LENGTH)}…`;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(bounded);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([name, item]) => [name, bounded(item)]));
}

/** `user role changed: ann@example.com (role: analyst -> viewer)`. A secret that was changed shows that it was. */
function lineOf(action: string, name: string, before: State | null, after: State | null): string {
  const [was, is] = [hidden(before), hidden(after)];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const differing = names.filter((key) => JSON.stringify(before?.[key]) !== JSON.stringify(after?.[key]));
  const told = differing.slice(0, MAX_ITEMS).map((key) => {
    if (was === null || is === null) return `${key}: ${shown((was ?? is)?.[key])}`;
    return `${key}: ${shown(was[key])} -> ${shown(is[key])}`;
  });
  return `${action.replace(/[._]/g, ' ')}: ${name}${told.length === 0 ? '' : ` (${told.join(', ')})`}`;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`;
}
