/** Decides from the flags which connection `init` reads and which folder it writes to. */
import { existsSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { AtlasConfig, CliRun } from '../../../kernel/index.ts';
import { layerFolderOf } from '../../semantic-layer/index.ts';
import { wrong } from '../profile/errors.ts';
import type { WantedConnection } from '../profile/profile.ts';

/** Connection without a name of its own, whose entities stand at the root of the layer. */
const DEFAULT = 'default';
export interface InitTarget {
  /** The layer's folder. */
  readonly root: string;
  /** Where the files go: the layer's folder, or that of a source or an organization in it. */
  readonly dir: string;
  /** What the files are merged with: `dir`, or for an organization without a layer the shared one that it gets a copy of. */
  readonly base: string;
  /** `dir` as the terminal shows it. */
  readonly shown: string;
  /** Name of the source; `undefined`: the root. */
  readonly source?: string;
  readonly orgId?: string;
  /** Folder of the organization's layer. */
  readonly orgDir?: string;
  readonly connection?: WantedConnection | undefined;
}

export function targetOf(config: AtlasConfig, run: CliRun, demoDir: string): InitTarget {
  const { source, connection, org } = run.options;
  const root = layerFolderOf(config, run.cwd);
  const shownRoot = relative(run.cwd, root) || '.';
  if (org === undefined && existsSync(root) && existsSync(demoDir) && realpathSync(root) === realpathSync(demoDir)) {
    throw wrong(
      `The layer in ${shownRoot} is the demo's and is not overwritten.`,
      'Choose another folder with SVC_SEMANTIC_DIR, such as SVC_SEMANTIC_DIR=./layer, and keep the setting for "atlas serve".',
    );
  }
  if (org !== undefined && !config.plugins.some(({ definition }) => definition.name === 'auth-managed')) {
    throw wrong(
      '--org needs managed authentication, which knows the organizations.',
      'Set AUTHLIB_SECRET and DATABASE_URL as for the server.',
    );
  }
  const name = source ?? (connection === DEFAULT ? undefined : connection);
  const folders = [...(org === undefined ? [] : ['.orgs', String(org)]), ...(name === undefined ? [] : [String(name)])];
  const dir = join(root, ...folders);
  const hasLayer = org === undefined || existsSync(join(root, '.orgs', String(org)));
  const wanted = source ?? connection;
  return {
    root,
    dir,
    base: hasLayer ? dir : join(root, ...(name === undefined ? [] : [String(name)])),
    shown: relative(run.cwd, dir) || '.',
    ...(name !== undefined && { source: String(name) }),
    ...(org !== undefined && { orgId: String(org), orgDir: join(root, '.orgs', String(org)) }),
    ...(wanted !== undefined && { connection: { id: String(wanted), isRequired: connection !== undefined } }),
  };
}
