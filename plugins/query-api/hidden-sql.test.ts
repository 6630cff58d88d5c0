/** The option `sqlFor`, over HTTP: what leaves the server for a role below it, and for the others. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../kernel/index.ts';
import { BY_TENANT, Clinic } from '../../test/fixtures/clinic.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import type { InjectedRequest } from '../../test/harness/create-test-app.ts';
import { headerAuth } from '../../test/harness/header-auth.ts';
import {
  type OpenAIServer,
  type RecordedRequest,
  type Step,
  startOpenAIServer,
} from '../../test/harness/openai-server.ts';
import { callSql } from '../../test/harness/scripted-agent.ts';
import { agent, answerCheck } from '../agent/index.ts';
import { conversations } from '../conversations/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { provenance } from '../provenance/index.ts';
import { shares } from '../shares/index.ts';
import { queryApi } from './index.ts';

/** The role that the header names; all are one user. */
const auth = headerAuth(
  (header) => ({ role: (header('x-role') || 'viewer') as Actor['role'], claims: { tenant: 1 } }),
  (ctx) => {
    const note = { code: 'quoting', message: 'It compares patients.name.', quotesSql: true };
    ctx.tap(answerCheck, () => [{ notes: [note] }]);
  },
);

const SQL = 'SELECT name AS who FROM patients WHERE id > 0 ORDER BY id';
const BROKEN = 'SELECT nothing_like_it FROM patients';
/** Finds traces of the statements as they are asked and run, of the reasoning, and of the error. */
const TRACES = /SELECT|FROM|patients\.name|tenant_id|ORDER BY|nothing_like_it|deepest secret|id > 0/;
/** What stands beside the rows for everybody. */
const ORIGIN = '"text":"id of patients is more than 0"';

