/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const OutboundOptions = Type.Object(
  {
    allowPrivate: Type.Array(
      Type.String({
        pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[^\\s:/@?#\\[\\],]+):[0-9]{1,5}$',
        description: 'a host and its port, such as hooks.internal:8080 or [fd00::1]:443',
      }),
      {
        default: [],
        expected: 'a comma-separated list of host:port',
        description: 'hosts with their ports that outgoing calls may reach although they are private; exactly these',
      },
    ),
    timeoutMs: Type.Integer({
      default: 10_000,
      minimum: 100,
      maximum: 120_000,
      description: 'time that a whole call may take, redirects and the body of the answer included',
    }),
    maxBytes: Type.Integer({
      default: 1_048_576,
      minimum: 1_024,
      description: 'bytes of an answer that are read; the rest is left out',
    }),
  },
  { additionalProperties: false },
);

export type OutboundOptions = Static<typeof OutboundOptions>;
