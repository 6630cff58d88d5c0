import { type Static, Type } from '../../kernel/index.ts';

const Text = Type.String({ minLength: 1 });

export const ByotOptions = Type.Object(
  {
    jwksUrl: Type.String({ minLength: 1, description: "URL of the issuer's public keys: SVC_AUTH_JWKS_URL" }),
    issuer: Type.String({ minLength: 1, description: 'the `iss` that tokens must have: SVC_AUTH_ISSUER' }),
    audience: Type.Optional(
      Type.Union([Text, Type.Array(Text, { minItems: 1 })], {
        description: 'the `aud`, or one of several, that tokens must have; without it any: SVC_AUTH_AUDIENCE',
      }),
    ),
    roleClaim: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'claim with the role, a name or a path with dots; without it `role`, then `atlas_role`',
      }),
    ),
    orgClaim: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'claim with the organization, a name or a path with dots; without it `org_id`',
      }),
    ),
    clockToleranceSeconds: Type.Integer({
      default: 30,
      minimum: 0,
      maximum: 600,
      description: 'how far the clock of the issuer may be off',
    }),
    keysMaxAgeMs: Type.Integer({ default: 600_000, minimum: 0, description: 'age from which keys are fetched anew' }),
    keysCooldownMs: Type.Integer({
      default: 30_000,
      minimum: 0,
      description: 'least time between two fetches, whatever tokens say',
    }),
    keysTimeoutMs: Type.Integer({
      default: 5_000,
      minimum: 1,
      maximum: 25_000,
      description: 'longest time of a fetch',
    }),
  },
  { additionalProperties: false },
);

export type ByotOptions = Static<typeof ByotOptions>;
