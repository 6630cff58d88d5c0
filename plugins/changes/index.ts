/** Tells all servers that share the internal database of changes which they have to know at once. */
import { definePlugin, storeMigrations } from '../../kernel/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import type { Changes } from './api.ts';
import { ChangeFeed } from './feed.ts';
import { CHANGES_TABLE, createChanges } from './migrations.ts';
import { ChangesOptions } from './options.ts';
import { ChangeStore } from './store.ts';

export type { ChangeHandler, Changes } from './api.ts';

/** Without an internal database there are no other servers to know of. */
const ALONE: Changes = { publish() {}, async publishWith() {}, subscribe() {}, isCurrent: () => true };

export const changes = definePlugin({
  name: 'changes',
  version: '1.0.0',
  type: 'storage',
  description: 'Tells all servers that share the internal database of changes that they have to know at once.',
  needs: { db: internalDb },
  options: ChangesOptions,
  setup(ctx, { pollMs }, { db }): Changes {
    if (!db.configured) return ALONE;
    const feed = new ChangeFeed(new ChangeStore(db), ctx.log, pollMs);
    ctx.tap(storeMigrations, () => [createChanges]);
    ctx.tap(storeTables, () => [{ table: CHANGES_TABLE, isTransient: true }]);
    ctx.onReady(() => feed.start());
    ctx.onDrain(() => feed.flush());
    ctx.onClose(() => feed.stop());
    return feed;
  },
});
