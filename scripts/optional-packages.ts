/** Lists what the optional packages are for, with the command that installs each, in the versions of package.json. */
import { readFileSync } from 'node:fs';

const { peerDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  peerDependencies: Readonly<Record<string, string>>;
};

const named = (pattern: RegExp) => Object.keys(peerDependencies).filter((name) => pattern.test(name));

const USES: readonly (readonly [use: string, packages: readonly string[]])[] = [
  ['`mysql://…`, `mariadb://…`', ['mysql2']],
  ['`clickhouse://…`, `clickhouses://…`', ['@clickhouse/client']],
  ['`bigquery://…`', ['google-auth-library']],
  ['`duckdb:PATH`, `atlas init --csv` and `--parquet`, [exports](exports.md) as Parquet', ['@duckdb/node-api']],
  ['[exports](exports.md) on S3 (`SVC_EXPORT_URL=s3://…`)', named(/^@aws-sdk\//)],
  ['managed authentication (`AUTHLIB_SECRET`)', ['better-auth']],
  ['[single sign-on](single-sign-on.md) of organizations', named(/better-auth/)],
  ['actions, scheduled questions, exports or webhooks with callbacks, with `DATABASE_URL=postgres://…`', ['pg-boss']],
  ['limits that servers share over Redis (`SVC_REDIS_URL`)', ['@redis/client']],
  ['e-mail (`SVC_SMTP_URL`)', ['nodemailer']],
  ['charts in e-mail and Slack', ['@resvg/resvg-js']],
  ['`SVC_PROVIDER=anthropic`', ['@ai-sdk/anthropic']],
  ['`SVC_PROVIDER=google`', ['@ai-sdk/google']],
  ['`SVC_PROVIDER=azure`', ['@ai-sdk/azure']],
  // Brings an older version of the other, which npm would put where this package needs its own.
  ['`SVC_PROVIDER=bedrock`', ['@ai-sdk/amazon-bedrock', '@ai-sdk/anthropic']],
  ['`SVC_PROVIDER=mistral`', ['@ai-sdk/mistral']],
  ['MCP (`SVC_MCP_ENABLED`, `atlas mcp`)', ['@modelcontextprotocol/server']],
  ['the shell for `explore` (`sandboxJustBash()`)', ['just-bash']],
  ['traces and metrics', named(/^@opentelemetry\//)],
  ['the tests of your own plugins', ['vitest']],
];

/** As arguments of `npm i`: the lowest version of the range, which npm then keeps up to date. */
export const OPTIONAL_PACKAGES = USES.map(([use, packages]) => ({
  use,
  packages: packages.map((name) => `${name}@${peerDependencies[name]?.replace(/^\D+/, '')}`),
}));
