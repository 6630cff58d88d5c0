import { describe, expect, it, vi } from 'vitest';
import { readEnv, variables } from './env.ts';
import { selfHosted } from './presets/self-hosted.ts';
import { shownSettings } from './shown-settings.ts';

const settingsOf = (plugins: ReturnType<typeof selfHosted>) => {
  const { options } = plugins.find(({ definition }) => definition.name === 'admin-settings')!;
  const { settings } = options as unknown as { settings: () => ReturnType<typeof shownSettings> };
  return Object.fromEntries(settings().map((setting) => [setting.name, setting]));
};
const listed = (env: Readonly<Record<string, string>>) => settingsOf(selfHosted(readEnv(env).env));

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

  it('come from the configuration where it gives the option, whatever the environment says', () => {
    vi.stubEnv('SVC_MAX_STEPS', '9');
    vi.stubEnv('SVC_ROW_LIMIT', '9');
    const { SVC_MAX_STEPS, SVC_SEMANTIC_DIR, SVC_ROW_LIMIT } = settingsOf(
      selfHosted({ agent: { maxSteps: 7 }, semanticLayer: { dir: './layer' } }),
    );
    vi.unstubAllEnvs();
    expect(SVC_MAX_STEPS).toMatchObject({ value: '7', source: 'configuration' });
    expect(SVC_SEMANTIC_DIR).toMatchObject({ value: './layer', source: 'configuration' });
    expect(SVC_ROW_LIMIT).toMatchObject({ value: '9', source: 'environment' });
  });

  it('are defaults where the composition chooses them', () => {
    expect(Object.values(listed({})).filter(({ source }) => source === 'configuration')).toEqual([]);
    expect(listed({}).SVC_CONNECTION_PRIVATE_HOSTS).toMatchObject({ value: 'true', source: 'default' });
    expect(listed({ SVC_DEPLOY_MODE: 'hosted' }).SVC_CONNECTION_PRIVATE_HOSTS).toMatchObject({ value: 'false' });
  });

  it('hold no secret: of what is not known to hold none, only that it is set', () => {
    const set = new Map(variables.map(({ name }) => [name, 'CANARY']));
    const shown = shownSettings(variables, { composed: new Map(), configured: new Map(), set }).filter(
      ({ value }) => value === 'CANARY',
    );
    expect(shown.length).toBeGreaterThan(10);
    expect(
      shown.filter(({ name }) => /(?:KEY|KEY_ID|SECRET|TOKEN|PASSWORD|URL|HEADERS|BODY|CLAIMS)$/.test(name)),
    ).toEqual([]);
    const secrets = { SVC_API_KEY: 'CANARY-1', DATABASE_URL: 'sqlite:CANARY-2.db', OPENAI_API_KEY: 'CANARY-3' };
    expect(JSON.stringify(listed(secrets))).not.toContain('CANARY');
    expect(listed(secrets).SVC_API_KEY).toMatchObject({ value: null, source: 'environment', isHidden: true });
  });
});
