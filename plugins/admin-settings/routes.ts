/** Serves `GET /api/v1/admin/settings`. */
import { AtlasError, defineRoute, type Route } from '../../kernel/index.ts';
import { SettingList, type SettingsOptions } from './options.ts';

export function settingsRoute({ settings, isHosted }: SettingsOptions): Route {
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
    ready(_request, { orgId }) {
      if (!isHosted || orgId === null) return;
      throw new AtlasError('The settings of the server belong to the platform.', {
        code: 'forbidden',
        hint: 'Sign in as an administrator who belongs to no organization.',
      });
    },
    handle: () => ({ body: { settings } }),
  });
}
