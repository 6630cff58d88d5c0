/** Describes the endpoints of single sign-on and SCIM below /api/auth. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { AtlasError, type RouteReply, Type } from '../../kernel/index.ts';
import { bearerToken } from '../auth-kit/index.ts';
import { Email, type ExtensionEndpoint, Id, Url } from '../auth-managed/index.ts';
import { domainOfEmail } from './domain.ts';
import type { OutboundFetch } from './outbound-fetch.ts';
import type { ProviderStore } from './providers.ts';
import type { ScimConnectionStore } from './scim-connections.ts';
import type { ScimCall } from './scim-provisioning.ts';

export interface EndpointsInit {
  readonly providers: ProviderStore;
  readonly connections: ScimConnectionStore;
  /** Made when it is used first. */
  fetching(): OutboundFetch;
  readonly calls: AsyncLocalStorage<ScimCall>;
}

const FromProvider = Type.Optional(Type.String({ description: 'what the identity provider says' }));

const SignIn = Type.Object(
  {
    email: Type.Optional(Email),
    domain: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
    organizationSlug: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })),
    providerId: Type.Optional(Id),
    callbackURL: Url,
    errorCallbackURL: Type.Optional(Url),
    newUserCallbackURL: Type.Optional(Url),
    loginHint: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
  },
  { additionalProperties: false },
);

interface SignInBody {
  readonly email?: string;
  readonly domain?: string;
  readonly organizationSlug?: string;
  readonly providerId?: string;
}

async function providerOf(providers: ProviderStore, body: SignInBody): Promise<string> {
  const { email, organizationSlug, providerId } = body;
  if (providerId !== undefined) return providerId;
  const domain = domainOfEmail(body.domain === undefined ? (email ?? '') : `x@${body.domain}`);
  if (domain === undefined && organizationSlug === undefined) {
    throw new AtlasError('Say whom to sign in: email, domain, organizationSlug or providerId.', {
      code: 'validation_error',
      details: [{ path: 'email', message: 'is required' }],
    });
  }
  const found = await providers.findForSignIn({
    ...(domain !== undefined && { domain }),
    ...(organizationSlug !== undefined && { slug: organizationSlug }),
  });
  if (found !== undefined) return found;
  throw new AtlasError('There is no single sign-on for this address.', {
    code: 'not_found',
    hint: 'Sign in with your password, or ask an administrator.',
  });
}

/** The library trusts the provider's addresses while it calls them, but nobody is to be sent there afterwards. */
function checkReturn(body: Readonly<Record<string, unknown>>, origins: readonly string[]): void {
  for (const name of ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL']) {
    const origin = URL.parse(String(body[name] ?? ''))?.origin;
    if (origin === undefined || !origins.includes(origin)) continue;
    throw new AtlasError(`${name} is at the identity provider.`, {
      code: 'forbidden',
      libraryCode: 'INVALID_CALLBACK_URL',
      hint: 'Give a path, or an address of an origin in AUTHLIB_TRUSTED_ORIGINS.',
    });
  }
}

function ssoEndpoints({ providers, fetching }: EndpointsInit): ExtensionEndpoint[] {
  return [
    {
      method: 'POST',
      path: '/sign-in/sso',
      summary: 'Begin to sign in through the identity provider of an organization',
      right: 'public',
      body: SignIn,
      reply: Type.Object({ url: Type.String(), redirect: Type.Boolean() }),
      errors: ['not_found', 'configuration_error', 'auth_error'],
      async handle(request, _scope, ask) {
        const { email, domain, organizationSlug, ...body } = request.body as SignInBody & Record<string, unknown>;
        const providerId = await providerOf(providers, request.body as SignInBody);
        const loginHint = body.loginHint ?? email;
        const asked = {
          errorCallbackURL: body.callbackURL,
          ...body,
          providerId,
          ...(loginHint !== undefined && { loginHint }),
        };
        const origins = await providers.origins(providerId);
        checkReturn(body, origins);
        return fetching().run(origins, () => ask({ ...request, body: asked }));
      },
    },
    {
      method: 'GET',
      path: '/sso/callback/:providerId',
      summary: 'Where an identity provider (OpenID Connect) sends the browser back to',
      right: 'public',
      params: Type.Object({ providerId: Id }),
      query: Type.Object({
        code: FromProvider,
        state: FromProvider,
        error: FromProvider,
        error_description: FromProvider,
      }),
      reply: Type.Unknown(),
      status: 302,
      errors: ['not_found', 'configuration_error', 'auth_error'],
      newUserRole: 'analyst',
      async handle(request, _scope, ask) {
        const origins = await providers.origins(request.params.providerId ?? '');
        return fetching().run(origins, () => ask(request));
      },
    },
  ];
}

/** SAML has no use for declarations, by which a small document becomes a large one, or another one than was signed. */
function checkDocument(encoded: string): void {
  if (!/<!(DOCTYPE|ENTITY)/i.test(Buffer.from(encoded, 'base64').toString())) return;
  throw new AtlasError('The answer of the identity provider has a document type declaration.', {
    code: 'invalid_request',
    hint: 'Sign in again; if it stays, have the provider leave it out.',
  });
}

