/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const GroundingOptions = Type.Object(
  {
    correct: Type.Boolean({
      default: true,
      description: 'ask the model once to correct figures that its results do not explain',
    }),
  },
  { additionalProperties: false },
);
export type GroundingOptions = Static<typeof GroundingOptions>;
