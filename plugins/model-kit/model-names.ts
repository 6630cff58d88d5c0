/** Adds to the error about an unknown model the names that the provider knows. */
import { AtlasError, nearest } from '../../kernel/index.ts';
import type { ModelSource } from './source.ts';

const LIST_WITHIN_MS = 3_000;
const MOST_NAMES = 1_000;
const SHOWN_NAMES = 5;
/** Ids of models as providers write them, and nothing that could be a text. */
const NAME = /^[\w.:/@+-]{1,100}$/;

/** The error with near names in its hint; as it is when the provider does not list its models in time. */
export async function withModelNames(
  error: AtlasError,
  { modelId, models }: ModelSource,
  signal: AbortSignal | undefined,
): Promise<AtlasError> {
  if (error.code !== 'provider_model_not_found' || models === undefined) return error;
  const limit = AbortSignal.timeout(LIST_WITHIN_MS);
  const listed = await models(signal === undefined ? limit : AbortSignal.any([limit, signal])).catch(() => []);
  const names = listed
    .slice(0, MOST_NAMES)
    .filter((name): name is string => typeof name === 'string' && NAME.test(name));
  if (names.length === 0) return error;
  const near = nearest(modelId, names);
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
  const known =
    near === undefined ? `It has ${names.slice(0, SHOWN_NAMES).join(', ')}${more}.` : `Did you mean ${near}?`;
  const { code, reason } = error;
  return new AtlasError(error.message, {
    code,
    reason,
    hint: `${known} ${error.hint ?? ''}`.trim(),
    cause: error.cause,
  });
}
