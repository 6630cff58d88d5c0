/**
 * Records and plays back calls of a language model itself, for programs that hold the model in their hands, such as
 * evaluations: no server and no base URL, so every model plugin can be recorded, and playing back needs none.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { AtlasError, messageOf, type ResolvedModel } from '../../kernel/index.ts';
import type { RecordedResponse, Recordings } from './recordings.ts';
import { keyOf, type RecordedRequest, recordedRequest } from './request-key.ts';
import { MISSING } from './server.ts';

/** Properties of errors by which their causes are told apart. */
const ERROR_KEYS = ['code', 'reason', 'hint', 'statusCode', 'data', 'responseBody', 'responseHeaders'] as const;
const FACT = 'FACT';
const OK = 200;
const FAILED = 500;

type ModelFacts = Omit<ResolvedModel, 'model'> & { readonly call: string; readonly modelId: string };

/** The model, whose calls and failures are added to the recordings. */
export async function recordingModel(resolved: ResolvedModel, recordings: Recordings): Promise<ResolvedModel> {
  const { model: given, ...rest } = resolved;
  const model = given as LanguageModelV4;
  await recordFact(recordings, 'model', { ...rest, call: model.provider, modelId: model.modelId } satisfies ModelFacts);
  return {
    ...resolved,
    model: modelOf(model, async (options) => {
      const request = requestOf(model, options);
      try {
        const result = await model.doGenerate(options);
        // Headers and bodies tell of the account, and nobody reads them.
        const { request: _, response: __, ...kept } = result;
        await recordings.add(request, responseOf(OK, kept));
        return result;
      } catch (error) {
        // What was given up on is no answer of the model.
        if (!options.abortSignal?.aborted) await recordings.add(request, responseOf(FAILED, factsOf(error)));
        throw error;
      }
    }),
  };
}

/** A model that answers from the recordings alone, under the name of the one that was recorded. */
export function replayedModel(recordings: Recordings): ResolvedModel {
  const facts = recordedFact(recordings, 'model') as ModelFacts | undefined;
  if (facts === undefined) throw missing('a model');
  const { call: provider, modelId, ...rest } = facts;
  return {
    ...rest,
    model: modelOf({ provider, modelId }, async (options) => {
      const request = requestOf({ provider, modelId }, options);
      const key = keyOf(request);
      const known = recordings.play(key);
      if (known === undefined) throw missing(`this call of the model, with the key ${key}`);
      const value: unknown = JSON.parse(String(known.body));
      if (known.status === OK) return value as LanguageModelV4GenerateResult;
      throw errorOf(value as RecordedError);
    }),
  };
}

/** Something else that is known of what was recorded, such as how long it took; the last one of a name counts. */
export function recordFact(recordings: Recordings, name: string, value: unknown): Promise<void> {
  return recordings.add(factRequest(name), responseOf(OK, value));
}

export function recordedFact(recordings: Recordings, name: string): unknown {
  const known = recordings.last(keyOf(factRequest(name)));
  return known && JSON.parse(String(known.body));
}

const factRequest = (name: string): RecordedRequest => ({ method: FACT, path: name, body: null });

const responseOf = (status: number, value: unknown): RecordedResponse => ({
  status,
  headers: {},
  body: JSON.stringify(value),
});

function requestOf(
  { provider, modelId }: Pick<LanguageModelV4, 'provider' | 'modelId'>,
  { abortSignal: _, headers: __, ...asked }: LanguageModelV4CallOptions,
): RecordedRequest {
  const path = [provider, modelId].map(encodeURIComponent).join('/');
  return recordedRequest('CALL', `/${path}`, JSON.stringify(asked));
}

interface RecordedError {
  readonly message: string;
  readonly isOurs: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

function factsOf(error: unknown): RecordedError {
  const own = ERROR_KEYS.map((key) => [key, (error as Record<string, unknown> | null)?.[key]] as const);
  const facts = Object.fromEntries(own.filter(([, value]) => value !== undefined));
  return { message: messageOf(error), isOurs: error instanceof AtlasError, facts };
}

const errorOf = ({ message, isOurs, facts }: RecordedError): Error =>
  isOurs ? new AtlasError(message, facts) : Object.assign(new Error(message), facts);

const modelOf = (
  { provider, modelId }: Pick<LanguageModelV4, 'provider' | 'modelId'>,
  doGenerate: LanguageModelV4['doGenerate'],
): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider,
  modelId,
  supportedUrls: {},
  doGenerate,
  doStream: () => Promise.reject(new Error('Streamed calls are not recorded.')),
});

const missing = (what: string) =>
  new AtlasError(`${MISSING} of ${what}.`, {
    code: 'configuration_error',
    reason: 'E_RECORDING_MISSING',
    hint: 'Record it again: something of the question, the instructions, the tools or the data has changed.',
  });
