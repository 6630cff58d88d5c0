/** `GET /api/v1/openapi.json`: the interface as it is mounted, described by the schemas that validate. */
import { Type } from '@sinclair/typebox';
import { definePlugin, httpRoutes, type Route } from '../../kernel/index.ts';
import { http } from '../http/index.ts';
import { openapiDocument } from './document.ts';
import { OpenapiOptions } from './options.ts';

export const openapi = definePlugin({
  name: 'openapi',
  version: '1.0.0',
  type: 'interaction',
  description: 'Describes the HTTP interface in OpenAPI 3.1.',
  needs: { http },
  options: OpenapiOptions,
  setup(ctx, options, needs) {
    /** Written at the first request: routes do not change while the server runs. */
    let text: string | undefined;
    const write = (): string => {
      const auth = ctx.describe().plugins.filter(({ type }) => type === 'auth');
      const open = auth.every(({ name }) => name === 'auth-none');
      const { errorCodes } = needs.http;
      return JSON.stringify(openapiDocument(needs.http.routes(), { ...options, open, errorCodes }));
    };
    const route: Route = {
      method: 'GET',
      path: '/api/v1/openapi.json',
      summary: 'This description.',
      tag: 'Interface',
      right: 'public',
      responses: { 200: Type.Object({ openapi: Type.String() }, { additionalProperties: true }) },
      handle() {
        text ??= write();
        return { headers: { 'content-type': 'application/json; charset=utf-8' }, body: text };
      },
    };
    ctx.tap(httpRoutes, () => [route]);
  },
});
