/** Describes an identity provider of SAML as the library stores it. */
import { X509Certificate } from 'node:crypto';
import { AtlasError } from '../../kernel/index.ts';
import type { SamlProvider } from './schemas.ts';

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

function pemOf(certificate: string): string {
  const message = 'must be a certificate of X.509 in PEM';
  const text = certificate.trim();
  const pem = text.startsWith('-----') ? text : `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
  try {
    return new X509Certificate(pem).toString();
  } catch (cause) {
    const details = [{ path: 'saml.certificate', message }];
    throw new AtlasError(`saml.certificate ${message}.`, { code: 'validation_error', details, cause });
  }
}

/**
 * Assertions have to be signed, and to be meant for this provider of this server: `entityId`. Throws `validation_error`
 * for what is no certificate.
 */
export function samlConfigOf({ issuer, entryPoint, certificate, ...attributes }: SamlProvider) {
  const cert = pemOf(certificate);
  const { emailAttribute: email, nameAttribute: name } = attributes;
  return (entityId: string) => ({
    issuer: entityId,
    audience: entityId,
    entryPoint,
    cert,
    idpMetadata: {
      entityID: issuer,
      cert,
      // Never called, as single logout is not served; without one the library writes to the console.
      singleLogoutService: [{ Binding: REDIRECT, Location: entryPoint }],
    },
    wantAssertionsSigned: true,
    authnRequestsSigned: false,
    identifierFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    mapping: { ...(email !== undefined && { email }), ...(name !== undefined && { name }) },
  });
}
