/** Applies the settings of every call with the middleware of `ai`, which is loaded only where there are any. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelOptions } from './options.ts';

export type CallDefaults = Pick<ModelOptions, 'temperature' | 'reasoning' | 'headers'>;

/** A setting of a call wins over the default. */
export async function withCallDefaults(
  model: LanguageModelV4,
  { temperature, reasoning, headers }: CallDefaults,
): Promise<LanguageModelV4> {
  const settings = {
    ...(temperature !== undefined && { temperature }),
    ...(reasoning !== undefined && { reasoning }),
    ...(headers !== undefined && { headers }),
  };
  if (Object.keys(settings).length === 0) return model;
  const { defaultSettingsMiddleware, wrapLanguageModel } = await import('ai');
  return wrapLanguageModel({ model, middleware: defaultSettingsMiddleware({ settings }) });
}
