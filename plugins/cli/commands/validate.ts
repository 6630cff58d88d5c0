/** `atlas validate` and `atlas doctor`: check configuration, semantic layer and connections without serving. */
import { styleText } from 'node:util';
import {
  type AtlasConfig,
  type CliCommand,
  type CliRun,
  type CreateAppOptions,
  createApp,
  type HealthItem,
  healthCheck,
  type Logger,
  messageOf,
} from '../../../kernel/index.ts';
import { withoutCredentials } from '../../redaction-kit/index.ts';
import type { Cli } from '../api.ts';
import { aroundDatasources, probeOf } from '../layer-probe.ts';
import { printableText, terminalStyle } from '../render.ts';

type Status = 'ok' | 'warning' | 'error';

interface Finding {
  /** `configuration`, `semanticLayer`, or the component of the health report. */
  readonly check: string;
  /** One of several, such as a connection's id. */
  readonly id?: string;
  readonly status: Status;
  readonly message?: string;
}

/** What the service cannot answer a question without. */
const ESSENTIAL = new Set(['datasource', 'provider', 'semanticLayer']);
/** What `doctor` reports without failing. */
const TOLERATED = new Set(['internalDb', 'sandbox', 'explore']);
const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

const layerIn = ({ plugins }: AtlasConfig) => plugins.find(({ definition }) => definition.name === 'semantic-layer');
const faults = (check: string, status: Status, messages: readonly string[]): Finding[] =>
  messages.map((message) => ({ check, status, message }));

function findingOf({ component, id, status, message }: HealthItem): Finding[] {
  if (status === 'disabled' || (status === 'not_configured' && !ESSENTIAL.has(component))) return [];
  const is: Status = status === 'ok' ? 'ok' : status === 'degraded' ? 'warning' : 'error';
  return [{ check: component, ...(id !== undefined && { id }), status: is, ...(message !== undefined && { message }) }];
}

async function check(run: CliRun, { compose }: Cli): Promise<Finding[]> {
  const isOffline = run.options.offline === true;
  try {
    const { config, options, warnings } = await compose(run);
    const quiet = { ...options, log: SILENT };
    // Sealed: nothing is listened to, migrated or stored.
    await using app = await createApp(config, { ...quiet, until: 'sealed' });
    const found = [{ check: 'configuration', status: 'ok' as const }, ...faults('configuration', 'warning', warnings)];
    const files = await layerFaults(config);
    if (isOffline) return [...found, ...files];
    const scope = app.scope({ signal: run.signal });
    const items = (await app.call(healthCheck, undefined, scope)).map(({ value }) => value);
    // Connections and layer are looked at on their own below, once they are ready.
    const { modelProbe } = await import('../../model-kit/index.ts');
    const away = (await app.call(modelProbe, undefined, scope)).map(({ value }) => value);
    const apart = new Set(['datasource', 'semanticLayer', ...away.map(({ component }) => component)]);
    const others = [...items.filter(({ component }) => !apart.has(component)), ...away];
    return [
      ...found,
      ...files,
      ...others.flatMap(findingOf),
      ...(await connected(config, quiet, run, files.length > 0)),
    ];
  } catch (error) {
    run.signal.throwIfAborted();
    return faults('configuration', 'error', sentences(messageOf(error)));
  }
}

/** A list of problems comes below its heading. */
function sentences(message: string): string[] {
  const [heading = '', ...items] = message.split('\n').map((line) => line.replace(/^\s*- /, ''));
  return items.length === 0 ? [heading] : items;
}

/** Files that cannot be used, each with its place. */
async function layerFaults(config: AtlasConfig): Promise<Finding[]> {
  const layer = layerIn(config);
  if (layer === undefined) return [];
  const { loadSemanticLayer } = await import('../../semantic-layer/index.ts');
  const { dir = './semantic' } = (layer.options ?? {}) as { dir?: string };
  const { problems } = await loadSemanticLayer(dir);
  return faults(
    'semanticLayer',
    'error',
    problems.map(({ file, line, column, message }) =>
      file === '.' ? message : `${file}:${line}:${column}: ${message}`,
    ),
  );
}

