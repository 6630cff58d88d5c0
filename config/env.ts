/**
 * Declares every environment variable of the built-in composition by the plugin option that it sets, and reads them.
 * The table in `docs/configuration.md` is generated from here; range, default and description stand in the plugins.
 */
import { type Static, Type } from '@sinclair/typebox';
import { AtlasError, nearest } from '../kernel/index.ts';
import { actionEmail } from '../plugins/action-email/index.ts';
import { actionSlack } from '../plugins/action-slack/index.ts';
import { actionWebhook } from '../plugins/action-webhook/index.ts';
import { actions } from '../plugins/actions/index.ts';
import { adminConnections } from '../plugins/admin-connections/index.ts';
import { adminIntegrations } from '../plugins/admin-integrations/index.ts';
import { adminLearn } from '../plugins/admin-learn/index.ts';
import { adminResidency } from '../plugins/admin-residency/index.ts';
import { agent } from '../plugins/agent/index.ts';
import { alternativeReadings } from '../plugins/alternative-readings/index.ts';
import { approvalRules } from '../plugins/approval-rules/index.ts';
import { audit } from '../plugins/audit/index.ts';
import { backups } from '../plugins/backups/index.ts';
import { charts } from '../plugins/charts/index.ts';
import { conversations } from '../plugins/conversations/index.ts';
import { deliverEmail } from '../plugins/deliver-email/index.ts';
import { deliverSlack } from '../plugins/deliver-slack/index.ts';
import { exports } from '../plugins/exports/index.ts';
import { http, isLoopback } from '../plugins/http/index.ts';
import { INTERNAL_DB_SCHEMES, internalDb } from '../plugins/internal-db/index.ts';
import { outbound } from '../plugins/outbound/index.ts';
import { queryApi } from '../plugins/query-api/index.ts';
import { rateLimit } from '../plugins/rate-limit/index.ts';
import { resultCache } from '../plugins/result-cache/index.ts';
import { rowSecurity } from '../plugins/row-security/index.ts';
import { semanticLayer } from '../plugins/semantic-layer/index.ts';
import { sharedLimits } from '../plugins/shared-limits/index.ts';
import { sqlLimits } from '../plugins/sql-limits/index.ts';
import { telemetryOtel } from '../plugins/telemetry-otel/index.ts';
import { usage } from '../plugins/usage/index.ts';
import { AUTH_MODES } from './presets/authentication.ts';
import { ENGINES } from './presets/datasources.ts';
import { FALLBACK, PROVIDERS } from './presets/models.ts';
import {
  type Alternative,
  ambiguity,
  baseUrl,
  type Chosen,
  choose,
  httpUrl,
  named,
  origins,
  proxies,
  type Settings,
  settings,
  settingsOf,
  urlOf,
  type Values,
  type Variable,
} from './variable.ts';

const choice = (alternatives: readonly Alternative[], description: string) =>
  Type.Optional(
    Type.Unsafe<string>(
      Type.Union(
        alternatives.flatMap(({ name, aliases }) => [name, ...aliases]).map((name) => Type.Literal(name)),
        { description },
      ),
    ),
  );

/** `byot` with `SVC_AUTH_JWKS_URL`, else `managed` with `AUTHLIB_SECRET`, else `none`. */
const choiceInWords = (alternatives: readonly Alternative[]) =>
  alternatives
    .flatMap(({ name, chosenBy }, index) => {
      if (chosenBy !== undefined) return [`\`${name}\` with \`${chosenBy}\``];
      return index === alternatives.length - 1 ? [`\`${name}\``] : [];
    })
    .join(', else ');

