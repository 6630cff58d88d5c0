/** Builds the health report: both published shapes, `checks` with `sources` and `components`, out of the same items. */
import type { Collected, HealthItem, HealthStatus } from '../../kernel/index.ts';
import type { Checked } from './monitor.ts';
import type { HealthReport } from './schemas.ts';

type ComponentStatus = 'healthy' | 'degraded' | 'unhealthy' | 'disabled';

const COMPONENT_STATUS: Readonly<Record<HealthStatus, ComponentStatus>> = {
  ok: 'healthy',
  degraded: 'degraded',
  error: 'unhealthy',
  not_configured: 'disabled',
  disabled: 'disabled',
};

/** What stands where no plugin has spoken: the feature is not part of this composition. */
const ABSENT: Readonly<Record<string, HealthItem>> = {
  datasource: { component: 'datasource', status: 'not_configured' },
  provider: { component: 'provider', status: 'not_configured', details: { provider: null, model: null } },
  semanticLayer: { component: 'semanticLayer', status: 'not_configured', details: { entityCount: 0 } },
  internalDb: { component: 'internalDb', status: 'not_configured' },
  // Without a sandbox plugin the agent reads files of the semantic layer in this process, and runs nothing.
  explore: { component: 'explore', status: 'ok', details: { backend: 'in-process', isolated: false } },
  auth: { component: 'auth', status: 'not_configured', details: { mode: 'none', enabled: false } },
  slack: { component: 'slack', status: 'disabled', details: { enabled: false, mode: null } },
  scheduler: { component: 'scheduler', status: 'disabled' },
};

/** Where the item of a plugin belongs that could only be named by its plugin, because its check failed. */
const COMPONENT_OF_TYPE: Readonly<Record<string, string>> = {
  datasource: 'datasource',
  model: 'provider',
  sandbox: 'explore',
  auth: 'auth',
  storage: 'internalDb',
};

/** Several items of one component, such as connections: all well, all broken, or something between. */
function overall(statuses: readonly HealthStatus[]): HealthStatus {
  const first = statuses[0] ?? 'not_configured';
  return statuses.every((status) => status === first) ? first : 'degraded';
}

function merged(component: string, items: readonly HealthItem[]): HealthItem {
  const main = items.find(({ id }) => id === undefined || id === 'default') ?? items[0];
  if (main === undefined) return ABSENT[component] ?? { component, status: 'not_configured' };
  const faulty = items.find(({ status, message }) => status !== 'ok' && message !== undefined);
  return {
    ...main,
    status: overall(items.map(({ status }) => status)),
    details: { ...ABSENT[component]?.details, ...main.details },
    ...(faulty?.message !== undefined && { message: faulty.message }),
  };
}

/** An item of `checks` and `sources`: the plugin's own keys beside status and latency. */
function check({ status, latencyMs, message, details }: HealthItem): HealthReport['checks'][string] {
  return {
    status,
    ...(latencyMs !== undefined && { latencyMs }),
    ...(message !== undefined && { message }),
    ...details,
  };
}

/** The same item in the second shape. */
function component(item: HealthItem, lastCheckedAt: string | null): HealthReport['components'][string] {
  const { status, ...rest } = check(item);
  return { status: COMPONENT_STATUS[status], lastCheckedAt, ...rest };
}

/** What an operator does about a part that nothing was configured for. */
const ADVICE: Readonly<Record<string, string>> = {
  datasource:
    'No datasource is configured. Set SVC_DATASOURCE_URL, such as sqlite:shop.db, or add a datasource plugin.',
  provider: 'No model provider is configured. Set SVC_PROVIDER, or add a model plugin.',
};

/** Parts without which no question can be answered, and each of which is looked at by itself when health is asked. */
const NEEDED = ['datasource', 'semanticLayer', 'internalDb', 'auth'];

/** A semantic layer that is not there is missed by the plugin that reads it; a composition may do without that plugin. */
function isMissing(name: string, { status, message }: Pick<HealthItem, 'status' | 'message'>): boolean {
  if (status !== 'not_configured') return false;
  return name in ADVICE || (name === 'semanticLayer' && message !== undefined);
}

/**
 * Why no question can be answered, by part. A model whose last call failed is not among them: a server taken out of
 * service for it would get no questions, and so would never learn that the model works again.
 */
export function whatFails(checks: HealthReport['checks']): Record<string, string> {
  const failing: Record<string, string> = {};
  for (const [name, item] of Object.entries(checks)) {
    if (isMissing(name, item)) failing[name] = item.message ?? ADVICE[name] ?? 'It is not configured.';
    else if (item.status === 'error' && NEEDED.includes(name)) failing[name] = item.message ?? 'It does not work.';
  }
  return failing;
}

/** `error` when neither the model nor any datasource works, so that no question can be answered at all. */
function serviceStatus(components: ReadonlyMap<string, HealthItem>): HealthReport['status'] {
  const status = (name: string) => components.get(name)?.status;
  if (status('provider') === 'error' && status('datasource') === 'error') return 'error';
  const faulty = [...components].some(
    ([name, item]) => item.status === 'error' || item.status === 'degraded' || isMissing(name, item),
  );
  return faulty ? 'degraded' : 'ok';
}

/** `typeOf` gives the type of a plugin. */
export function healthReport(
  { items, checkedAt }: Checked,
  typeOf: (plugin: string) => string | undefined,
): HealthReport {
  const placed = items.map(({ plugin, value }: Collected<HealthItem>): HealthItem => {
    const named = plugin.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const own = Object.hasOwn(ABSENT, named) ? named : COMPONENT_OF_TYPE[typeOf(plugin) ?? ''];
    const known = value.component === plugin ? own : undefined;
    return known === undefined ? value : { ...value, component: known };
  });
  const byComponent = Map.groupBy(placed, (item) => item.component);
  const names = new Set([...Object.keys(ABSENT), ...byComponent.keys()]);
  const components = new Map([...names].map((name) => [name, merged(name, byComponent.get(name) ?? [])]));

  const lastCheckedAt = checkedAt === undefined ? null : new Date(checkedAt).toISOString();
  const { explore: sandbox, scheduler, ...others } = Object.fromEntries(components) as Record<string, HealthItem>;
  const shown = { ...others, ...(sandbox && { sandbox }), ...(scheduler && { scheduler }) };
  const sources = placed.filter(({ component: name, id }) => name === 'datasource' && id !== undefined);
  return {
    status: checkedAt === undefined ? 'degraded' : serviceStatus(components),
    checks: Object.fromEntries([...components].map(([name, item]) => [name, check(item)])),
    sources: Object.fromEntries(sources.map((item) => [item.id, check(item)])),
    components: Object.fromEntries(Object.entries(shown).map(([name, item]) => [name, component(item, lastCheckedAt)])),
  };
}
