/** Serves the routes of all plugins over HTTP. */
import { appReady, definePlugin, httpRoutes, type Scope } from '../../kernel/index.ts';
import { failureOf, logFailure } from './answer/failure.ts';
import type { HttpServer } from './api.ts';
import { errorCodes } from './errors.ts';
import { httpSecurity } from './hooks.ts';
import { HttpOptions } from './options.ts';
import { outlasting } from './request/request-scope.ts';
import { WebServer } from './server/web-server.ts';

export { addressKey } from './address-key.ts';
export type { HttpServer, OutlastingWork } from './api.ts';
export { ErrorSchema } from './error-schema.ts';
export { errorCodes } from './errors.ts';
export { httpRetiring, type RequestBegun, type RequestEnded, requestBegun, requestEnded } from './events.ts';
export {
  type Admission,
  httpAdmit,
  httpNotFound,
  httpSecurity,
  type MissingPage,
  type SecurityScheme,
} from './hooks.ts';
export { MOST_RUNNING } from './options.ts';
export { MAX_HEAP_SHARE } from './request/admission.ts';
export { isLoopback } from './request/host-names.ts';

export const http = definePlugin({
  name: 'http',
  version: '1.0.0',
  type: 'interaction',
  description: 'Serves the routes of all plugins over HTTP.',
  options: HttpOptions,
  setup(ctx, options): HttpServer {
    const server = WebServer.create(ctx, options);
    const publicUrl = options.publicUrl?.replace(/\/+$/, '');
    ctx.onReady(async () => {
      const schemes = await ctx.call(httpSecurity, undefined, ctx.scope());
      const isOpen = !schemes.some(({ value }) => value.scheme !== undefined && value.isOwn !== true);
      await server.mount(await ctx.call(httpRoutes, undefined, ctx.scope()), isOpen);
      if (options.listen) await server.listen();
    });
    ctx.on(appReady, () => server.open());
    ctx.onDrain(() => server.drain());
    ctx.onClose(() => server.close());
    return {
      url: () => server.url(),
      link: (path) => (publicUrl === undefined ? undefined : publicUrl + path),
      address: () => server.address(),
      retire: () => server.retire(),
      cancel: () => server.cancel(),
      outlast: (scope, work) => void outlasting.set(scope, work),
      inject: (request) => server.inject(request),
      routes: () => server.routes,
      errorCodes,
      failure: (error: unknown, scope: Scope) => {
        const failure = failureOf(error, scope.requestId);
        logFailure(error, failure, scope, ctx);
        return failure;
      },
    };
  },
});
