/** What the UI stream and the stored conversation tell of a statement: as asked, as executed, and what was done to it. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../kernel/index.ts';
import { BY_TENANT, Clinic } from '../../test/fixtures/clinic.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { headerAuth } from '../../test/harness/header-auth.ts';
import { type OpenAIServer, type Step, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { callSql } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { audit } from '../audit/index.ts';
import { conversations } from '../conversations/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { queryApi } from './index.ts';

/** The role that the header names. */
const auth = headerAuth((header) => {
  const role = (header('x-role') || 'viewer') as Actor['role'];
  return { id: role, role, claims: { tenant: 1 } };
});

interface Part {
  readonly type: string;
  readonly id?: string;
  readonly toolCallId?: string;
  readonly data?: Record<string, unknown>;
}

describe('a statement in the UI stream', () => {
  const folder = emptyFolder();
  let steps: Step[] = [];
  let provider: OpenAIServer;
  let clinic: Clinic;

  beforeAll(async () => {
    provider = await startOpenAIServer({ respond: () => steps.shift() ?? { text: 'Done.' } });
    clinic = await Clinic.open(BY_TENANT, [
      http({ port: 0 }),
      internalDb({ url: `sqlite:${join(folder.path, 'atlas.db')}` }),
      auth,
      audit(),
      sqlLimits({ maxRows: 2 }),
      modelOpenai({ provider: 'openai-compatible', baseUrl: provider.url, maxRetries: 0 }),
      agent(),
      conversations(),
      queryApi(),
    ]);
  });
  afterAll(async () => {
    await clinic[Symbol.asyncDispose]();
    await provider.close();
    folder[Symbol.dispose]();
  });

  async function asked(role: string, ...script: Step[]): Promise<{ chunks: Part[]; stored: Part[] }> {
    steps = [...script];
    const headers = { 'x-role': role };
    const payload = { messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Who?' }] }] };
    const { app } = clinic;
    const reply = await app.inject({ method: 'POST', url: '/api/v1/chat?stream=ui', headers, payload });
    const lines = reply.body.split('\n\n').filter((line) => line.startsWith('data: {'));
    const url = `/api/v1/conversations/${reply.headers['x-conversation-id']}`;
    const { messages } = (await app.inject({ method: 'GET', url, headers })).json<{
      messages: { content: { parts: Part[] } }[];
    }>();
    return {
      chunks: lines.map((line) => JSON.parse(line.slice('data: '.length)) as Part),
      stored: messages.at(-1)?.content.parts ?? [],
    };
  }
  const statements = (parts: readonly Part[]) => parts.filter(({ type }) => type === 'data-statement');

  test('follows its result: as asked, as executed, who changed it and why, and its audit entry', async () => {
    const sql = 'select name, phone from patients order by id';
    const { chunks, stored } = await asked('viewer', callSql(sql));
    const result = chunks.findIndex(({ type }) => type === 'tool-output-available');
    const [part] = statements(chunks);
    expect(chunks[result + 1]).toBe(part);
    const policy = (message: RegExp) => ({ code: 'policy_applied', message: expect.stringMatching(message) });
    expect(part).toEqual({
      type: 'data-statement',
      id: chunks[result]?.toolCallId,
      data: {
        toolCallId: chunks[result]?.toolCallId,
        requested: sql,
        executed: expect.stringMatching(/^SELECT name, phone FROM \(SELECT .*"?tenant_id"? = \?/i),
        changes: [
          { plugin: 'row-security', reason: 'Row security limits "patients" to the rows that you may see.' },
          { plugin: 'sql-guard', reason: 'Masks stand in place of the values of patients.phone.' },
          { plugin: 'sql-guard', reason: expect.stringContaining('checked and written anew') },
        ],
        tables: ['patients'],
        connectionId: 'default',
        durationMs: expect.any(Number),
        rowCount: 2,
        truncated: false,
        notes: [policy(/^Row security/), policy(/masked/)],
        auditId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    expect(statements(stored)).toEqual([part]);
    const headers = { 'x-role': 'admin' };
    const entry = await clinic.app.inject({ method: 'GET', url: '/api/v1/admin/audit?limit=1', headers });
    expect(entry.json()).toMatchObject({ entries: [{ id: part?.data?.auditId, sql }] });
  });

  test('tells the condition of a policy to an administrator, and where the rows were cut', async () => {
    const { chunks } = await asked('admin', callSql('SELECT name FROM wards'), callSql('SELECT fee FROM visits'));
    // The first has no policy at all.
    expect(statements(chunks).map(({ data }) => data?.changes)).toEqual([
      [{ plugin: 'sql-limits', reason: 'Only the first 2 rows are given; there are more.' }],
      expect.arrayContaining([
        {
          plugin: 'row-security',
          reason:
            'Row security limits "visits" to the rows where tenant_id is {claim}, with the claim "tenant" for {claim}.',
        },
      ]),
    ]);
  });

  test('has what the model wrote where that was repaired, and no part where nothing ran', async () => {
    const escaped = String.raw`SELECT name FROM wards\nWHERE floor = 1`;
    const { chunks } = await asked('viewer', callSql(escaped), callSql('SELECT name FROM nowhere'));
    expect(statements(chunks)).toMatchObject([
      {
        data: {
          requested: escaped,
          executed: 'SELECT name FROM wards WHERE floor = 1',
          changes: [{ plugin: 'agent', reason: expect.stringContaining('escaped or typeset') }],
          rowCount: 1,
        },
      },
    ]);
  });

  test('choices are a part of their own', async () => {
    const args = { question: 'Which?', choices: ['the first', 'the second'] };
    const { chunks, stored } = await asked('viewer', { toolCall: { name: 'clarify', args } });
    const choices = [
      { id: '1', label: 'the first' },
      { id: '2', label: 'the second' },
    ];
    const part = { type: 'data-choices', id: 'choices', data: { choices } };
    expect(chunks.slice(-2)).toEqual([part, expect.objectContaining({ type: 'finish' })]);
    expect(stored.at(-1)).toEqual(part);
  });
});
