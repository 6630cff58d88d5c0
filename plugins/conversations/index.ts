/** Stores questions and answers, and shows them again. */
import {
  AtlasError,
  contextCollect,
  definePlugin,
  httpRoutes,
  optional,
  type PluginContext,
  storeMigrations,
} from '../../kernel/index.ts';
import { agentWrap } from '../agent/index.ts';
import { organizationDelete, userDelete } from '../auth-managed/index.ts';
import { type InternalDb, internalDb, storeTables } from '../internal-db/index.ts';
import { queryApi, showsSqlBy } from '../query-api/index.ts';
import { type SemanticLayerApi, semanticLayer } from '../semantic-layer/index.ts';
import type { ConversationsApi } from './api.ts';
import { StoredConversations } from './conversations.ts';
import { CONVERSATIONS, MESSAGES, migrationsFor, STORED_TABLES } from './migrations.ts';
import { ConversationsOptions } from './options.ts';
import { recordedAgent } from './recorded-agent.ts';
import { streamRoutes } from './resume/routes.ts';
import { RunningAnswers } from './resume/running-answers.ts';
import { StreamStore } from './resume/stream-store.ts';
import { conversationRoutes } from './routes.ts';
import { ConversationStore } from './store.ts';
import { storedAnswers } from './stored-answers.ts';

export type { AnswerRef, ConversationsApi, StoredAnswer } from './api.ts';
export { type AskedQuestion, askedQuestions, type GivenAnswer } from './asked-questions.ts';
export type { ConversationDetail, ConversationInfo, ConversationPage } from './schemas.ts';

/** For tables whose rows are deleted with a conversation or a message. */
export const CONVERSATION_TABLES = { conversations: CONVERSATIONS, messages: MESSAGES };

export const conversations = definePlugin({
  name: 'conversations',
  version: '1.0.0',
  type: 'interaction',
  description: 'Keeps questions and answers, to be shown and continued.',
  needs: { db: internalDb, queryApi: optional(queryApi), layer: optional(semanticLayer) },
  options: ConversationsOptions,
  async setup(
    ctx,
    { deletedUsers, reuseStatements, ...limits },
    { db, queryApi: answers, layer },
  ): Promise<ConversationsApi> {
    const store = new ConversationStore(db);
    const stored = new StoredConversations(store, { now: () => db.now(), logOf: ctx.logOf });
    const streams = new StreamStore(db);
    const running = new RunningAnswers({ ...limits, store: streams, now: ctx.now, log: ctx.log });
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    const reuse = reuseStatements && db.configured ? await reuseOf(ctx, db, layer) : undefined;
    ctx.tap(agentWrap, () => (db.configured ? [(ask) => recordedAgent(stored, ask, running, reuse)] : []));
    if (reuse !== undefined) {
      // After what verified queries say.
      ctx.tap(contextCollect, (question, scope) => reuse.context(question, scope), { stage: 'post' });
      ctx.onClose(() => reuse.settled());
    }
    ctx.tap(httpRoutes, () =>
      db.routes([
        ...conversationRoutes(store, stored, showsSqlBy(answers)),
        ...(answers ? streamRoutes({ store, streams, conversations: stored, running, queryApi: answers }) : []),
      ]),
    );
    ctx.tap(userDelete, ({ userId, actorId }) => {
      if (deletedUsers === 'delete') return store.leave({ user_id: userId }, undefined);
      if (actorId !== null) return store.leave({ user_id: userId }, actorId);
      throw new AtlasError('No administrator is signed in to take over the conversations of this user.', {
        code: 'conflict',
      });
    });
    ctx.tap(organizationDelete, ({ orgId }) => store.leave({ org_id: orgId }, undefined));
    ctx.onClose(() => stored.settled());
    return storedAnswers(store, stored);
  },
});

/** Loaded where it is asked for. */
async function reuseOf(ctx: PluginContext, db: InternalDb, layer: SemanticLayerApi | undefined) {
  const [{ Reuse }, { ReuseStore }] = await Promise.all([import('./reuse/reuse.ts'), import('./reuse/store.ts')]);
  return new Reuse({ ctx, layer, store: new ReuseStore(db) });
}
