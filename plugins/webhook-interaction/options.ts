/** Declares the channels and their limits. */
import { type Scope, type Static, Type } from '../../kernel/index.ts';
import type { Verification } from '../agent/index.ts';

/** What `executeQuery` resolves to; the agent's answer has this shape. */
export interface WebhookTable {
  readonly columns: readonly string[];
  readonly rows: readonly object[];
  /** Why there are none. */
  readonly explanation?: unknown;
  readonly readings?: unknown;
  readonly provenance?: unknown;
  readonly formats?: unknown;
}

export interface WebhookAnswer {
  readonly answer: string;
  /** Statements that ran. */
  readonly sql?: readonly string[];
  /** The verified query that answered. */
  readonly verified?: Verification;
  /** One table per statement; the last one is answered. */
  readonly data?: readonly WebhookTable[];
}

export type ExecuteQuery = (query: string, scope: Scope) => Promise<WebhookAnswer>;

const RunAs = Type.Object(
  {
    role: Type.Union([Type.Literal('viewer'), Type.Literal('analyst'), Type.Literal('admin')], {
      default: 'viewer',
      description: 'role of the questions',
    }),
    orgId: Type.Optional(Type.String({ minLength: 1, description: 'organization of the questions; default: none' })),
    claims: Type.Record(Type.String(), Type.Unknown(), {
      default: {},
      description: 'claims for row security, such as `{"tenant": "acme"}`; without those it needs, it refuses',
    }),
  },
  { additionalProperties: false, description: 'as whom the questions are asked; default: as a viewer without claims' },
);

const Channel = Type.Object(
  {
    channelId: Type.String({
      pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$',
      expected: 'letters, digits, ".", "_" and "-", at most 128',
      description: 'unique name in the URL; upper and lower case differ',
    }),
    authType: Type.Union([Type.Literal('api-key'), Type.Literal('hmac')], {
      description: '`api-key`: the secret in `X-Webhook-Secret`; `hmac`: a signature in `X-Webhook-Signature`',
    }),
    secret: Type.String({ minLength: 1, description: 'secret that is shared with the sender' }),
    responseFormat: Type.Union([Type.Literal('json'), Type.Literal('text')], {
      default: 'json',
      description: 'whether `result` is an object with answer, SQL and rows, or the text of the answer',
    }),
    callbackUrl: Type.Optional(
      Type.String({
        pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
        expected: 'an http or https URL',
        description: 'where answers are delivered, unless the request names another address',
      }),
    ),
    connectionId: Type.Optional(
      Type.String({ minLength: 1, description: 'connection that is asked; default: the main one' }),
    ),
    runAs: Type.Optional(RunAs),
    replayWindowSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3_600,
        description:
          'with `hmac`: the signature covers `X-Webhook-Timestamp`, which may differ from the clock by so much, and counts once; default: the signature is that of the body, and requests can be repeated',
      }),
    ),
    requestsPerMinute: Type.Integer({
      default: 600,
      minimum: 1,
      maximum: 100_000,
      description: 'authenticated requests in any 60 seconds, on all servers that share their limits',
    }),
    maxConcurrent: Type.Integer({
      default: 50,
      minimum: 1,
      maximum: 10_000,
      description: 'requests that wait for their answers at a time, on each server',
    }),
    maxQueued: Type.Integer({
      default: 1_000,
      minimum: 1,
      maximum: 100_000,
      description: 'accepted requests whose answers are still to be delivered',
    }),
  },
  { additionalProperties: false },
);
export type ChannelOptions = Static<typeof Channel>;

export const WebhookOptions = Type.Object(
  {
    channels: Type.Array(Channel, { minItems: 1, description: 'who may send questions' }),
    executeQuery: Type.Optional(
      Type.Unsafe<ExecuteQuery>(Type.Any({ description: 'a function that answers a question; default: the agent' })),
    ),
    queueConcurrency: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 1_000,
      description: 'accepted questions that this server answers at a time',
    }),
    callbackTimeoutMs: Type.Integer({
      default: 10_000,
      minimum: 100,
      maximum: 120_000,
      description: 'time that one delivery may take',
    }),
    bodyLimitBytes: Type.Integer({
      default: 262_144,
      minimum: 1_024,
      description: 'largest request body, in bytes; never more than that of the server',
    }),
  },
  { additionalProperties: false },
);
export type WebhookOptions = Static<typeof WebhookOptions>;
