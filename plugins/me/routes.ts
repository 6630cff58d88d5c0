/** Serves `GET /api/v1/me`. */
import { createRequire } from 'node:module';
import {
  type Actor,
  AtlasError,
  defineRoute,
  modelResolve,
  type PluginContext,
  type Question,
  type Route,
  type Scope,
} from '../../kernel/index.ts';
import { allRightsOf } from '../auth-kit/index.ts';
import type { AuthManaged } from '../auth-managed/index.ts';
import type { HttpServer } from '../http/index.ts';
import { areasOf } from './areas.ts';
import { Me } from './schemas.ts';

export interface MeRouteInit {
  readonly ctx: Pick<PluginContext, 'call'>;
  readonly http: Pick<HttpServer, 'routes'>;
  /** Given where users are managed here. */
  readonly auth: Pick<AuthManaged, 'profile'> | undefined;
}

/** Models are resolved for a question. */
const QUESTION: Question = { turns: [{ role: 'user', text: '' }], surface: 'web' };

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

/** What a credential says of its bearer, where no account says more. */
function bearerOf({ id, label, claims }: Actor): Me['user'] {
  return id === null ? null : { id, email: textOf(claims.email), name: textOf(claims.name) ?? label };
}

export function meRoute({ ctx, http, auth }: MeRouteInit): Route {
  let version: string | undefined;
  const packageVersion = (): string => {
    version ??= createRequire(import.meta.url)('atlas-query/package.json').version as string;
    return version;
  };
  const modelOf = async (scope: Scope): Promise<Me['model']> => {
    try {
      // In a part: a model that is not resolved in time does not end this request.
      const resolved = await ctx.call(modelResolve, QUESTION, scope.part());
      if (resolved === undefined) return null;
      const { provider, model, isOffline = false } = resolved;
      return { provider, modelId: model.modelId, isOffline };
    } catch (error) {
      // Such as a stored key that cannot be decrypted any more: questions are told why.
      if (error instanceof AtlasError) return null;
      throw error;
    }
  };
  return defineRoute({
    method: 'GET',
    path: '/api/v1/me',
    operationId: 'getMe',
    summary: 'Who you are, what you may do, and which model answers you.',
    tag: 'Account',
    right: 'self',
    responses: { 200: Me },
    errors: ['unavailable'],
    async handle({ ip }, scope) {
      const { actor, orgId } = scope;
      const routes = http.routes().map(({ value }) => value);
      const [profile, areas, model] = await Promise.all([
        auth?.profile(actor),
        areasOf(ctx, routes, { scope, ip }),
        modelOf(scope),
      ]);
      const bearer = bearerOf(actor);
      const body: Me = {
        user:
          bearer === null || profile === undefined ? bearer : { ...bearer, email: profile.email, name: profile.name },
        role: actor.role,
        rights: [...allRightsOf(actor)],
        orgId,
        organizations: [...(profile?.organizations ?? [])],
        mode: actor.mode,
        areas,
        model,
        version: packageVersion(),
      };
      return { body };
    },
  });
}
