/** Declares the option. */
import { type Static, Type } from '../../kernel/index.ts';

export const ChartsOptions = Type.Object(
  {
    tool: Type.Boolean({
      default: false,
      description: 'whether the model can change the chart of a result, by a tool that takes 465 bytes of each prompt',
    }),
  },
  { additionalProperties: false },
);
export type ChartsOptions = Static<typeof ChartsOptions>;
