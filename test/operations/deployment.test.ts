/** What the deployment files name exists in the code: ports, paths, variables, metrics, times. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { composePreset } from '../../bin/compose.ts';
import { variables } from '../../config/env.ts';
import { createApp, httpRoutes } from '../../kernel/index.ts';
import { http, MOST_RUNNING } from '../../plugins/http/index.ts';
import { METRICS, type MetricName, prometheusName } from '../../plugins/telemetry-otel/index.ts';
import { emptyFolder } from '../harness/command.ts';
import { suiteNeeding } from '../harness/require.ts';
import { findTool } from '../harness/tools.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'operations');
const textOf = (path: string) => readFileSync(join(FOLDER, path), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: the shape of a manifest is what is tested.
const manifest = (path: string): any => parse(textOf(path));
const { version } = JSON.parse(textOf('../package.json'));
const known = new Set(variables.map(({ name }) => name));
const PORT = 3001;
const USER = 65_532;

/** Seconds that a stop may take: running requests, their cancelling and their answers, jobs, the last export. */
async function stopSeconds(): Promise<number> {
  const { options } = composePreset({});
  const graceful: number = http.definition.options?.properties.gracefulCloseMs.default;
  return (graceful + 1_000 + 500 + (options.drainMs ?? 0) + 3_000) / 1_000;
}

async function publicPaths(): Promise<string[]> {
  const { config, options } = composePreset({ SVC_METRICS_ENABLED: 'true' });
  await using app = await createApp(config, { ...options, until: 'sealed' });
  return (await app.call(httpRoutes, undefined, app.scope())).map(({ value }) => value.path);
}

/** What a composition of these variables warns of; throws where it does not start. */
async function warningsOf(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { config, options, warnings } = composePreset(env);
  await using app = await createApp(config, { ...options, until: 'sealed' });
  expect(app.describe().plugins.map(({ name }) => name)).toContain('auth-api-key');
  return warnings;
}

/** As operators give them. */
const SECRETS = {
  SVC_DATASOURCE_URL: 'postgres://reader:secret@db.example.com/shop',
  DATABASE_URL: 'postgres://atlas:secret@db.example.com/atlas',
  SVC_API_KEY: 'k'.repeat(64),
  SVC_METRICS_TOKEN: 'm'.repeat(32),
};

const isSecret = (name: string) =>
  /KEY|PASSWORD|SECRET|TOKEN/.test(name) || /^(SVC_DATASOURCE|DATABASE)_URL$/.test(name);

describe('compose.yml', () => {
  const { services, volumes } = manifest('compose.yml');
  const { atlas, postgres } = services;

  it('names variables that exist, and the port that is listened on', () => {
    for (const name of Object.keys(atlas.environment)) expect(known, name).toContain(name);
    expect(atlas.environment.PORT).toBe(String(PORT));
    expect(atlas.ports).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
  });

  it('starts a server with its variables, where those that may be left out are empty', async () => {
    const filled = Object.entries(atlas.environment as Record<string, string>).map(([name, text]) => {
      const value = text
        .replace(/\$\{(\w+):-\}/, '')
        .replace(/\$\{(\w+):\?[^}]+\}/, (_, from: string) =>
          from === 'ATLAS_DB_PASSWORD' ? 'secret' : SECRETS[from as keyof typeof SECRETS],
        );
      return [name, value];
    });
    expect(await warningsOf(Object.fromEntries(filled))).toEqual([]);
  });

  it('has no secret: each comes from outside, and those that are needed stop the start', () => {
    const given = [...Object.entries(atlas.environment), ...Object.entries(postgres.environment)] as [string, string][];
    const secrets = given.filter(([name]) => isSecret(name));
    expect(secrets.length).toBeGreaterThan(4);
    for (const [name, value] of secrets) expect(value, name).toMatch(/\$\{\w+:(?:\?[^}]+|-)\}/);
    for (const name of ['DATABASE_URL', 'SVC_DATASOURCE_URL', 'SVC_API_KEY']) {
      expect(atlas.environment[name], name).toContain(':?');
    }
    expect(postgres.environment.POSTGRES_PASSWORD).toContain(':?');
  });

  it('restricts the container, gives it time to stop, and waits for a database that works', async () => {
    expect(atlas).toMatchObject({
      image: `atlas-query:${version}`,
      read_only: true,
      user: `${USER}:${USER}`,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      depends_on: { postgres: { condition: 'service_healthy' } },
    });
    expect(atlas.tmpfs[0]).toMatch(/^\/tmp/);
    expect(Number.parseInt(atlas.stop_grace_period, 10)).toBeGreaterThan(await stopSeconds());
    for (const { healthcheck } of [atlas, postgres]) expect(healthcheck.test[0]).toBe('CMD');
    expect(Object.keys(volumes)).toEqual([postgres.volumes[0].split(':')[0]]);
  });
});

