/** Defines the hooks by which model plugins register providers, and say whether the server of their model answers. */
import { collect, type HealthItem } from '../../kernel/index.ts';
import type { ModelProvider } from './model-provider.ts';

export const modelProviders = collect<undefined, ModelProvider>('model.providers', {
  summary: 'Model providers that can be chosen while Atlas runs, such as by the administrators of an organization.',
});

export const modelProbe = collect<undefined, HealthItem>('model.probe', {
  summary: 'Which model servers do not answer, asked over the network before a start; no health report does that.',
});