/** What is decided before any plugin has options. */
const DECISIONS = Type.Object({
  datasourceUrl: Type.Optional(
    Type.String({ description: 'the database that questions are about; without it queries answer `no_datasource`' }),
  ),
  authMode: choice(AUTH_MODES, `authentication mode; without it ${choiceInWords(AUTH_MODES)}`),
  provider: choice(PROVIDERS, `model provider; without it ${choiceInWords(PROVIDERS)}`),
  rlsEnabled: Type.Boolean({ default: false, description: 'whether every table is filtered by a claim of the user' }),
  mcpEnabled: Type.Boolean({ default: false, description: 'whether the server serves MCP clients at `/mcp`' }),
  analysisEnabled: Type.Boolean({
    default: false,
    description: 'whether the agent explains, compares and forecasts measures by tools',
  }),
  actionsEnabled: Type.Boolean({ default: false, description: 'whether the model may ask for actions' }),
  schedulerEnabled: Type.Boolean({ default: false, description: 'whether questions can be scheduled' }),
  deployMode: Type.Union([Type.Literal('self-hosted'), Type.Literal('hosted')], {
    default: 'self-hosted',
    description: 'whether the server is one of a hosted platform, which has endpoints for backups',
  }),
  profile: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description:
      'whether a server with an internal database measures row counts, ranges of dates and values of the tables once a day',
  }),
  logLevel: Type.Union([Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')], {
    default: 'info',
    description: 'least important level that is written to standard error',
  }),
  apiUrl: Type.String({
    default: 'http://localhost:3001',
    description: 'server that the command line asks; without it the one at `PORT` on this machine',
  }),
  schema: Type.Optional(
    Type.String({
      description: "schema that `init` and `diff` read; without it the connection's own, such as `public`",
    }),
  ),
});

const decisions = settingsOf<Static<typeof DECISIONS>>(DECISIONS, {
  datasourceUrl: named('SVC_DATASOURCE_URL', urlOf(ENGINES.flatMap(({ schemes }) => schemes))),
  authMode: 'SVC_AUTH_MODE',
  provider: 'SVC_PROVIDER',
  rlsEnabled: 'SVC_RLS_ENABLED',
  mcpEnabled: 'SVC_MCP_ENABLED',
  analysisEnabled: 'SVC_ANALYSIS_ENABLED',
  actionsEnabled: 'SVC_ACTIONS_ENABLED',
  schedulerEnabled: 'SVC_SCHEDULER_ENABLED',
  deployMode: 'SVC_DEPLOY_MODE',
  profile: 'SVC_PROFILE',
  logLevel: 'SVC_LOG_LEVEL',
  apiUrl: named('SVC_API_URL', httpUrl),
  schema: 'SVC_SCHEMA',
});

// Deliveries and actions send in the same ways.
const EMAIL = { smtpUrl: 'SVC_SMTP_URL', from: 'SVC_EMAIL_FROM' } as const;
const SLACK = { botToken: 'SLACK_BOT_TOKEN', apiUrl: 'SVC_SLACK_API_URL' } as const;

