/** Shows administrators the settings of the server, and where each value comes from. */
import { definePlugin, httpRoutes } from '../../kernel/index.ts';
import { SettingsOptions } from './options.ts';
import { settingsRoute } from './routes.ts';

export type { Setting, SettingList } from './options.ts';

export const adminSettings = definePlugin({
  name: 'admin-settings',
  version: '1.0.0',
  type: 'admin',
  description: 'Shows administrators the settings of the server, and where each value comes from.',
  options: SettingsOptions,
  setup(ctx, options) {
    ctx.tap(httpRoutes, () => [settingsRoute(options)]);
  },
});
