/**
 * Two organizations with the same data, told apart by a word in all of it: over every route of the running server, with
 * every id of the other organization in path, query and body, an administrator gets the answer of an id that does not
 * exist, and changes nothing. The routes come from the server, so that a new one is checked too.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../kernel/index.ts';
import { internalDb, storeTables } from '../../plugins/internal-db/index.ts';
import { fill, type Ids } from '../fixtures/admin/organization-data.ts';
import { type AdminServer, foundOrganization, type Reply, startAdminServer } from '../harness/admin-server.ts';
import { engines, type TestEngine } from '../harness/internal-databases.ts';

/** In every text of an organization's data, and nowhere else. */
const NORTH = 'okapibird';
const SOUTH = 'zebraword';

const formOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path.replaceAll(/:\w+/g, ':')}`;

/** Routes about one's own account, for those who sign in or come with a token of SCIM, and about the process. */
const LEFT_OUT = [
  /^\w+ \/api\/auth\/(?!organization\/)/,
  // Its link is a secret: who has it is the person whom the invitation is for.
  /^GET \/api\/auth\/organization\/accept-invitation$/,
  /^\w+ \/api\/health/,
  /^\w+ \/api\/v1\/openapi\.json$/,
  /^\w+ \/api\/v1\/admin\/me\//,
  /^GET \/api\/v1\/me$/,
];

const ORGANIZATION = '/api/auth/organization';

/** Answers of counts, of the process and of what is empty here: no text of an organization is in them. */
const WITHOUT_TEXTS: readonly string[] = [
  '/api/v1/admin/audit/stats',
  '/api/v1/admin/users/stats',
  '/api/v1/admin/sso/enforcement',
  '/api/v1/admin/scim',
  '/api/v1/admin/semantic/stats',
  '/api/v1/admin/semantic/versions',
  '/api/v1/admin/learn/proposals',
  '/api/v1/admin/overview',
  '/api/v1/admin/plugins',
  '/api/v1/admin/settings',
  '/api/v1/platform/backups',
  '/api/v1/usage',
  '/api/v1/admin/residency',
  `${ORGANIZATION}/get-active-member`,
  `${ORGANIZATION}/get-active-member-role`,
  // Wants an id, or a verified address.
  `${ORGANIZATION}/get-invitation`,
  `${ORGANIZATION}/list-user-invitations`,
];

const ADMIN = '/api/v1/admin';
const TASK = { name: 'Task', question: 'What?', cronExpression: '0 0 1 1 *' };
const MODEL = { provider: 'nothing', model: 'none' };
const chat = ({ conversation }: Ids) => ({
  messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'What?' }] }],
  conversationId: conversation,
});
const inOrganization = ({ organization }: Ids) => ({ organizationId: organization });
const byInvitation = ({ invitation }: Ids) => ({ invitationId: invitation });
const layerFile = () => ({ content: 'metrics: []' });

interface Case {
  /** What the path parameters of the route name, for its own organization: a kind of id, or the text itself. */
  readonly path?: readonly string[];
  readonly body?: (ids: Ids) => object;
}

/** A request that would succeed with ids of one's own, for every route with a body or with several parameters. */
const CASES: Readonly<Record<string, Case>> = {
  'POST /api/v1/query': { body: ({ conversation }) => ({ question: 'What?', conversationId: conversation }) },
  'POST /api/chat': { body: chat },
  'POST /api/v1/chat': { body: chat },
  'POST /api/v1/sql': { body: ({ connection }) => ({ sql: 'SELECT 1 AS n', connectionId: connection }) },
  'PATCH /api/v1/conversations/:/star': { path: ['conversation'], body: () => ({ starred: true }) },
  'PATCH /api/v1/conversations/:': { path: ['conversation'], body: () => ({ title: 'Renamed' }) },
  'PUT /api/v1/conversations/:/messages/:/feedback': {
    path: ['conversation', 'answer'],
    body: () => ({ rating: 'good' }),
  },
  'POST /api/v1/shares': {
    body: ({ conversation, answer }) => ({ conversationId: conversation, messageId: answer }),
  },
  'POST /api/v1/shares/:/run': { path: ['share'] },
  'POST /api/v1/actions/:/deny': { path: ['action'], body: () => ({}) },
  'POST /api/v1/scheduled-tasks': { body: ({ connection }) => ({ ...TASK, connectionId: connection }) },
  'PUT /api/v1/scheduled-tasks/:': { path: ['task'], body: ({ connection }) => ({ connectionId: connection }) },
  [`PATCH ${ADMIN}/users/:/role`]: { path: ['user'], body: ({ role }) => ({ role }) },
  [`POST ${ADMIN}/users/:/ban`]: { path: ['user'], body: () => ({}) },
  [`POST ${ADMIN}/users/invitations`]: { body: ({ role }) => ({ email: 'somebody@example.com', role }) },
  [`POST ${ADMIN}/roles`]: { body: () => ({ name: 'Another role', rights: ['query'] }) },
  [`PUT ${ADMIN}/roles/:`]: { path: ['role'], body: () => ({ description: 'Changed.' }) },
  [`PUT ${ADMIN}/roles/users/:/role`]: { path: ['user'], body: ({ role }) => ({ role }) },
  [`POST ${ADMIN}/ip-allowlist`]: { body: () => ({ cidr: '127.0.0.1/32' }) },
  [`POST ${ADMIN}/sso/providers`]: { body: () => ({ name: 'Login', domain: 'example.org' }) },
  [`PUT ${ADMIN}/sso/enforcement`]: { body: () => ({ enforced: false }) },
  [`POST ${ADMIN}/scim/connections`]: { body: ({ provider }) => ({ providerId: provider }) },
  [`PUT ${ADMIN}/scim/group-roles`]: { body: ({ role }) => ({ groupRoles: [{ group: 'Staff', role }] }) },
  [`GET ${ADMIN}/semantic/raw/:/:`]: { path: ['metrics', 'metricFile'] },
  [`PUT ${ADMIN}/semantic/raw/:/:`]: { path: ['metrics', 'metricFile'], body: layerFile },
  [`DELETE ${ADMIN}/semantic/raw/:/:`]: { path: ['metrics', 'metricFile'] },
  [`GET ${ADMIN}/semantic/raw/:/:/:`]: { path: ['source', 'metrics', 'metricFile'] },
  [`PUT ${ADMIN}/semantic/raw/:/:/:`]: { path: ['source', 'metrics', 'metricFile'], body: layerFile },
  [`DELETE ${ADMIN}/semantic/raw/:/:/:`]: { path: ['source', 'metrics', 'metricFile'] },
  [`PUT ${ADMIN}/semantic/raw/:`]: { path: ['glossary.yml'], body: () => ({ content: 'terms: []' }) },
  [`POST ${ADMIN}/semantic/explain`]: { body: () => ({ question: 'How many orders are there?' }) },
  [`POST ${ADMIN}/semantic/org/import`]: {
    body: ({ connection }) => ({ files: [{ path: 'entities/a.yml', content: 'table: a' }], connection }),
  },
  [`POST ${ADMIN}/semantic/versions/:/restore`]: { path: ['version'], body: () => ({}) },
  [`POST ${ADMIN}/verified`]: {
    body: ({ connection }) => ({ name: 'more', question: 'What?', sql: 'SELECT 1 AS n', connection }),
  },
  [`POST ${ADMIN}/verified/propose`]: {
    body: ({ connection }) => ({ question: 'What?', sql: 'SELECT 1 AS n', connectionId: connection }),
  },
  [`POST ${ADMIN}/verified/check`]: { body: ({ verified }) => ({ name: verified }) },
  [`POST ${ADMIN}/preview`]: {
    body: ({ user, connection }) => ({ sql: 'SELECT 1 AS n', connectionId: connection, as: { userId: user } }),
  },
  [`POST ${ADMIN}/prompts`]: { body: () => ({ name: 'More', industry: 'retail' }) },
  [`PUT ${ADMIN}/prompts/order`]: { body: ({ collection }) => ({ ids: [collection] }) },
  [`PUT ${ADMIN}/prompts/:`]: { path: ['collection'], body: () => ({ description: 'Changed.' }) },
  [`POST ${ADMIN}/prompts/:/items`]: { path: ['collection'], body: () => ({ question: 'What?' }) },
  [`PUT ${ADMIN}/prompts/:/items/order`]: { path: ['collection'], body: ({ item }) => ({ ids: [item] }) },
  [`PUT ${ADMIN}/prompts/:/items/:`]: { path: ['collection', 'item'], body: () => ({ question: 'What?' }) },
  [`DELETE ${ADMIN}/prompts/:/items/:`]: { path: ['collection', 'item'] },
  [`POST ${ADMIN}/connections`]: { body: () => ({ id: 'other', url: 'sqlite:/nowhere/other.db' }) },
  [`PUT ${ADMIN}/connections/:`]: { path: ['connection'], body: () => ({ description: 'Changed.' }) },
  [`PUT ${ADMIN}/model-config`]: { body: () => MODEL },
  [`POST ${ADMIN}/model-config/test`]: { body: () => MODEL },
  [`POST ${ADMIN}/approval/rules`]: {
    body: ({ connection }) => ({ name: 'Rule', ruleType: 'datasource', pattern: connection }),
  },
  [`PUT ${ADMIN}/approval/rules/:`]: { path: ['rule'], body: () => ({ enabled: false }) },
  [`POST ${ADMIN}/integrations/:/byot`]: {
    path: ['slack'],
    body: () => ({ botToken: 'xoxb-test-token', applicationId: '1', publicKey: 'ab'.repeat(32) }),
  },
  [`POST ${ADMIN}/residency/migrate`]: { body: () => ({ targetRegion: 'eu-west' }) },
  [`POST ${ADMIN}/residency/migrations/:/fail`]: { path: ['migration'], body: () => ({ errorMessage: 'No.' }) },
  [`POST ${ORGANIZATION}/create`]: { body: () => ({ name: 'Third', slug: 'third' }) },
  [`POST ${ORGANIZATION}/update`]: {
    body: ({ organization }) => ({ organizationId: organization, data: { name: 'x' } }),
  },
  [`POST ${ORGANIZATION}/delete`]: { body: inOrganization },
  [`POST ${ORGANIZATION}/set-active`]: { body: inOrganization },
  [`POST ${ORGANIZATION}/leave`]: { body: inOrganization },
  // Short names are unique on the server.
  [`POST ${ORGANIZATION}/check-slug`]: { body: () => ({ slug: 'third' }) },
  [`POST ${ORGANIZATION}/has-permission`]: {
    body: ({ organization }) => ({ organizationId: organization, permissions: { member: ['update'] } }),
  },
  [`POST ${ORGANIZATION}/update-member-role`]: { body: ({ member }) => ({ memberId: member, role: 'viewer' }) },
  [`POST ${ORGANIZATION}/remove-member`]: { body: ({ member }) => ({ memberIdOrEmail: member }) },
  [`POST ${ORGANIZATION}/invite-member`]: {
    body: ({ organization }) => ({ organizationId: organization, email: 'x@example.com', role: 'member' }),
  },
  [`POST ${ORGANIZATION}/cancel-invitation`]: { body: byInvitation },
  [`POST ${ORGANIZATION}/accept-invitation`]: { body: byInvitation },
  [`POST ${ORGANIZATION}/reject-invitation`]: { body: byInvitation },
  'POST /api/v1/platform/backups/:/restore': { path: ['migration'], body: ({ migration }) => ({ confirm: migration }) },
};

/** An id that names nothing and has the form of this one. */
function missingTwin(id: string): string {
  if (id.includes(SOUTH)) return id.replaceAll(SOUTH, 'quxmnpvhg');
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
  if (isUuid) return id.replaceAll(/[0-9a-f]/gi, (digit) => (15 - Number.parseInt(digit, 16)).toString(16));
  const shifted = (first: number, size: number, by: number) => (character: string) =>
    String.fromCharCode(first + ((character.charCodeAt(0) - first + by) % size));
  return id
    .replaceAll(/[a-z]/g, shifted(97, 26, 13))
    .replaceAll(/[A-Z]/g, shifted(65, 26, 13))
    .replaceAll(/\d/g, shifted(48, 10, 5));
}

const RANDOM_ID = /^([A-Za-z0-9]{32}|[0-9a-f-]{36})$/;

const twins = (ids: Ids): Ids => Object.fromEntries(Object.entries(ids).map(([kind, id]) => [kind, missingTwin(id)]));

/** What an answer tells, without what differs from call to call and with `<id>` for each of these. */
function told({ status, headers, text, body }: Reply, ids: readonly string[]): object {
  let shown = text.replaceAll(String(headers['x-request-id']), '<request>');
  for (const id of ids) shown = shown.replaceAll(id, '<id>').replaceAll(encodeURIComponent(id), '<id>');
  // What was created has an id and a time of its own.
  return status < 300 ? { status, fields: Object.keys(body ?? {}) } : { status, text: shown };
}

/** Names in the query that are looked up: texts without a form or a choice. */
function namesOfQuery({ query }: Route): string[] {
  const properties = (query as { properties?: Readonly<Record<string, TSchema>> } | undefined)?.properties ?? {};
  return Object.entries(properties).flatMap(([name, schema]) =>
    schema.type === 'string' && schema.format === undefined ? [name] : [],
  );
}

const addressOf = (path: string, values: readonly string[]) => {
  let index = 0;
  return path.replaceAll(/:\w+/g, () => encodeURIComponent(values[index++] ?? ''));
};

/** All rows and files, each as one text. */
async function everything(server: AdminServer): Promise<string[]> {
  const tables = (await server.app.call(storeTables, undefined, server.app.scope())).map(({ value }) => value.table);
  const rows = await server.app.get(internalDb).run(async (db) => {
    const found: string[] = [];
    for (const table of tables) {
      // Some are there on one engine only.
      if (!(await db.schema.hasTable(table))) continue;
      for (const row of await db(table).select()) found.push(`${table} ${JSON.stringify(row)}`);
    }
    return found;
  });
  const layers = join(server.folder, 'semantic');
  const files = readdirSync(layers, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return [
    ...rows,
    ...files.map(({ parentPath, name }) => `${parentPath}/${name} ${readFileSync(join(parentPath, name), 'utf8')}`),
  ].sort();
}

interface World {
  readonly server: AdminServer;
  readonly north: Ids;
  readonly south: Ids;
  /** What the south's administrator is answered at each address without parameters. */
  readonly answers: ReadonlyMap<string, Reply>;
  /** What has been told of missing ids. */
  readonly missed: Map<string, string>;
}

const routesOf = (server: AdminServer): Route[] =>
  server.routes().filter((route) => route.page !== true && !LEFT_OUT.some((pattern) => pattern.test(formOf(route))));
const listsOf = (server: AdminServer): Route[] =>
  routesOf(server).filter(({ method, path }) => method === 'GET' && !path.includes(':'));

async function readAll(server: AdminServer, caller: string): Promise<Map<string, Reply>> {
  const answers = new Map<string, Reply>();
  for (const { path } of listsOf(server)) answers.set(path, await server.send(caller, 'GET', path));
  return answers;
}

async function start(engine: TestEngine): Promise<World> {
  const server = await startAdminServer({
    mode: 'managed',
    database: await engine.fresh(),
    // Measuring has no route, and would store rows of its own in the middle.
    env: { AUTHLIB_URL: 'https://atlas.test', SVC_PROFILE: 'off' },
  });
  await server.signUp('boss');
  const found = async (owner: string, word: string) =>
    fill(server, owner, await foundOrganization(server, owner, word), word);
  const north = await found('north', NORTH);
  const south = await found('south', SOUTH);
  const answers = await readAll(server, 'south');
  return { server, north, south, answers, missed: new Map() };
}

/** What is wrong when one asks with a foreign id: another answer than for a missing one, or a word of the other side. */
async function compared(
  { server, missed }: World,
  caller: string,
  { method, path }: Route,
  ask: (id: (id: string) => string) => { readonly url: string; readonly body?: object },
  ids: readonly string[],
): Promise<string[]> {
  const [foreign, missing] = [ask((id) => id), ask(missingTwin)];
  const sent = ({ url, body }: typeof foreign) => server.send(caller, method, url, body === undefined ? {} : { body });
  const ofForeign = await sent(foreign);
  const wrong: string[] = [];
  const a = JSON.stringify(told(ofForeign, ids));
  const missingIds = ids.map(missingTwin);
  const tell = async () => JSON.stringify(told(await sent(missing), missingIds));
  // What is missing is answered alike for all random ids of one form; names may have been taken in between.
  let asked = JSON.stringify([caller, method, missing]);
  for (const id of missingIds) asked = asked.replaceAll(id, `<${id.length}>`);
  const b = missingIds.every((id) => RANDOM_ID.test(id)) ? (missed.get(asked) ?? (await tell())) : await tell();
  missed.set(asked, b);
  if (a !== b) wrong.push(`${method} ${foreign.url} (${path}): ${a} with a foreign id, ${b} with a missing one`);
  let shown = `${JSON.stringify(ofForeign.headers)} ${ofForeign.text}`;
  for (const id of ids) shown = shown.replaceAll(id, '').replaceAll(encodeURIComponent(id), '');
  if (shown.includes(SOUTH)) wrong.push(`${method} ${foreign.url}: the answer tells of the other side: ${shown}`);
  return wrong;
}

async function checkRoute(world: World, caller: string, route: Route): Promise<string[]> {
  const { north, south } = world;
  // One of each kind: all of them in every place would take minutes.
  const names = Object.values(south);
  const { path: own = [], body } = CASES[formOf(route)] ?? {};
  const parameters = [...route.path.matchAll(/:\w+/g)].length;
  const wrong: string[] = [];
  if (parameters === 1) {
    for (const name of names) {
      const ask = (id: (id: string) => string) => ({
        url: addressOf(route.path, [id(name)]),
        ...(body !== undefined && { body: body(north) }),
      });
      wrong.push(...(await compared(world, caller, route, ask, [name])));
    }
  }
  if (parameters > 1) {
    const foreign = own.map((kind) => south[kind] ?? kind);
    const ids = own.flatMap((kind) => south[kind] ?? []);
    for (const mask of [...Array(2 ** parameters - 1).keys()].map((bits) => bits + 1)) {
      const isForeign = (index: number) => ((mask >> index) & 1) === 1;
      if (!own.some((kind, index) => isForeign(index) && kind in south)) continue;
      const ask = (id: (id: string) => string) => ({
        url: addressOf(
          route.path,
          own.map((kind, index) =>
            isForeign(index) && kind in south ? id(foreign[index] as string) : (north[kind] ?? kind),
          ),
        ),
        ...(body !== undefined && { body: body(north) }),
      });
      wrong.push(...(await compared(world, caller, route, ask, ids)));
    }
  }
  // A body without ids would be sent twice and be the same.
  if (body !== undefined && JSON.stringify(body(south)) !== JSON.stringify(body(twins(south)))) {
    const ask = (id: (id: string) => string) => ({
      url: addressOf(
        route.path,
        own.map((kind) => north[kind] ?? kind),
      ),
      body: body(id === missingTwin ? twins(south) : south),
    });
    wrong.push(...(await compared(world, caller, route, ask, Object.values(south))));
  }
  if (parameters > 0) return wrong;
  for (const parameter of namesOfQuery(route)) {
    for (const name of Object.values(south)) {
      const ask = (id: (id: string) => string) => ({
        url: `${route.path}?${parameter}=${encodeURIComponent(id(name))}`,
      });
      wrong.push(...(await compared(world, caller, route, ask, [name])));
    }
  }
  return wrong;
}

describe.each(engines)('on %s', (_, startEngine) => {
  let engine: TestEngine;
  let world: World;
  /** Rows and files that tell of the south, before anything is tried. */
  let before: string[];
  const ofSouth = (texts: readonly string[]) =>
    texts.filter((text) => text.includes(SOUTH) || Object.values(world.south).some((id) => text.includes(id)));

  beforeAll(async () => {
    engine = await startEngine();
    world = await start(engine);
    before = ofSouth(await everything(world.server));
  }, 120_000);
  afterAll(async () => {
    await world?.server[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  it('every route with a body or several parameters has a case', () => {
    const missing = routesOf(world.server).filter((route) => {
      const { path = [], body } = CASES[formOf(route)] ?? {};
      const parameters = [...route.path.matchAll(/:\w+/g)].length;
      return (route.body !== undefined && body === undefined) || (parameters > 1 && path.length !== parameters);
    });
    expect(missing.map(formOf)).toEqual([]);
  });

  it('every list of the south has its word, so that there is something to find', () => {
    const empty = [...world.answers].filter(([, { text }]) => !text.includes(SOUTH));
    expect(empty.map(([path]) => path).sort()).toEqual([...WITHOUT_TEXTS].sort());
    expect(Object.keys(world.south).length).toBeGreaterThan(12);
  });

  it('nothing without an id tells an administrator of the north, or of no organization, of the south', async () => {
    const { server } = world;
    for (const [caller, words] of [
      ['north', [SOUTH]],
      ['boss', [NORTH, SOUTH]],
    ] as const) {
      for (const [path, { text, headers }] of await readAll(server, caller)) {
        for (const word of words)
          expect([caller, path, `${text} ${JSON.stringify(headers)}`.includes(word)]).toEqual([caller, path, false]);
      }
    }
  });

  it('a foreign id is a missing one, over every route', { timeout: 400_000 }, async () => {
    const wrong: string[] = [];
    for (const route of routesOf(world.server)) wrong.push(...(await checkRoute(world, 'north', route)));
    expect(wrong).toEqual([]);
  });

  it('so it is for an administrator without an organization', { timeout: 400_000 }, async () => {
    const wrong: string[] = [];
    for (const route of routesOf(world.server)) {
      wrong.push(...(await checkRoute(world, 'boss', route)));
    }
    expect(wrong).toEqual([]);
  });

  it('and nothing of the south has changed, nor come to it', async () => {
    const after = new Set(await everything(world.server));
    expect(before.filter((text) => !after.has(text))).toEqual([]);
    const { organization, user, member } = world.south as Record<'organization' | 'user' | 'member', string>;
    const known = new Set(before);
    const added = [...after].filter((text) => !known.has(text));
    expect(added.filter((text) => [organization, user, member].some((id) => text.includes(id)))).toEqual([]);
    expect(before.length).toBeGreaterThan(20);
  });
});
