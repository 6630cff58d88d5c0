/**
 * What every plugin with routes must keep: `interactionContract('answers-as-csv', () => subject)`. The kit boots it in a
 * composition that answers questions about the demo's data.
 */
import assert from 'node:assert/strict';
import {
  AtlasError,
  authAuthorize,
  definePlugin,
  httpRoutes,
  type PluginEntry,
  type Scope,
} from '../../kernel/index.ts';
import { agentWrap } from '../../plugins/agent/index.ts';
import {
  createTestApp,
  type InjectedRequest,
  type InjectedResponse,
  type TestApp,
} from '../harness/create-test-app.ts';
import { demoPlugins } from '../harness/demo-plugins.ts';
import { type Check, registerChecks } from './kit.ts';

export interface InteractionSubject {
  readonly plugin: PluginEntry;
  /** The plugins it needs beside `demoPlugins()`. */
  readonly with?: readonly PluginEntry[];
  /** Requests that it answers, with the status (default 200) and a text of the body. */
  readonly requests: readonly { readonly request: InjectedRequest; readonly status?: number; readonly says?: string }[];
  /** Requests that it must refuse. */
  readonly invalidRequests: readonly InjectedRequest[];
  /** Routes that authenticate in their own way, such as by a signature: they have the right `public`. */
  readonly publicPaths?: readonly string[];
}

const RIGHT = /^(public|query|approve|self|admin(:[a-z][a-z-]*)?)$/;
const FAULT = 'connect ECONNREFUSED postgres://reader:hunter2@10.1.2.3/shop';

/** Sees who asks the agent, and makes it fail where a check wants that. */
function testWitness(asked: Scope[], isBroken: boolean): PluginEntry {
  return definePlugin({
    name: 'test-witness',
    version: '1.0.0',
    type: 'core',
    description: 'Sees who asks the agent.',
    setup(ctx) {
      ctx.tap(agentWrap, () => [
        (ask) => (question, scope, isStreamed) => {
          asked.push(scope);
          if (isBroken) throw new Error(FAULT);
          return ask(question, scope, isStreamed);
        },
      ]);
    },
  })();
}

const testRefusal = definePlugin({
  name: 'test-refusal',
  version: '1.0.0',
  type: 'policy',
  description: 'Refuses everybody.',
  setup(ctx) {
    ctx.tap(authAuthorize, ({ right }) => {
      if (right !== 'public') throw new AtlasError('This is not allowed for the role viewer.', { code: 'forbidden' });
    });
  },
});

/** Takes a refusal for one of the interface: a 4xx or 5xx status with the standard body. */
function assertStandardError(shown: string, response: InjectedResponse): void {
  const { statusCode, body, headers } = response;
  assert.ok(statusCode >= 400, `${shown} was answered with ${statusCode}`);
  let error: { error?: unknown; message?: unknown; requestId?: unknown };
  try {
    error = JSON.parse(body);
  } catch {
    assert.fail(`${shown}: the error is not JSON: ${body.slice(0, 100)}`);
  }
  assert.match(String(error.error), /^[a-z][a-z_]*$/, `${shown}: the error has no code`);
  assert.ok(String(error.message).length > 5, `${shown}: the error has no message`);
  assert.equal(error.requestId, headers['x-request-id'], `${shown}: the error does not carry the id of its request`);
}

const shownOf = ({ method, url }: InjectedRequest) => `${method} ${url}`;

