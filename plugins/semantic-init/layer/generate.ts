/** Makes the layer of a database without writing it anywhere, for programs that need one for themselves. */
import type { AtlasConfig, CreateAppOptions, TableDescription } from '../../../kernel/index.ts';
import { withDatabase } from '../profile/profile.ts';
import { layerFiles } from './layer.ts';

export interface LayerToGenerate {
  /** Its datasource is read. */
  readonly config: AtlasConfig;
  readonly options: CreateAppOptions;
  readonly signal: AbortSignal;
  /** Completes what the database tells of its tables, such as comments. */
  readonly describe: (tables: readonly TableDescription[]) => readonly TableDescription[];
}

/** The files that `init` would write, as plain objects by path; tables that cannot be read are left out. */
export function generateLayer({ config, options, signal, describe }: LayerToGenerate): Promise<Map<string, unknown>> {
  return withDatabase(config, options, signal, async (database) => {
    const profiles = await database.profile(describe(database.tables), { withoutSamples: new Set() });
    return layerFiles(
      profiles.filter(({ failure }) => failure === undefined),
      database,
    );
  });
}
