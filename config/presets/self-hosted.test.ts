import { afterEach, expect, it, vi } from 'vitest';
import { readEnv, selfHosted } from './self-hosted.ts';

afterEach(() => vi.unstubAllEnvs());

const optionsOf = (plugins: ReturnType<typeof selfHosted>, plugin: string) =>
  plugins.find(({ definition }) => definition.name === plugin)?.options;

const names = (env: Record<string, string>) => selfHosted(readEnv(env).env).map(({ definition }) => definition.name);

it('options given by the name of a plugin go before those of the environment', () => {
  vi.stubEnv('SVC_SEMANTIC_DIR', './layer');
  vi.stubEnv('SVC_ROW_LIMIT', '7');
  const plugins = selfHosted({ semanticLayer: { dir: './other' }, sqlLimits: { timeoutMs: 9 } });
  expect(optionsOf(plugins, 'semantic-layer')).toMatchObject({ dir: './other' });
  expect(optionsOf(plugins, 'sql-limits')).toMatchObject({ maxRows: 7, timeoutMs: 9 });
  expect(plugins.map(({ definition }) => definition.name)).toEqual(
    selfHosted().map(({ definition }) => definition.name),
  );
  expect(optionsOf(selfHosted(), 'semantic-layer')).toMatchObject({ dir: './layer' });
});

it('the environment may be given instead', () => {
  const { env } = readEnv({ SVC_ROW_LIMIT: '8' });
  expect(optionsOf(selfHosted(env), 'sql-limits')).toMatchObject({ maxRows: 8 });
});

it('SVC_ANALYSIS_ENABLED=true adds the tools of analysis', () => {
  expect(names({})).not.toContain('analysis');
  expect(names({ SVC_ANALYSIS_ENABLED: 'true' })).toContain('analysis');
});

it('SVC_RESULT_CACHE_TTL_MS adds the result cache, which is off without it', () => {
  expect(names({})).not.toContain('result-cache');
  const plugins = selfHosted(readEnv({ SVC_RESULT_CACHE_TTL_MS: '60000', SVC_RESULT_CACHE_ENTRIES: '7' }).env);
  expect(optionsOf(plugins, 'result-cache')).toMatchObject({ ttlMs: 60_000, maxEntries: 7 });
  expect(() => readEnv({ SVC_RESULT_CACHE_TTL_MS: '0' })).toThrow('SVC_RESULT_CACHE_TTL_MS is invalid: expected');
});

it('marks of prompts come from the first key of the servers', () => {
  const markSecret = (env: Record<string, string>) =>
    (optionsOf(selfHosted(readEnv(env).env), 'agent') as { markSecret?: string }).markSecret;
  const [one, other] = ['B'.repeat(43), 'C'.repeat(43)];
  expect(markSecret({})).toBeUndefined();
  expect(markSecret({ SVC_ENCRYPTION_KEY: `${one},${other}` })).toMatch(/^[0-9a-f]{64}$/);
  expect(markSecret({ SVC_ENCRYPTION_KEY: one })).toBe(markSecret({ SVC_ENCRYPTION_KEY: `${one},${other}` }));
  expect(markSecret({ SVC_ENCRYPTION_KEY: one })).not.toBe(markSecret({ SVC_ENCRYPTION_KEY: other }));
});

it('SVC_PROFILE=off leaves out the plugin that measures tables', () => {
  expect(names({})).toContain('profile');
  expect(names({ SVC_PROFILE: 'off' })).not.toContain('profile');
  expect(() => readEnv({ SVC_PROFILE: 'no' })).toThrow('SVC_PROFILE is invalid: expected');
});

it.each([
  [
    'semanticLayr',
    /^selfHosted\(\) builds no plugin `semanticLayr` from this environment; did you mean `semanticLayer`\?/,
  ],
  ['semantic-layer', /did you mean `semanticLayer`\?/],
  ['nothing', /builds no plugin `nothing` from this environment\./],
])('a plugin named %s is a mistake', (name, message) => {
  expect(() => selfHosted({ [name]: {} })).toThrow(message);
});
