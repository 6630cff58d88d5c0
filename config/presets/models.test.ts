import { expect, test } from 'vitest';
import type { ModelSource } from '../../plugins/model-kit/index.ts';
import { readEnv } from '../env.ts';

const provider = (env: Record<string, string>) => readEnv(env).env.provider;
const optionsOf = (env: Record<string, string>) =>
  provider(env).plugin.options as { fallback?: ModelSource; [name: string]: unknown };

test.each([
  ['OPENAI_API_KEY', 'openai'],
  ['ANTHROPIC_API_KEY', 'anthropic'],
  ['GOOGLE_GENERATIVE_AI_API_KEY', 'google'],
  ['GEMINI_API_KEY', 'google'],
  ['AZURE_API_KEY', 'azure'],
  ['AWS_BEARER_TOKEN_BEDROCK', 'bedrock'],
  ['MISTRAL_API_KEY', 'mistral'],
])('%s alone chooses %s', (variable, name) => {
  expect(provider({ [variable]: 'k' }).name).toBe(name);
  expect(provider({ [variable]: 'k', SVC_PROVIDER: 'offline' }).name).toBe('offline');
});

test('without a key, and with AWS credentials alone, the offline model answers', () => {
  expect([provider({}).name, provider({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }).name]).toEqual([
    'offline',
    'offline',
  ]);
});

test('two keys and no choice are refused, with both and the choices', () => {
  const keys = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', MISTRAL_API_KEY: 'k' };
  expect(() => readEnv(keys)).toThrow(
    'OPENAI_API_KEY and ANTHROPIC_API_KEY and MISTRAL_API_KEY are set; choose one with SVC_PROVIDER: openai or anthropic or mistral.',
  );
  expect(provider({ ...keys, SVC_PROVIDER: 'mistral' }).name).toBe('mistral');
});

test('of two keys the one of the fallback chooses nothing', () => {
  const keys = { OPENAI_API_KEY: 'first', ANTHROPIC_API_KEY: 'second' };
  expect(provider({ ...keys, SVC_FALLBACK_MODEL: 'anthropic/claude-haiku-5-5' }).name).toBe('openai');
  expect(provider({ ...keys, SVC_FALLBACK_MODEL: 'openai/gpt-6-luna' }).name).toBe('anthropic');
  expect(provider({ OPENAI_API_KEY: 'k', SVC_FALLBACK_MODEL: 'openai/gpt-6-luna' }).name).toBe('openai');
  expect(() => readEnv({ ...keys, MISTRAL_API_KEY: 'k', SVC_FALLBACK_MODEL: 'mistral/x' })).toThrow(
    'OPENAI_API_KEY and ANTHROPIC_API_KEY are set',
  );
});

test('a fallback has its own provider, model and key, and half of the time', () => {
  const { fallback, fallbackAfterMs, model } = optionsOf({
    SVC_PROVIDER: 'openai',
    OPENAI_API_KEY: 'first',
    ANTHROPIC_API_KEY: 'second',
    SVC_MODEL: 'gpt-6-luna',
    SVC_FALLBACK_MODEL: 'anthropic/claude-haiku-5-5',
    SVC_MODEL_TIMEOUT_MS: '200000',
  });
  expect(fallback).toMatchObject({ provider: 'anthropic', modelId: 'claude-haiku-5-5', secrets: ['second'] });
  expect([fallback?.missing, fallbackAfterMs, model]).toEqual([undefined, 100_000, 'gpt-6-luna']);
});

test('the id of a fallback may have slashes, and its key may be missing', () => {
  const { fallback } = optionsOf({ OPENAI_API_KEY: 'k', SVC_FALLBACK_MODEL: 'openai-compatible/openai/gpt-oss' });
  expect(fallback).toMatchObject({
    modelId: 'openai/gpt-oss',
    missing: { hint: 'Set OPENAI_BASE_URL, such as http://127.0.0.1:11434/v1.' },
  });
});

test.each(['claude', 'nobody/claude', 'anthropic/', '/x', 'offline/x'])('a fallback "%s" is refused', (text) => {
  expect(() => readEnv({ OPENAI_API_KEY: 'k', SVC_FALLBACK_MODEL: text })).toThrow(
    'SVC_FALLBACK_MODEL is invalid: expected provider/model, such as anthropic/claude-haiku-5-5',
  );
});

test('a fallback of the offline model is a warning', () => {
  expect(readEnv({ SVC_FALLBACK_MODEL: 'mistral/x' }).warnings).toEqual([
    'SVC_FALLBACK_MODEL is set, but the model provider is offline, which needs none.',
  ]);
});

test('settings of every call', () => {
  expect(
    optionsOf({
      OPENAI_API_KEY: 'k',
      SVC_MODEL_TEMPERATURE: '0.2',
      SVC_MODEL_REASONING: 'low',
      SVC_MODEL_HEADERS: 'x-team=data,x-cost=a%20b',
      SVC_MODEL_BODY: '{"top_k":7}',
      SVC_MODEL_CONTEXT_TOKENS: '4096',
    }),
  ).toMatchObject({
    temperature: 0.2,
    reasoning: 'low',
    headers: { 'x-team': 'data', 'x-cost': 'a b' },
    body: { top_k: 7 },
    contextTokens: 4096,
  });
});
