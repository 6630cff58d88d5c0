/** Declares the options: they are checked by this schema when Atlas starts. */
import { Type } from 'atlas-query';

export const Options = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'URL that takes notes as JSON by POST; without it no note can be added',
      }),
    ),
  },
  { additionalProperties: false },
);
