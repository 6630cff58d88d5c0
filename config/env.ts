/** Every environment variable of the built-in composition, declared once. The table in `docs/configuration.md` is generated from here. */
import { AtlasError, nearest } from '../kernel/index.ts';
import {
  choice,
  databaseUrl,
  email,
  encryptionKeys,
  flag,
  httpOrigin,
  httpUrl,
  integer,
  jsonObject,
  list,
  origins,
  pairs,
  proxies,
  secret,
  share,
  text,
  type Variable,
} from './variable.ts';

const AUTH_MODES = ['none', 'api-key', 'simple-key', 'managed', 'byot'] as const;
const ROLES = ['viewer', 'analyst', 'admin'] as const;
/** Of what a mode is chosen by: a secret that could not be read must not leave the server open. */
const NEVER_BLANK = 'Set but empty, it stops the start, unless `SVC_AUTH_MODE` names a mode without it.';
const DATASOURCE_SCHEMES = ['postgres', 'postgresql', 'mysql', 'mariadb', 'sqlite', 'duckdb'] as const;

export const variables = {
  port: integer('PORT', 3001, [0, 65_535], { description: 'TCP port of the server; 0 takes any free one.' }),
  host: text('SVC_HOST', '127.0.0.1', { description: 'Address the server listens on; `0.0.0.0` for all.' }),
  datasourceUrl: databaseUrl('SVC_DATASOURCE_URL', DATASOURCE_SCHEMES, {
    description: 'The database that questions are about. Without it queries answer `no_datasource`.',
  }),
  databaseUrl: databaseUrl('DATABASE_URL', ['postgres', 'postgresql', 'sqlite'], {
    description: 'The internal database: users, conversations, audit. Without it those answer `not_available`.',
  }),
  encryptionKeys: encryptionKeys('SVC_ENCRYPTION_KEY', {
    description:
      'Encrypts stored secrets; of several the first encrypts and all decrypt, so that a key can be rotated.',
    defaultText: 'derived from `AUTHLIB_SECRET`',
  }),
  auditRetentionDays: integer('SVC_AUDIT_RETENTION_DAYS', 365, [1, 36_500], {
    description: 'Days that audit entries are shown for.',
  }),
  authMode: choice('SVC_AUTH_MODE', AUTH_MODES, undefined, {
    description: 'Who may ask, and how that is known. `simple-key` is another name of `api-key`.',
    defaultText:
      '`byot` with `SVC_AUTH_JWKS_URL`, else `managed` with `AUTHLIB_SECRET`, else `api-key` with `SVC_API_KEY`, else `none`',
  }),
  apiKey: text('SVC_API_KEY', undefined, {
    description: `The key that the server lets in, and that the command line sends. ${NEVER_BLANK}`,
  }),
  apiKeyRole: choice('SVC_API_KEY_ROLE', ROLES, 'analyst', { description: 'Role of whoever bears the key.' }),
  authJwksUrl: httpUrl('SVC_AUTH_JWKS_URL', undefined, {
    description: `Where the identity provider's keys are; \`byot\`. ${NEVER_BLANK}`,
  }),
  authIssuer: text('SVC_AUTH_ISSUER', undefined, { description: 'Issuer that a token must name; required by `byot`.' }),
  authAudience: text('SVC_AUTH_AUDIENCE', undefined, { description: 'Audience that a token must name; `byot`.' }),
  authRoleClaim: text('SVC_AUTH_ROLE_CLAIM', undefined, {
    description: 'Claim with the role: a name, or a path with dots; `byot`.',
    defaultText: '`role`, then `atlas_role`',
  }),
  authOrgClaim: text('SVC_AUTH_ORG_CLAIM', undefined, {
    description: 'Claim with the organization: a name, or a path with dots; `byot`.',
    defaultText: '`org_id`',
  }),
  authSecret: secret('AUTHLIB_SECRET', 32, {
    description: `Signs sessions, the same on every server; \`managed\`. ${NEVER_BLANK}`,
  }),
  authUrl: httpOrigin('AUTHLIB_URL', { description: 'Public address of the API; `managed`.' }),
  authTrustedOrigins: origins('AUTHLIB_TRUSTED_ORIGINS', false, {
    description: 'Origins of browsers that may change something with a session cookie; `managed`.',
  }),
  adminEmail: email('SVC_ADMIN_EMAIL', {
    description: 'Whoever signs up with this address is administrator; `managed`.',
    defaultText: 'whoever signs up first',
  }),
  googleClientId: text('GOOGLE_CLIENT_ID', undefined, { description: 'Sign-in with Google; `managed`.' }),
  googleClientSecret: text('GOOGLE_CLIENT_SECRET', undefined, { description: 'Its secret.' }),
  githubClientId: text('GITHUB_CLIENT_ID', undefined, { description: 'Sign-in with GitHub; `managed`.' }),
  githubClientSecret: text('GITHUB_CLIENT_SECRET', undefined, { description: 'Its secret.' }),
  microsoftClientId: text('MICROSOFT_CLIENT_ID', undefined, { description: 'Sign-in with Microsoft; `managed`.' }),
  microsoftClientSecret: text('MICROSOFT_CLIENT_SECRET', undefined, { description: 'Its secret.' }),
  nodeEnv: text('NODE_ENV', undefined, {
    description: '`production`, in any case of letters, keeps the development account from being made; `managed`.',
  }),
  rateLimitRpm: integer('SVC_RATE_LIMIT_RPM', undefined, [1, 1_000_000], {
    description: 'Requests a minute for each user, or for each address where there is none.',
    defaultText: 'no limit',
  }),
  rlsEnabled: flag('SVC_RLS_ENABLED', false, {
    description: 'Whether every table is filtered by a claim of whoever asks.',
  }),
  rlsColumn: text('SVC_RLS_COLUMN', undefined, { description: 'Column that must equal the claim.' }),
  rlsClaim: text('SVC_RLS_CLAIM', undefined, { description: 'Claim with the value: a name, or a path with dots.' }),
  rlsClaims: jsonObject('SVC_RLS_CLAIMS', { description: 'Claims of those who bring none of their own.' }),
  rlsExempt: list('SVC_RLS_EXEMPT', {
    description: 'Tables without that column which may be read all the same.',
  }),
  semanticDir: text('SVC_SEMANTIC_DIR', './semantic', { description: 'Root of the semantic layer.' }),
  provider: choice('SVC_PROVIDER', ['openai', 'openai-compatible', 'offline'], undefined, {
    description: 'Who answers. `offline` needs no model, no key and no network.',
    defaultText: '`openai` when `OPENAI_API_KEY` is set, else `offline`',
  }),
  model: text('SVC_MODEL', undefined, { description: 'Model id.', defaultText: "the provider's default" }),
  openaiApiKey: text('OPENAI_API_KEY', undefined, { description: 'Key of the model provider.' }),
  openaiBaseUrl: httpUrl('OPENAI_BASE_URL', undefined, {
    description: 'Where the provider is reached; required for `openai-compatible` (Ollama, vLLM, LM Studio, gateways).',
    defaultText: "the provider's own",
  }),
  modelTimeoutMs: integer('SVC_MODEL_TIMEOUT_MS', 60_000, [1, 3_600_000], {
    description: 'Longest time one model call may take, in milliseconds.',
  }),
  queryTimeoutMs: integer('SVC_QUERY_TIMEOUT_MS', 30_000, [1, 3_600_000], {
    description: 'Longest time one SQL statement may run, in milliseconds.',
  }),
  rowLimit: integer('SVC_ROW_LIMIT', 1000, [1, 1_000_000], { description: 'Most rows one SQL statement may return.' }),
  resultBytes: integer('SVC_RESULT_BYTES', 8 * 1024 * 1024, [1024, 1024 ** 3], {
    description: 'Most bytes one SQL statement may return.',
    defaultText: '8 MiB',
  }),
  maxSteps: integer('SVC_MAX_STEPS', 25, [1, 25], { description: 'Most model calls for one question.' }),
  questionBudgetBytes: integer('SVC_QUESTION_BUDGET_BYTES', 32 * 1024 * 1024, [1024 ** 2, 1024 ** 3], {
    description: 'Most memory that one question holds: rows for its answer, conversation with the model, arguments.',
    defaultText: '32 MiB',
  }),
  processBudgetBytes: integer('SVC_PROCESS_BUDGET_BYTES', undefined, [1024 ** 2, 64 * 1024 ** 3], {
    description: 'Most memory that all running questions hold; near it new ones are refused with `overloaded`.',
    defaultText: 'twice that of one question',
  }),
  bodyLimit: integer('SVC_BODY_LIMIT', 1024 * 1024, [1024, 1024 ** 3], {
    description: 'Largest request body, in bytes.',
    defaultText: '1 MiB',
  }),
  corsOrigin: origins('SVC_CORS_ORIGIN', true, {
    description: 'Origins that may call the API from a browser; credentials are allowed for named ones only.',
    defaultText: '`*`',
  }),
  trustProxy: proxies('SVC_TRUST_PROXY', {
    description:
      'Whether `X-Forwarded-For` and `X-Real-IP` are believed: `true` behind one proxy, or the addresses and networks of several.',
  }),
  logLevel: choice('SVC_LOG_LEVEL', ['debug', 'info', 'warn', 'error'], 'info', {
    description: 'Least important level that is written to standard error.',
  }),
  otlpEndpoint: httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT', undefined, {
    description: 'Where traces and metrics are sent, by OTLP over HTTP.',
    defaultText: 'nowhere',
  }),
  otlpHeaders: pairs('OTEL_EXPORTER_OTLP_HEADERS', { description: 'Headers for it, such as a key.' }),
  otelServiceName: text('OTEL_SERVICE_NAME', 'atlas', { description: 'Name of this service in traces and metrics.' }),
  otelAttributes: pairs('OTEL_RESOURCE_ATTRIBUTES', { description: 'Further attributes of this service.' }),
  otelTraceRatio: share('OTEL_TRACES_SAMPLER_ARG', 1, { description: 'Share of requests that are traced.' }),
  otelMetricIntervalMs: integer('OTEL_METRIC_EXPORT_INTERVAL', 60_000, [1_000, 3_600_000], {
    description: 'Milliseconds between two sendings of metrics.',
  }),
  telemetryContent: flag('SVC_TELEMETRY_CONTENT', false, {
    description: 'Whether questions, answers and SQL stand in traces.',
  }),
  metricsEnabled: flag('SVC_METRICS_ENABLED', false, {
    description: 'Whether `GET /api/v1/metrics` answers in the format of Prometheus.',
  }),
  metricsPublic: flag('SVC_METRICS_PUBLIC', false, {
    description: 'Whether it does so for everybody, not for administrators only.',
  }),
  metricsToken: secret('SVC_METRICS_TOKEN', 16, {
    description: 'Bearer token that a scraper may send for it; not together with `SVC_METRICS_PUBLIC`.',
  }),
  apiUrl: httpUrl('SVC_API_URL', 'http://localhost:3001', {
    description: 'Server that the command line talks to; without it, the one at `PORT` on this machine.',
  }),
} as const;

