/** Adds the versions that a server could not add because it was killed between putting files in place and its commit. */
import type { Scope } from '../../kernel/index.ts';
import type { Audit } from '../audit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { SemanticLayerApi } from '../semantic-layer/index.ts';
import type { VersionStore } from './store.ts';

export interface RecoveryInit {
  readonly layer: Pick<SemanticLayerApi, 'leftBehind'>;
  readonly db: Pick<InternalDb, 'transaction'>;
  readonly versions: VersionStore;
  readonly log: Audit | undefined;
  readonly now: () => number;
  scopeOf(orgId: string | null): Scope;
}

export type Recovery = () => Promise<void>;

/** Changes nothing where the change was committed. */
export function versionRecovery({ layer, db, versions, log, now, scopeOf }: RecoveryInit): Recovery {
  return async () => {
    for (const { orgId, replaced, discard } of await layer.leftBehind()) {
      await db.transaction(async (trx) => {
        await versions.lock(orgId, trx);
        const lost = await versions.unknown(orgId, replaced, trx);
        if (lost.length === 0) return;
        const by = { orgId, kind: 'interrupted', userId: null, userLabel: null } as const;
        await versions.add(lost, { ...by, at: new Date(now()).toISOString() }, trx);
        const type = 'semantic_layer';
        const label = orgId === null ? 'the shared layer' : `organization ${orgId}`;
        const after = { paths: lost.map(({ path }) => path) };
        const change = {
          action: `${type}.recovered`,
          target: { type, id: orgId ?? 'shared', label },
          before: null,
          after,
        };
        await log?.change(change, scopeOf(orgId), trx);
      });
      await discard();
    }
  };
}
