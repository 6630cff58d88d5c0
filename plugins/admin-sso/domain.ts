/** Reads e-mail domains, and checks by DNS that an organization holds one. */
import { Resolver } from 'node:dns/promises';
import { domainToASCII } from 'node:url';
import { AtlasError } from '../../kernel/index.ts';

/** The domain of an address in lower case and ASCII; `undefined` for what is no address. */
export function domainOfEmail(email: string): string | undefined {
  const [, domain] = /^[^\s@]+@([^\s@]+)$/.exec(email) ?? [];
  return domain === undefined ? undefined : domainToASCII(domain).toLowerCase() || undefined;
}

/** `undefined` for what is no domain that one organization can hold, such as `co.uk`, `localhost` or an address. */
export async function readDomain(text: string): Promise<string | undefined> {
  const domain = domainToASCII(text.trim()).toLowerCase();
  const isName = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(domain);
  if (!isName) return undefined;
  // The list of public suffixes is large.
  const { getDomain } = await import('tldts');
  return getDomain(domain, { allowPrivateDomains: true }) === null ? undefined : domain;
}

/** The TXT record that shows that who set it controls the domain. */
export function verificationRecord(domain: string, token: string): { name: string; value: string } {
  return { name: `_atlas-verification.${domain}`, value: `atlas-verification=${token}` };
}

const TIMEOUT_MS = 3_000;
const MISSING: readonly unknown[] = ['ENODATA', 'ENOTFOUND'];

export type CheckDomain = (domain: string, token: string) => Promise<void>;

/** Rejects with `conflict` while the record is not there, and with `unavailable` where the name servers do not answer. */
export function domainCheck(servers: readonly string[]): CheckDomain {
  return async (domain, token) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
    if (servers.length > 0) resolver.setServers(servers);
    const { name, value } = verificationRecord(domain, token);
    let records: string[][];
    try {
      records = await resolver.resolveTxt(name);
    } catch (cause) {
      if (MISSING.includes((cause as NodeJS.ErrnoException).code)) records = [];
      else {
        throw new AtlasError(`The name servers did not answer for ${name}.`, {
          code: 'unavailable',
          hint: 'Try again shortly.',
          cause,
        });
      }
    }
    if (records.some((parts) => parts.join('').trim() === value)) return;
    throw new AtlasError(`There is no TXT record at ${name} with the value ${value}.`, {
      code: 'conflict',
      reason: 'E_DOMAIN_UNVERIFIED',
      hint: 'Set the record; it may take minutes until it is seen. Then verify again.',
    });
  };
}
