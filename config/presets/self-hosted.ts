/**
 * The built-in composition: builds the list of plugins from the environment.
 *
 *     import { selfHosted } from 'atlas-query/presets/self-hosted';
 *     export default defineConfig({ plugins: [...selfHosted(), myPlugin()] });
 */
import type { PluginEntry } from '../../kernel/index.ts';
import { agent } from '../../plugins/agent/index.ts';
import { audit } from '../../plugins/audit/index.ts';
import { conversations } from '../../plugins/conversations/index.ts';
import { datasourceDuckdb } from '../../plugins/datasource-duckdb/index.ts';
import { datasourceMysql } from '../../plugins/datasource-mysql/index.ts';
import { datasourcePostgres } from '../../plugins/datasource-postgres/index.ts';
import { datasourceSqlite } from '../../plugins/datasource-sqlite/index.ts';
import { health } from '../../plugins/health/index.ts';
import { http } from '../../plugins/http/index.ts';
import { internalDb } from '../../plugins/internal-db/index.ts';
import { modelOffline } from '../../plugins/model-offline/index.ts';
import { modelOpenai } from '../../plugins/model-openai/index.ts';
import { openapi } from '../../plugins/openapi/index.ts';
import { queryApi } from '../../plugins/query-api/index.ts';
import { rowSecurity } from '../../plugins/row-security/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { semanticQuery } from '../../plugins/semantic-query/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { sqlLimits } from '../../plugins/sql-limits/index.ts';
import { telemetryOtel } from '../../plugins/telemetry-otel/index.ts';
import { type Env, readEnv } from '../env.ts';
import { authentication } from './authentication.ts';

export { type Env, readEnv } from '../env.ts';
export { authentication } from './authentication.ts';

/** The language model, or the offline one. */
export function model(env: Env): PluginEntry {
  const provider = env.provider ?? (env.openaiApiKey === undefined ? 'offline' : 'openai');
  if (provider === 'offline') return modelOffline();
  return modelOpenai({ provider, model: env.model, apiKey: env.openaiApiKey, baseUrl: env.openaiBaseUrl });
}

/** The database that questions are about. */
export function datasources({ datasourceUrl: url }: Env): PluginEntry[] {
  if (url === undefined) return [];
  const connections = [{ id: 'default', url }];
  if (/^postgres(ql)?:/.test(url)) return [datasourcePostgres({ connections })];
  if (/^(mysql|mariadb):/.test(url)) return [datasourceMysql({ connections })];
  if (url.startsWith('duckdb:')) return [datasourceDuckdb({ connections })];
  return [datasourceSqlite({ connections })];
}

/** Row security, where it is configured. */
export function policies(env: Env): PluginEntry[] {
  if (!env.rlsEnabled) return [];
  return [
    rowSecurity({ column: env.rlsColumn, claim: env.rlsClaim, exempt: env.rlsExempt, staticClaims: env.rlsClaims }),
  ];
}

/** Traces and metrics, where they are asked for. */
export function telemetry(env: Env): PluginEntry[] {
  if (env.otlpEndpoint === undefined && !env.metricsEnabled) return [];
  return [
    telemetryOtel({
      endpoint: env.otlpEndpoint,
      headers: env.otlpHeaders,
      serviceName: env.otelServiceName,
      attributes: env.otelAttributes,
      traceRatio: env.otelTraceRatio,
      intervalMs: env.otelMetricIntervalMs,
      content: env.telemetryContent,
      metricsRoute: env.metricsEnabled,
      metricsPublic: env.metricsPublic,
      metricsToken: env.metricsToken,
    }),
  ];
}

/** Every plugin of the built-in composition, with the options that the environment sets. */
export function selfHosted(env: Env = readEnv(process.env).env): PluginEntry[] {
  return [
    // First, so that it closes last and sees what the others do until then.
    ...telemetry(env),
    http({
      port: env.port,
      host: env.host,
      bodyLimitBytes: env.bodyLimit,
      corsOrigins: env.corsOrigin,
      trustProxy: env.trustProxy,
    }),
    openapi(),
    health(),
    internalDb({ url: env.databaseUrl, encryptionKeys: env.encryptionKeys, deriveFrom: env.authSecret }),
    ...authentication(env),
    semanticLayer({ dir: env.semanticDir }),
    semanticQuery(),
    sqlLimits({ maxRows: env.rowLimit, maxBytes: env.resultBytes, timeoutMs: env.queryTimeoutMs }),
    sqlGuard(),
    ...policies(env),
    ...datasources(env),
    model(env),
    audit({ retentionDays: env.auditRetentionDays }),
    conversations(),
    agent({
      maxSteps: env.maxSteps,
      stepTimeoutMs: env.modelTimeoutMs,
      questionBudgetBytes: env.questionBudgetBytes,
      processBudgetBytes: env.processBudgetBytes,
    }),
    queryApi(),
  ];
}
