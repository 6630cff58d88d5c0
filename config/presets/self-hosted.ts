/**
 * Builds the list of plugins of the built-in composition from the environment.
 *
 *     import { selfHosted } from 'atlas-query/presets/self-hosted';
 *     export default defineConfig({ plugins: [...selfHosted({ agent: { maxSteps: 10 } }), myPlugin()] });
 */
import { hash } from 'node:crypto';
import { AtlasError, didYouMean, type PluginEntry } from '../../kernel/index.ts';
import { actionEmail } from '../../plugins/action-email/index.ts';
import { actionSlack } from '../../plugins/action-slack/index.ts';
import { actionWebhook } from '../../plugins/action-webhook/index.ts';
import { actions } from '../../plugins/actions/index.ts';
import { adminConnections } from '../../plugins/admin-connections/index.ts';
import { adminIntegrations } from '../../plugins/admin-integrations/index.ts';
import { adminIpAllowlist } from '../../plugins/admin-ip-allowlist/index.ts';
import { adminLearn } from '../../plugins/admin-learn/index.ts';
import { adminModel } from '../../plugins/admin-model/index.ts';
import { adminPlugins } from '../../plugins/admin-plugins/index.ts';
import { adminPrompts } from '../../plugins/admin-prompts/index.ts';
import { adminResidency } from '../../plugins/admin-residency/index.ts';
import { adminSemantic } from '../../plugins/admin-semantic/index.ts';
import { adminSettings } from '../../plugins/admin-settings/index.ts';
import { adminSso } from '../../plugins/admin-sso/index.ts';
import { agent } from '../../plugins/agent/index.ts';
import { alternativeReadings } from '../../plugins/alternative-readings/index.ts';
import { analysis } from '../../plugins/analysis/index.ts';
import { approvalRules } from '../../plugins/approval-rules/index.ts';
import { audit } from '../../plugins/audit/index.ts';
import { backups } from '../../plugins/backups/index.ts';
import { changes } from '../../plugins/changes/index.ts';
import { charts } from '../../plugins/charts/index.ts';
import { conversations } from '../../plugins/conversations/index.ts';
import { deliverEmail } from '../../plugins/deliver-email/index.ts';
import { deliverSlack } from '../../plugins/deliver-slack/index.ts';
import { deliverWebhook } from '../../plugins/deliver-webhook/index.ts';
import { emptyResults } from '../../plugins/empty-results/index.ts';
import { exports } from '../../plugins/exports/index.ts';
import { fanOut } from '../../plugins/fan-out/index.ts';
import { grounding } from '../../plugins/grounding/index.ts';
import { health } from '../../plugins/health/index.ts';
import { http } from '../../plugins/http/index.ts';
import { internalDb } from '../../plugins/internal-db/index.ts';
import { jobs } from '../../plugins/jobs/index.ts';
import { mcp } from '../../plugins/mcp/index.ts';
import { me } from '../../plugins/me/index.ts';
import { openapi } from '../../plugins/openapi/index.ts';
import { outbound } from '../../plugins/outbound/index.ts';
import { preview } from '../../plugins/preview/index.ts';
import { profile } from '../../plugins/profile/index.ts';
import { provenance } from '../../plugins/provenance/index.ts';
import { queryApi } from '../../plugins/query-api/index.ts';
import { rateLimit } from '../../plugins/rate-limit/index.ts';
import { resultCache } from '../../plugins/result-cache/index.ts';
import { rowSecurity } from '../../plugins/row-security/index.ts';
import { scheduler } from '../../plugins/scheduler/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { semanticQuery } from '../../plugins/semantic-query/index.ts';
import { sharedLimits } from '../../plugins/shared-limits/index.ts';
import { shares } from '../../plugins/shares/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { sqlLimits } from '../../plugins/sql-limits/index.ts';
import { telemetryOtel } from '../../plugins/telemetry-otel/index.ts';
import { usage } from '../../plugins/usage/index.ts';
import { verifiedQueries } from '../../plugins/verified-queries/index.ts';
import { webConsole } from '../../plugins/web-console/index.ts';
import { type Env, readEnv, variables } from '../env.ts';
import { shownSettings } from '../shown-settings.ts';
import { authentication } from './authentication.ts';
import { datasources } from './datasources.ts';
import { models } from './models.ts';

export { type Env, readEnv } from '../env.ts';

/** Requests a minute and row security, where they are configured. */
export function policies(env: Env): PluginEntry[] {
  return [
    ...(env.rateLimit === undefined ? [] : [rateLimit(env.rateLimit)]),
    ...(env.rlsEnabled ? [rowSecurity(env.rowSecurity)] : []),
  ];
}

/** Traces and metrics, where they are asked for. */
export function telemetry({ telemetry: options }: Env): PluginEntry[] {
  return options.endpoint === undefined && options.metricsRoute !== true ? [] : [telemetryOtel(options)];
}

