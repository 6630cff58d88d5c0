/** Serves what a model would be sent for a question, and how its parts were chosen. */
import { defineRoute, type Route, Type } from '../../kernel/index.ts';
import type { Agent } from '../agent/index.ts';
import type { SemanticLayerApi } from '../semantic-layer/index.ts';
import { BASE } from './read-routes.ts';

const bytes = Type.Integer({ description: 'Bytes of UTF-8.' });

const ExplainBody = Type.Object(
  {
    question: Type.String({ minLength: 1, maxLength: 65_536 }),
    connectionId: Type.Optional(Type.String({ description: 'The connection that it is about.' })),
  },
  { additionalProperties: false },
);

const Explained = Type.Object(
  {
    model: Type.String({ description: 'Provider and model: `openai/gpt-6-luna`.' }),
    bytes,
    parts: Type.Array(
      Type.Object({
        title: Type.String({ description: '`tools`, `instructions`, then the messages of the conversation.' }),
        text: Type.String(),
        bytes,
      }),
    ),
    entities: Type.Array(
      Type.Object({
        name: Type.String(),
        score: Type.Number({ description: 'Compares within one question only.' }),
        bytes: Type.Integer({ description: 'What is shown of it in detail; 0: its name at most.' }),
      }),
      { description: 'The entities that the question may be about, the best first.' },
    ),
  },
  { title: 'ExplainedQuestion' },
);

export function explainRoute(layer: SemanticLayerApi, prompt: NonNullable<Agent['prompt']>): Route {
  return defineRoute({
    tag: 'Semantic layer',
    right: 'admin:semantic',
    organizationData: 'The shared semantic layer',
    errors: ['forbidden', 'not_available', 'no_datasource', 'configuration_error'],
    method: 'POST',
    path: `${BASE}/explain`,
    operationId: 'explainQuestion',
    summary: 'What a model would be sent for a question, without asking it, and how its parts were chosen.',
    body: ExplainBody,
    responses: { 200: Explained },
    async handle({ body: { question: text, connectionId } }, scope) {
      const turns = [{ role: 'user' as const, text }];
      const question = { turns, surface: 'api', ...(connectionId !== undefined && { connectionId }) };
      const [sent, { entities }] = await Promise.all([prompt(question, scope), layer.explain(question, scope)]);
      return { body: { ...sent, entities } };
    },
  });
}
