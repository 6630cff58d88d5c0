/** Takes requests to move to another region, and the moves of their states. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AtlasError, didYouMean, type Scope, Type } from '../../kernel/index.ts';
import { invalidBody, shownBy } from '../admin-kit/index.ts';
import type { Audit } from '../audit/index.ts';
import type { AdminResidencyOptions } from './options.ts';
import { type MigrationQuery, type MigrationStatus, RegionMigration } from './schemas.ts';
import type { MigrationRow, MigrationStore } from './store.ts';

const DAYS_BETWEEN = 30;
const DAY_MS = 86_400_000;
const OPEN: readonly MigrationStatus[] = ['pending', 'in_progress'];

/** What the operator, or the plugin that moves data, does to a request. */
export const COMMANDS = {
  start: { from: ['pending'], to: 'in_progress', action: 'region_migration.started' },
  complete: { from: OPEN, to: 'completed', action: 'region_migration.completed' },
  fail: { from: OPEN, to: 'failed', action: 'region_migration.failed' },
  retry: { from: ['failed'], to: 'pending', action: 'region_migration.retried' },
  cancel: { from: ['pending'], to: 'cancelled', action: 'region_migration.cancelled' },
} as const satisfies Record<string, { from: readonly MigrationStatus[]; to: MigrationStatus; action: string }>;
export type Command = keyof typeof COMMANDS;

const workspaceOf = (orgId: string | null) => orgId ?? 'default';

const shown = shownBy(Type.Omit(RegionMigration, ['workspaceId']));
export const shownMigration = (row: MigrationRow) => ({ ...shown(row), workspaceId: workspaceOf(row.org_id) });

const conflict = (message: string, hint: string) => new AtlasError(message, { code: 'conflict', hint });

const notFound = () =>
  new AtlasError('There is no such request to move to another region.', { code: 'not_found', hint: 'Check its id.' });

export interface RequestsInit {
  readonly store: MigrationStore;
  readonly log: Audit | undefined;
  readonly options: AdminResidencyOptions;
  readonly now: () => number;
}

export function requests({ store, log, options, now }: RequestsInit) {
  const { region: own, regions } = options;

  function checkTarget(target: string): void {
    if (regions.length === 0 || regions.includes(target)) return;
    throw invalidBody(
      'targetRegion',
      `is not a region of this service${didYouMean(target, regions) || ` (${regions.join(', ')})`}`,
    );
  }

  /** Throws while another request is open, or too short ago. */
  function checkLast({ status, requested_at }: MigrationRow): void {
    if (OPEN.includes(status)) throw alreadyOpen();
    const waitMs = Date.parse(requested_at) + DAYS_BETWEEN * DAY_MS - now();
    if (waitMs <= 0) return;
    throw new AtlasError(`A move to another region can be asked for once in ${DAYS_BETWEEN} days.`, {
      code: 'rate_limited',
      retryAfterSeconds: Math.ceil(waitMs / 1_000),
      hint: `Ask again after ${new Date(now() + waitMs).toISOString()}.`,
    });
  }

  const record = async (
    action: string,
    before: MigrationRow | undefined,
    after: MigrationRow,
    scope: Scope,
    trx: Knex.Transaction,
  ) => {
    const { id, source_region, target_region } = after;
    await log?.change(
      {
        action,
        target: { type: 'region_migration', id, label: `${source_region} -> ${target_region}` },
        before: before === undefined ? null : { status: before.status },
        after: { status: after.status, targetRegion: target_region, errorMessage: after.error_message },
      },
      // The organization sees what the operator does to its request.
      { actor: scope.actor, requestId: scope.requestId, orgId: after.org_id },
      trx,
    );
  };

  async function found(id: string): Promise<MigrationRow> {
    const row = await store.find(id.toLowerCase());
    if (row === undefined) throw notFound();
    return row;
  }

  async function ownOne(id: string, { orgId }: Scope): Promise<MigrationRow> {
    const row = await found(id);
    if (row.org_id !== orgId) throw notFound();
    return row;
  }

  /** Rejects with `conflict` in another state than the command is for. */
  async function command(name: Command, row: MigrationRow, scope: Scope, errorMessage?: string): Promise<MigrationRow> {
    const { from, to, action } = COMMANDS[name];
    const isOver = !OPEN.includes(to);
    const set = {
      status: to,
      leased_until: null,
      completed_at: isOver ? new Date(now()).toISOString() : null,
      error_message: errorMessage ?? null,
    };
    const after = await store.move(row.id, from, set, (before, moved, trx) =>
      record(action, before, moved, scope, trx),
    );
    if (after !== undefined) return after;
    const { status } = await found(row.id);
    throw conflict(
      `The request is ${status.replace('_', ' ')}, so it cannot be changed in this way.`,
      'Look at it again.',
    );
  }

  return {
    command,
    async status({ orgId }: Scope) {
      return { workspaceId: workspaceOf(orgId), region: (await store.region(orgId)) ?? own, regions };
    },
    regionOf: async (orgId: string | null): Promise<string> => (await store.region(orgId)) ?? own,
    request: (targetRegion: string, scope: Scope): Promise<MigrationRow> => {
      checkTarget(targetRegion);
      const { orgId, actor } = scope;
      return store.transaction(async (trx) => {
        const last = await store.last(orgId, trx);
        if (last !== undefined) checkLast(last);
        const source = (await store.region(orgId, trx)) ?? own;
        if (source === targetRegion) throw conflict(`The data are in ${source} already.`, 'Name another region.');
        const row: MigrationRow = {
          id: randomUUID(),
          org_id: orgId,
          source_region: source,
          target_region: targetRegion,
          status: 'pending',
          requested_by: actor.id,
          requested_at: new Date(now()).toISOString(),
          completed_at: null,
          error_message: null,
          leased_until: null,
        };
        if (!(await store.insert(row, trx))) throw alreadyOpen();
        await record('region_migration.requested', undefined, row, scope, trx);
        return row;
      });
    },
    async list(query: MigrationQuery, { orgId }: Scope) {
      const { rows, total } = await store.list(orgId, query);
      return { migrations: rows.map(shownMigration), total, limit: query.limit, offset: query.offset };
    },
    own: ownOne,
    cancel: async (id: string, scope: Scope) => command('cancel', await ownOne(id, scope), scope),
    /** For administrators of the platform, on its own requests: those of organizations are carried out by a plugin. */
    async operate(name: Command, id: string, scope: Scope, errorMessage?: string): Promise<MigrationRow> {
      checkOperator(scope);
      const row = await ownOne(id, scope);
      if (name === 'retry') await checkLatest(row);
      return command(name, row, scope, errorMessage);
    },
  };

  /** The data may be elsewhere by now than an earlier request says. */
  async function checkLatest({ id, org_id }: MigrationRow): Promise<void> {
    const last = await store.transaction((trx) => store.last(org_id, trx));
    if (last === undefined || last.id === id) return;
    if (OPEN.includes(last.status)) throw alreadyOpen();
    throw conflict('There is a later request to move to another region.', 'Only the latest one can be retried.');
  }
}
export type Requests = ReturnType<typeof requests>;

const alreadyOpen = () =>
  conflict('A move to another region is under way already.', 'Wait for its end, or cancel it while it is pending.');

function checkOperator({ orgId }: Scope): void {
  if (orgId === null) return;
  throw new AtlasError('Only administrators of the platform may do this.', {
    code: 'forbidden',
    hint: 'Ask the operator of the service.',
  });
}