const samlEndpoints: readonly ExtensionEndpoint[] = [
  {
    method: 'POST',
    path: '/sso/saml2/sp/acs/:providerId',
    summary: 'Where an identity provider (SAML) sends the browser back to',
    right: 'public',
    params: Type.Object({ providerId: Id }),
    body: Type.Object({
      // Real ones have some 20 KB; the time to read one is time for nothing else.
      SAMLResponse: Type.String({ minLength: 1, maxLength: 65_536 }),
      RelayState: Type.Optional(Type.String({ maxLength: 1_024 })),
    }),
    isForm: true,
    crossSite: true,
    reply: Type.Unknown(),
    status: 302,
    errors: ['not_found', 'configuration_error', 'auth_error'],
    newUserRole: 'analyst',
    async handle(request, _scope, ask) {
      checkDocument((request.body as { SAMLResponse: string }).SAMLResponse);
      return ask(request);
    },
  },
  {
    method: 'GET',
    path: '/sso/saml2/sp/metadata',
    summary: 'This server as identity providers of SAML see it',
    right: 'public',
    query: Type.Object({ providerId: Id }),
    reply: Type.String({ contentMediaType: 'application/xml' }),
    errors: ['not_found', 'configuration_error'],
  },
];

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The refusal of a token, in the form of RFC 7644. */
const UNAUTHORIZED: RouteReply = {
  status: 401,
  headers: { 'content-type': 'application/scim+json', 'www-authenticate': 'Bearer realm="SCIM"' },
  body: JSON.stringify({ schemas: [ERROR_SCHEMA], status: '401', detail: 'The SCIM token is missing or not valid.' }),
};

const Resource = Type.Unknown({ title: 'ScimResource', contentMediaType: 'application/scim+json' });
const Parameter = Type.Optional(Type.String());
const ListQuery = Type.Object({
  filter: Parameter,
  startIndex: Parameter,
  count: Parameter,
  attributes: Parameter,
  excludedAttributes: Parameter,
});
const OneQuery = Type.Object({ attributes: Parameter, excludedAttributes: Parameter });

function scimEndpoints({ connections, calls }: EndpointsInit): ExtensionEndpoint[] {
  const base = { right: 'public', reply: Resource, isProtocol: true, newUserRole: 'analyst' } as const;
  const errors = ['auth_error', 'not_found', 'conflict', 'forbidden', 'configuration_error'];
  const handle: ExtensionEndpoint['handle'] = async (request, scope, ask) => {
    const token = bearerToken(request.headers);
    const connection = token === undefined ? undefined : await connections.findByToken(token);
    if (connection === undefined) return UNAUTHORIZED;
    const actor = {
      id: null,
      label: `SCIM connection ${connection.id}`,
      role: 'viewer',
      mode: 'scim',
      claims: {},
    } as const;
    scope.identify(actor, connection.organizationId);
    return calls.run({ connection, scope, isReaddressed: false }, () => ask(request));
  };
  const discovery = (path: string, summary: string, params = {}): ExtensionEndpoint => ({
    ...base,
    ...params,
    method: 'GET',
    path: `/scim/v2/${path}`,
    summary,
    errors: ['not_found', 'configuration_error'],
  });
  const resources = (path: string, noun: string, id: string): ExtensionEndpoint[] => {
    const all = { ...base, path: `/scim/v2/${path}`, errors, handle };
    const one = { ...all, path: `${all.path}/:${id}`, params: Type.Object({ [id]: Id }), query: OneQuery };
    const body = Type.Unknown();
    return [
      { ...all, method: 'GET', summary: `List ${noun}s (SCIM)`, query: ListQuery },
      { ...all, method: 'POST', summary: `Create a ${noun} (SCIM)`, query: OneQuery, body, status: 201 },
      { ...one, method: 'GET', summary: `Read a ${noun} (SCIM)` },
      { ...one, method: 'PUT', summary: `Replace a ${noun} (SCIM)`, body },
      { ...one, method: 'PATCH', summary: `Change a ${noun} (SCIM)`, body },
      { ...one, method: 'DELETE', summary: `Delete a ${noun} (SCIM)`, status: 204 },
    ];
  };
  return [
    ...resources('Users', 'user', 'userId'),
    ...resources('Groups', 'group', 'groupId'),
    discovery('ServiceProviderConfig', 'What this server supports of SCIM'),
    discovery('Schemas', 'Schemas of SCIM'),
    discovery('Schemas/:schemaId', 'A schema of SCIM', { params: Type.Object({ schemaId: Id }) }),
    discovery('ResourceTypes', 'Kinds of resources of SCIM'),
    discovery('ResourceTypes/:resourceTypeId', 'A kind of resource of SCIM', {
      params: Type.Object({ resourceTypeId: Id }),
    }),
  ];
}

export function ssoEndpointsOf(init: EndpointsInit): ExtensionEndpoint[] {
  return [...ssoEndpoints(init), ...samlEndpoints, ...scimEndpoints(init)];
}