export type Env = {
  readonly [K in keyof typeof variables]: (typeof variables)[K] extends Variable<infer T> ? T : never;
};

export interface ReadEnv {
  readonly env: Env;
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Variables that promise protection or a service that this version does not bring. Serving without it would be a
 * silent hole, so the start stops instead.
 */
const UNKEPT: readonly { readonly name: string; readonly harmless: (value: string) => boolean }[] = [
  { name: 'SVC_ACTIONS_ENABLED', harmless: (value) => value === 'false' },
  { name: 'SVC_SCHEDULER_ENABLED', harmless: (value) => value === 'false' },
  { name: 'SVC_DEPLOY_MODE', harmless: (value) => value === 'self-hosted' },
];

/**
 * Reads the environment for the built-in composition. Throws `configuration_error` for a malformed value, with the
 * variable and the wanted shape but never the value, which may be a secret.
 */
export function readEnv(source: Readonly<Record<string, string | undefined>>): ReadEnv {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries(variables) as [string, Variable<unknown>][]) {
    const given = source[variable.name]?.trim();
    const value = given === undefined || given === '' ? variable.fallback : variable.parse(given);
    if (value === undefined && given !== undefined && given !== '') {
      problems.push(`${variable.name} is malformed; it takes ${variable.shape}.`);
    }
    values[key] = value;
  }
  for (const { name, harmless } of UNKEPT) {
    const given = source[name];
    if (given !== undefined && given !== '' && !harmless(given)) {
      problems.push(`${name} is set, but this version does not bring what it asks for; unset it to start without.`);
    }
  }
  const read = values as Env;
  const blank = blankCredentials(source, read);
  problems.push(...blank.map((name) => `${name} is set but empty; give it a value, or unset it.`));
  problems.push(...authProblems(read, blank));
  if (read.rlsEnabled && (read.rlsColumn === undefined || read.rlsClaim === undefined)) {
    problems.push('SVC_RLS_ENABLED is true; set SVC_RLS_COLUMN and SVC_RLS_CLAIM too.');
  }
  if (!read.rlsEnabled && (read.rlsColumn !== undefined || read.rlsClaim !== undefined)) {
    problems.push('SVC_RLS_COLUMN or SVC_RLS_CLAIM is set without SVC_RLS_ENABLED=true; set it, or unset them.');
  }
  if (problems.length > 0) {
    throw new AtlasError(`The environment is not right:\n${problems.map((line) => `  - ${line}`).join('\n')}`, {
      code: 'configuration_error',
      reason: 'E_ENV',
    });
  }
  return { env: read, warnings: [...unknownNames(source), ...unusedProtection(read)] };
}

