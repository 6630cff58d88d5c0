/** The OpenAPI document of the built-in compositions: linted by Redocly, every operation and schema with a name. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: Readonly<Record<string, unknown>> }>>;
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: object; readonly schemas: Readonly<Record<string, unknown>> };
}

const folder = emptyFolder();
beforeAll(() => createSimpleDemo(join(folder.path, 'shop.db')));
afterAll(() => folder[Symbol.dispose]());

const DATABASE = { SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'shop.db')}`, SVC_SEMANTIC_DIR: './semantic' };
const SOCIAL = {
  AUTHLIB_URL: 'http://localhost:3001',
  GITHUB_CLIENT_ID: 'id',
  GITHUB_CLIENT_SECRET: 'secret',
};

const COMPOSITIONS: Readonly<Record<string, { env: Record<string, string>; schemes: string[]; paths: string[] }>> = {
  'without authentication': { env: {}, schemes: [], paths: ['/api/v1/query', '/api/chat', '/api/health'] },
  'with API keys': {
    env: { SVC_API_KEY: 'a key of some length' },
    schemes: ['apiKey', 'apiKeyAsToken'],
    paths: ['/api/v1/query'],
  },
  'with tokens of an identity provider': {
    env: { SVC_AUTH_JWKS_URL: 'http://127.0.0.1:1/keys', SVC_AUTH_ISSUER: 'http://127.0.0.1:1' },
    schemes: ['jwt'],
    paths: ['/api/v1/query'],
  },
  'with users': {
    env: {
      DATABASE_URL: `sqlite:${join(folder.path, 'atlas.db')}`,
      AUTHLIB_SECRET: 'a secret of more than thirty-two characters',
      SVC_RATE_LIMIT_RPM: '600',
      SVC_METRICS_ENABLED: 'true',
      SVC_SCHEDULER_ENABLED: 'true',
      ...SOCIAL,
    },
    schemes: ['session', 'sessionToken'],
    paths: ['/api/auth/sign-up/email', '/api/auth/sign-in/email', '/api/auth/sign-out', '/api/auth/get-session'],
  },
};

/** Two paths of the published interface; only a user with the id "invitations" could be meant by both. */
const AMBIGUOUS = '`/api/v1/admin/users/{id}/role` and `/api/v1/admin/users/invitations/{id}`';

/** What Redocly's recommended rules say against the document. */
async function lint(name: string, document: Document): Promise<unknown[]> {
  const file = join(folder.path, `${name.replaceAll(' ', '-')}.json`);
  writeFileSync(file, JSON.stringify(document));
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const args = ['--yes', '@redocly/cli@2.77.0', 'lint', file, '--extends=recommended', '--format=json'];
  const { stdout } = await promisify(execFile)('npx', args, { env, cwd: folder.path }).catch(
    (failed: { stdout: string }) => failed,
  );
  const { problems } = JSON.parse(stdout) as { problems: { message: string }[] };
  return problems.filter(({ message }) => !message.includes(AMBIGUOUS));
}

describe.each(Object.entries(COMPOSITIONS))('the interface description %s', (name, { env, schemes, paths }) => {
  it('has no problem, and a name for every operation, body and answer', async () => {
    await using server = await startBuiltIn({ ...DATABASE, ...env });
    const document = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as Document;
    expect(Object.keys(document.components.securitySchemes)).toEqual(schemes);
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(paths));
    const { errors = [] } = await new Validator().validate(structuredClone({ ...document }));
    expect(errors).toEqual([]);
    expect(await lint(name, document)).toEqual([]);

    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    for (const { operationId, requestBody, responses } of operations) {
      // A route without an operation id is named after its path.
      expect(operationId).not.toMatch(/^(get|post|put|patch|delete)Api/);
      const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
      const schemas = contents.flatMap((content) => content?.['application/json']?.schema ?? []);
      for (const schema of schemas) expect(schema, operationId).not.toHaveProperty('properties');
      const failures = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
      expect(
        failures.map(([status]) => status),
        operationId,
      ).toEqual(expect.arrayContaining(['400', '500', '503']));
    }
  });
});