/** What goes on behind requests, where it is asked for. */
export function background({ actionsEnabled, schedulerEnabled, ...env }: Env): PluginEntry[] {
  return [
    ...(actionsEnabled
      ? [actionEmail(env.actionEmail), actionSlack(env.actionSlack), actionWebhook(env.actionWebhook)]
      : []),
    // Invitations are mailed, too.
    ...(schedulerEnabled || env.email.smtpUrl !== undefined ? [deliverEmail(env.email)] : []),
    ...(schedulerEnabled ? [deliverSlack(env.slack), deliverWebhook()] : []),
    actions({ ...env.actions, enabled: actionsEnabled }),
  ];
}

/**
 * What administrators may connect. The private network of a platform is not that of its organizations; nor are its files,
 * and where nobody authenticates, they are no web page's either.
 */
function connectionOptions({ adminConnections: given, authMode, deployMode }: Env): Env['adminConnections'] {
  const isHosted = deployMode === 'hosted';
  const named = given.filesDirs ?? [];
  const filesDirs = named.length > 0 || isHosted || authMode.isOpen ? named : ['.', '/'];
  return { privateHosts: !isHosted, ...given, filesDirs };
}

/**
 * Prompts are the same on every server and after a restart where all have the same key. Of a secret that people choose, the
 * provider of a model could guess from the marks what it is.
 */
function markSecret({ internalDb: { encryptionKeys: [key] = [] } }: Env): Env['agent'] {
  return key === undefined ? {} : { markSecret: hash('sha256', `atlas marks of prompts v1 ${key}`) };
}

/** Options by plugin, under the name that the plugin is imported by: `semanticLayer`. */
export type OptionsByPlugin = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const importName = ({ definition: { name } }: PluginEntry) =>
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const isEnv = (given: OptionsByPlugin | Env): given is Env => 'authMode' in given && 'logLevel' in given;

/** Every plugin of the built-in composition with the options that the environment sets, and those given here instead. */
export function selfHosted(given: OptionsByPlugin | Env = {}): PluginEntry[] {
  const [options, env] = isEnv(given) ? [{}, given] : [given, readEnv(process.env).env];
  const plugins = builtIn(env);
  const names = plugins.map(importName);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new AtlasError(
      `selfHosted() builds no plugin \`${unknown}\` from this environment${didYouMean(unknown, names) || '.'}`,
      {
        code: 'configuration_error',
        reason: 'E_PRESET_PLUGIN_UNKNOWN',
        hint: `It builds ${names.toSorted().join(', ')}.`,
      },
    );
  }
  const composed = plugins.map((entry) => ({
    ...entry,
    options: Object.assign({}, entry.options, options[importName(entry)]),
  }));
  const byName = (optionsOf: (entry: PluginEntry) => unknown) =>
    new Map(composed.map((entry) => [entry.definition.name, optionsOf(entry)]));
  // Nobody looks at them at the start.
  const settings = () =>
    shownSettings(variables, {
      composed: byName((entry) => entry.options),
      configured: byName((entry) => options[importName(entry)]),
      set: env.set,
    });
  return composed.map((entry) =>
    entry.definition === adminSettings.definition ? { ...entry, options: { settings, ...entry.options } } : entry,
  );
}

function builtIn(env: Env): PluginEntry[] {
  return [
    // First, so that it closes last and observes the others until then.
    ...telemetry(env),
    http(env.http),
    openapi(),
    health(),
    internalDb(env.internalDb),
    changes(),
    sharedLimits(env.sharedLimits),
    jobs(),
    outbound(env.outbound),
    ...authentication(env),
    adminIpAllowlist(),
    adminSso(),
    semanticLayer(env.semanticLayer),
    adminSemantic(),
    adminPrompts(),
    adminPlugins(),
    adminSettings({ isHosted: env.deployMode === 'hosted' }),
    ...(env.profile === 'off' ? [] : [profile()]),
    semanticQuery(),
    verifiedQueries(),
    emptyResults(),
    alternativeReadings(env.alternativeReadings),
    ...(env.analysisEnabled ? [analysis()] : []),
    fanOut(),
    provenance(),
    sqlLimits(env.sqlLimits),
    sqlGuard(),
    ...policies(env),
    ...(env.resultCache === undefined ? [] : [resultCache(env.resultCache)]),
    ...datasources(env),
    adminConnections(connectionOptions(env)),
    adminModel(),
    ...models(env),
    audit(env.audit),
    adminLearn(env.adminLearn),
    ...(env.deployMode === 'hosted' ? [backups(env.backups)] : []),
    conversations(env.conversations),
    usage(env.usage),
    ...background(env),
    approvalRules(env.approvalRules),
    adminIntegrations(env.adminIntegrations),
    adminResidency(env.adminResidency),
    grounding(),
    agent({ ...markSecret(env), ...env.agent }),
    charts(env.charts),
    preview(),
    me(),
    webConsole(),
    queryApi(env.queryApi),
    shares(),
    ...(env.exports === undefined ? [] : [exports(env.exports)]),
    ...(env.mcpEnabled ? [mcp()] : []),
    scheduler({ enabled: env.schedulerEnabled }),
  ];
}
