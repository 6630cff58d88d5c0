/** The tables of the documentation, out of the code that they describe. */
import type { TSchema } from '@sinclair/typebox';
import { composePreset } from '../bin/compose.ts';
import { commandLine } from '../bin/main.ts';
import { variables } from '../config/env.ts';
import { meaningOf } from '../config/variable.ts';
import { createApp, httpRoutes, type PluginEntry } from '../kernel/index.ts';
import { cli as commandLinePlugin } from '../plugins/cli/index.ts';
import { errorCodes } from '../plugins/http/index.ts';
import { modelReplay } from '../plugins/model-replay/index.ts';
import { sandboxJustBash } from '../plugins/sandbox-just-bash/index.ts';
import { webhookInteraction } from '../plugins/webhook-interaction/index.ts';
import { OPTIONAL_PACKAGES } from './optional-packages.ts';

export type Tables = Readonly<Record<string, string>>;

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** A default as people write it. */
function defaultText(value: unknown): string {
  if (value === undefined || (typeof value === 'object' && Object.keys(Object(value)).length === 0)) return 'none';
  if (typeof value === 'number' && value >= 1024 ** 2 && value % 1024 ** 2 === 0) return `${value / 1024 ** 2} MiB`;
  return String(value);
}

/** A schema in a few words. */
function shape(schema: TSchema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(shape).join(' or ');
  if (schema.type === 'array') return `list of ${shape(schema.items)}`;
  if (schema.type === 'object' && schema.properties !== undefined)
    return `{${Object.keys(schema.properties).join(', ')}}`;
  return schema.type ?? 'value';
}

function optionRows(schema: TSchema | undefined, path = ''): string[][] {
  if (schema?.properties === undefined) return [];
  const required: readonly string[] = schema.required ?? [];
  return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([name, option]) => {
    const full = `${path}${name}`;
    const fallback =
      option.default !== undefined
        ? `\`${JSON.stringify(option.default)}\``
        : required.includes(name)
          ? 'required'
          : 'none';
    const inner = option.type === 'array' ? option.items : option;
    return [
      [`\`${full}\``, shape(option), fallback, option.description ?? ''],
      ...optionRows(inner?.type === 'object' ? inner : undefined, `${full}${option.type === 'array' ? '[].' : '.'}`),
    ];
  });
}

function pluginSections(entries: readonly PluginEntry[]): string {
  return entries
    .map(({ definition }) => {
      const options = optionRows(definition.options);
      const head = `### ${definition.name}\n\n${definition.description} Type: \`${definition.type}\`.`;
      return options.length === 0 ? head : `${head}\n\n${table(['option', 'shape', 'default', 'meaning'], options)}`;
    })
    .join('\n\n');
}

/** What the environment can ask for, so that together they hold every plugin of the built-in composition. */
const ENVIRONMENTS: readonly Readonly<Record<string, string>>[] = [
  { SVC_DATASOURCE_URL: 'sqlite:shop.db' },
  {
    SVC_DATASOURCE_URL: 'postgres://reader@localhost/shop',
    DATABASE_URL: 'sqlite:atlas.db',
    AUTHLIB_SECRET: 'only the shape of it matters here',
    SVC_RATE_LIMIT_RPM: '60',
    SVC_METRICS_ENABLED: 'true',
    SVC_ACTIONS_ENABLED: 'true',
    SVC_MCP_ENABLED: 'true',
    SVC_ANALYSIS_ENABLED: 'true',
    SVC_DEPLOY_MODE: 'hosted',
    SVC_SCHEDULER_ENABLED: 'true',
    SVC_EXPORT_URL: 'file:exports',
    SVC_RESULT_CACHE_TTL_MS: '60000',
  },
  {
    SVC_DATASOURCE_URL: 'mysql://reader@localhost/shop',
    SVC_API_KEY: 'unused-unused-unused',
    SVC_PROVIDER: 'openai',
    OPENAI_API_KEY: 'unused',
  },
  {
    SVC_DATASOURCE_URL: 'duckdb:shop.db',
    SVC_AUTH_JWKS_URL: 'https://id.example.com/keys',
    SVC_AUTH_ISSUER: 'https://id.example.com',
    SVC_RLS_ENABLED: 'true',
    SVC_RLS_COLUMN: 'tenant_id',
    SVC_RLS_CLAIM: 'tenant',
    ANTHROPIC_API_KEY: 'unused',
  },
];

