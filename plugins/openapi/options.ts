/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const OpenapiOptions = Type.Object(
  {
    title: Type.String({ default: 'Atlas', minLength: 1, description: 'title of the interface description' }),
    version: Type.String({ default: '1.0.0', minLength: 1, description: 'version of the interface' }),
  },
  { additionalProperties: false },
);

export type OpenapiOptions = Static<typeof OpenapiOptions>;
