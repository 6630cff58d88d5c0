/** Checks, tries, stores and shows the model that an organization chooses. */
import type { Knex } from 'knex';
import { AtlasError, didYouMean, type Scope } from '../../kernel/index.ts';
import { invalidBody, shownBy } from '../admin-kit/index.ts';
import type { Audit } from '../audit/index.ts';
import type { ChosenModel, ModelProvider, OpenModel } from '../model-kit/index.ts';
import type { Outbound } from '../outbound/index.ts';
import { ModelConfig, type ModelConfigBody } from './schemas.ts';
import type { ModelConfigRow, ModelConfigStore } from './store.ts';
import { testCall } from './test-call.ts';

export interface ConfigurationInit {
  readonly store: ModelConfigStore;
  readonly outbound: Pick<Outbound, 'check'>;
  readonly log: Audit | undefined;
  /** Those of the composition. */
  providers(scope: Scope): Promise<readonly ModelProvider[]>;
  /** Opens a model over connections that reach public addresses only. */
  open(provider: ModelProvider, chosen: ChosenModel): OpenModel;
  /** Called once a change is stored. */
  changed(orgId: string | null): void;
  readonly testTimeoutMs: number;
}

interface Choice {
  readonly provider: ModelProvider;
  readonly chosen: ChosenModel;
}

const nothingStored = () =>
  new AtlasError("No model is configured here; the server's own answers.", {
    code: 'not_found',
    hint: 'Send provider and model.',
  });

/** `undefined` for the provider's own address. */
const originOf = (url: string | null | undefined) => (url == null ? undefined : URL.parse(url)?.origin);

/** Whether the stored key goes where it went before. */
const isSamePlace = (body: ModelConfigBody, stored: ModelConfigRow) =>
  body.provider === stored.provider && originOf(body.baseUrl) === originOf(stored.base_url);

const summaryOf = ({ provider, model, base_url: baseUrl, api_key_masked: apiKey }: ModelConfigRow) => ({
  provider,
  model,
  baseUrl,
  apiKey,
});

const shown = shownBy(ModelConfig);

export function configuration({ store, outbound, log, providers, open, changed, testTimeoutMs }: ConfigurationInit) {
  async function providerOf(name: string, scope: Scope): Promise<ModelProvider> {
    const known = await providers(scope);
    const found = known.find((provider) => provider.name === name);
    if (found !== undefined) return found;
    const names = known.map((provider) => provider.name);
    throw invalidBody(
      'provider',
      `is not a provider of this server${didYouMean(name, names) || ` (${names.join(', ')})`}`,
    );
  }

  /** The key of the body, or the stored one where it may be used. */
  async function keyFor(body: ModelConfigBody, provider: ModelProvider, stored: ModelConfigRow | undefined) {
    if (body.apiKey != null) return body.apiKey;
    const isKept = body.apiKey === undefined && stored?.api_key != null && provider.apiKey !== 'none';
    if (!isKept) return undefined;
    if (isSamePlace(body, stored)) return store.keyOf(stored);
    throw invalidBody(
      'apiKey',
      'must be entered again, because the stored key is sent to no other provider or address; null stores none',
    );
  }

  /** Rejects with `validation_error`, or with `invalid_request` for an address that may not be called. */
  async function choiceOf(body: ModelConfigBody, stored: ModelConfigRow | undefined, scope: Scope): Promise<Choice> {
    const provider = await providerOf(body.provider, scope);
    const { model, baseUrl } = body;
    if (baseUrl != null) {
      if (!URL.canParse(baseUrl)) throw invalidBody('baseUrl', 'must be an http or https URL');
      await outbound.check(baseUrl);
    }
    const given = { baseUrl: baseUrl ?? undefined, apiKey: await keyFor(body, provider, stored) };
    for (const field of ['baseUrl', 'apiKey'] as const) {
      const isGiven = given[field] !== undefined;
      if (provider[field] === 'none' && isGiven)
        throw invalidBody(field, `is not taken by the provider "${provider.name}"`);
      if (provider[field] === 'required' && !isGiven) {
        throw invalidBody(field, `is required by the provider "${provider.name}"`);
      }
    }
    const { apiKey } = given;
    const chosen = { model, ...(baseUrl != null && { baseUrl }), ...(apiKey !== undefined && { apiKey }) };
    return { provider, chosen };
  }

  async function tried({ provider, chosen }: Choice, scope: Scope): Promise<number> {
    const model = open(provider, chosen);
    try {
      return await testCall(model, scope, testTimeoutMs);
    } finally {
      model.close();
    }
  }

  async function record(
    action: string,
    before: ModelConfigRow | undefined,
    after: ModelConfigRow | undefined,
    scope: Scope,
    trx: Knex.Transaction,
  ): Promise<void> {
    const { id, provider, model } = (after ?? before) as ModelConfigRow;
    await log?.change(
      {
        action,
        target: { type: 'model_config', id, label: `${provider}/${model}` },
        before: before === undefined ? null : summaryOf(before),
        after: after === undefined ? null : summaryOf(after),
      },
      scope,
      trx,
    );
  }

  return {
    providers,
    async read({ orgId }: Scope) {
      const row = await store.read(orgId);
      return row === undefined ? null : shown(row);
    },
    /** Stores nothing unless a call of the model succeeds. */
    async replace(body: ModelConfigBody, scope: Scope) {
      const { orgId } = scope;
      const before = await store.read(orgId);
      const choice = await choiceOf(body, before, scope);
      const { provider, chosen } = choice;
      const after = await store.prepared(
        {
          org_id: orgId,
          provider: provider.name,
          model: chosen.model,
          base_url: chosen.baseUrl ?? null,
          apiKey: chosen.apiKey,
        },
        before,
      );
      await tried(choice, scope);
      await store.write(after, before, (trx) => record('model_config.replaced', before, after, scope, trx));
      changed(orgId);
      return shown(after);
    },
    async remove(scope: Scope): Promise<void> {
      const { orgId } = scope;
      const isRemoved = await store.remove(orgId, (before, trx) =>
        record('model_config.deleted', before, undefined, scope, trx),
      );
      if (!isRemoved) throw nothingStored();
      changed(orgId);
    },
    /** Tries what is given, or without it what is stored. */
    async test(body: ModelConfigBody | undefined, scope: Scope) {
      const stored = await store.read(scope.orgId);
      const asked = body ?? (stored && { provider: stored.provider, model: stored.model, baseUrl: stored.base_url });
      if (asked === undefined) throw nothingStored();
      const choice = await choiceOf(asked, stored, scope);
      const latencyMs = await tried(choice, scope);
      return { status: 'ok' as const, provider: choice.provider.name, model: choice.chosen.model, latencyMs };
    },
  };
}
export type Configuration = ReturnType<typeof configuration>;
