/** Checks the options against each other, and tells whether only this machine reaches the server. */
import { AtlasError } from '../../kernel/index.ts';
import { isLoopback } from '../http/index.ts';
import type { AuthManagedOptions } from './options.ts';

/** The options with the origin of the server's public URL, where no address of the API is given. */
export function withPublicUrl(options: AuthManagedOptions, publicUrl: string | undefined): AuthManagedOptions {
  if (options.url !== undefined || publicUrl === undefined) return options;
  return { ...options, url: new URL(publicUrl).origin };
}

/** Throws `configuration_error`. `configured`: there is an internal database. */
export function checkSettings({ url, google, github, microsoft }: AuthManagedOptions, configured: boolean): void {
  const fault = (message: string, hint: string) => new AtlasError(message, { code: 'configuration_error', hint });
  if (!configured) {
    throw fault('Managed authentication keeps its users in the internal database.', 'Set DATABASE_URL.');
  }
  if (url === undefined && [google, github, microsoft].some((provider) => provider !== undefined)) {
    throw fault(
      'Social sign-in needs an address to come back to.',
      'Set SVC_PUBLIC_URL, or AUTHLIB_URL to the public address of the API.',
    );
  }
}

/** Whether only this machine reaches a server that listens on `address` and is known to people by `url`. */
export function isLocal(address: string, url: string | undefined): boolean {
  return [address, url === undefined ? 'localhost' : new URL(url).hostname].every(isLoopback);
}
