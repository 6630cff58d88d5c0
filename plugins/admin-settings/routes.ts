/** Serves `GET /api/v1/admin/settings`. */
import { defineRoute, type Route } from '../../kernel/index.ts';
import { mustBeOfPlatform } from '../admin-kit/index.ts';
import { SettingList, type SettingsOptions } from './options.ts';

export function settingsRoute({ settings = () => [], isHosted }: SettingsOptions): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/admin/settings',
    operationId: 'listSettings',
    area: 'settings',
    summary: 'The settings of the server, and where each value comes from. Secrets are never shown.',
    tag: 'Settings',
    right: 'admin:settings',
    organizationData: "The server's own settings",
    responses: { 200: SettingList },
    ready(_request, scope) {
      if (isHosted) mustBeOfPlatform(scope, 'The settings of the server are those of the platform');
    },
    handle: () => ({ body: { settings: [...settings()] } }),
  });
}
