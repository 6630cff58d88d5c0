import { describe, expect, it } from 'vitest';
import { readEnv, variables } from './env.ts';

describe('readEnv', () => {
  it('fills every default from an empty environment, without a warning', () => {
    const { env, warnings } = readEnv({});
    expect(env).toMatchObject({ port: 3001, host: '127.0.0.1', rowLimit: 1000, queryTimeoutMs: 30_000, maxSteps: 25 });
    expect(env.datasourceUrl).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('treats an empty value as unset and trims the rest', () => {
    expect(readEnv({ PORT: '', SVC_HOST: ' 0.0.0.0 ' }).env).toMatchObject({ port: 3001, host: '0.0.0.0' });
  });

  it.each([
    ['PORT', 'http', 'a whole number from 0 to 65535'],
    ['PORT', '70000', 'a whole number from 0 to 65535'],
    ['SVC_MAX_STEPS', '26', 'a whole number from 1 to 25'],
    ['SVC_PROVIDER', 'magic', 'one of openai, openai-compatible, offline'],
    ['SVC_DATASOURCE_URL', 'oracle://user:hunter2@db', 'a URL that begins with'],
    ['OPENAI_BASE_URL', 'localhost:11434', 'an http or https URL'],
  ])('%s=%s stops the start with name and shape, never the value', (name, value, shape) => {
    let message = '';
    try {
      readEnv({ [name]: value });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`${name} is malformed; it takes ${shape}`);
    expect(message).not.toContain(value === '26' || value === '70000' ? `=${value}` : value);
  });

  it('reports all malformed values together', () => {
    expect(() => readEnv({ PORT: 'x', SVC_ROW_LIMIT: '-1' })).toThrow(/PORT[\s\S]*SVC_ROW_LIMIT/);
  });

  it('warns about an unknown variable and names the nearest known one', () => {
    expect(readEnv({ SVC_DATASOURCE_URI: 'sqlite:x', SVC_ZZZZZZZZZZZZZZZZ: '1', OTHER: 'x' }).warnings).toEqual([
      'SVC_DATASOURCE_URI is not a variable of Atlas; did you mean SVC_DATASOURCE_URL?',
      'SVC_ZZZZZZZZZZZZZZZZ is not a variable of Atlas',
    ]);
  });

  it('does not start without a protection that was asked for', () => {
    expect(() => readEnv({ SVC_AUTH_MODE: 'byot' })).toThrow(/SVC_AUTH_MODE is set, but this version does not bring/);
    expect(() => readEnv({ SVC_RLS_ENABLED: 'true' })).toThrow(/set SVC_RLS_COLUMN and SVC_RLS_CLAIM too/);
    expect(() => readEnv({ SVC_RLS_COLUMN: 'tenant_id' })).toThrow(/without SVC_RLS_ENABLED=true/);
    expect(() => readEnv({ SVC_RLS_CLAIMS: '[1]' })).toThrow(/SVC_RLS_CLAIMS is malformed; it takes a JSON object/);
    expect(readEnv({ SVC_AUTH_MODE: 'none', SVC_RLS_ENABLED: 'false' }).warnings).toEqual([]);
  });

  it('every variable has a name, a shape and a description', () => {
    for (const variable of Object.values(variables)) {
      expect(variable.name).toMatch(/^[A-Z][A-Z0-9_]+$/);
      expect(variable.description).toMatch(/^[`A-Z].*\.$/);
    }
  });
});
