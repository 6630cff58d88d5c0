/** Finds out as whom an export runs: its user's present role, claims and organization. */
import { type Actor, AtlasError, type Identity, type PluginContext, type Scope } from '../../kernel/index.ts';
import { lookUpActor } from '../auth-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { ExportRow } from './store.ts';

const PURPOSE = 'export-owner';

export interface Owners {
  /** What an export stores of its user, who is there now. Rejects with `forbidden` where it could not run as that user. */
  present(scope: Scope): Promise<Pick<ExportRow, 'auth_mode' | 'presented'>>;
  /** Rejects with `forbidden` when the user may do nothing any more. */
  identityOf(row: ExportRow): Promise<Identity>;
}

export function ownersOf(ctx: Pick<PluginContext, 'callKey' | 'scope'>, secrets: InternalDb['secrets']): Owners {
  return {
    async present({ actor, orgId }) {
      const found = await lookUpActor(ctx, actor.mode, { actorId: actor.id, orgId });
      if (found.state === 'refused') throw refused(found.reason);
      if (found.state === 'present') return { auth_mode: actor.mode, presented: null };
      // Nothing is handed out by what was presented: whoever takes the file presents claims again.
      return { auth_mode: actor.mode, presented: await secrets.seal(JSON.stringify({ actor, orgId }), PURPOSE) };
    },
    async identityOf({ auth_mode, user_id, org_id, presented }) {
      const found = await lookUpActor(ctx, auth_mode, { actorId: user_id || null, orgId: org_id || null });
      if (found.state === 'present') return found.identity;
      if (found.state === 'refused' || presented === null) throw refused(found.state === 'refused' ? found.reason : '');
      return JSON.parse(await secrets.open(presented, PURPOSE)) as { actor: Actor; orgId: string | null };
    },
  };
}

const refused = (why: string) =>
  new AtlasError(`An export cannot run as you. ${why}`.trim(), {
    code: 'forbidden',
    reason: 'E_EXPORT_OWNER',
    hint: 'Sign in in another way, or ask for fewer rows.',
  });
