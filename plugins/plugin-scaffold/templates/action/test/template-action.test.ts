import { outbound } from 'atlas-query/plugins/outbound';
import { actionContract, actionNeeds, createTestApp, pluginContract, startTestReceiver } from 'atlas-query/testing';
import { expect, it } from 'vitest';
import { templateAction } from '../src/index.ts';

pluginContract('template-action', () => templateAction(), { with: () => [...actionNeeds(), outbound()] });

actionContract('template-action', async () => {
  const receiver = await startTestReceiver();
  return Object.assign(receiver, {
    type: 'template-action',
    plugin: templateAction({ url: `${receiver.url}/notes?token=t-5e1c` }),
    with: [outbound({ allowPrivate: [receiver.host] })],
    payload: { text: 'Orders of May were checked.' },
    invalidPayloads: [{}, { text: '' }, { text: 7 }, { text: 'x', author: 'y' }],
    secrets: ['t-5e1c'],
  });
});

it('does nothing but say so where there are no actions', async () => {
  await using app = await createTestApp({ plugins: [outbound(), templateAction()] });
  expect(app.lines.map(({ message }) => message)).toContain('No note can be added: add actions() to atlas.config.ts.');
});