describe('kubernetes', () => {
  const folder = readdirSync(join(FOLDER, 'kubernetes'));
  const kustomization = manifest('kubernetes/kustomization.yaml');
  const { spec: deployment } = manifest('kubernetes/deployment.yaml');
  const pod = deployment.template.spec;
  const [container] = pod.containers;
  const labels = { 'app.kubernetes.io/name': 'atlas' };

  it('lists every manifest, with the image of this version and variables that exist', () => {
    expect([...kustomization.resources, 'kustomization.yaml'].sort()).toEqual(folder.sort());
    expect(kustomization.images).toMatchObject([{ name: container.image, newTag: version }]);
    const literals = kustomization.configMapGenerator[0].literals.map((line: string) => line.split('='));
    for (const [name] of literals) expect(known, name).toContain(name);
    expect(Object.fromEntries(literals)).toMatchObject({ PORT: String(container.ports[0].containerPort) });
    for (const [name] of literals) expect(isSecret(name), name).toBe(false);
  });

  it('starts a server with its variables and the secret', async () => {
    const literals = kustomization.configMapGenerator[0].literals.map((line: string) => line.split('='));
    expect(await warningsOf({ ...Object.fromEntries(literals), ...SECRETS })).toEqual([]);
  });

  it('selects the pods of the deployment', () => {
    expect(deployment.selector.matchLabels).toEqual(labels);
    expect(deployment.template.metadata.labels).toEqual(labels);
    expect(manifest('kubernetes/service.yaml').spec.selector).toEqual(labels);
    expect(manifest('kubernetes/disruption-budget.yaml').spec.selector.matchLabels).toEqual(labels);
    expect(manifest('kubernetes/network-policy.yaml').spec.podSelector.matchLabels).toEqual(labels);
    expect(manifest('kubernetes/service.yaml').spec.ports[0].targetPort).toBe(container.ports[0].name);
  });

  it('asks paths that are served, and gives the stop its time', async () => {
    const paths = await publicPaths();
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      expect(paths).toContain(container[probe].httpGet.path);
      expect(container[probe].httpGet.port).toBe(container.ports[0].name);
    }
    // A health report may take two seconds when it is the first.
    expect(container.readinessProbe.timeoutSeconds).toBeGreaterThan(2);
    const { annotations } = deployment.template.metadata;
    expect(paths).toContain(annotations['prometheus.io/path']);
    expect(annotations['prometheus.io/port']).toBe(String(PORT));
    const { value: delayMs } = container.env.find(({ name }: { name: string }) => name === 'SVC_STOP_DELAY_MS');
    const needed = Number(delayMs) / 1_000 + (await stopSeconds());
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(needed);
  });

  it('runs without rights, and writes only where a volume is', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: USER });
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const mounts: { name: string; mountPath: string }[] = container.volumeMounts;
    expect(mounts.map(({ name }) => name).sort()).toEqual(pod.volumes.map(({ name }: { name: string }) => name).sort());
    expect(mounts.map(({ mountPath }) => mountPath)).toContain('/tmp');
    expect(container.resources).toMatchObject({ requests: { cpu: expect.any(String) }, limits: { memory: '1Gi' } });
  });

  it('scales by a metric that is served, before a server is full', () => {
    const { metrics, scaleTargetRef, minReplicas } = manifest('kubernetes/autoscaler.yaml').spec;
    const { metric, target } = metrics[0].pods;
    expect(Object.keys(METRICS).map((name) => prometheusName(name as MetricName))).toContain(metric.name);
    expect(Number(target.averageValue)).toBe(MOST_RUNNING / 2);
    expect(scaleTargetRef.name).toBe(manifest('kubernetes/deployment.yaml').metadata.name);
    expect(minReplicas).toBeGreaterThan(1);
  });

  it('closes the network in both directions', () => {
    const { policyTypes, egress } = manifest('kubernetes/network-policy.yaml').spec;
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    expect(JSON.stringify(egress)).toContain('"except":["169.254.0.0/16"]');
  });
});

describe('atlas.service', () => {
  const unit = textOf('systemd/atlas.service');
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  it('starts the file of the package, with variables that exist, and gives the stop its time', async () => {
    const { bin } = JSON.parse(textOf('../package.json'));
    expect(value('ExecStart')).toContain(`/node_modules/atlas-query/${bin['atlas-query']} serve`);
    for (const [, name] of unit.matchAll(/^Environment=(\w+)=/gm)) expect(known).toContain(name);
    expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(await stopSeconds());
  });

  it('is hardened', () => {
    expect(value('DynamicUser')).toBe('yes');
    expect(value('ProtectSystem')).toBe('strict');
    expect(value('NoNewPrivileges')).toBe('yes');
    expect(value('CapabilityBoundingSet')).toBe('');
  });
});

const analyze = findTool('systemd-analyze');
suiteNeeding(
  'systemd-analyze',
  analyze !== undefined,
  'Install systemd.',
)('systemd-analyze', () => {
  it('finds nothing wrong with the unit, and its exposure is low', () => {
    using folder = emptyFolder();
    const path = join(folder.path, 'atlas.service');
    writeFileSync(path, textOf('systemd/atlas.service').replace('/usr/bin/node', process.execPath));
    const verified = spawnSync(analyze ?? '', ['verify', path], { encoding: 'utf8' });
    expect(verified.stderr).not.toContain('atlas.service');
    expect(verified.status).toBe(0);
    // In tenths; newer versions of the tool know further settings.
    const rated = spawnSync(analyze ?? '', ['security', '--offline=true', '--threshold=20', path], {
      encoding: 'utf8',
    });
    expect(rated.status, rated.stdout).toBe(0);
  });
});

// Debian's is too old to read them, so it is used where there is one.
const kubectl = findTool('kubectl', 'kustomize');
if (kubectl !== undefined) {
  it('kubectl builds the manifests', () => {
    const built = spawnSync(
      kubectl,
      [...(kubectl.endsWith('kubectl') ? ['kustomize'] : ['build']), join(FOLDER, 'kubernetes')],
      { encoding: 'utf8' },
    );
    expect(built.stderr).toBe('');
    expect(built.stdout.match(/^kind: \w+$/gm)?.sort()).toEqual(
      ['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'].map(
        (kind) => `kind: ${kind}`,
      ),
    );
  });
}
