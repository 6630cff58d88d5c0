/** Answers `not_available` at the endpoints of scheduled questions where these are switched off. */
import { AtlasError, definePlugin, httpRoutes } from '../../kernel/index.ts';
import { type TaskRoutesInit, taskRoutes } from './routes.ts';

function refuse(): never {
  throw new AtlasError('Scheduled questions are switched off.', {
    code: 'not_available',
    hint: 'Have the operator set SVC_SCHEDULER_ENABLED=true and DATABASE_URL.',
  });
}

export const schedulerOff = definePlugin({
  name: 'scheduler-off',
  version: '1.0.0',
  type: 'interaction',
  description: 'Answers `not_available` where questions cannot be scheduled; stands in for `scheduler`.',
  setup(ctx) {
    // Refused before anything of the request is looked at, so that the handlers need nothing.
    const routes = taskRoutes({} as TaskRoutesInit);
    ctx.tap(httpRoutes, () =>
      routes.map((route) => ({ ...route, errors: [...(route.errors ?? []), 'not_available'], ready: refuse })),
    );
  },
});