describe('SQL for analysts and administrators', () => {
  const folder = emptyFolder();
  let steps: (Step | ((request: RecordedRequest) => Step))[] = [];
  let provider: OpenAIServer;
  let clinic: Clinic;

  beforeAll(async () => {
    provider = await startOpenAIServer({
      respond(request) {
        const step = steps.shift() ?? { text: 'Done.' };
        return typeof step === 'function' ? step(request) : step;
      },
    });
    clinic = await Clinic.open(BY_TENANT, [
      http({ port: 0 }),
      internalDb({ url: `sqlite:${join(folder.path, 'atlas.db')}` }),
      auth,
      modelOpenai({ provider: 'openai-compatible', baseUrl: provider.url, maxRetries: 0 }),
      agent(),
      conversations(),
      provenance(),
      queryApi({ sqlFor: 'analyst' }),
      shares(),
    ]);
  });
  afterAll(async () => {
    await clinic[Symbol.asyncDispose]();
    await provider.close();
    folder[Symbol.dispose]();
  });

  const send = (role: string, method: InjectedRequest['method'], url: string, payload?: object) =>
    clinic.app.inject({ method, url, headers: { 'x-role': role }, ...(payload !== undefined && { payload }) });
  const said = 'Ann and Bob:\n\n```sql\nSELECT name FROM patients\n```\nThat is all.';
  const thought = { ...callSql(BROKEN), message: { reasoning_content: 'The deepest secret.' } };
  const script = (): Step[] => [thought, callSql(SQL), { text: said }];
  const chat = (role: string, path: string) => {
    steps = script();
    const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Who?' }] }];
    return send(role, 'POST', path, { messages });
  };

  test.each(['/api/chat', '/api/v1/chat?stream=ui'])('%s holds none of it for a viewer', async (path) => {
    const { body } = await chat('viewer', path);
    expect(body).not.toMatch(TRACES);
    expect(body).toContain('executeSQL');
    expect(body).toContain('"rows":[{"who":"Ann"},{"who":"Bob"}]');
    expect(body).toContain('The call failed.');
    expect(body).toContain('That is all.');
    expect(body).toContain(ORIGIN);
    for (const role of ['analyst', 'admin']) {
      const other = (await chat(role, path)).body;
      expect(other).toContain(`"sql":"${SQL}"`);
      expect(other).toMatch(/nothing_like_it/);
      expect(other).toMatch(/It compares patients\.name/);
      expect(other).toContain('"sql":"id > 0"');
      expect(other.includes('deepest secret')).toBe(path.endsWith('ui'));
      expect(other).not.toContain('quotesSql');
    }
  });

  test.each(['/api/chat', '/api/v1/chat?stream=ui'])('%s quotes no error word by word', async (path) => {
    const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Who?' }] }];
    const quoting = ({ toolResults }: RecordedRequest): Step => {
      const { error } = JSON.parse(toolResults.at(-1) ?? '') as { error: string };
      return { text: `It said: ${error} I stop.` };
    };
    const chat = (role: string) => {
      steps = [callSql(BROKEN), quoting];
      return send(role, 'POST', path, { messages });
    };
    const textOf = ({ body }: { body: string }) =>
      Array.from(body.matchAll(/(?:0|"delta"):"((?:[^"\\]|\\.)*)"/g), ([, text]) => text).join('');
    expect(textOf(await chat('admin'))).toContain('nothing_like_it');
    const shown = await chat('viewer');
    expect(shown.body).not.toMatch(TRACES);
    expect(textOf(shown)).toContain('It said: The call failed. I stop.');
  });

  test('the parts stay, with empty texts', async () => {
    const { body } = await chat('viewer', '/api/chat?stream=ui');
    const chunks = body
      .split('\n\n')
      .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
    expect(chunks.find(({ type }) => type === 'data-statement')).toMatchObject({
      data: { requested: '', executed: '', tables: ['patients'], rowCount: 2 },
    });
    expect(chunks.filter(({ type }) => type === 'tool-input-available').map(({ input }) => input)).toEqual([{}, {}]);
  });

  test('neither has an answer at once, nor one that was not reached', async () => {
    const query = async (role: string, ...given: Step[]) => {
      steps = given;
      return (await send(role, 'POST', '/api/v1/query', { question: 'Who?' })).json<{
        answer: string;
        data: { durationMs: number }[];
      }>();
    };
    const hidden = await query('viewer', ...script());
    expect(JSON.stringify(hidden)).not.toMatch(TRACES);
    expect(JSON.stringify(hidden)).toContain(ORIGIN);
    expect(hidden).toMatchObject({
      answer: 'Ann and Bob:\n\n(SQL is not shown to you.)\nThat is all.',
      sql: [],
      data: [{ sql: '', executedSql: '', rows: [{ who: 'Ann' }, { who: 'Bob' }] }],
    });
    expect(hidden.data.map(({ durationMs }) => durationMs > 0)).toEqual([true]);
    expect(await query('analyst', ...script())).toMatchObject({ sql: [SQL], data: [{ sql: SQL }] });
    const failed = [callSql(BROKEN), { text: '' }, { text: '' }, { text: '' }];
    const unreached = await query('viewer', ...failed);
    expect(unreached).toMatchObject({ outcome: 'failed', answer: expect.stringContaining('The call failed.') });
    expect(JSON.stringify(unreached)).not.toMatch(TRACES);
    expect((await query('admin', ...failed)).answer).toContain('nothing_like_it');
  });

  test('a stored conversation shows it by the present role, and goes on with it', async () => {
    const id = String((await chat('viewer', '/api/chat')).headers['x-conversation-id']);
    const detail = async (role: string) => (await send(role, 'GET', `/api/v1/conversations/${id}`)).body;
    expect(await detail('viewer')).not.toMatch(TRACES);
    expect(await detail('viewer')).toContain('"who":"Ann"');
    expect(await detail('viewer')).toContain(ORIGIN);
    const whole = await detail('analyst');
    for (const text of [SQL, BROKEN, '```sql', 'It compares patients.name'])
      expect(whole).toContain(text.replace('\n', '\\n'));
    steps = [{ text: 'Still two.' }];
    await send('viewer', 'POST', '/api/v1/query', { question: 'And now?', conversationId: id });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain(SQL);
  });

  test('a shared answer runs for a viewer without showing it', async () => {
    const id = String((await chat('viewer', '/api/chat')).headers['x-conversation-id']);
    const { messages } = (await send('viewer', 'GET', `/api/v1/conversations/${id}`)).json<{
      messages: { id: string }[];
    }>();
    const ref = { conversationId: id, messageId: messages.at(-1)?.id };
    const share = (await send('viewer', 'POST', '/api/v1/shares', ref)).json<{ id: string }>().id;
    const shown = (role: string) => send(role, 'GET', `/api/v1/shares/${share}`);
    const run = (role: string) => send(role, 'POST', `/api/v1/shares/${share}/run`);
    expect((await shown('viewer')).json()).toMatchObject({ question: 'Who?', sql: [] });
    expect((await shown('analyst')).json()).toMatchObject({ sql: [SQL] });
    expect((await run('viewer')).json()).toMatchObject({ data: [{ sql: '', executedSql: '', rowCount: 2 }] });
    expect((await run('viewer')).body).not.toMatch(TRACES);
    expect((await run('viewer')).body).toContain(ORIGIN);
    expect((await run('admin')).json()).toMatchObject({ data: [{ sql: SQL }] });
  });
});
