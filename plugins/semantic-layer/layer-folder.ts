/** Finds the folder of the semantic layer for commands, which run without the server. */
import { resolve } from 'node:path';
import type { AtlasConfig } from '../../kernel/index.ts';

/** The folder that the composition names, relative to the working directory. */
export function layerFolderOf({ plugins }: AtlasConfig, cwd: string): string {
  const entry = plugins.find(({ definition }) => definition.name === 'semantic-layer');
  const { dir = './semantic' } = (entry?.options ?? {}) as { dir?: string };
  return resolve(cwd, dir);
}
