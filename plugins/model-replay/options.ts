/** Declares where recordings are, and whether they are made or played back. */
import { type Static, Type } from '../../kernel/index.ts';

export const ModelReplayOptions = Type.Object(
  {
    file: Type.String({ minLength: 1, description: 'file of recordings, one JSON line for each request' }),
    mode: Type.Union([Type.Literal('replay'), Type.Literal('record')], {
      default: 'replay',
      description:
        '"replay" answers from the file and calls no provider; "record" asks the provider and adds to the file',
    }),
    target: Type.Optional(
      Type.String({
        pattern: '^https?://[^/?#]+$',
        description: 'origin of the provider, such as https://api.openai.com; needed by "record"',
      }),
    ),
    port: Type.Integer({
      default: 4319,
      minimum: 0,
      maximum: 65_535,
      description:
        'port of the loopback interface that the base URL of the model plugin points to; 0 takes any free one',
    }),
    maxFileBytes: Type.Integer({
      default: 32 * 1024 * 1024,
      minimum: 1024,
      description: 'size of the file beyond which nothing more is recorded',
    }),
  },
  { additionalProperties: false },
);
export type ModelReplayOptions = Static<typeof ModelReplayOptions>;
