/** Has pending requests carried out by the plugin that moves data, on one server at a time. */
import { AtlasError, messageOf, type PluginContext, type Scope } from '../../kernel/index.ts';
import { residencyMigrate } from './hooks.ts';
import type { Requests } from './requests.ts';
import type { MigrationRow, MigrationStore } from './store.ts';

const LEASE_MS = 60_000;
const RENEW_MS = 15_000;
const LOOK_MS = 15_000;

export interface MoverInit {
  readonly ctx: Pick<PluginContext, 'call' | 'scope' | 'now' | 'log' | 'describe'>;
  readonly store: MigrationStore;
  readonly command: Requests['command'];
}

export interface Mover {
  start(): void;
  /** Looks for requests now; does nothing where no plugin moves data. */
  wake(): void;
  stop(): Promise<void>;
}

export function mover({ ctx, store, command }: MoverInit): Mover {
  const stopping = new AbortController();
  /** Moves that the plugin has said that it does not make; after a restart it is asked again. */
  const declined = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isAskedAgain = false;

  async function carryOut(row: MigrationRow, scope: Scope): Promise<void> {
    const { id, org_id: orgId, source_region: sourceRegion, target_region: targetRegion } = row;
    const moved = await ctx.call(residencyMigrate, { id, orgId, sourceRegion, targetRegion }, scope);
    if (moved === true) {
      await command('complete', row, scope);
      return;
    }
    declined.add(id);
    await store.giveBack(id);
  }

  async function moveOne(row: MigrationRow): Promise<void> {
    const now = ctx.now();
    if (!(await store.claim(row.id, now, now + LEASE_MS))) return;
    const scope = ctx.scope({ orgId: row.org_id, signal: stopping.signal });
    const renewing = setInterval(() => void store.lease(row.id, ctx.now() + LEASE_MS).catch(() => {}), RENEW_MS);
    try {
      await carryOut(row, scope);
    } catch (error) {
      // Another server, or the next start, goes on.
      if (stopping.signal.aborted) return await store.lease(row.id, 0);
      ctx.log.error({ id: row.id, error: messageOf(error) }, 'Data could not be moved to another region.');
      const reason =
        error instanceof AtlasError && error.code !== 'internal_error'
          ? error.message
          : 'The data could not be moved; the log has the reason.';
      await command('fail', row, scope, reason);
    } finally {
      clearInterval(renewing);
    }
  }

  async function look(): Promise<void> {
    do {
      isAskedAgain = false;
      for (const row of await store.waiting(ctx.now())) {
        if (stopping.signal.aborted) return;
        if (!declined.has(row.id)) await moveOne(row);
      }
    } while (isAskedAgain);
  }

  function wake(): void {
    if (timer === undefined) return;
    isAskedAgain = true;
    looking ??= look()
      .catch((error: unknown) => ctx.log.warn({ error: messageOf(error) }, 'Requests to move could not be looked at.'))
      .finally(() => {
        looking = undefined;
      });
  }

  return {
    start() {
      const hook = ctx.describe().hooks.find(({ id }) => id === residencyMigrate.id);
      if (hook === undefined || hook.taps.length === 0) return;
      timer = setInterval(wake, LOOK_MS).unref();
      wake();
    },
    wake,
    async stop() {
      clearInterval(timer);
      timer = undefined;
      stopping.abort();
      await looking;
    },
  };
}
