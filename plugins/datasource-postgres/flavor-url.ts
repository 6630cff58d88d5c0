/** Reads from a URL which engine it is for: by its scheme, or by `flavor=…`. */
import { AtlasError } from '../../kernel/index.ts';
import type { Flavor } from './flavors/flavor.ts';
import { FLAVORS, flavorNamed } from './flavors/flavors.ts';
import { postgresql } from './flavors/postgresql.ts';

interface FlavorUrl {
  /** The same URL as PostgreSQL's own. */
  readonly url: string;
  /** `undefined`: it says nothing. */
  readonly flavor: Flavor | undefined;
  /** The port where it names none. */
  readonly port: number;
}

/** Throws `configuration_error` for an engine that is not known. */
export function readFlavorUrl(text: string): FlavorUrl {
  const [, scheme = '', rest = ''] = /^\s*([a-z][a-z0-9+.-]*):([\s\S]*)$/i.exec(text) ?? [];
  const byScheme = FLAVORS.find(({ schemes }) => schemes.includes(scheme.toLowerCase()));
  const [place = '', query] = rest.split(/\?([\s\S]*)/, 2);
  const params = query?.split('&') ?? [];
  const given = params.find(isFlavor);
  const url = byScheme === undefined ? text : `postgres:${place}${queryOf(params.filter((one) => !isFlavor(one)))}`;
  const name = given?.slice(given.indexOf('=') + 1);
  const byName = flavorNamed(name);
  if (name !== undefined && byName === undefined) {
    throw new AtlasError('The "flavor" of the PostgreSQL URL is not known.', {
      code: 'configuration_error',
      reason: 'E_DATASOURCE_URL',
      hint: `Known: ${FLAVORS.map((flavor) => flavor.name).join(', ')}.`,
    });
  }
  const own = byScheme === postgresql ? undefined : byScheme;
  return { url, flavor: byName ?? own, port: byScheme?.port ?? postgresql.port };
}

const isFlavor = (param: string) => /^flavor=/i.test(param);
const queryOf = (params: readonly string[]) => (params.length === 0 ? '' : `?${params.join('&')}`);
