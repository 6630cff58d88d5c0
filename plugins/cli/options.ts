import { type Static, Type } from '../../kernel/index.ts';
import type { Compose, FindConfig, ImportFrom } from './api.ts';

export const CliOptions = Type.Object(
  {
    version: Type.String({ description: 'version of the package, printed by --version' }),
    compose: Type.Unsafe<Compose>(Type.Any({ description: 'a function that loads or builds the composition' })),
    findConfig: Type.Unsafe<FindConfig>(
      Type.Any({ description: 'a function that finds the configuration of a folder' }),
    ),
    importFrom: Type.Unsafe<ImportFrom>(Type.Any({ description: 'a function that imports a package for a folder' })),
    demoLayerDir: Type.String({ description: "folder of the demo's semantic layer" }),
  },
  { additionalProperties: false },
);
export type CliOptions = Static<typeof CliOptions>;
