/** Serves the verified queries to administrators, who vouch for them, check, propose and remove them. */
import { stringify } from 'yaml';
import { AtlasError, defineRoute, type Route, type Scope, Type } from '../../kernel/index.ts';
import { SUCCEEDED, Success } from '../admin-kit/index.ts';
import type { AdminSemantic } from '../admin-semantic/index.ts';
import {
  hashOf,
  type ModelVerifiedQuery,
  type SemanticLayerApi,
  type SemanticModel,
  VerifiedQuery,
} from '../semantic-layer/index.ts';
import type { Checks } from './checks.ts';
import { reasonOf } from './checks.ts';
import { MAX_CHARS } from './parameters.ts';
import type { Draft } from './proposal.ts';

const PATH = '/api/v1/admin/verified';
const CLOSED = { additionalProperties: false };
// Any text: a name that cannot be one is not found, as one that is another organization's.
const Name = Type.Object({ name: Type.String({ maxLength: 200 }) });
const Body = Type.Omit(VerifiedQuery, ['verifiedBy', 'verifiedAt'], { title: 'VerifiedQueryBody', ...CLOSED });
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const Shown = Type.Object(
  {
    ...VerifiedQuery.properties,
    file: Type.String(),
    status: Type.String({ description: 'Of the last check: ok, changed, empty, refused, failed, slow, unchecked.' }),
    withheld: nullable('Why answers from it carry no label; null where they do.'),
    checkedAt: nullable('ISO 8601; null where it was never checked.'),
  },
  { title: 'VerifiedQuery' },
);
const Checked = Type.Object(
  { name: Type.String(), status: Type.String(), message: nullable('What is wrong.'), checkedAt: Type.String() },
  { title: 'CheckedVerifiedQuery' },
);
const ProposalBody = Type.Object(
  {
    question: Type.String({ pattern: '\\S', maxLength: MAX_CHARS }),
    sql: Type.String({ pattern: '\\S', maxLength: 100_000 }),
    connectionId: Type.Optional(Type.String()),
  },
  CLOSED,
);

export interface VerifiedRoutesInit {
  readonly layer: SemanticLayerApi;
  readonly files: AdminSemantic;
  readonly checks: Checks;
  readonly now: () => number;
  /** Rejects with `forbidden` unless the actor may run statements, which a role that administers the layer may not. */
  mayRun(scope: Scope): Promise<void>;
  propose(asked: { question: string; sql: string; connectionId?: string }, scope: Scope): Promise<Draft>;
}

