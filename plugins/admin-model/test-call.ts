/** Calls a model once, as a question would: with a tool, without which no question can be answered. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { AtlasError, type Question, type Scope } from '../../kernel/index.ts';
import type { OpenModel } from '../model-kit/index.ts';

const TEXT = 'Answer with the word "ready".';
const QUESTION: Question = { turns: [{ role: 'user', text: TEXT }], surface: 'api' };
const CALL: LanguageModelV4CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: TEXT }] }],
  tools: [
    {
      type: 'function',
      name: 'lookUp',
      description: 'Looks a word up. Not needed here.',
      inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    },
  ],
  maxOutputTokens: 64,
};

/** Resolves to the duration of the call in milliseconds. Rejects with the error codes of providers. */
export async function testCall(open: OpenModel, scope: Scope, timeoutMs: number): Promise<number> {
  const limit = new AbortController();
  const tooLong = new AtlasError(`The model provider did not answer within ${timeoutMs} ms.`, {
    code: 'provider_timeout',
    hint: 'Check the base URL and the load of the server, or choose a faster model.',
  });
  const timer = setTimeout(() => limit.abort(tooLong), timeoutMs);
  const startedAt = performance.now();
  try {
    const { model } = await open.resolve(QUESTION, scope);
    await (model as LanguageModelV4).doGenerate({
      ...CALL,
      abortSignal: AbortSignal.any([scope.signal, limit.signal]),
    });
    return Math.round(performance.now() - startedAt);
  } finally {
    clearTimeout(timer);
  }
}
