/** Serves the model of an organization to its administrators. */
import { AtlasError, defineRoute, type Route } from '../../kernel/index.ts';
import { SUCCEEDED, Success } from '../admin-kit/index.ts';
import type { Configuration } from './configuration.ts';
import {
  ModelConfigBody,
  SavedModelConfig,
  ShownModelConfig,
  TestBody,
  type TestBody as TestedModel,
  TestResult,
} from './schemas.ts';

const PATH = '/api/v1/admin/model-config';

const OF_A_CALL = [
  'configuration_error',
  'provider_model_not_found',
  'provider_rate_limit',
  'provider_auth_error',
  'provider_unreachable',
  'provider_error',
  'provider_timeout',
];

/** `undefined`: nothing was given. */
function given({ provider, model, ...more }: TestedModel): ModelConfigBody | undefined {
  if (provider !== undefined && model !== undefined) return { provider, model, ...more };
  if (provider === undefined && model === undefined && Object.keys(more).length === 0) return undefined;
  const path = provider === undefined ? 'provider' : 'model';
  throw new AtlasError(`The request body is not valid: ${path} is required.`, {
    code: 'validation_error',
    details: [{ path, message: 'is required' }],
    hint: 'Send provider and model, or no body to test what is stored.',
  });
}

export interface ModelConfigRoutesInit {
  readonly model: Configuration;
  readonly now: () => number;
}

export function modelConfigRoutes({ model, now }: ModelConfigRoutesInit): Route[] {
  const all = {
    tag: 'Model',
    right: 'admin:settings',
    path: PATH,
    organizationData: 'The model of the server',
  } as const;
  return [
    {
      ...all,
      method: 'GET',
      operationId: 'getModelConfig',
      area: 'model',
      summary: "The model of the organization, or `null` where the server's own answers, and what can be chosen.",
      errors: ['forbidden'],
      responses: { 200: ShownModelConfig },
      async handle(_request, scope) {
        const providers = await model.providers(scope);
        return {
          body: {
            config: await model.read(scope),
            providers: providers.map(({ name, apiKey, baseUrl }) => ({ name, apiKey, baseUrl })),
          },
        };
      },
    },
    defineRoute({
      ...all,
      method: 'PUT',
      operationId: 'setModelConfig',
      summary: 'Chooses the model of the organization, which is called once before anything is stored.',
      errors: ['forbidden', 'conflict', ...OF_A_CALL],
      body: ModelConfigBody,
      responses: { 200: SavedModelConfig },
      async handle({ body }, scope) {
        return { body: { config: await model.replace(body, scope) } };
      },
    }),
    {
      ...all,
      method: 'DELETE',
      operationId: 'deleteModelConfig',
      summary: "Goes back to the server's own model.",
      errors: ['forbidden', 'not_found'],
      responses: { 200: Success },
      async handle(_request, scope) {
        await model.remove(scope);
        return SUCCEEDED;
      },
    },
    defineRoute({
      ...all,
      method: 'POST',
      path: `${PATH}/test`,
      operationId: 'testModelConfig',
      summary: 'Calls the stored model, or the given one, and stores nothing.',
      errors: ['forbidden', 'not_found', ...OF_A_CALL],
      body: TestBody,
      responses: { 200: TestResult },
      async handle({ body }, scope) {
        return { body: { ...(await model.test(given(body), scope)), checkedAt: new Date(now()).toISOString() } };
      },
    }),
  ];
}
