/** Describes the requests and answers of the routes for administrators. */
import { type Static, Type } from '../../kernel/index.ts';
import { oneOf, page, pageQuery, sortable } from '../admin-kit/index.ts';

const orNull = Type.Union([Type.String(), Type.Null()]);
const HttpUrl = (description: string) =>
  Type.String({
    maxLength: 2_048,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@]+(/[^\\s?#]*)?$',
    errorMessage: 'must be an http or https URL without query',
    description,
  });

const Provider = Type.Object(
  {
    id: Type.String(),
    providerId: Type.String(),
    name: Type.String(),
    organizationId: Type.String(),
    type: oneOf(['oidc', 'saml']),
    issuer: Type.String(),
    clientId: orNull,
    domain: Type.String(),
    domainVerified: Type.Boolean(),
    verificationRecord: Type.Object(
      { name: Type.String(), value: Type.String() },
      { description: 'TXT record of DNS' },
    ),
    entityId: Type.Optional(Type.String({ description: 'SAML: what this server is called; its metadata are there.' })),
    callbackUrl: Type.String({ description: 'To be registered at the identity provider.' }),
    createdAt: Type.String({ format: 'date-time' }),
    createdBy: orNull,
  },
  { title: 'SsoProvider' },
);

export const ProviderReply = Type.Object({ provider: Provider });
export const ProviderPage = page('providers', Provider);

export const NewProviderBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    domain: Type.String({ minLength: 1, maxLength: 253, description: 'Of the e-mail addresses: `example.com`.' }),
    oidc: Type.Optional(
      Type.Object(
        {
          issuer: HttpUrl('Has a discovery document below it: `https://login.example.com`.'),
          clientId: Type.String({ minLength: 1, maxLength: 500 }),
          clientSecret: Type.String({ minLength: 1, maxLength: 2_000 }),
          scopes: Type.Optional(
            Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,100}$' }), { maxItems: 20 }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    saml: Type.Optional(
      Type.Object(
        {
          issuer: Type.String({ minLength: 1, maxLength: 1_024, description: 'Entity id of the identity provider.' }),
          entryPoint: Type.String({
            maxLength: 2_048,
            pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@]+(/\\S*)?$',
            errorMessage: 'must be an http or https URL',
            description: 'Where browsers are sent to sign in (HTTP-Redirect).',
          }),
          certificate: Type.String({ minLength: 1, maxLength: 10_000, description: 'That signs assertions: PEM.' }),
          emailAttribute: Type.Optional(
            Type.String({ minLength: 1, maxLength: 500, description: 'Default: `email`, else the name id.' }),
          ),
          nameAttribute: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type NewProviderBody = Static<typeof NewProviderBody>;
export type OidcClient = NonNullable<NewProviderBody['oidc']>;
export type SamlProvider = NonNullable<NewProviderBody['saml']>;

export const IdParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });

export const PROVIDER_ORDERS = sortable(
  {
    createdAt: [{ column: 'createdAt' }, { column: 'id' }],
    name: [{ column: 'name', isText: true }, { column: 'id' }],
    domain: [{ column: 'domain', isText: true }, { column: 'id' }],
  },
  'createdAt',
);

export const PageQuery = Type.Object({ ...pageQuery({ limit: 50, max: 200 }), ...PROVIDER_ORDERS.query });

export const Enforcement = Type.Object({ enforced: Type.Boolean(), orgId: orNull }, { title: 'SsoEnforcement' });
export const EnforcementBody = Type.Object(
  {
    enforced: Type.Boolean(),
    force: Type.Optional(
      Type.Boolean({ description: 'true: also when no administrator of the organization could sign in any more.' }),
    ),
  },
  { additionalProperties: false },
);

const Connection = Type.Object(
  { id: Type.String(), providerId: Type.String(), organizationId: Type.String() },
  { title: 'ScimConnection' },
);
export const ScimReply = Type.Object({
  connections: Type.Array(Connection),
  syncStatus: Type.Object({
    connections: Type.Integer(),
    provisionedUsers: Type.Integer(),
    lastSyncAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  }),
});
export const NewConnectionBody = Type.Object(
  { providerId: Type.String({ minLength: 1, maxLength: 128 }) },
  { additionalProperties: false },
);
const GroupRole = Type.Object(
  {
    group: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '\\S',
      description: 'Display name or external id of a SCIM group.',
    }),
    role: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'viewer, analyst, admin, or the id or name of a custom role.',
    }),
  },
  { title: 'ScimGroupRole', additionalProperties: false },
);
export const GroupRoles = Type.Object(
  { groupRoles: Type.Array(GroupRole, { maxItems: 100 }) },
  { additionalProperties: false },
);

export const TokenReply = Type.Object({
  connection: Connection,
  token: Type.String({ description: 'Shown this once.' }),
  baseUrl: Type.String({ description: 'To be given to the identity provider with the token.' }),
});
