/** Builds the compositions that evaluations ask: what answers questions, and no more. */
import {
  type App,
  type AtlasConfig,
  type CreateAppOptions,
  createApp,
  type Logger,
  type Needs,
  type PluginEntry,
  type PluginType,
} from '../../kernel/index.ts';
import { withHttpOptions } from '../cli/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { evalObserver, type ObservedQuestions } from './observer.ts';

/** An evaluation must store no conversation, run no schedule, deliver nothing and act on nothing. */
const LEFT_OUT: ReadonlySet<PluginType> = new Set(['interaction', 'delivery', 'admin', 'action', 'command']);

/** A SQLite database with its layer, in place of those of the composition. */
export interface OwnData {
  readonly database: string;
  readonly layerDir: string;
  /** Options of `sql-limits` that differ. */
  readonly limits?: object;
}

const namesIn = (needs: Needs = {}): string[] =>
  Object.values(needs).flatMap((need) => ('optional' in need ? [] : [need.pluginName]));

/** The plugins that a question goes through, with those that they need. */
export function answering({ plugins }: AtlasConfig): AtlasConfig {
  const kept = new Set(plugins.filter(({ definition }) => !LEFT_OUT.has(definition.type)));
  // A Set also visits what is added while it is walked.
  for (const { definition } of kept) {
    const needed = namesIn(definition.needs as Needs | undefined);
    for (const entry of plugins) if (needed.includes(entry.definition.name)) kept.add(entry);
  }
  return withHttpOptions({ plugins: plugins.filter((entry) => kept.has(entry)) }, { listen: false });
}

/** Whether a database is configured: engines of the built-in composition are there without one as well. */
export const hasDatasource = ({ plugins }: AtlasConfig): boolean =>
  plugins.some(({ definition, options }) => {
    const { connections } = Object(options) as { connections?: readonly unknown[] };
    return definition.type === 'datasource' && connections?.length !== 0;
  });

/** The same composition with further options of some plugins. */
const withOptions = ({ plugins }: AtlasConfig, options: Readonly<Record<string, object>>): PluginEntry[] =>
  plugins.map((entry) => ({ ...entry, options: { ...Object(entry.options), ...options[entry.definition.name] } }));

/** The same composition with another layer. */
export const withLayer = (config: AtlasConfig, dir: string): AtlasConfig => ({
  plugins: withOptions(config, { [semanticLayer.pluginName]: { dir } }),
});

/** The same composition over another database. */
export function withData(config: AtlasConfig, { database, layerDir, limits = {} }: OwnData): AtlasConfig {
  const others = withOptions(config, { [semanticLayer.pluginName]: { dir: layerDir }, [sqlLimits.pluginName]: limits });
  const own = datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${database}` }] });
  return { plugins: [...others.filter(({ definition }) => definition.type !== 'datasource'), own] };
}

/** Starts what answers questions, with its warnings and errors logged and nothing else. */
export function startAnswering(
  config: AtlasConfig,
  options: CreateAppOptions,
  questions: ObservedQuestions,
): Promise<App> {
  const { plugins } = answering(config);
  const log: Logger | undefined = options.log && { ...quiet(options.log) };
  return createApp({ plugins: [...plugins, evalObserver(questions)] }, { ...options, ...(log && { log }) });
}

const quiet = (log: Logger): Logger => ({
  debug() {},
  info() {},
  warn: (fields, text) => log.warn(fields, text),
  error: (fields, text) => log.error(fields, text),
});
