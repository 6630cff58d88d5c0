/** Reads the URLs of stored connections, and opens their databases. */
import type { Static, TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AtlasError, messageOf, nearest } from '../../kernel/index.ts';
import type { DatasourceEngine, OpenDatabase, Reach, Target } from '../datasource-kit/index.ts';
import { invalidField } from './errors.ts';
import type { AdminConnectionsOptions } from './options.ts';
import { refusalOf } from './reach.ts';

/** What a stored connection is opened with. */
export interface ConnectionSettings {
  readonly id: string;
  readonly url: string;
  readonly schema: string | null;
}

export interface Located {
  readonly engine: DatasourceEngine;
  readonly target: Target;
}

export interface EngineInit {
  readonly engines: readonly DatasourceEngine[];
  readonly reach: Reach;
  readonly options: AdminConnectionsOptions;
  /** Path of the internal database, where it is a file. */
  readonly ownFile: string | undefined;
}

/** Where the URL leads. Throws `validation_error` for one that a stored connection cannot have. */
export function locate(url: string, { engines, reach, options, ownFile }: EngineInit): Located {
  const refuse = (message: string) => invalidField('url', message);
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? '';
  const engine = engines.find(({ schemes }) => schemes.includes(scheme));
  if (engine === undefined) {
    const known = engines.flatMap(({ schemes }) => schemes);
    if (known.length === 0) throw refuse('no database engine of this composition takes connections.');
    const meant = nearest(scheme, known);
    const suffix = meant === undefined ? '' : ` Did you mean "${meant}:"?`;
    throw refuse(`it has to begin with one of ${known.map((name) => `"${name}:"`).join(', ')}.${suffix}`);
  }
  const target = targetOf(url, engine, reach);
  const refusal = refusalOf(target, options, ownFile);
  if (refusal !== undefined) throw refuse(refusal);
  return { engine, target };
}

/** Makes the database; nothing is connected yet. Rejects with `validation_error` for settings that cannot be used. */
export async function openDatabase({ id, url, schema }: ConnectionSettings, init: EngineInit): Promise<OpenDatabase> {
  const { engine } = locate(url, init);
  const { maxConnections, queueLimit, idleTimeoutMs } = init.options;
  const properties: TObject['properties'] = engine.options.properties;
  if (schema !== null && properties.schema === undefined) {
    throw invalidField('schema', `databases of this kind take none; name what to read in the URL.`);
  }
  const bounds = { maxConnections, maxProcesses: Math.min(2, maxConnections), queueLimit, idleTimeoutMs };
  const fitting = Object.entries(bounds).filter(([name]) => properties[name] !== undefined);
  const given = { id, url, ...(schema !== null && { schema }), ...Object.fromEntries(fitting) };
  const options = Value.Default(engine.options, given) as Static<TObject>;
  const [fault] = Value.Errors(engine.options, options);
  if (fault !== undefined) throw invalidField(fault.path.slice(1), `${fault.message}.`);
  try {
    return await engine.open(options as never, init.reach);
  } catch (error) {
    return refusedUrl(error);
  }
}

function targetOf(url: string, engine: DatasourceEngine, reach: Reach): Target {
  try {
    return engine.locate(url, reach);
  } catch (error) {
    return refusedUrl(error);
  }
}

/** What an engine finds wrong with a URL is wrong with the field. */
function refusedUrl(error: unknown): never {
  if (error instanceof AtlasError && error.code !== 'configuration_error') throw error;
  if (error instanceof AtlasError && error.reason === 'E_PACKAGE_MISSING') throw error;
  throw invalidField('url', messageOf(error));
}

/**
 * The URL with the password of the stored one, where it has none and leads to the same database with the same user, scheme and
 * parameters, which tell how the server is known and whether the connection is encrypted. Throws `validation_error` when the password has to be given
 * again.
 */
export function withPassword(url: string, stored: string, init: EngineInit): string {
  const [next, before] = [locate(url, init), locate(stored, init)];
  if (!('host' in next.target) || next.target.password !== '') return url;
  if (!('host' in before.target) || before.target.password === '') return url;
  const placeOf = (target: Target, whole: string) => {
    const { host, port, user, database, others = [] } = target as Server;
    const servers = [[host, port], ...others.map((other) => [other.host, other.port])];
    const [start = '', ...params] = whole.trim().split('?');
    return JSON.stringify([start.split(':', 1)[0]?.toLowerCase(), servers, user, database, params]);
  };
  if (placeOf(next.target, url) !== placeOf(before.target, stored) || next.engine !== before.engine) {
    const message =
      'it leads elsewhere or has another scheme or parameters than before, so its password has to be given again.';
    throw invalidField('url', message);
  }
  const password = encodeURIComponent(before.target.password);
  // A URL that names several hosts is none for the parser of the platform.
  return url.trim().replace(/^([a-z][a-z0-9+.-]*:\/\/)(?:([^@:/?#]*):?@)?/i, (_, scheme: string, user = '') => {
    return `${scheme}${user}:${password}@`;
  });
}

type Server = Extract<Target, { host: string }>;
