/** Defines the hook by which model plugins register the providers that can be chosen while Atlas runs. */
import { collect } from '../../kernel/index.ts';
import type { ModelProvider } from './model-provider.ts';

export const modelProviders = collect<undefined, ModelProvider>('model.providers', {
  summary: 'Model providers that can be chosen while Atlas runs, such as by the administrators of an organization.',
});
