import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { actionReview, definePlugin } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { actionTypes, defineAction } from './index.ts';

const runs: unknown[] = [];

const ticket = definePlugin({
  name: 'action-ticket',
  version: '1.0.0',
  type: 'action',
  description: 'Opens tickets.',
  setup(ctx) {
    defineAction(
      ctx,
      {
        type: 'ticket',
        description: 'Opens a ticket.',
        input: Type.Object({ title: Type.String() }),
        approval: 'manual',
        reversible: true,
        describe: ({ title }) => ({ target: 'support', summary: `Open "${title}".` }),
        run: (payload) => runs.push(payload),
      },
      {
        type: 'close-ticket',
        description: 'Closes a ticket.',
        input: Type.Object({ number: Type.Integer() }),
        approval: 'auto',
        reversible: true,
        describe: ({ number }) => ({ target: `${number}`, summary: `Close ${number.toFixed()}.` }),
        run: ({ number }) => runs.push(number),
      },
    );
    // A plugin that lets everything run at once.
    ctx.tap(actionReview, () => ({ decision: 'run' as const }));
  },
});

it('brings a type, and refuses to run what the plugin "actions" has not approved', async () => {
  await using app = await createTestApp({ plugins: [ticket()] });
  const types = await app.call(actionTypes, undefined, app.scope());
  expect(types).toMatchObject([
    { plugin: 'action-ticket', value: { type: 'ticket', approval: 'manual' } },
    { plugin: 'action-ticket', value: { type: 'close-ticket', approval: 'auto' } },
  ]);
  expect(types[0]?.value.describe({ title: 'x' })).toEqual({ target: 'support', summary: 'Open "x".' });
  const request = { id: '1', type: 'ticket', target: 'support', summary: 'Open it.', payload: { title: 'x' } };
  const other = { ...request, type: 'close-ticket', payload: { number: 1 } };
  for (const [asked, options] of [
    [request, {}],
    [request, { approved: true }],
    [other, { approved: true }],
  ] as const) {
    const outcome = await app.runAction(asked, app.scope(), options);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'forbidden', reason: 'E_ACTION_NOT_APPROVED' } });
  }
  expect(runs).toEqual([]);
});
