import { expect, it } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import { testScope } from '../../test/harness/create-test-app.ts';
import type { ModelCalled } from '../agent/index.ts';
import { completeUsage, NO_USAGE } from '../model-kit/index.ts';
import { costOf, tokensOf } from './tokens.ts';

type Answer = NonNullable<ModelCalled['answer']>;
const PROMPT = [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(4_000) }] }] as const;

function call(usage: Partial<Answer['usage']> | undefined, error?: unknown, isLeft = false): ModelCalled {
  const scope = testScope();
  if (isLeft) scope.abort(new Error('The client has left.'));
  const sent = { prompt: PROMPT, tools: [] };
  const answer = usage && ({ usage: completeUsage({ ...NO_USAGE, ...usage }, sent, 400) } as Answer);
  const model = { provider: 'p', modelId: 'm' };
  return { scope, model, prompt: PROMPT as unknown as ModelCalled['prompt'], tools: [], answer, error, durationMs: 1 };
}

it('takes what the provider reports, zero included', () => {
  const reported = { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2, isReported: true };
  expect(tokensOf(call(reported), 99)).toEqual({
    inputTokens: 7,
    outputTokens: 3,
    cachedInputTokens: 2,
    estimatedTokens: 0,
  });
  expect(tokensOf(call({ isReported: true }), 99)).toMatchObject({
    inputTokens: 0,
    outputTokens: 0,
    estimatedTokens: 0,
  });
});

it('estimates what the provider does not report, and says how much that is', () => {
  const tokens = tokensOf(call({}), 0);
  expect(tokens).toMatchObject({ outputTokens: 100, estimatedTokens: (tokens?.inputTokens ?? 0) + 100 });
  expect(tokens?.inputTokens).toBeGreaterThanOrEqual(1_000);
  expect(tokensOf(call({ outputTokens: 30 }), 0)).toMatchObject({
    outputTokens: 30,
    estimatedTokens: tokens?.inputTokens,
  });
});

it('counts a call that was given up, and none that the provider refused', () => {
  const refused = new AtlasError('Too many.', { code: 'provider_rate_limit' });
  const late = new AtlasError('Too late.', { code: 'provider_timeout' });
  expect(tokensOf(call(undefined, refused), 0)).toBeUndefined();
  expect(tokensOf(call(undefined, new Error('broken')), 0)).toBeUndefined();
  expect(tokensOf(call(undefined, refused), 40)).toMatchObject({ outputTokens: 10 });
  for (const given of [call(undefined), call(undefined, late), call(undefined, new Error('left'), true)]) {
    expect(tokensOf(given, 0)?.inputTokens).toBeGreaterThanOrEqual(1_000);
  }
});

it('has the cost of cached tokens apart, and none without a price', () => {
  const tokens = { inputTokens: 1_000_000, outputTokens: 100_000, cachedInputTokens: 400_000, estimatedTokens: 0 };
  const prices = { a: { input: 2, output: 10, cachedInput: 0.5 }, b: { input: 2, output: 10 } };
  expect(costOf(tokens, 'a', prices)).toBeCloseTo(1.2 + 0.2 + 1, 12);
  expect(costOf(tokens, 'b', prices)).toBeCloseTo(2 + 1, 12);
  expect(costOf(tokens, 'toString', prices)).toBeUndefined();
  // A provider that reports more cached tokens than it read.
  expect(costOf({ ...tokens, cachedInputTokens: 9_000_000 }, 'a', prices)).toBeCloseTo(0.5 + 1, 12);
});
