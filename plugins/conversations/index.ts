/** Stored questions and answers. */
import { definePlugin, httpRoutes, storeMigrations } from '../../kernel/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { type Conversations, StoredConversations } from './conversations.ts';
import { migrations } from './migrations.ts';
import { conversationRoutes } from './routes.ts';
import { ConversationStore } from './store.ts';

export type { ChatClient, Conversations, OpenConversation } from './conversations.ts';

export const conversations = definePlugin({
  name: 'conversations',
  version: '1.0.0',
  type: 'interaction',
  description: 'Keeps questions and answers, to be shown and continued.',
  needs: { db: internalDb },
  setup(ctx, _, { db }): Conversations {
    const store = new ConversationStore(db);
    const stored = new StoredConversations(store, ctx);
    ctx.tap(storeMigrations, () => [...migrations]);
    ctx.tap(httpRoutes, () => db.routes(conversationRoutes(store, stored)));
    ctx.onClose(() => stored.settled());
    return {
      open: async (question, scope, client) => (db.configured ? stored.open(question, scope, client) : undefined),
    };
  },
});
