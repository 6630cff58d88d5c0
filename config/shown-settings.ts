/** Tells administrators what each environment variable is set to, and where the value comes from. */
import type { PluginEntry } from '../kernel/index.ts';
import type { Setting } from '../plugins/admin-settings/index.ts';
import type { Values, Variable } from './variable.ts';

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

/** The value of an option such as `auth-api-key.keys[].key`; `undefined` without its plugin. */
function optionOf(plugins: readonly PluginEntry[], path: string): unknown {
  const [plugin, ...keys] = path.split('.');
  const given = plugins.find(({ definition }) => definition.name === plugin)?.options as unknown;
  return keys.reduce<unknown>((value, key) => {
    const inner = (value as Record<string, unknown> | undefined)?.[key.replace('[]', '')];
    return key.endsWith('[]') ? (inner as unknown[] | undefined)?.[0] : inner;
  }, given);
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isShown({ name, schema }: Variable, value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'boolean' || SHOWN_TEXTS.has(name)) return true;
  return schema.anyOf?.length > 0 && schema.anyOf.every((option: object) => 'const' in option);
}

/** `plugins`: as composed, whose options may say other than the environment. `set`: the variables that are set. */
export function shownSettings(
  variables: readonly Variable[],
  plugins: readonly PluginEntry[],
  set: Values,
): readonly Setting[] {
  return variables.map((variable) => {
    const { name, expected, schema, options } = variable;
    const read = set.get(name);
    const held = options.map((path) => optionOf(plugins, path)).find((value) => value !== undefined);
    const value = held ?? read ?? schema.default;
    const isFromEnvironment = read !== undefined && (held === undefined || isSame(held, read));
    const isHidden = value !== undefined && !isShown(variable, value);
    return {
      name,
      expected,
      description: schema.description ?? '',
      value: value === undefined || isHidden ? null : textOf(value),
      source: isFromEnvironment
        ? 'environment'
        : value === undefined
          ? 'unset'
          : isSame(value, schema.default)
            ? 'default'
            : 'configuration',
      isHidden,
    };
  });
}
