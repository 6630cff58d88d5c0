/** Serves `GET /api/v1/openapi.json`: the interface as it is mounted, described by the schemas that validate. */
import { Type } from '@sinclair/typebox';
import { definePlugin, httpRoutes, type Route } from '../../kernel/index.ts';
import { http, httpSecurity } from '../http/index.ts';
import { checkOperationIds, openapiDocument } from './document.ts';
import { OpenapiOptions } from './options.ts';

export { openapiDocument } from './document.ts';

const OpenApiDocument = Type.Object(
  { openapi: Type.String({ description: 'Version of OpenAPI.' }) },
  { title: 'OpenApiDocument', additionalProperties: true },
);

export const openapi = definePlugin({
  name: 'openapi',
  version: '1.0.0',
  type: 'interaction',
  description: 'Describes the HTTP interface in OpenAPI 3.1.',
  needs: { http },
  options: OpenapiOptions,
  setup(ctx, options, needs) {
    let text: Promise<string> | undefined;
    const write = async (): Promise<string> => {
      const { errorCodes } = needs.http;
      const security = await ctx.call(httpSecurity, undefined, ctx.scope());
      const plugins = Object.fromEntries(ctx.describe().plugins.map(({ name, description }) => [name, description]));
      const info = { ...options, security, plugins, errorCodes };
      return JSON.stringify(openapiDocument(needs.http.routes(), info));
    };
    ctx.onReady(() => checkOperationIds(needs.http.routes()));
    const route: Route = {
      method: 'GET',
      path: '/api/v1/openapi.json',
      operationId: 'getOpenApi',
      summary: 'This description.',
      tag: 'Interface',
      right: 'public',
      origins: 'any',
      responses: { 200: OpenApiDocument },
      async handle() {
        // Written when it is first asked for: routes do not change while the server runs.
        text ??= write();
        return { headers: { 'content-type': 'application/json; charset=utf-8' }, body: await text };
      },
    };
    ctx.tap(httpRoutes, () => [route]);
  },
});