export function verifiedRoutes({ layer, files, checks, now, mayRun, propose }: VerifiedRoutesInit): Route[] {
  const common = {
    tag: 'Verified queries',
    right: 'admin:semantic',
    organizationData: 'The verified queries',
    errors: ['forbidden', 'not_found', 'conflict', 'configuration_error', 'validation_error', 'overloaded'],
  } as const;

  const find = async (name: string, scope: Scope) => named(name, await layer.for(scope));

  function named(name: string, { verified }: SemanticModel): ModelVerifiedQuery {
    const query = verified?.find((one) => one.name === name);
    if (query !== undefined) return query;
    throw new AtlasError(`There is no verified query "${name}".`, {
      code: 'not_found',
      hint: `GET ${PATH} lists them.`,
    });
  }

  async function shown(query: ModelVerifiedQuery, scope: Scope) {
    const check = await checks.last(query, scope);
    const { source: _, ...rest } = query;
    return {
      ...rest,
      status: check?.status ?? 'unchecked',
      withheld: reasonOf(query, check) ?? null,
      checkedAt: check?.checkedAt ?? null,
    };
  }

  /** Writes the query as vouched for by the actor, unless it cannot be run, or its file is not `expected` any more. */
  async function vouch({ file: path, source, ...query }: ModelVerifiedQuery, scope: Scope, expected?: string) {
    const { actor } = scope;
    await mayRun(scope);
    const by = { verifiedBy: actor.label ?? actor.id ?? actor.role, verifiedAt: new Date(now()).toISOString() };
    const { status, message } = await checks.tryOut({ ...query, ...by, file: path, source }, scope);
    if (status === 'refused' || status === 'failed')
      throw new AtlasError(`The query was not saved, as it cannot be run: ${message}`, { code: 'validation_error' });
    await files.changeFile({ path, text: stringify({ ...query, ...by }) }, scope, expected);
    // A request keeps the layer that it began with.
    const later = checks.scopeFor(scope);
    const written = await find(query.name, later);
    await checks.check(written, later);
    return shown(written, later);
  }

  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: PATH,
      operationId: 'listVerifiedQueries',
      area: 'verified',
      summary: 'The verified queries of the layer, with how their last check ended.',
      responses: { 200: Type.Object({ queries: Type.Array(Shown) }) },
      async handle(_, scope) {
        const { verified = [] } = await layer.for(scope);
        return { body: { queries: await Promise.all(verified.map((query) => shown(query, scope))) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: PATH,
      operationId: 'addVerifiedQuery',
      summary: 'Adds a verified query, for which the caller vouches, unless it cannot be run.',
      body: Body,
      responses: { 201: Shown },
      async handle({ body }, scope) {
        const { verified = [] } = await layer.for(scope);
        const file = `verified/${body.name}.yml`;
        const isTaken = verified.some(({ name }) => name === body.name);
        // The file may hold one with another name, or one that cannot be used.
        if (isTaken || (await layer.readFile(scope.orgId, file)) !== undefined)
          throw new AtlasError(`There is a verified query or a file "${body.name}" already.`, {
            code: 'conflict',
            hint: 'Choose another name.',
          });
        return { status: 201, body: await vouch({ ...body, file, source: 'default' }, scope) };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${PATH}/propose`,
      operationId: 'proposeVerifiedQuery',
      summary: 'Proposes a verified query from a question and the statement that answered it; nothing is saved.',
      body: ProposalBody,
      responses: { 200: Body },
      async handle({ body }, scope) {
        return { body: await propose(body, scope) };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${PATH}/check`,
      operationId: 'checkVerifiedQueries',
      summary: 'Runs all verified queries, or one: the label of one that is no longer as it was is withheld.',
      body: Type.Object({ name: Type.Optional(VerifiedQuery.properties.name) }, CLOSED),
      responses: { 200: Type.Object({ checks: Type.Array(Checked) }) },
      async handle({ body: { name } }, scope) {
        await mayRun(scope);
        if (name !== undefined) await find(name, scope);
        return { body: { checks: await checks.checkAll(scope, name) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${PATH}/:name/vouch`,
      operationId: 'vouchForVerifiedQuery',
      summary: 'Vouches for a query as it is, so that answers from it carry the label again.',
      params: Name,
      responses: { 200: Shown },
      async handle({ params: { name } }, scope) {
        const loaded = await layer.filesOf(scope.orgId);
        const query = named(name, loaded.model);
        const text = (await layer.readFile(scope.orgId, query.file))?.toString() ?? '';
        const known = loaded.files.find(({ path }) => path === query.file);
        // Nobody vouches for what another person makes of it meanwhile, nor writes over it.
        if (known?.hash !== hashOf(text.replace(/^\uFEFF/, ''))) {
          throw new AtlasError(`The file ${query.file} is just being edited.`, {
            code: 'conflict',
            hint: 'Read it again, and repeat your change.',
          });
        }
        return { body: await vouch(query, scope, text) };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: `${PATH}/:name`,
      operationId: 'deleteVerifiedQuery',
      summary: 'Deletes a verified query.',
      params: Name,
      responses: { 200: Success },
      async handle({ params: { name } }, scope) {
        await files.changeFile({ path: (await find(name, scope)).file, text: null }, scope);
        return SUCCEEDED;
      },
    }),
  ];
}
