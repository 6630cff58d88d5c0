/** Loads a provider package with the first question: it takes time and memory that the start does not need. */
import { AtlasError } from '../../kernel/index.ts';

/** Rejects with `overloaded`: what is installed and cannot be loaded lacks memory or file descriptors. */
export function loadPackage<T>(load: () => Promise<T>): Promise<T> {
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