/** The plugins whose options the environment sets. Those with a required option run only where it is set. */
const PLUGINS = {
  http: settings(http, {
    port: 'PORT',
    host: 'SVC_HOST',
    bodyLimitBytes: 'SVC_BODY_LIMIT',
    corsOrigins: named('SVC_CORS_ORIGIN', origins),
    allowedHosts: 'SVC_ALLOWED_HOSTS',
    publicUrl: named('SVC_PUBLIC_URL', baseUrl),
    trustProxy: named('SVC_TRUST_PROXY', proxies),
    stopDelayMs: 'SVC_STOP_DELAY_MS',
    maxRunning: 'SVC_MAX_RUNNING',
  }),
  internalDb: settings(internalDb, {
    url: named('DATABASE_URL', urlOf(INTERNAL_DB_SCHEMES)),
    encryptionKeys: 'SVC_ENCRYPTION_KEY',
    deriveFrom: 'AUTHLIB_SECRET',
  }),
  outbound: settings(outbound, { allowPrivate: 'SVC_ALLOW_PRIVATE_URLS' }),
  adminConnections: settings(adminConnections, {
    filesDirs: 'SVC_CONNECTION_FILES_DIR',
    privateHosts: 'SVC_CONNECTION_PRIVATE_HOSTS',
  }),
  adminLearn: settings(adminLearn, { casesDir: 'SVC_LEARN_CASES_DIR' }),
  charts: settings(charts, { tool: 'SVC_CHARTS_TOOL' }),
  conversations: settings(conversations, {
    reuseStatements: 'SVC_REUSE_STATEMENTS',
    unattendedMs: 'SVC_UNATTENDED_MS',
  }),
  queryApi: settings(queryApi, { sqlFor: 'SVC_SQL_FOR' }),
  rateLimit: settings(rateLimit, { requestsPerMinute: 'SVC_RATE_LIMIT_RPM' }),
  sharedLimits: settings(sharedLimits, { redisUrl: named('SVC_REDIS_URL', urlOf(['redis', 'rediss'])) }),
  semanticLayer: settings(semanticLayer, { dir: 'SVC_SEMANTIC_DIR', contextBytes: 'SVC_SEMANTIC_CONTEXT_BYTES' }),
  sqlLimits: settings(sqlLimits, {
    maxRows: 'SVC_ROW_LIMIT',
    maxBytes: 'SVC_RESULT_BYTES',
    timeoutMs: 'SVC_QUERY_TIMEOUT_MS',
  }),
  rowSecurity: settings(rowSecurity, {
    column: 'SVC_RLS_COLUMN',
    claim: 'SVC_RLS_CLAIM',
    exempt: 'SVC_RLS_EXEMPT',
    staticClaims: 'SVC_RLS_CLAIMS',
  }),
  audit: settings(audit, { retentionDays: 'SVC_AUDIT_RETENTION_DAYS' }),
  backups: settings(backups, {
    dir: 'SVC_BACKUP_DIR',
    retentionDays: 'SVC_BACKUP_RETENTION_DAYS',
    schedule: 'SVC_BACKUP_SCHEDULE',
    toolsDir: 'SVC_BACKUP_TOOLS_DIR',
    scratchUrl: named('SVC_BACKUP_SCRATCH_URL', urlOf(['postgres', 'postgresql'])),
  }),
  actions: settings(actions, {
    approval: 'SVC_ACTION_APPROVAL',
    approvalExpiryMs: 'SVC_ACTION_EXPIRY_MS',
  }),
  approvalRules: settings(approvalRules, { approval: 'SVC_APPROVAL_MODE' }),
  alternativeReadings: settings(alternativeReadings, { maxStatements: 'SVC_ALTERNATIVE_READINGS' }),
  resultCache: settings(resultCache, {
    ttlMs: 'SVC_RESULT_CACHE_TTL_MS',
    maxEntries: 'SVC_RESULT_CACHE_ENTRIES',
    maxBytes: 'SVC_RESULT_CACHE_BYTES',
  }),
  exports: settings(exports, {
    url: named('SVC_EXPORT_URL', urlOf(['file', 's3'])),
    maxRows: 'SVC_EXPORT_ROW_LIMIT',
    timeoutMs: 'SVC_EXPORT_TIMEOUT_MS',
    retentionDays: 'SVC_EXPORT_RETENTION_DAYS',
  }),
  agent: settings(agent, {
    maxSteps: 'SVC_MAX_STEPS',
    candidates: 'SVC_CANDIDATES',
    stepTimeoutMs: 'SVC_MODEL_TIMEOUT_MS',
    questionBudgetBytes: 'SVC_QUESTION_BUDGET_BYTES',
    processBudgetBytes: 'SVC_PROCESS_BUDGET_BYTES',
  }),
  email: settings(deliverEmail, EMAIL),
  actionEmail: settings(actionEmail, EMAIL),
  slack: settings(deliverSlack, SLACK),
  actionSlack: settings(actionSlack, SLACK),
  adminIntegrations: settings(adminIntegrations, {
    slackApiUrl: SLACK.apiUrl,
    discordApiUrl: 'SVC_DISCORD_API_URL',
    teamsApiUrl: 'SVC_TEAMS_API_URL',
  }),
  adminResidency: settings(adminResidency, { region: 'SVC_REGION', regions: 'SVC_REGIONS' }),
  actionWebhook: settings(actionWebhook, { secret: 'SVC_ACTION_WEBHOOK_SECRET' }),
  usage: settings(usage, {
    questionTokens: 'SVC_BUDGET_QUESTION_TOKENS',
    userDayTokens: 'SVC_BUDGET_USER_DAY_TOKENS',
    orgMonthTokens: 'SVC_BUDGET_ORG_MONTH_TOKENS',
    prices: 'SVC_MODEL_PRICES',
    retentionDays: 'SVC_USAGE_RETENTION_DAYS',
  }),
  telemetry: settings(telemetryOtel, {
    endpoint: named('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl),
    headers: 'OTEL_EXPORTER_OTLP_HEADERS',
    serviceName: 'OTEL_SERVICE_NAME',
    attributes: 'OTEL_RESOURCE_ATTRIBUTES',
    traceRatio: 'OTEL_TRACES_SAMPLER_ARG',
    intervalMs: 'OTEL_METRIC_EXPORT_INTERVAL',
    content: 'SVC_TELEMETRY_CONTENT',
    metricsRoute: 'SVC_METRICS_ENABLED',
    metricsPublic: 'SVC_METRICS_PUBLIC',
    metricsToken: 'SVC_METRICS_TOKEN',
  }),
};

/** In the order of the documentation: the first option that a variable sets describes it. */
const ALL: readonly Settings<unknown>[] = [
  decisions,
  PLUGINS.http,
  ...AUTH_MODES.map((mode) => mode.settings),
  ...Object.values(PLUGINS).filter((item) => item !== PLUGINS.http),
  ...PROVIDERS.map((provider) => provider.settings),
  FALLBACK,
];

/** Every variable once, with all the options that it sets. */
export const variables: readonly Variable[] = Object.values(
  Object.groupBy(
    ALL.flatMap((item) => item.variables),
    ({ name }) => name,
  ),
).flatMap((same = []) =>
  same[0] === undefined ? [] : [{ ...same[0], options: [...new Set(same.flatMap(({ options }) => options))] }],
);

type OptionsOf<S> = S extends Settings<infer O> ? O : never;
type PluginOptions = { readonly [K in keyof typeof PLUGINS]: OptionsOf<(typeof PLUGINS)[K]> };

/** Options by plugin; `undefined`: `rateLimit` without a limit, `exports` without a place, `resultCache` without a time. */
export interface Env
  extends Omit<PluginOptions, 'rateLimit' | 'exports' | 'resultCache'>,
    Omit<Static<typeof DECISIONS>, 'authMode' | 'provider'> {
  readonly rateLimit: PluginOptions['rateLimit'] | undefined;
  readonly exports: PluginOptions['exports'] | undefined;
  readonly resultCache: PluginOptions['resultCache'] | undefined;
  readonly authMode: Chosen;
  readonly provider: Chosen;
  /** The variables that are set, with their values. */
  readonly set: Values;
}

export interface ReadEnv {
  readonly env: Env;
  /** One sentence each. */
  readonly warnings: readonly string[];
}

type Source = Readonly<Record<string, string | undefined>>;

/** Variables that stand in for another that is not set. */
const ALSO_KNOWN_AS: Readonly<Record<string, string>> = {
  GOOGLE_GENERATIVE_AI_API_KEY: 'GEMINI_API_KEY',
  SVC_PUBLIC_URL: 'AUTHLIB_URL',
};

/**
 * Reads the environment for the built-in composition. Throws `configuration_error` with all problems at once: the
 * variable and the expected value, but never the value, which may be a secret.
 */
export function readEnv(source: Source): ReadEnv {
  const problems: string[] = [];
  const values = new Map<string, unknown>();
  for (const { name, expected, read } of variables) {
    const own = source[name]?.trim() ?? '';
    const text = own || source[ALSO_KNOWN_AS[name] ?? '']?.trim() || '';
    const value = text === '' ? undefined : read(text);
    if (value !== undefined) values.set(name, value);
    else if (own !== '') problems.push(`${name} is invalid: expected ${expected}.`);
  }
  const mode = choose(AUTH_MODES, 'SVC_AUTH_MODE', values);
  const provider = choose(PROVIDERS, 'SVC_PROVIDER', values);
  const blank = blankCredentials(source, values.has('SVC_AUTH_MODE') ? [mode] : AUTH_MODES);
  problems.push(
    ...blank.map((name) => `${name} is set but empty; give it a value, or unset it.`),
    ...variablesOf(mode)
      .filter((name) => !values.has(name) && !problems.some((line) => line.startsWith(`${name} is`)))
      .filter((name) => !blank.includes(name))
      .map((name) => `The authentication mode is ${mode.name}; set ${name} too.`),
    ...ALL.flatMap((item) => item.problems(values)),
    ...ambiguity(PROVIDERS, 'SVC_PROVIDER', values),
    ...rowSecurityProblems(values),
  );
  if (problems.length > 0) {
    throw new AtlasError(`The environment is invalid:\n${problems.map((line) => `  - ${line}`).join('\n')}`, {
      code: 'configuration_error',
      reason: 'E_ENV',
    });
  }
  const plugins = Object.entries(PLUGINS).map(([key, item]) => [key, item.read(values)]);
  const chosen = (item: Alternative): Chosen => ({ ...item, plugin: item.plugin(values) });
  const env = {
    ...decisions.read(values),
    ...Object.fromEntries(plugins),
    authMode: chosen(mode),
    provider: chosen(provider),
    set: values,
  } as Env;
  const warnings = [...unknownNames(source), ...unusedProtection(mode, env, values), provider.warning(values)];
  return { env, warnings: warnings.filter((warning) => warning !== undefined) };
}

/** The variables without which a mode cannot run. */
const variablesOf = ({ settings, needs }: Alternative) => [...settings.required, ...needs];

/** The credentials that were meant to protect the server and are empty. */
function blankCredentials(source: Source, modes: readonly Alternative[]): string[] {
  return modes.flatMap(({ chosenBy }) => (chosenBy !== undefined && source[chosenBy]?.trim() === '' ? [chosenBy] : []));
}

function rowSecurityProblems(values: Values): string[] {
  const needed = ['SVC_RLS_COLUMN', 'SVC_RLS_CLAIM'];
  const set = needed.filter((name) => values.has(name));
  if (values.get('SVC_RLS_ENABLED') === true)
    return set.length < 2 ? ['SVC_RLS_ENABLED is true; set SVC_RLS_COLUMN and SVC_RLS_CLAIM too.'] : [];
  return set.length > 0
    ? ['SVC_RLS_COLUMN or SVC_RLS_CLAIM is set without SVC_RLS_ENABLED=true; set it, or unset them.']
    : [];
}

/** Warns of what was set for protection and protects nothing. */
function unusedProtection(mode: Alternative, { http: { host = '' }, telemetry }: Env, values: Values): string[] {
  // What a plugin of every mode has too, such as AUTHLIB_SECRET for stored secrets, is used.
  const used = [
    ...variablesOf(mode),
    ...Object.values(PLUGINS).flatMap((item) => item.variables.map(({ name }) => name)),
  ];
  const unused = AUTH_MODES.flatMap(variablesOf).filter((name) => values.has(name) && !used.includes(name));
  const warnings = unused.map(
    (name) => `${name} is set, but the authentication mode is ${mode.name}, which does not use it.`,
  );
  if (mode.isOpen && !isLoopback(host)) {
    warnings.push(
      `SVC_HOST is ${host} and the authentication mode is ${mode.name}: every client that reaches it is an administrator. Set SVC_API_KEY or another mode.`,
    );
  }
  if (telemetry.metricsRoute !== true && (telemetry.metricsToken !== undefined || telemetry.metricsPublic === true)) {
    warnings.push('SVC_METRICS_TOKEN or SVC_METRICS_PUBLIC is set without SVC_METRICS_ENABLED=true.');
  }
  return warnings;
}

function unknownNames(source: Source): string[] {
  const known = variables.map(({ name }) => name);
  return Object.keys(source)
    .filter((name) => /^(SVC|AUTHLIB)_/.test(name) && !known.includes(name))
    .map((name) => {
      const plain = name.replace(/^SVC_/, '');
      const near = known.includes(plain) ? plain : nearest(name, known);
      return `${name} is not a variable of Atlas${near === undefined ? '' : `; did you mean ${near}?`}`;
    });
}
