/** Declares the options of the console. */
import { type Static, Type } from '../../kernel/index.ts';

export const WebConsoleOptions = Type.Object(
  {
    folder: Type.Optional(
      Type.String({ minLength: 1, description: 'folder of other built pages: index.html, and its files in assets' }),
    ),
  },
  { additionalProperties: false },
);
export type WebConsoleOptions = Static<typeof WebConsoleOptions>;
