/** Tells administrators what each environment variable is set to, and where the value comes from. */
import type { Setting } from '../plugins/admin-settings/index.ts';
import { meaningOf, type Values, type Variable } from './variable.ts';

/** Texts that hold neither secrets nor addresses with passwords in them. Of any other is told only that it is set. */
const SHOWN_TEXTS: ReadonlySet<string> = new Set([
  'SVC_SCHEMA',
  'SVC_HOST',
  'SVC_CORS_ORIGIN',
  'SVC_ALLOWED_HOSTS',
  'SVC_TRUST_PROXY',
  'SVC_AUTH_ROLE_CLAIM',
  'SVC_AUTH_ORG_CLAIM',
  'AUTHLIB_TRUSTED_ORIGINS',
  'SVC_ALLOW_PRIVATE_URLS',
  'SVC_CONNECTION_FILES_DIR',
  'SVC_SEMANTIC_DIR',
  'SVC_RLS_COLUMN',
  'SVC_RLS_CLAIM',
  'SVC_RLS_EXEMPT',
  'SVC_BACKUP_DIR',
  'SVC_BACKUP_SCHEDULE',
  'SVC_BACKUP_TOOLS_DIR',
  'SVC_ACTION_APPROVAL',
  'SVC_EMAIL_FROM',
  'SVC_REGION',
  'SVC_REGIONS',
  'SVC_MODEL_PRICES',
  'OTEL_SERVICE_NAME',
  'SVC_MODEL',
  'AZURE_RESOURCE_NAME',
  'AWS_REGION',
]);

/** Options of plugins, by the names of the plugins. */
type Options = ReadonlyMap<string, unknown>;

/** The value of an option such as `auth-api-key.keys[].key`; `undefined` where it is not given. */
function optionOf(plugins: Options, path: string): unknown {
  const [plugin = '', ...keys] = path.split('.');
  return keys.reduce<unknown>((value, key) => {
    const inner = (value as Record<string, unknown> | undefined)?.[key.replace('[]', '')];
    return key.endsWith('[]') ? (inner as unknown[] | undefined)?.[0] : inner;
  }, plugins.get(plugin));
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isShown({ name, schema }: Variable, value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'boolean' || SHOWN_TEXTS.has(name)) return true;
  return schema.anyOf?.length > 0 && schema.anyOf.every((option: object) => 'const' in option);
}

export interface SettingSources {
  /** Options as the plugins get them. */
  readonly composed: Options;
  /** Those of them that `atlas.config.ts` gives. */
  readonly configured: Options;
  /** The variables that are set. */
  readonly set: Values;
}

export function shownSettings(
  variables: readonly Variable[],
  { composed, configured, set }: SettingSources,
): readonly Setting[] {
  const held = ({ name, schema, options }: Variable) =>
    options.map((path) => optionOf(composed, path)).find((value) => value !== undefined) ??
    set.get(name) ??
    schema.default;
  const sourceOf = ({ name, options }: Variable, value: unknown): Setting['source'] => {
    if (options.some((path) => optionOf(configured, path) !== undefined)) return 'configuration';
    if (set.has(name)) return 'environment';
    return value === undefined ? 'unset' : 'default';
  };
  return variables.map((variable) => {
    const value = held(variable);
    const isHidden = value !== undefined && !isShown(variable, value);
    return {
      name: variable.name,
      expected: variable.expected,
      description: meaningOf(variable),
      value: value === undefined || isHidden ? null : textOf(value),
      source: sourceOf(variable, value),
      isHidden,
    };
  });
}
