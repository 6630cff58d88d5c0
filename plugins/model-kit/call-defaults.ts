/** Applies the settings of every call with the middleware of `ai`, which is loaded only where there are any. */
import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelOptions } from './options.ts';

export type CallDefaults = Pick<ModelOptions, 'temperature' | 'reasoning' | 'headers'> & {
  readonly providerOptions?: SharedV4ProviderOptions | undefined;
};

/** A setting of a call wins over the default. */
export async function withCallDefaults(
  model: LanguageModelV4,
  { temperature, reasoning, headers, providerOptions }: CallDefaults,
): Promise<LanguageModelV4> {
  const settings = {
    ...(temperature !== undefined && { temperature }),
    ...(reasoning !== undefined && { reasoning }),
    ...(headers !== undefined && { headers }),
    ...(providerOptions !== undefined && { providerOptions }),
  };
  if (Object.keys(settings).length === 0) return model;
  const { defaultSettingsMiddleware, wrapLanguageModel } = await import('ai');
  return wrapLanguageModel({ model, middleware: defaultSettingsMiddleware({ settings }) });
}
