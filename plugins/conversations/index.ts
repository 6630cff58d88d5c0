/** Stored questions and answers. */
import { AtlasError, definePlugin, httpRoutes, storeMigrations } from '../../kernel/index.ts';
import { userDelete } from '../auth-managed/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { type Conversations, StoredConversations } from './conversations.ts';
import { migrations } from './migrations.ts';
import { ConversationsOptions } from './options.ts';
import { conversationRoutes } from './routes.ts';
import { ConversationStore } from './store.ts';

export type { ChatClient, Conversations, OpenConversation } from './conversations.ts';

export const conversations = definePlugin({
  name: 'conversations',
  version: '1.0.0',
  type: 'interaction',
  description: 'Keeps questions and answers, to be shown and continued.',
  needs: { db: internalDb },
  options: ConversationsOptions,
  setup(ctx, { deletedUsers }, { db }): Conversations {
    const store = new ConversationStore(db);
    const stored = new StoredConversations(store, ctx);
    ctx.tap(storeMigrations, () => [...migrations]);
    ctx.tap(httpRoutes, () => db.routes(conversationRoutes(store, stored)));
    ctx.tap(userDelete, ({ userId, actorId }) => {
      if (deletedUsers === 'delete') return store.leave(userId, undefined);
      if (actorId !== null) return store.leave(userId, actorId);
      throw new AtlasError('There is nobody to take over the conversations of this user.', { code: 'conflict' });
    });
    ctx.onClose(() => stored.settled());
    return {
      open: async (question, scope, client) => (db.configured ? stored.open(question, scope, client) : undefined),
    };
  },
});
