/** Applies settings of the plugin to every call of a model; what a call sets itself wins. */
import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelOptions } from './options.ts';

export type CallDefaults = Pick<ModelOptions, 'temperature' | 'reasoning' | 'headers'> & {
  readonly providerOptions?: SharedV4ProviderOptions | undefined;
};

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects within are merged too, such as headers and the options of one provider. */
function merged(defaults: Fields, given: Fields): Fields {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const joined = set.map(([name, value]) => {
    const own = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    return [name, isObject(own) && isObject(value) ? merged(own, value) : value];
  });
  return { ...defaults, ...Object.fromEntries(joined) };
}

export function withCallDefaults(
  model: LanguageModelV4,
  { temperature, reasoning, headers, providerOptions }: CallDefaults,
): LanguageModelV4 {
  const defaults = merged({}, { temperature, reasoning, headers, providerOptions });
  if (Object.keys(defaults).length === 0) return model;
  const filled = (call: LanguageModelV4CallOptions) => merged(defaults, { ...call }) as LanguageModelV4CallOptions;
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (call) => model.doGenerate(filled(call)),
    doStream: (call) => model.doStream(filled(call)),
  };
}