export type AuthMode = 'none' | 'api-key' | 'managed' | 'byot';

/** The mode that is set, else the one that the other variables ask for. */
export function authModeOf(env: Env): AuthMode {
  if (env.authMode !== undefined) return env.authMode === 'simple-key' ? 'api-key' : env.authMode;
  if (env.authJwksUrl !== undefined) return 'byot';
  if (env.authSecret !== undefined) return 'managed';
  return env.apiKey === undefined ? 'none' : 'api-key';
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;

/** What the mode needs besides. */
const NEEDED: Readonly<Record<AuthMode, readonly (keyof Env)[]>> = {
  none: [],
  'api-key': ['apiKey'],
  managed: ['authSecret', 'databaseUrl'],
  byot: ['authJwksUrl', 'authIssuer'],
};

const SOCIAL = ['google', 'github', 'microsoft'] as const;

/** The credentials that were meant to protect the server and are not there. */
function blankCredentials(source: Readonly<Record<string, string | undefined>>, env: Env): string[] {
  const credentials = ['apiKey', 'authSecret', 'authJwksUrl'] as const;
  return credentials
    .filter((key) => env.authMode === undefined || NEEDED[authModeOf(env)].includes(key))
    .map((key) => variables[key].name)
    .filter((name) => source[name]?.trim() === '');
}

/** `named`: variables that another problem is about. */
function authProblems(env: Env, named: readonly string[]): string[] {
  const mode = authModeOf(env);
  const missing = NEEDED[mode]
    .filter((key) => env[key] === undefined)
    .map((key) => variables[key].name)
    .filter((name) => !named.includes(name));
  const halves = SOCIAL.filter(
    (name) => (env[`${name}ClientId`] === undefined) !== (env[`${name}ClientSecret`] === undefined),
  ).map((name) => `${variables[`${name}ClientId`].name} and ${variables[`${name}ClientSecret`].name}`);
  return [
    ...missing.map((name) => `The authentication mode is ${mode}; set ${name} too.`),
    ...halves.map((names) => `${names} need each other; set both, or neither.`),
  ];
}

/** What was set for protection and protects nothing. */
function unusedProtection(env: Env): string[] {
  const mode = authModeOf(env);
  // AUTHLIB_SECRET also encrypts what is stored.
  const credentials = ['apiKey', 'authJwksUrl', 'authIssuer'] as const;
  const warnings = credentials
    .filter((key) => env[key] !== undefined && !NEEDED[mode].includes(key))
    .map((key) => `${variables[key].name} is set, but the authentication mode is ${mode}, which lets nobody in by it.`);
  if (mode === 'none' && !LOOPBACK.test(env.host)) {
    warnings.push(
      `SVC_HOST is ${env.host} and the authentication mode is none: whoever reaches it is an administrator. Set SVC_API_KEY or another mode.`,
    );
  }
  if (!env.metricsEnabled && (env.metricsToken !== undefined || env.metricsPublic)) {
    warnings.push('SVC_METRICS_TOKEN or SVC_METRICS_PUBLIC is set without SVC_METRICS_ENABLED=true.');
  }
  return warnings;
}

function unknownNames(source: Readonly<Record<string, string | undefined>>): string[] {
  const known = [...Object.values(variables).map(({ name }) => name), ...UNKEPT.map(({ name }) => name)];
  return Object.keys(source)
    .filter((name) => /^(SVC|AUTHLIB)_/.test(name) && !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      return `${name} is not a variable of Atlas${near === undefined ? '' : `; did you mean ${near}?`}`;
    });
}