/** Plugins that no environment asks for. */
const OPTIONAL_PLUGINS: readonly PluginEntry[] = [
  modelReplay({ file: 'recordings.jsonl' }),
  sandboxJustBash(),
  webhookInteraction({ channels: [{ channelId: 'a', authType: 'hmac', secret: 'unused' }] }),
];

/** The first of those with the same key, in order. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const keys = items.map(keyOf);
  return items.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

/** Boots the built-in compositions as far as their seal and reads everything off them. */
export async function generatedTables(): Promise<Tables> {
  const compositions = ENVIRONMENTS.map((env) => composePreset({ SVC_SEMANTIC_DIR: './semantic', ...env }));
  const apps = await Promise.all(
    compositions.map(({ config, options }) =>
      createApp({ plugins: [...config.plugins, sandboxJustBash()] }, { ...options, until: 'sealed' }),
    ),
  );
  await using cli = await createApp({ plugins: await commandLine() }, { until: 'sealed' });

  const plugins = distinct(
    [...compositions.flatMap(({ config }) => config.plugins), ...OPTIONAL_PLUGINS],
    ({ definition }) => definition.name,
  );
  const routes = distinct(
    (await Promise.all(apps.map((app) => app.call(httpRoutes, undefined, app.scope()))))
      .flat()
      .filter(({ value }) => value.page !== true),
    ({ value }) => `${value.method} ${value.path}`,
  );
  const hooks = distinct(
    apps.flatMap((app) => app.describe().hooks),
    ({ id }) => id,
  );
  const tappedBy = (hookId: string) =>
    apps.flatMap((app) =>
      app
        .describe()
        .hooks.filter(({ id }) => id === hookId)
        .flatMap(({ taps }) => taps),
    );
  const offered = await cli.get(commandLinePlugin).commands();
  await Promise.all(apps.map((app) => app.close()));

  return {
    hooks: table(
      ['hook', 'kind', 'what it is for', 'tapped by'],
      hooks.map(({ id, kind, gate, summary }) => [
        `\`${id}\``,
        gate ? `${kind}, gate` : kind,
        summary,
        [...new Set(tappedBy(id).map(({ plugin }) => plugin))].join(', '),
      ]),
    ),
    variables: table(
      ['variable', 'value', 'default', 'meaning', 'options'],
      variables.map((variable) => [
        `\`${variable.name}\``,
        variable.expected,
        defaultText(variable.schema.default),
        sentence(meaningOf(variable)),
        variable.options.map((option) => `\`${option}\``).join(', '),
      ]),
    ),
    errors: table(
      ['code', 'status', 'meaning'],
      Object.entries(errorCodes).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]),
    ),
    routes: table(
      ['method', 'path', 'right', 'what it does', 'plugin'],
      routes.map(({ plugin, value }) => [value.method, `\`${value.path}\``, value.right, value.summary, plugin]),
    ),
    commands: offered
      .map((value) => {
        const options = (value.options ?? []).map(({ flags, description }) => [`\`${flags}\``, description]);
        const codes = Object.entries(value.exitCodes ?? {}).map(([code, meaning]) => `${code} ${meaning}`);
        const examples = (value.examples ?? []).map((line) => `$ ${line}`).join('\n');
        return [
          `### atlas ${value.name}`,
          sentence(value.summary),
          ...(options.length === 0 ? [] : [table(['option', 'meaning'], options)]),
          ...(codes.length === 0 ? [] : [`Exit codes: ${codes.join(', ')}.`]),
          ...(examples === '' ? [] : [`\`\`\`\n${examples}\n\`\`\``]),
        ].join('\n\n');
      })
      .join('\n\n'),
    'optional-packages': table(
      ['for', 'install'],
      OPTIONAL_PACKAGES.map(({ use, packages }) => [use, `\`npm i ${packages.join(' ')}\``]),
    ),
    plugins: pluginSections(plugins),
    'plugin-list': table(
      ['plugin', 'type', 'what it does'],
      plugins.map(({ definition }) => [`\`${definition.name}\``, definition.type, definition.description]),
    ),
  };
}
