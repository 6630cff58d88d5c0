/** Makes the layer of a database as `atlas init` does, in this process, and runs plans over it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { datasources } from '../../config/presets/datasources.ts';
import { createApp } from '../../kernel/index.ts';
import { layerFiles, type Profile, withDatabase } from '../../plugins/semantic-init/index.ts';
import { loadSemanticLayer, type SemanticModel, semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { compileQuery, type QueryPlan } from '../../plugins/semantic-query/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { dialectOf } from '../../plugins/sql-kit/index.ts';
import { sqlLimits } from '../../plugins/sql-limits/index.ts';

type Row = Readonly<Record<string, unknown>>;

interface EntityFile {
  readonly table: string;
  readonly type?: string;
  readonly grain?: string;
  readonly dimensions: readonly (Row & { readonly name: string })[];
  readonly measures: readonly (Row & { readonly name: string })[];
  readonly joins?: readonly (Row & { readonly target: string })[];
}

export interface ProfiledLayer extends AsyncDisposable {
  readonly files: ReadonlyMap<string, unknown>;
  readonly profiles: readonly Profile[];
  readonly model: SemanticModel;
  entity(name: string): EntityFile;
  /** `from -> target.to relationship` of each join, as the name of the join where it has one. */
  joins(name: string): string[];
  /** Runs a plan through the guard over the layer. */
  run(plan: QueryPlan): Promise<readonly Row[]>;
}

export interface ProfiledOptions {
  /** Default: the schema of the connection. */
  readonly schema?: string;
  readonly withoutSamples?: ReadonlySet<string>;
}

export async function profiledLayer(url: string, options: ProfiledOptions = {}): Promise<ProfiledLayer> {
  const { schema, withoutSamples = new Set() } = options;
  const config = { plugins: datasources({ datasourceUrl: url }) };
  const { files, profiles } = await withDatabase(config, {}, new AbortController().signal, async (database) => {
    const wanted = schema ?? database.ownSchema;
    const tables = database.tables.filter((table) => table.schema === wanted);
    const all = await database.profile(tables, { withoutSamples });
    const read = all.filter(({ failure }) => failure === undefined);
    return { profiles: all, files: await layerFiles(read, database) };
  });
  const dir = mkdtempSync(join(tmpdir(), 'atlas-layer-'));
  for (const [path, value] of files) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), stringify(value));
  }
  const model = await loadSemanticLayer(dir);
  const app = await createApp(
    { plugins: [...config.plugins, semanticLayer({ dir, checkIntervalMs: 0 }), sqlLimits(), sqlGuard()] },
    { until: 'sealed' },
  );
  const actor = { id: null, label: null, role: 'admin', mode: 'none', claims: {} } as const;
  const scope = app.scope({ signal: new AbortController().signal, actor });
  const dbType =
    url
      .split(':')[0]
      ?.replace(/^postgresql$/, 'postgres')
      .replace(/^mariadb$/, 'mysql') ?? '';
  const dialect = await dialectOf(app, dbType, scope);
  const entity = (name: string) => {
    const file = files.get(`entities/${name}.yml`);
    if (file === undefined) throw new Error(`There is no entity ${name}, but ${[...files.keys()].join(', ')}.`);
    return file as EntityFile;
  };
  return {
    files,
    profiles,
    model,
    entity,
    joins: (name) =>
      (entity(name).joins ?? []).map(({ name: own, target, relationship, on }) => {
        const pairs = on as readonly { readonly from: string; readonly to: string }[];
        const columns = [pairs.map(({ from }) => from).join(), `${target}.${pairs.map(({ to }) => to).join()}`];
        return `${own === undefined ? '' : `${own}: `}${columns.join(' -> ')} ${relationship}`;
      }),
    async run(plan) {
      const { sql } = compileQuery(model, plan, { dialect });
      return (await app.runSql({ sql, connectionId: 'default', surface: 'cli' }, scope)).result.rows;
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
