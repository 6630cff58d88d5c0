/** Declares the providers of this plugin, with the options that make it one, and how each is chosen at run time. */
import { type ModelProvider, openModel } from '../model-kit/index.ts';
import { openaiModel } from './source.ts';

export const OPENAI = { name: 'openai', options: { provider: 'openai' } } as const;
export const OPENAI_COMPATIBLE = { name: 'openai-compatible', options: { provider: 'openai-compatible' } } as const;

const opened =
  (provider: 'openai' | 'openai-compatible'): ModelProvider['open'] =>
  (chosen, init) =>
    openModel(openaiModel({ provider, ...chosen }, init.connections), init);

export const MODEL_PROVIDERS: readonly ModelProvider[] = [
  { name: OPENAI.name, apiKey: 'required', baseUrl: 'optional', open: opened('openai') },
  { name: OPENAI_COMPATIBLE.name, apiKey: 'optional', baseUrl: 'required', open: opened('openai-compatible') },
];
