/** Serves identity providers, enforcement of single sign-on and SCIM connections to administrators. */
import { AtlasError, defineRoute, type Route, type Scope } from '../../kernel/index.ts';
import { invalidField, SUCCEEDED, Success } from '../admin-kit/index.ts';
import type { Outbound } from '../outbound/index.ts';
import { conflict } from './errors.ts';
import type { GroupRoles as GroupRoleStore } from './group-roles.ts';
import { discover } from './oidc-discovery.ts';
import { metadataUrl, type NewProvider, type ProviderStore, shownProvider } from './providers.ts';
import { samlConfigOf } from './saml.ts';
import {
  Enforcement,
  EnforcementBody,
  GroupRoles,
  IdParams,
  NewConnectionBody,
  NewProviderBody,
  PageQuery,
  ProviderPage,
  ProviderReply,
  ScimReply,
  TokenReply,
} from './schemas.ts';
import { NO_CONNECTIONS, type ScimConnectionStore } from './scim-connections.ts';

export interface SsoRoutesInit {
  /** `undefined` without managed authentication: there are no users who could sign in. */
  readonly stores:
    | {
        readonly providers: ProviderStore;
        readonly connections: ScimConnectionStore;
        readonly groupRoles: GroupRoleStore;
      }
    | undefined;
  readonly outbound: Outbound;
  /** Public address of the API. */
  readonly url: string | undefined;
  /** Loads the library. Rejects with `configuration_error` where it is not installed. */
  load(): Promise<void>;
}

const PATH = '/api/v1/admin/sso';
const SCIM_PATH = '/api/v1/admin/scim';

