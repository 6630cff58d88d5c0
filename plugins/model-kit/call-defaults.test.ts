import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { withCallDefaults } from './call-defaults.ts';

/** A model that tells what it was called with. */
function telling(calls: LanguageModelV4CallOptions[]): LanguageModelV4 {
  const told = async (call: LanguageModelV4CallOptions): Promise<never> => {
    calls.push(call);
    throw new Error('told');
  };
  return {
    specificationVersion: 'v4',
    provider: 'any',
    modelId: 'one',
    supportedUrls: {},
    doGenerate: told,
    doStream: told,
  };
}

test('what a call sets wins over the defaults, field by field', async () => {
  const calls: LanguageModelV4CallOptions[] = [];
  const model = withCallDefaults(telling(calls), {
    temperature: 0.5,
    headers: { 'x-team': 'data', 'x-run': 'usual' },
    providerOptions: { openai: { store: false, user: 'usual' } },
  });
  const signal = AbortSignal.timeout(60_000);
  const call: LanguageModelV4CallOptions = {
    prompt: [],
    abortSignal: signal,
    headers: { 'x-run': 'own' },
    providerOptions: { openai: { user: 'own' }, azure: { store: true } },
  };
  await expect(model.doGenerate(call)).rejects.toThrow('told');
  await expect(model.doStream({ prompt: [], temperature: 0 })).rejects.toThrow('told');
  expect(calls[0]).toEqual({
    prompt: [],
    abortSignal: signal,
    temperature: 0.5,
    headers: { 'x-team': 'data', 'x-run': 'own' },
    providerOptions: { openai: { store: false, user: 'own' }, azure: { store: true } },
  });
  expect(calls[0]?.abortSignal).toBe(signal);
  expect(calls[1]?.temperature).toBe(0);
});

test('a model without defaults stays the model', () => {
  const model = telling([]);
  expect(withCallDefaults(model, {})).toBe(model);
});
