/** Lists the model providers. */
import { modelOffline, OFFLINE } from '../../plugins/model-offline/index.ts';
import { modelOpenai, OPENAI, OPENAI_COMPATIBLE } from '../../plugins/model-openai/index.ts';
import { alternative, httpUrl, named, type Values } from '../variable.ts';

const OPENAI_NAMES = {
  model: 'SVC_MODEL',
  apiKey: 'OPENAI_API_KEY',
  baseUrl: named('OPENAI_BASE_URL', httpUrl),
} as const;

const warning = (values: Values) =>
  values.has('SVC_MODEL')
    ? undefined
    : 'SVC_MODEL is not set, so the server is asked for the model "default"; set it to the name of a model there.';

/** The one whose variable `chosenBy` is set is taken, unless SVC_PROVIDER names another. */
export const PROVIDERS = [
  alternative({ ...OPENAI, chosenBy: 'OPENAI_API_KEY' }, modelOpenai, OPENAI_NAMES),
  alternative({ ...OPENAI_COMPATIBLE, warning }, modelOpenai, OPENAI_NAMES),
  alternative(OFFLINE, modelOffline, {}),
] as const;
