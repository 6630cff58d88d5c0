/** The schema that a URL names, in the ways in which the clients of PostgreSQL name one. */
import { invalidUrl, type ServerUrl, type UrlDialect } from './server-url.ts';

/** `sales` or `"Sales"`, and no second one. */
const ONE_NAME = /^\s*(?:"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_$]*))\s*$/u;

/**
 * `schema=Sales` to the letter; `currentSchema=…`, `search_path=…` and `options=-c search_path=…` as the server reads
 * them, small letters without quotes. Throws `configuration_error` for several schemas: tables of another one are named
 * with it.
 */
export function schemaOf(params: ServerUrl['params'], dialect: UrlDialect): string | undefined {
  const exact = params.get('schema');
  if (exact !== undefined && exact !== '') return exact;
  const path = params.get('currentschema') ?? params.get('search_path') ?? optionsPath(params.get('options'), dialect);
  if (path === undefined) return undefined;
  const [, quoted, plain] = ONE_NAME.exec(path) ?? [];
  const name = quoted?.replaceAll('""', '"') ?? plain?.toLowerCase();
  if (name === undefined) {
    throw invalidUrl(dialect, 'its search path has to be one schema; name tables of others with their schema');
  }
  return name;
}

/** Every other setting is set for each statement anyway. */
function optionsPath(options: string | undefined, dialect: UrlDialect): string | undefined {
  if (options === undefined || options.trim() === '') return undefined;
  const [, path] = /^\s*(?:-c\s*|--)search[-_]path=(.+)$/is.exec(options) ?? [];
  if (path === undefined || /\s-c|\s--/.test(path)) {
    throw invalidUrl(dialect, 'its "options" can set nothing but "-c search_path=…"');
  }
  return path.replace(/\\(.)/g, '$1');
}