export function ssoRoutes({ stores, outbound, url, load }: SsoRoutesInit): Route[] {
  const managed = () => {
    if (stores !== undefined) return stores;
    throw new AtlasError('There is no single sign-on: this server has no managed accounts.', {
      code: 'not_available',
      hint: 'Use managed authentication: SVC_AUTH_MODE=managed.',
    });
  };
  /** The active organization, to which providers belong. */
  const organizationOf = (scope: Scope): string => {
    if (scope.orgId !== null) return scope.orgId;
    throw conflict(
      'Single sign-on and SCIM belong to an organization.',
      'Create one, or choose one that you administer.',
    );
  };
  /** Also loads the library, for which the first who signs in would wait. */
  const publicUrl = async (): Promise<string> => {
    await load();
    if (url !== undefined) return new URL(url).origin;
    throw new AtlasError('Single sign-on needs an address to come back to.', {
      code: 'configuration_error',
      hint: 'Set SVC_PUBLIC_URL, or AUTHLIB_URL to the public address of the API.',
    });
  };
  const baseUrl = url === undefined ? '' : new URL(url).origin;
  const sso = {
    tag: 'Single sign-on',
    right: 'admin:settings',
    errors: ['forbidden'],
    organizationData: 'Single sign-on',
  } as const;
  const needsUsers = { ...sso, ready: () => void managed() };
  // Whom it lets in may act as any member, so a custom role does not do.
  const trusting = { right: 'admin' } as const;
  const errors = ['forbidden', 'not_available', 'conflict'];
  return [
    defineRoute({
      ...needsUsers,
      method: 'GET',
      path: `${PATH}/providers`,
      operationId: 'listSsoProviders',
      summary: 'Identity providers of the organization, by default the oldest first.',
      errors: ['forbidden', 'not_available'],
      query: PageQuery,
      responses: { 200: ProviderPage },
      async handle({ query }, scope) {
        const { limit, offset } = query;
        const { rows, total } = await managed().providers.list(orgIdOrNone(scope), query);
        return { body: { providers: rows.map((row) => shownProvider(row, baseUrl)), total, limit, offset } };
      },
    }),
    defineRoute({
      ...needsUsers,
      ...trusting,
      method: 'POST',
      path: `${PATH}/providers`,
      operationId: 'createSsoProvider',
      summary: 'Adds an identity provider; users sign in through it once its domain is verified.',
      errors: [...errors, 'configuration_error', 'invalid_request'],
      body: NewProviderBody,
      responses: { 201: ProviderReply },
      async handle({ body: { name, domain, ...protocol } }, scope) {
        const orgId = organizationOf(scope);
        const publicBase = await publicUrl();
        const described = await describedBy(protocol, publicBase);
        const row = await managed().providers.create(orgId, { name, domain, ...described }, scope);
        return { status: 201, body: { provider: shownProvider(row, publicBase) } };
      },
    }),
    defineRoute({
      ...needsUsers,
      method: 'GET',
      path: `${PATH}/providers/:id`,
      operationId: 'getSsoProvider',
      summary: 'One identity provider, without its secrets.',
      errors: [...errors, 'not_found'],
      params: IdParams,
      responses: { 200: ProviderReply },
      async handle({ params: { id } }, scope) {
        const row = await managed().providers.find(orgIdOrNone(scope), id);
        return { body: { provider: shownProvider(row, baseUrl) } };
      },
    }),
    defineRoute({
      ...needsUsers,
      method: 'POST',
      path: `${PATH}/providers/:id/verify`,
      operationId: 'verifySsoDomain',
      summary: 'Looks for the TXT record by which the organization shows that it holds the domain.',
      errors: [...errors, 'not_found'],
      params: IdParams,
      responses: { 200: ProviderReply },
      async handle({ params: { id } }, scope) {
        const row = await managed().providers.verify(orgIdOrNone(scope), id, scope);
        return { body: { provider: shownProvider(row, baseUrl) } };
      },
    }),
    defineRoute({
      ...needsUsers,
      method: 'DELETE',
      path: `${PATH}/providers/:id`,
      operationId: 'deleteSsoProvider',
      summary: 'Deletes an identity provider with its SCIM connections; users stay.',
      errors: [...errors, 'not_found'],
      params: IdParams,
      responses: { 200: Success },
      async handle({ params: { id } }, scope) {
        await managed().providers.remove(orgIdOrNone(scope), id, scope);
        return SUCCEEDED;
      },
    }),
    defineRoute({
      ...sso,
      method: 'GET',
      path: `${PATH}/enforcement`,
      operationId: 'getSsoEnforcement',
      summary: 'Whether users of the verified domains must sign in through the identity provider.',
      responses: { 200: Enforcement },
      async handle(_request, scope) {
        const { orgId } = scope;
        const enforced = orgId !== null && stores !== undefined && (await stores.providers.isEnforced(orgId));
        return { body: { enforced, orgId } };
      },
    }),
    defineRoute({
      ...sso,
      method: 'PUT',
      path: `${PATH}/enforcement`,
      operationId: 'setSsoEnforcement',
      summary:
        'Refuses passwords and social sign-in for the verified domains, and ends such sessions; or takes them again.',
      errors: ['forbidden', 'conflict'],
      body: EnforcementBody,
      responses: { 200: Enforcement },
      async handle({ body: { enforced, force = false } }, scope) {
        const { orgId } = scope;
        if (orgId !== null && stores !== undefined) await stores.providers.enforce(orgId, { enforced, force }, scope);
        else if (enforced) {
          throw conflict(
            'Single sign-on cannot be enforced without a provider whose domain is verified.',
            'Use managed authentication, and add a provider to an organization.',
          );
        }
        return { body: { enforced, orgId } };
      },
    }),
    defineRoute({
      ...sso,
      tag: 'SCIM',
      method: 'GET',
      path: SCIM_PATH,
      operationId: 'getScimStatus',
      summary: 'SCIM connections of the organization, and what they have provisioned.',
      responses: { 200: ScimReply },
      async handle(_request, scope) {
        if (scope.orgId === null || stores === undefined) return { body: NO_CONNECTIONS };
        return { body: await stores.connections.status(scope.orgId) };
      },
    }),
    defineRoute({
      ...needsUsers,
      ...trusting,
      tag: 'SCIM',
      method: 'POST',
      path: `${SCIM_PATH}/connections`,
      operationId: 'createScimConnection',
      summary: 'Lets an identity provider manage users by SCIM. The token is shown this once.',
      errors: [...errors, 'not_found', 'configuration_error'],
      body: NewConnectionBody,
      responses: { 201: TokenReply },
      async handle({ body: { providerId } }, scope) {
        const orgId = organizationOf(scope);
        const address = scimUrl(await publicUrl());
        const created = await managed().connections.create(orgId, providerId, scope);
        return { status: 201, body: { ...created, baseUrl: address } };
      },
    }),
    defineRoute({
      ...needsUsers,
      ...trusting,
      tag: 'SCIM',
      method: 'POST',
      path: `${SCIM_PATH}/connections/:id/token`,
      operationId: 'renewScimToken',
      summary: 'Replaces the token of a connection; the one before is refused from then on.',
      errors: [...errors, 'not_found'],
      params: IdParams,
      responses: { 200: TokenReply },
      async handle({ params: { id } }, scope) {
        const renewed = await managed().connections.renewToken(orgIdOrNone(scope), id, scope);
        return { body: { ...renewed, baseUrl: scimUrl(baseUrl) } };
      },
    }),
    defineRoute({
      ...needsUsers,
      tag: 'SCIM',
      method: 'DELETE',
      path: `${SCIM_PATH}/connections/:id`,
      operationId: 'deleteScimConnection',
      summary: 'Ends provisioning; users stay, and are managed by hand from then on.',
      errors: [...errors, 'not_found'],
      params: IdParams,
      responses: { 200: Success },
      async handle({ params: { id } }, scope) {
        await managed().connections.remove(orgIdOrNone(scope), id, scope);
        return SUCCEEDED;
      },
    }),
    defineRoute({
      ...needsUsers,
      tag: 'SCIM',
      method: 'GET',
      path: `${SCIM_PATH}/group-roles`,
      operationId: 'getScimGroupRoles',
      summary: 'Which role members of a SCIM group have in the organization.',
      errors: ['forbidden', 'not_available'],
      responses: { 200: GroupRoles },
      async handle(_request, scope) {
        return { body: { groupRoles: await managed().groupRoles.list(orgIdOrNone(scope)) } };
      },
    }),
    defineRoute({
      ...needsUsers,
      ...trusting,
      tag: 'SCIM',
      method: 'PUT',
      path: `${SCIM_PATH}/group-roles`,
      operationId: 'setScimGroupRoles',
      summary: 'Replaces which role members of a SCIM group have; their roles change at once.',
      errors: [...errors, 'not_found'],
      body: GroupRoles,
      responses: { 200: GroupRoles },
      async handle({ body }, scope) {
        const groupRoles = await managed().groupRoles.replace(organizationOf(scope), body.groupRoles, scope);
        return { body: { groupRoles } };
      },
    }),
  ];

  async function describedBy(
    { oidc, saml }: Pick<NewProviderBody, 'oidc' | 'saml'>,
    base: string,
  ): Promise<Pick<NewProvider, 'issuer' | 'clientId' | 'configure'>> {
    if (oidc !== undefined && saml === undefined) {
      const oidcConfig = await discover(oidc, outbound);
      return { issuer: oidcConfig.issuer, clientId: oidcConfig.clientId, configure: () => ({ oidcConfig }) };
    }
    if (saml !== undefined && oidc === undefined) {
      const configOf = samlConfigOf(saml);
      return {
        issuer: saml.issuer,
        clientId: null,
        configure: (id) => ({ samlConfig: configOf(metadataUrl(base, id)) }),
      };
    }
    throw invalidField('oidc', 'must be given, or else saml, and not both');
  }
}

const scimUrl = (base: string) => `${base}/api/auth/scim/v2`;

/** Without an organization nothing is found. */
const orgIdOrNone = ({ orgId }: Scope): string => orgId ?? '';
