import { describe, expect, it } from 'vitest';
import { readEnv, variables } from './env.ts';
import { selfHosted } from './presets/self-hosted.ts';
import { shownSettings } from './shown-settings.ts';

const listed = (env: Readonly<Record<string, string>>) => {
  const { options } = selfHosted(readEnv(env).env).find(({ definition }) => definition.name === 'admin-settings')!;
  const { settings } = options as unknown as { settings: ReturnType<typeof shownSettings> };
  return Object.fromEntries(settings.map((setting) => [setting.name, setting]));
};

describe('the settings that administrators are shown', () => {
  it('come from the environment, from the defaults, or from nowhere', () => {
    const { PORT, SVC_ROW_LIMIT, SVC_AUTH_MODE, AZURE_RESOURCE_NAME, SVC_CORS_ORIGIN } = listed({
      PORT: '4000',
      SVC_AUTH_MODE: 'none',
      SVC_CORS_ORIGIN: 'https://a.example,https://b.example',
    });
    expect(PORT).toMatchObject({ value: '4000', source: 'environment', isHidden: false });
    expect(SVC_AUTH_MODE).toMatchObject({ value: 'none', source: 'environment' });
    expect(SVC_CORS_ORIGIN).toMatchObject({ value: 'https://a.example, https://b.example', source: 'environment' });
    expect(SVC_ROW_LIMIT).toMatchObject({
      value: '1000',
      source: 'default',
      expected: expect.stringContaining('integer'),
    });
    expect(AZURE_RESOURCE_NAME).toMatchObject({ value: null, source: 'unset', isHidden: false });
  });

  it('come from the configuration where its options say other than the environment', () => {
    const plugins = selfHosted({ agent: { maxSteps: 7 }, semanticLayer: { dir: './layer' } });
    const { env } = readEnv({ SVC_MAX_STEPS: '9' });
    const all = shownSettings(variables, plugins, env.set);
    const of = (name: string) => all.find((setting) => setting.name === name);
    expect(of('SVC_MAX_STEPS')).toMatchObject({ value: '7', source: 'configuration' });
    expect(of('SVC_SEMANTIC_DIR')).toMatchObject({ value: './layer', source: 'configuration' });
  });

  it('hold no secret: of what is not known to hold none, only that it is set', () => {
    const set = new Map(variables.map(({ name }) => [name, 'CANARY']));
    const shown = shownSettings(variables, [], set).filter(({ value }) => value === 'CANARY');
    expect(shown.length).toBeGreaterThan(10);
    expect(
      shown.filter(({ name }) => /(?:KEY|KEY_ID|SECRET|TOKEN|PASSWORD|URL|HEADERS|BODY|CLAIMS)$/.test(name)),
    ).toEqual([]);
    const secrets = { SVC_API_KEY: 'CANARY-1', DATABASE_URL: 'sqlite:CANARY-2.db', OPENAI_API_KEY: 'CANARY-3' };
    expect(JSON.stringify(listed(secrets))).not.toContain('CANARY');
    expect(listed(secrets).SVC_API_KEY).toMatchObject({ value: null, source: 'environment', isHidden: true });
  });
});
