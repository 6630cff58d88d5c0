/** Reads the endpoints of an OpenID provider from its discovery document. */
import { invalidField } from '../admin-kit/index.ts';
import type { Outbound } from '../outbound/index.ts';
import type { OidcClient } from './schemas.ts';

/** As the library stores a provider of OpenID Connect. */
export interface OidcConfig extends Omit<OidcClient, 'scopes'> {
  readonly pkce: true;
  readonly discoveryEndpoint: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksEndpoint: string;
  readonly userInfoEndpoint?: string;
  readonly tokenEndpointAuthentication: 'client_secret_basic' | 'client_secret_post';
  readonly scopes: readonly string[];
}

const SCOPES = ['openid', 'email', 'profile'];
const LONGEST_URL = 2_048;

const withoutSlash = (url: string) => url.replace(/\/$/, '');

function urlAt(document: Record<string, unknown>, key: string): string {
  const value = document[key];
  const url = typeof value === 'string' && value.length <= LONGEST_URL ? URL.parse(value) : null;
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href;
  throw invalidField('oidc.issuer', `has a discovery document without a valid ${key}`);
}

async function documentOf(outbound: Outbound, url: string): Promise<Record<string, unknown>> {
  const { status, text } = await outbound.fetch({ url, headers: { accept: 'application/json' } });
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    document = undefined;
  }
  if (status === 200 && typeof document === 'object' && document !== null) return document as Record<string, unknown>;
  throw invalidField(
    'oidc.issuer',
    `has no discovery document: ${url} answered with status ${status} and no JSON object`,
  );
}

/**
 * Rejects with `validation_error` where the issuer publishes no usable document, and with `invalid_request` where it, or
 * one of its endpoints, may not be called.
 */
export async function discover(client: OidcClient, outbound: Outbound): Promise<OidcConfig> {
  const { issuer, clientId, clientSecret, scopes = SCOPES } = client;
  const discoveryEndpoint = `${withoutSlash(issuer)}/.well-known/openid-configuration`;
  const document = await documentOf(outbound, discoveryEndpoint);
  if (typeof document.issuer !== 'string' || withoutSlash(document.issuer) !== withoutSlash(issuer)) {
    throw invalidField('oidc.issuer', 'is not the issuer that its discovery document names');
  }
  const endpoints = {
    authorizationEndpoint: urlAt(document, 'authorization_endpoint'),
    tokenEndpoint: urlAt(document, 'token_endpoint'),
    jwksEndpoint: urlAt(document, 'jwks_uri'),
    ...(document.userinfo_endpoint !== undefined && { userInfoEndpoint: urlAt(document, 'userinfo_endpoint') }),
  };
  const { authorizationEndpoint, ...called } = endpoints;
  for (const url of Object.values(called)) await outbound.check(url);
  const methods = document.token_endpoint_auth_methods_supported;
  const takesBasic = !Array.isArray(methods) || methods.includes('client_secret_basic');
  return {
    // As the provider writes it: so it stands in its tokens.
    issuer: document.issuer,
    clientId,
    clientSecret,
    scopes: [...new Set(['openid', ...scopes])],
    pkce: true,
    discoveryEndpoint,
    ...endpoints,
    tokenEndpointAuthentication: takesBasic ? 'client_secret_basic' : 'client_secret_post',
  };
}
