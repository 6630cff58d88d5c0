/** Loads a provider package in pieces: together they would hold up all other requests for about a tenth of a second. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AtlasError } from '../../kernel/index.ts';

/** What packages of the AI SDK import. Where a part is not found by this name it is loaded with the package. */
const PARTS = ['zod/v4', '@ai-sdk/provider', '@ai-sdk/provider-utils'];

async function loadParts(): Promise<void> {
  for (const part of PARTS) {
    await import(/* @vite-ignore */ part).catch(() => {});
    await nextTurn();
  }
  // Node loads it when it is first used.
  new Response();
  await nextTurn();
}

/** Rejects with `overloaded`: what is installed and cannot be loaded lacks memory or file descriptors. */
export async function loadPackage<T>(load: () => Promise<T>): Promise<T> {
  await loadParts();
  return load().catch((cause: unknown) => {
    throw new AtlasError('The package of the model provider cannot be loaded.', {
      code: 'overloaded',
      reason: 'E_MODEL_LOAD',
      retryAfterSeconds: 5,
      hint: 'It is loaded with the next question. If that fails too, raise the limits of memory and file descriptors, or install it again.',
      cause,
    });
  });
}