/** What only a connection shows: whether it answers, what its login may do, and what the layer has that it has not. */
async function connected(
  config: AtlasConfig,
  options: CreateAppOptions,
  run: CliRun,
  isBroken: boolean,
): Promise<Finding[]> {
  const { semanticLayer } = await import('../../semantic-layer/index.ts');
  const told: { readonly plugin?: string; readonly text: string }[] = [];
  const log: Logger = { ...SILENT, warn: (fields, text) => void told.push({ ...fields, text }) };
  const layer = layerIn(config);
  await using app = await createApp({ plugins: aroundDatasources(config) }, { ...options, log });
  if (layer !== undefined) await app.get(semanticLayer).ready();
  const items = (await app.call(healthCheck, undefined, app.scope({ signal: run.signal }))).map(({ value }) => value);
  if (!items.some(({ component }) => component === 'datasource')) {
    items.push({
      component: 'datasource',
      status: 'not_configured',
      message: 'There is no database to ask. Set SVC_DATASOURCE_URL.',
    });
  }
  const isOfLayer = ({ plugin }: (typeof told)[number]) => plugin === semanticLayer.pluginName;
  const drift = told.filter(isOfLayer).map(({ text }) => text);
  const logins = told.filter((line) => !isOfLayer(line)).map(({ text }) => text);
  const found = items.flatMap(findingOf).flatMap((finding) => {
    if (finding.check !== 'semanticLayer' || finding.status === 'ok') return [finding];
    // Files with faults have been named one by one; what the database lacks is named in the log.
    if (isBroken) return [];
    return drift.length === 0 ? [finding] : faults('semanticLayer', finding.status, drift);
  });
  const probed = await probeOf(app, run.signal);
  return [...found, ...probed.flatMap(findingOf), ...faults('datasource', 'warning', logins)];
}

function printed(findings: readonly Finding[], run: CliRun): string {
  if (run.options.json === true)
    return `${JSON.stringify({ status: worst(findings), checks: findings }, undefined, 2)}\n`;
  const { color } = terminalStyle(run.stdout);
  const colors = { ok: 'green', warning: 'yellow', error: 'red' } as const;
  return findings
    .map(({ check, id, status, message }) => {
      const label = status.padEnd(8);
      const name = id === undefined ? check : `${check} "${id}"`;
      const text = message === undefined ? name : `${name}: ${message}`;
      return `${color ? styleText(colors[status], label) : label}${printableText(withoutCredentials(text))}\n`;
    })
    .join('');
}

function worst(findings: readonly Finding[]): Status {
  return (['error', 'warning'] as const).find((is) => findings.some(({ status }) => status === is)) ?? 'ok';
}

const EXIT_CODES = { ok: 0, error: 1, warning: 2 } as const;
const EXIT_MEANINGS = { 0: 'fine', 1: 'an error', 2: 'warnings only' };

async function report(run: CliRun, cli: Cli, tolerated: ReadonlySet<string>): Promise<number> {
  const findings = (await check(run, cli)).map((finding) =>
    finding.status === 'error' && tolerated.has(finding.check) ? { ...finding, status: 'warning' as const } : finding,
  );
  run.stdout.write(printed(findings, run));
  return EXIT_CODES[worst(findings)];
}

const OPTIONS = [
  { flags: '--offline', description: 'check configuration and files only, without any connection' },
  { flags: '--json', description: 'print JSON' },
];

export const validate = (cli: Cli): CliCommand => ({
  name: 'validate',
  summary: 'check configuration, semantic layer and connections',
  options: OPTIONS,
  examples: ['atlas validate', 'atlas validate --offline --json'],
  exitCodes: EXIT_MEANINGS,
  run: (run) => report(run, cli, new Set()),
});

export const doctor = (cli: Cli): CliCommand => ({
  name: 'doctor',
  summary: 'the same, where the internal database and the sandbox may fail: they are warnings',
  options: OPTIONS,
  examples: ['atlas doctor'],
  exitCodes: EXIT_MEANINGS,
  run: (run) => report(run, cli, TOLERATED),
});
