/** Says in which folders layers stand. */
import { join, resolve } from 'node:path';
import type { AtlasConfig } from '../../kernel/index.ts';
import { ORGANIZATION_ID, ORGANIZATIONS_FOLDER } from './files/places.ts';

/** The folder that the composition names, for commands, which run without the server. */
export function layerFolderOf({ plugins }: AtlasConfig, cwd: string): string {
  const entry = plugins.find(({ definition }) => definition.name === 'semantic-layer');
  const { dir = './semantic' } = (entry?.options ?? {}) as { dir?: string };
  return resolve(cwd, dir);
}

/** Where the files of an organization stand below a folder of all; `undefined` for an id that names no folder. */
export const organizationFolder = (dir: string, orgId: string): string | undefined =>
  ORGANIZATION_ID.test(orgId) ? join(dir, ORGANIZATIONS_FOLDER, orgId) : undefined;
