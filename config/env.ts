/** Every environment variable of the built-in composition, declared once. The table in `docs/configuration.md` is generated from here. */
import { AtlasError } from '../kernel/index.ts';
import { nearest } from '../plugins/semantic-layer/nearest.ts';
import { choice, databaseUrl, flag, httpUrl, integer, jsonObject, list, text, type Variable } from './variable.ts';

const DATASOURCE_SCHEMES = ['postgres', 'postgresql', 'mysql', 'mariadb', 'sqlite', 'duckdb'] as const;

export const variables = {
  port: integer('PORT', 3001, [0, 65_535], { description: 'TCP port of the server; 0 takes any free one.' }),
  host: text('SVC_HOST', '127.0.0.1', { description: 'Address the server listens on; `0.0.0.0` for all.' }),
  datasourceUrl: databaseUrl('SVC_DATASOURCE_URL', DATASOURCE_SCHEMES, {
    description: 'The database that questions are about. Without it queries answer `no_datasource`.',
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
  bodyLimit: integer('SVC_BODY_LIMIT', 1024 * 1024, [1024, 1024 ** 3], {
    description: 'Largest request body, in bytes.',
    defaultText: '1 MiB',
  }),
  corsOrigin: list('SVC_CORS_ORIGIN', {
    description: 'Origins that may call the API from a browser; credentials are allowed for named ones only.',
    defaultText: '`*`',
  }),
  trustProxy: flag('SVC_TRUST_PROXY', false, {
    description: 'Whether `X-Forwarded-For` and `X-Real-IP` of a proxy in front are believed.',
  }),
  logLevel: choice('SVC_LOG_LEVEL', ['debug', 'info', 'warn', 'error'], 'info', {
    description: 'Least important level that is written to standard error.',
  }),
  apiUrl: httpUrl('SVC_API_URL', 'http://localhost:3001', {
    description: 'Server that the command line talks to.',
  }),
  apiKey: text('SVC_API_KEY', undefined, { description: 'Key that the command line sends to that server.' }),
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
  { name: 'SVC_AUTH_MODE', harmless: (value) => value === 'none' },
  { name: 'SVC_AUTH_JWKS_URL', harmless: () => false },
  { name: 'AUTHLIB_SECRET', harmless: () => false },
  { name: 'SVC_RATE_LIMIT_RPM', harmless: () => false },
  { name: 'SVC_ACTIONS_ENABLED', harmless: (value) => value === 'false' },
  { name: 'SVC_SCHEDULER_ENABLED', harmless: (value) => value === 'false' },
  { name: 'SVC_DEPLOY_MODE', harmless: (value) => value === 'self-hosted' },
  { name: 'DATABASE_URL', harmless: () => true },
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
  return { env: read, warnings: warningsFor(source) };
}

function warningsFor(source: Readonly<Record<string, string | undefined>>): string[] {
  const known = [...Object.values(variables).map(({ name }) => name), ...UNKEPT.map(({ name }) => name)];
  return Object.keys(source)
    .filter((name) => /^(SVC|AUTHLIB)_/.test(name) && !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      return `${name} is not a variable of Atlas${near === undefined ? '' : `; did you mean ${near}?`}`;
    });
}
