/** Declares what the command line runs in, and what the `cli` plugin offers to plugins that bring commands. */
import type { AtlasConfig, CliCommand, CliRun, CreateAppOptions } from '../../kernel/index.ts';

export type Terminal = Omit<CliRun, 'args' | 'options'>;

export interface Composition {
  /** Plugins of the type `command` are left out: they run in the command line, not in the server. */
  readonly config: AtlasConfig;
  readonly options: CreateAppOptions;
  /** One sentence each, for the operator. */
  readonly warnings: readonly string[];
}

export interface ComposeRequest extends Pick<CliRun, 'cwd' | 'env'> {
  /** True: the built-in composition, whatever the folder holds. */
  readonly builtIn?: boolean;
}

/** Loads `atlas.config.ts` of the working directory, or builds the built-in composition from the environment. */
export type Compose = (request: ComposeRequest) => Promise<Composition>;

/** Path of the configuration in a folder, or `undefined`. */
export type FindConfig = (folder: string) => string | undefined;

/** Imports a package as a configuration in that folder would. */
export type ImportFrom = (specifier: string, folder: string) => Promise<Readonly<Record<string, unknown>>>;

/** The API of the `cli` plugin. */
export interface Cli {
  /** Version of the package. */
  readonly version: string;
  readonly compose: Compose;
  readonly findConfig: FindConfig;
  readonly importFrom: ImportFrom;
  /** Folder of the demo's semantic layer, which is never written to. */
  readonly demoLayerDir: string;
  /** Every command: those of this plugin, then those of the others. Throws when two have the same name. */
  commands(): Promise<readonly CliCommand[]>;
  /** Runs one command line; resolves to the exit code. `argv` is without the program's own name. */
  run(argv: readonly string[], terminal: Terminal): Promise<number>;
}
