import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePlugin } from '../../kernel/index.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { actions, defineAction } from '../actions/index.ts';
import { caller, haveEnded, startModel, startScheduled, until } from './fixtures/scheduled-app.ts';

/** Brings the type `ticket` with the tool `openTicket`; its API are the titles of those opened. */
const desk = definePlugin({
  name: 'action-ticket',
  version: '1.0.0',
  type: 'action',
  description: 'Opens tickets.',
  setup(ctx): string[] {
    const opened: string[] = [];
    defineAction(ctx, {
      type: 'ticket',
      tool: 'openTicket',
      description: 'Opens a ticket.',
      input: Type.Object({ title: Type.String() }),
      approval: 'auto',
      reversible: true,
      describe: ({ title }) => ({ target: 'support', summary: `Open "${title}".` }),
      run: ({ title }) => void opened.push(title),
    });
    return opened;
  },
});

describe.each(chosenEngines)('what a scheduled question asks for on %s', (_, engine) => {
  let databases: TestEngine;
  beforeAll(async () => {
    databases = await engine();
  });
  afterAll(() => databases[Symbol.asyncDispose]());

  it.each([
    ['auto', 'auto', 'executed'],
    ['manual', 'auto', 'pending'],
    ['admin-only', 'auto', 'pending'],
    ['auto', 'manual', 'pending'],
    ['manual', 'admin-only', 'pending'],
  ] as const)('with the approval %s of the task and %s of the type is %s', async (approvalMode, ofType, status) => {
    await using model = await startModel(({ toolResults }) =>
      toolResults.length > 0
        ? { text: 'Asked for.' }
        : { toolCall: { name: 'openTicket', args: { title: 'Printer' } } },
    );
    await using app = await startScheduled(await databases.fresh(), model, {
      plugins: [actions({ approval: { ticket: ofType } }), desk()],
    });
    const user = caller(app);
    const { id } = await user.create({ approvalMode });
    await user.send('POST', `/${id}/run`);
    await until(() => user.runs(id), haveEnded(1));
    const asked = (await app.inject({ method: 'GET', url: `/api/v1/actions?status=${status}` })).json<{
      actions: { id: string }[];
    }>();
    expect(asked).toMatchObject({ actions: [{ action_type: 'ticket', status, requested_by: 'tester' }] });
    expect(app.get(desk)).toEqual(status === 'executed' ? ['Printer'] : []);
    const strictest = [approvalMode, ofType].includes('admin-only') ? 403 : 200;
    if (status === 'executed') return;
    const approved = await app.inject({ method: 'POST', url: `/api/v1/actions/${asked.actions[0]?.id}/approve` });
    expect(approved.statusCode).toBe(strictest);
  });
});
