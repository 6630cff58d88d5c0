/** Checks, stores and shows the bots that organizations bring. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AtlasError, didYouMean, type Scope } from '../../kernel/index.ts';
import { shownBy } from '../admin-kit/index.ts';
import type { Audit } from '../audit/index.ts';
import { maskedKey } from '../redaction-kit/index.ts';
import type { BotCredentials, ChatPlatform } from './chat-platform.ts';
import { Integration } from './schemas.ts';
import type { IntegrationRow, IntegrationStore } from './store.ts';

export interface IntegrationsInit {
  readonly store: IntegrationStore;
  readonly log: Audit | undefined;
  readonly now: () => number;
  platforms(scope: Scope): Promise<readonly ChatPlatform[]>;
}

const summaryOf = (row: IntegrationRow | undefined) =>
  row === undefined
    ? null
    : { platform: row.platform, applicationId: row.application_id, botUsername: row.bot_username };

const shown = shownBy(Integration);

export function integrations({ store, log, now, platforms }: IntegrationsInit) {
  async function platformOf(name: string, scope: Scope): Promise<ChatPlatform> {
    const known = await platforms(scope);
    const found = known.find((platform) => platform.name === name);
    if (found !== undefined) return found;
    const names = known.map((platform) => platform.name);
    throw new AtlasError(
      `There is no chat platform "${name}"${didYouMean(name, names) || `; known: ${names.join(', ')}.`}`,
      { code: 'not_found' },
    );
  }

  async function record(
    before: IntegrationRow | undefined,
    after: IntegrationRow | undefined,
    scope: Scope,
    trx: Knex.Transaction,
  ): Promise<void> {
    const { id, platform } = (after ?? before) as IntegrationRow;
    await log?.change(
      {
        action: after === undefined ? 'integration.removed' : 'integration.connected',
        target: { type: 'integration', id, label: platform },
        before: summaryOf(before),
        after: summaryOf(after),
      },
      scope,
      trx,
    );
  }

  async function stored(name: string, scope: Scope): Promise<[ChatPlatform, IntegrationRow]> {
    const platform = await platformOf(name, scope);
    const row = await store.find({ org_id: scope.orgId, platform: name });
    if (row === undefined) throw notConnected(platform);
    return [platform, row];
  }

  return {
    async list(scope: Scope) {
      const [rows, known] = [await store.list(scope.orgId), await platforms(scope)];
      return { integrations: rows.map(shown), platforms: known.map(({ name }) => name) };
    },
    /** Stores nothing unless the platform knows the token. */
    async connect(name: string, credentials: BotCredentials, scope: Scope) {
      const platform = await platformOf(name, scope);
      const owner = { org_id: scope.orgId, platform: platform.name };
      const sealed = await store.seal(owner, credentials);
      const botUsername = await platform.verify(credentials, scope.signal);
      const at = new Date(now()).toISOString();
      const row = {
        ...owner,
        id: randomUUID(),
        application_id: credentials.applicationId,
        bot_username: botUsername,
        bot_token_masked: maskedKey(credentials.botToken),
        credentials: sealed,
        created_by: scope.actor.id,
        created_at: at,
        updated_at: at,
      };
      await store.save(row, (before, after, trx) => record(before, after, scope, trx));
      return { message: `${platform.label} is connected as ${botUsername}.`, botUsername };
    },
    async remove(name: string, scope: Scope): Promise<void> {
      const platform = await platformOf(name, scope);
      const owner = { org_id: scope.orgId, platform: name };
      const isRemoved = await store.remove(owner, (before, after, trx) => record(before, after, scope, trx));
      if (!isRemoved) throw notConnected(platform);
    },
    async test(name: string, scope: Scope) {
      const [platform, row] = await stored(name, scope);
      const startedAt = performance.now();
      const botUsername = await platform.verify(await store.open(row), scope.signal);
      const latencyMs = Math.round(performance.now() - startedAt);
      return { status: 'ok' as const, botUsername, latencyMs, checkedAt: new Date(now()).toISOString() };
    },
    /** What the organization of the request sends with; `undefined`: it has brought no bot of the platform. */
    async credentials(platform: string, { orgId }: Scope): Promise<BotCredentials | undefined> {
      const row = await store.find({ org_id: orgId, platform });
      return row && store.open(row);
    },
  };
}
export type Integrations = ReturnType<typeof integrations>;

const notConnected = ({ label }: ChatPlatform) =>
  new AtlasError(`${label} is not connected here.`, { code: 'not_found', hint: 'Send the token of a bot first.' });