export function interactionChecks(make: () => InteractionSubject | Promise<InteractionSubject>): Check[] {
  interface Bench {
    readonly subject: InteractionSubject;
    readonly app: TestApp;
    readonly asked: readonly Scope[];
  }
  const check = (
    name: string,
    verify: (bench: Bench) => Promise<void>,
    { isBroken = false, more = [] }: { readonly isBroken?: boolean; readonly more?: readonly PluginEntry[] } = {},
  ): Check => ({
    name,
    run: async () => {
      const subject = await make();
      const asked: Scope[] = [];
      const plugins = [
        ...demoPlugins(),
        ...(subject.with ?? []),
        testWitness(asked, isBroken),
        ...more,
        subject.plugin,
      ];
      await using app = await createTestApp({ plugins });
      await verify({ subject, app, asked });
    },
  });
  const guarded = ({ requests, publicPaths = [] }: InteractionSubject) =>
    requests.filter(({ request }) => !publicPaths.some((path) => request.url.split('?')[0] === path));

  return [
    check('declares its routes, with right and schemas', async ({ app, subject }) => {
      const own = (await app.call(httpRoutes, undefined, app.scope())).filter(
        ({ plugin }) => plugin === subject.plugin.definition.name,
      );
      assert.ok(own.length > 0, 'it has no routes');
      const document = await app.inject({ method: 'GET', url: '/api/v1/openapi.json' });
      const { paths } = document.json<{ paths: Record<string, object> }>();
      for (const { value: route } of own) {
        const shown = `${route.method} ${route.path}`;
        assert.match(route.summary, /^[A-Z].{5,}\.$/, `${shown}: the summary is no sentence`);
        assert.match(route.right, RIGHT, `${shown}: "${route.right}" is no right`);
        const isPublic = (subject.publicPaths ?? []).includes(route.path);
        assert.ok(route.right !== 'public' || isPublic, `${shown} is open to everybody`);
        assert.ok(Object.keys(route.responses).length > 0, `${shown}: no answer is described`);
        for (const [, name = ''] of route.path.matchAll(/:(\w+)/g)) {
          assert.ok(route.params?.properties?.[name], `${shown}: the parameter "${name}" has no schema`);
        }
        assert.ok(paths[route.path.replace(/:(\w+)/g, '{$1}')], `${shown} is not in the OpenAPI document`);
      }
    }),
    check('answers its requests', async ({ app, subject }) => {
      assert.ok(subject.requests.length > 0, 'the subject names no request');
      for (const { request, status = 200, says } of subject.requests) {
        const { statusCode, body, headers } = await app.inject(request);
        assert.equal(statusCode, status, `${shownOf(request)}: ${body.slice(0, 200)}`);
        assert.ok(headers['x-request-id'], `${shownOf(request)}: no x-request-id`);
        if (says !== undefined) assert.ok(body.includes(says), `${shownOf(request)} does not say "${says}": ${body}`);
      }
    }),
    check('refuses requests that are not valid', async ({ app, subject, asked }) => {
      assert.ok(subject.invalidRequests.length > 0, 'the subject names no request that is not valid');
      for (const request of subject.invalidRequests) {
        const response = await app.inject(request);
        assertStandardError(shownOf(request), response);
        assert.ok(response.statusCode < 500, `${shownOf(request)} was answered with ${response.statusCode}`);
      }
      assert.equal(asked.length, 0, 'a request that is not valid reached the agent');
    }),
    check(
      'refuses those who lack the right',
      async ({ app, subject, asked }) => {
        for (const { request } of guarded(subject)) {
          const response = await app.inject(request);
          assertStandardError(shownOf(request), response);
          assert.ok([401, 403].includes(response.statusCode), `${shownOf(request)}: ${response.statusCode}`);
        }
        assert.equal(asked.length, 0, 'a request without the right reached the agent');
      },
      { more: [testRefusal()] },
    ),
    check('asks the agent as the user who sent the request', async ({ app, subject, asked }) => {
      for (const { request } of guarded(subject)) {
        const before = asked.length;
        const { headers } = await app.inject(request);
        for (const scope of asked.slice(before)) {
          assert.equal(scope.actor.id, 'tester', `${shownOf(request)} asks as "${scope.actor.id}"`);
          assert.equal(scope.requestId, headers['x-request-id'], `${shownOf(request)} asks under another request`);
        }
      }
    }),
    check(
      'says nothing of what went wrong inside',
      async ({ app, subject }) => {
        for (const { request } of subject.requests) {
          const response = await app.inject(request);
          assert.ok(
            !/hunter2|10\.1\.2\.3|ECONNREFUSED|\n\s+at /.test(response.body),
            `${shownOf(request)}: ${response.body}`,
          );
          if (response.statusCode >= 400) assertStandardError(shownOf(request), response);
        }
      },
      { isBroken: true },
    ),
    check('answers many requests at once', async ({ app, subject }) => {
      const [first] = subject.requests;
      assert.ok(first !== undefined);
      const responses = await Promise.all(Array.from({ length: 8 }, () => app.inject(first.request)));
      for (const { statusCode } of responses) assert.equal(statusCode, first.status ?? 200);
    }),
  ];
}

export function interactionContract(name: string, make: () => InteractionSubject | Promise<InteractionSubject>): void {
  registerChecks(`interaction contract: ${name}`, interactionChecks(make));
}
