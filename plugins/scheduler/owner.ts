/** Finds out as whom a task runs: its owner's present role, claims and organization. */
import { type Actor, AtlasError, type Identity, type PluginContext, type Scope } from '../../kernel/index.ts';
import { lookUpActor, type PresentIdentity } from '../auth-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { SchedulerOptions } from './options.ts';
import type { Owner, TaskRow } from './rows.ts';

const DAY_MS = 86_400_000;
const PURPOSE = 'scheduled-owner';

export const ownerOf = ({ actor, orgId }: Pick<Scope, 'actor' | 'orgId'>): Owner => ({
  owner_id: actor.id ?? '',
  org_id: orgId ?? '',
});

type Presented = Pick<TaskRow, 'auth_mode' | 'presented' | 'presented_at'>;

export interface Owners {
  /**
   * What a task stores of its owner, who is there now. Rejects with `forbidden` where a task could not run as that
   * user, and with `configuration_error` where there is no key to encrypt the claims with.
   */
  present(scope: Scope): Promise<Presented>;
  /** As whom the task runs now, or why it must not run any more. Rejects when that cannot be found out at present. */
  identityOf(task: TaskRow): Promise<Exclude<PresentIdentity, { state: 'unknown' }>>;
}

export function owners(
  ctx: Pick<PluginContext, 'callKey' | 'scope' | 'now'>,
  secrets: InternalDb['secrets'],
  { storedIdentityDays }: Pick<SchedulerOptions, 'storedIdentityDays'>,
): Owners {
  return {
    async present({ actor, orgId }) {
      const found = await lookUpActor(ctx, actor.mode, { actorId: actor.id, orgId });
      if (found.state === 'refused') throw refused(found.reason);
      if (found.state === 'present') return { auth_mode: actor.mode, presented: null, presented_at: null };
      if (storedIdentityDays === 0) throw refused('Your role and claims are known only while you are signed in.');
      const presented = await secrets.seal(JSON.stringify({ actor, orgId }), PURPOSE);
      return { auth_mode: actor.mode, presented, presented_at: new Date(ctx.now()).toISOString() };
    },
    async identityOf({ auth_mode, owner_id, org_id, presented, presented_at }) {
      const found = await lookUpActor(ctx, auth_mode, { actorId: owner_id || null, orgId: org_id || null });
      if (found.state !== 'unknown') return found;
      const ageMs = presented_at === null ? Infinity : ctx.now() - Date.parse(presented_at);
      if (presented === null || ageMs > storedIdentityDays * DAY_MS) {
        const reason = `The owner's claims are older than ${storedIdentityDays} days; enable the task again to renew them.`;
        return { state: 'refused', reason };
      }
      const identity = JSON.parse(await secrets.open(presented, PURPOSE)) as { actor: Actor; orgId: string | null };
      return { state: 'present', identity: identity satisfies Identity };
    },
  };
}

const refused = (why: string) =>
  new AtlasError(`A scheduled task could not run as you: ${why}`, {
    code: 'forbidden',
    reason: 'E_SCHEDULE_OWNER',
    hint: 'Ask an administrator to use another authentication mode, or ask the question yourself.',
  });
