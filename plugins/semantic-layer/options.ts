/** Defines the options of the semantic layer. */
import { type Static, Type } from '../../kernel/index.ts';
import { DEFAULT_CONTEXT_BYTES } from './context/context-writer.ts';
import { DEFAULT_EXPLORE_BYTES } from './context/explore.ts';

export const SemanticLayerOptions = Type.Object(
  {
    dir: Type.String({ default: './semantic', minLength: 1, description: 'root folder of the semantic layer' }),
    contextBytes: Type.Integer({
      default: DEFAULT_CONTEXT_BYTES,
      minimum: 2048,
      maximum: 65_536,
      description: 'largest part of the layer in one prompt, in bytes',
    }),
    exploreBytes: Type.Integer({
      default: DEFAULT_EXPLORE_BYTES,
      minimum: 1024,
      maximum: 65_536,
      description: 'longest answer of the explore tool, in bytes',
    }),
    watchIntervalMs: Type.Integer({
      default: 2_000,
      minimum: 0,
      description: 'time between two checks for changes without requests, in milliseconds; 0 turns them off',
    }),
    checkIntervalMs: Type.Integer({
      default: 250,
      minimum: 0,
      description: 'shortest time between two checks for changed files, in milliseconds',
    }),
  },
  { additionalProperties: false },
);
export type SemanticLayerOptions = Static<typeof SemanticLayerOptions>;
