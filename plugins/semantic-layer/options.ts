import { type Static, Type } from '@sinclair/typebox';
import { defaultContextBytes } from './context/context-writer.ts';
import { defaultExploreBytes } from './context/explore.ts';

export const SemanticLayerOptions = Type.Object(
  {
    dir: Type.String({ default: './semantic', minLength: 1, description: "the layer's folder" }),
    contextBytes: Type.Integer({
      default: defaultContextBytes,
      minimum: 2048,
      maximum: 65_536,
      description: 'most of the layer that one prompt holds, in bytes',
    }),
    exploreBytes: Type.Integer({
      default: defaultExploreBytes,
      minimum: 1024,
      maximum: 65_536,
      description: 'longest answer of the explore tool, in bytes',
    }),
    watchIntervalMs: Type.Integer({
      default: 2_000,
      minimum: 0,
      description: 'time between two looks for changes when nobody asks, in milliseconds; 0: none',
    }),
    checkIntervalMs: Type.Integer({
      default: 250,
      minimum: 0,
      description: 'least time between two looks for changed files, in milliseconds',
    }),
  },
  { additionalProperties: false },
);
export type SemanticLayerOptions = Static<typeof SemanticLayerOptions>;
