import { type Static, Type } from '../../kernel/index.ts';

export const ChangesOptions = Type.Object(
  {
    pollMs: Type.Integer({
      minimum: 50,
      maximum: 1_500,
      default: 1_000,
      description: 'how often a server looks for changes by others, in milliseconds',
    }),
  },
  { additionalProperties: false },
);
export type ChangesOptions = Static<typeof ChangesOptions>;
