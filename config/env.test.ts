import { describe, expect, it } from 'vitest';
import { readEnv, variables } from './env.ts';
import { selfHosted } from './presets/self-hosted.ts';

describe('readEnv', () => {
  it('fills every default from an empty environment, without a warning', () => {
    const { env, warnings } = readEnv({});
    expect(env).toMatchObject({
      http: { port: 3001, host: '127.0.0.1' },
      sqlLimits: { maxRows: 1000, timeoutMs: 30_000 },
      agent: { maxSteps: 25 },
      rateLimit: undefined,
    });
    expect(env.datasourceUrl).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('treats an empty value as unset and trims the rest', () => {
    expect(readEnv({ PORT: '', SVC_HOST: ' 0.0.0.0 ' }).env.http).toMatchObject({ port: 3001, host: '0.0.0.0' });
  });

  it.each([
    ['PORT', 'http', 'an integer from 0 to 65535'],
    ['PORT', '70000', 'an integer from 0 to 65535'],
    ['SVC_MAX_STEPS', '26', 'an integer from 1 to 25'],
    ['SVC_PROVIDER', 'magic', 'one of openai, openai-compatible, anthropic, google, azure, bedrock, mistral, offline'],
    ['SVC_DATASOURCE_URL', 'oracle://user:hunter2@db', 'a URL that begins with'],
    ['OPENAI_BASE_URL', 'localhost:11434', 'an http or https URL'],
  ])('%s=%s stops the start with name and shape, never the value', (name, value, shape) => {
    let message = '';
    try {
      readEnv({ [name]: value });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`${name} is invalid: expected ${shape}`);
    expect(message).not.toContain(value === '26' || value === '70000' ? `=${value}` : value);
  });

  it('reports all invalid values together', () => {
    expect(() => readEnv({ PORT: 'x', SVC_ROW_LIMIT: '-1' })).toThrow(/PORT[\s\S]*SVC_ROW_LIMIT/);
  });

  it('warns about an unknown variable and names the nearest known one', () => {
    const env = { SVC_DATASOURCE_URI: 'sqlite:x', SVC_PORT: '1', SVC_ZZZZZZZZZZZZZZZZ: '1', OTHER: 'x' };
    expect(readEnv(env).warnings).toEqual([
      'SVC_DATASOURCE_URI is not a variable of Atlas; did you mean SVC_DATASOURCE_URL?',
      'SVC_PORT is not a variable of Atlas; did you mean PORT?',
      'SVC_ZZZZZZZZZZZZZZZZ is not a variable of Atlas',
    ]);
  });

  it.each([
    [{ SVC_AUTH_MODE: 'none', SVC_API_KEY: 'k' }, ['SVC_API_KEY is set, but the authentication mode is none']],
    [
      { SVC_API_KEY: 'k', AUTHLIB_SECRET: 's'.repeat(32), DATABASE_URL: 'sqlite:x' },
      ['the authentication mode is managed'],
    ],
    [{ SVC_HOST: '0.0.0.0' }, ['every client that reaches it is an administrator']],
    [{ SVC_HOST: '0.0.0.0', SVC_API_KEY: 'k' }, []],
    [{ SVC_HOST: '::1' }, []],
    [{ SVC_METRICS_TOKEN: 't'.repeat(16) }, ['without SVC_METRICS_ENABLED=true']],
    [{ SVC_METRICS_TOKEN: 't'.repeat(16), SVC_METRICS_ENABLED: 'true' }, []],
  ])('warns about protection that protects nothing: %j', (source, parts) => {
    const { warnings } = readEnv(source);
    expect(warnings).toHaveLength(parts.length);
    for (const [at, part] of parts.entries()) expect(warnings[at]).toContain(part);
  });

  it('takes no list of origins that names none', () => {
    expect(() => readEnv({ SVC_CORS_ORIGIN: ' , ' })).toThrow(/SVC_CORS_ORIGIN is invalid/);
  });

  it('does not start without a protection that was asked for', () => {
    expect(() => readEnv({ SVC_RLS_ENABLED: 'true' })).toThrow(/set SVC_RLS_COLUMN and SVC_RLS_CLAIM too/);
    expect(() => readEnv({ SVC_RLS_COLUMN: 'tenant_id' })).toThrow(/without SVC_RLS_ENABLED=true/);
    expect(() => readEnv({ SVC_RLS_CLAIMS: '[1]' })).toThrow(/SVC_RLS_CLAIMS is invalid: expected a JSON object/);
    expect(readEnv({ SVC_AUTH_MODE: 'none', SVC_RLS_ENABLED: 'false' }).warnings).toEqual([]);
  });

  const secret = 's'.repeat(32);
  const jwks = { SVC_AUTH_JWKS_URL: 'https://id.example.com/keys', SVC_AUTH_ISSUER: 'https://id.example.com' };
  const managed = { AUTHLIB_SECRET: secret, DATABASE_URL: 'sqlite:x.db' };

  it.each([
    [{}, 'none'],
    [{ SVC_API_KEY: 'k' }, 'api-key'],
    [{ SVC_API_KEY: 'k', ...managed }, 'managed'],
    [{ SVC_API_KEY: 'k', ...managed, ...jwks }, 'byot'],
    [{ SVC_AUTH_MODE: 'none', SVC_API_KEY: 'k', ...managed, ...jwks }, 'none'],
    [{ SVC_AUTH_MODE: 'simple-key', SVC_API_KEY: 'k', ...jwks }, 'api-key'],
    [{ SVC_AUTH_MODE: 'managed', ...managed, ...jwks }, 'managed'],
  ])('%j is the mode %s', (source, mode) => {
    expect(readEnv(source).env.authMode.name).toBe(mode);
  });

  it.each([
    [{ SVC_AUTH_MODE: 'api-key' }, /mode is api-key; set SVC_API_KEY too/],
    [{ SVC_AUTH_MODE: 'managed' }, /set AUTHLIB_SECRET too[\s\S]*set DATABASE_URL too/],
    [{ SVC_AUTH_JWKS_URL: jwks.SVC_AUTH_JWKS_URL }, /mode is byot; set SVC_AUTH_ISSUER too/],
    [{ AUTHLIB_SECRET: 'short' }, /AUTHLIB_SECRET is invalid: expected a text of at least 32 characters/],
    [{ SVC_ENCRYPTION_KEY: 'c2hvcnQ=' }, /SVC_ENCRYPTION_KEY is invalid: expected 32 bytes in base64/],
    [{ SVC_TRUST_PROXY: 'maybe' }, /SVC_TRUST_PROXY is invalid: expected true, false, or/],
    [{ SVC_CORS_ORIGIN: 'app.example.com' }, /SVC_CORS_ORIGIN is invalid: expected a comma-separated list of origins/],
    [{ SVC_ADMIN_EMAIL: 'boss' }, /SVC_ADMIN_EMAIL is invalid: expected an e-mail address/],
    [{ AUTHLIB_URL: 'https://api.example.com/api' }, /AUTHLIB_URL is invalid: expected an http or https URL without/],
    [
      { AUTHLIB_URL: 'nonsense' },
      /^The environment is invalid:\n {2}- AUTHLIB_URL is invalid: expected an http or https URL [^\n]*$/,
    ],
    [{ AUTHLIB_TRUSTED_ORIGINS: '*' }, /AUTHLIB_TRUSTED_ORIGINS is invalid/],
    [{ SVC_AUTH_MODE: 'magic' }, /SVC_AUTH_MODE is invalid: expected one of byot, managed, api-key/],
    [{ GITHUB_CLIENT_ID: 'x' }, /GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET need each other/],
  ])('%j stops the start', (source, message) => {
    expect(() => readEnv(source)).toThrow(message);
  });

  it.each([
    ['SVC_API_KEY', 'managed'],
    ['AUTHLIB_SECRET', 'byot'],
    ['SVC_AUTH_JWKS_URL', 'none'],
  ])('does not take an empty %s for none at all', (name, other) => {
    const others = { ...managed, ...jwks, [name]: '' };
    for (const value of ['', '  \n']) {
      expect(() => readEnv({ [name]: value })).toThrow(
        `The environment is invalid:\n  - ${name} is set but empty; give it a value, or unset it.`,
      );
      expect(readEnv({ ...others, [name]: value, SVC_AUTH_MODE: other }).env.authMode.name).toBe(other);
    }
  });

  it('says once that the credential of the mode is empty', () => {
    expect(() => readEnv({ SVC_AUTH_MODE: 'api-key', SVC_API_KEY: '' })).toThrow(
      /^The environment is invalid:\n {2}- SVC_API_KEY is set but empty; give it a value, or unset it\.$/,
    );
  });

  it.each([
    'atlas.example.com',
    'ftp://atlas.example.com',
    'https://',
    'https://user:password@example.com',
    'https://example.com/?page=1',
    'https://example.com/#top',
  ])('the public URL %s stops the start', (url) => {
    expect(() => readEnv({ SVC_PUBLIC_URL: url })).toThrow(
      /SVC_PUBLIC_URL is invalid: expected an http or https URL without a query/,
    );
  });

  it.each([
    [{ SVC_PUBLIC_URL: 'HTTPS://Atlas.Example.com:443/' }, 'https://atlas.example.com'],
    [{ SVC_PUBLIC_URL: 'https://example.com/atlas/' }, 'https://example.com/atlas'],
    [{ AUTHLIB_URL: 'https://api.example.com/' }, 'https://api.example.com'],
    [{ SVC_PUBLIC_URL: 'https://a.test', AUTHLIB_URL: 'https://b.test' }, 'https://a.test'],
    [{}, undefined],
  ])('links begin with the public URL: %j', (source, publicUrl) => {
    expect(readEnv(source).env.http.publicUrl).toBe(publicUrl);
  });

  it('takes origins in any case of letters, and with the port that goes without saying', () => {
    const { env } = readEnv({
      SVC_CORS_ORIGIN: 'HTTPS://App.Example.com:443, http://localhost:3000/,Capacitor://localhost,*',
      AUTHLIB_TRUSTED_ORIGINS: 'HTTPS://App.Example.com:443',
      AUTHLIB_URL: 'HTTPS://Api.Example.com:443/',
      ...managed,
    });
    expect(env.http.corsOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:3000',
      'capacitor://localhost',
      '*',
    ]);
    expect(env.authMode.plugin.options).toMatchObject({
      trustedOrigins: ['https://app.example.com'],
      url: 'https://api.example.com',
    });
  });

  it.each(['Production', 'PRODUCTION', ' production '])('takes NODE_ENV=%s for production', (NODE_ENV) => {
    const { env } = readEnv({ NODE_ENV, SVC_ADMIN_EMAIL: 'boss@example.com', ...managed });
    const entry = selfHosted(env).find(({ definition }) => definition.name === 'auth-managed');
    expect(entry?.options).toMatchObject({ production: true });
  });

  it('takes one proxy, several, and none', () => {
    const proxy = (value: string) => readEnv({ SVC_TRUST_PROXY: value }).env.http.trustProxy;
    expect([proxy('true'), proxy('0'), proxy('10.0.0.0/8, fd00::1')]).toEqual([true, false, ['10.0.0.0/8', 'fd00::1']]);
  });

  it('every variable has a name, an expected value and the description of its option', () => {
    for (const { name, expected, schema } of variables) {
      expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/);
      expect(expected, name).not.toBe('');
      expect(schema.description, name).toMatch(/\w/);
    }
    expect(new Set(variables.map(({ name }) => name)).size).toBe(variables.length);
  });

  it('keeps stored connections of the hosted platform out of private networks', () => {
    const hostsOf = (variables: Record<string, string>) =>
      selfHosted(readEnv(variables).env).find(({ definition }) => definition.name === 'admin-connections')?.options;
    const hosted = { SVC_DEPLOY_MODE: 'hosted', DATABASE_URL: 'sqlite:atlas.db' };
    expect(hostsOf({})).toMatchObject({ privateHosts: true });
    expect(hostsOf(hosted)).toMatchObject({ privateHosts: false });
    expect(hostsOf({ ...hosted, SVC_CONNECTION_PRIVATE_HOSTS: 'true' })).toMatchObject({ privateHosts: true });
  });

  it('gives the key of a mode, and of a provider, to its plugin', () => {
    const { env } = readEnv({ SVC_API_KEY: 'k', SVC_RLS_CLAIMS: '{"tenant":1}', OPENAI_API_KEY: 'o', SVC_MODEL: 'm' });
    expect(env.authMode.plugin.options).toEqual({ keys: [{ key: 'k', role: 'analyst', claims: { tenant: 1 } }] });
    expect(env.provider.plugin.options).toEqual({ provider: 'openai', apiKey: 'o', model: 'm' });
  });

  it.each([
    ['postgres://reader@db/shop', 'datasource-postgres'],
    ['mariadb://reader@db/shop', 'datasource-mysql'],
    ['sqlite:shop.db', 'datasource-sqlite'],
    ['duckdb:shop.db', 'datasource-duckdb'],
    ['clickhouse://reader@one:8123,two:8123/shop', 'datasource-clickhouse'],
    ['clickhouses://reader@db/shop', 'datasource-clickhouse'],
    ['trino://reader@db/lake/shop', 'datasource-trino'],
    ['trinos://reader:secret@db/lake/shop', 'datasource-trino'],
    ['bigquery://lake/shop?location=EU', 'datasource-bigquery'],
    ['snowflake://reader:token@acme-shop/lake/shop', 'datasource-snowflake'],
  ])('%s is opened by %s, beside the other engines', (SVC_DATASOURCE_URL, name) => {
    const opened = selfHosted(readEnv({ SVC_DATASOURCE_URL }).env).filter(
      ({ definition, options }) =>
        definition.type === 'datasource' && (options as { connections: readonly unknown[] }).connections.length > 0,
    );
    expect(opened.map(({ definition }) => definition.name)).toEqual([name]);
  });
});
