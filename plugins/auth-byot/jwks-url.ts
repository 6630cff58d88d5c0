/** Checks the address of the issuer's keys: an attacker who can change what comes from there can sign any token. */
import { AtlasError } from '../../kernel/index.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Throws `configuration_error` for what is no address for keys. */
export function readJwksUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new AtlasError('The address of the token keys is not an https address without a user.', {
      code: 'configuration_error',
      reason: 'E_JWKS_URL',
      hint: 'Set SVC_AUTH_JWKS_URL like https://id.example.com/.well-known/jwks.json.',
    });
  }
  return url;
}

/** Whether an attacker on the network could replace the issuer's keys. */
export function isOpenToOthers({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
