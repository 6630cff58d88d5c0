/** Declares the route: its schemas check what comes in, and describe it in the OpenAPI document. */
import { AtlasError, defineRoute, type Route, Type } from 'atlas-query';
import type { Agent } from 'atlas-query/plugins/agent';
import { csvLines } from 'atlas-query/plugins/csv-kit';
import type { Options } from './options.ts';

const Query = Type.Object(
  { question: Type.String({ minLength: 1, maxLength: 2_000, description: 'the question, in plain language' }) },
  { additionalProperties: false },
);

/** `GET …/answer.csv?question=…`: the rows of the answer, with a header line. */
export function answerRoute(agent: Agent, { path, maxRows }: Options): Route {
  return defineRoute({
    method: 'GET',
    path,
    operationId: 'templateInteractionAnswer',
    summary: 'Answers a question with CSV.',
    tag: 'template-interaction',
    // Who may ask questions may use this route.
    right: 'query',
    query: Query,
    responses: { 200: Type.String() },
    errors: ['no_datasource', 'datasource_unavailable', 'provider_error'],
    async handle({ query }, scope) {
      const question = { turns: [{ role: 'user' as const, text: query.question }], surface: 'api' };
      const { outcome, text, data } = await agent.answer(question, scope);
      const table = data.at(-1);
      if (outcome !== 'answered' || table === undefined) {
        throw new AtlasError(text === '' ? 'There is no answer with rows.' : text, {
          code: 'invalid_request',
          hint: 'Ask for figures that the data hold.',
        });
      }
      const rows = table.rows.slice(0, maxRows).map((row) => table.columns.map((column) => row[column]));
      return { headers: { 'content-type': 'text/csv; charset=utf-8' }, body: csvLines([table.columns, ...rows]) };
    },
  });
}
