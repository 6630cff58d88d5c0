/**
 * What every plugin that delivers reports must keep: `deliverContract('pager', () => subject)`. The subject brings the
 * plugin, pointed at a receiver of its own that can be told how to answer.
 */
import assert from 'node:assert/strict';
import { type AtlasError, type Delivery, deliver, type PluginEntry } from '../../kernel/index.ts';
import { DeliveryError, deliverPreview, reportSubject } from '../../plugins/delivery-kit/index.ts';
import { createTestApp, type TestApp } from '../harness/create-test-app.ts';
import { type Check, HANG_MS, registerChecks, within } from './kit.ts';

/** `busy`: a failure that passes; `refuse`: one that stays; `hang`: no answer at all. */
export type ReceiverMood = 'accept' | 'busy' | 'refuse' | 'hang';

export interface DeliverSubject extends AsyncDisposable {
  /** Key of `deliver`. */
  readonly channel: string;
  readonly plugin: PluginEntry;
  /** The plugins it needs. */
  readonly with?: readonly PluginEntry[];
  /** A recipient at the receiver. */
  readonly recipient: Delivery['recipient'];
  /** Recipients that nothing may be sent to. */
  readonly invalidRecipients: readonly Delivery['recipient'][];
  /** How the receiver answers from now on. At first it accepts. */
  answer(mood: ReceiverMood): void;
  /** The bodies of all tries that reached the receiver. */
  tries(): readonly string[];
  /** Texts of options and recipient that no error, log line or preview may show. */
  readonly secrets?: readonly string[];
}

const ROWS = 60;

/** A report with hostile texts and sixty rows, frozen all through. */
function deliveryTo({ channel, recipient }: DeliverSubject): Delivery {
  const rows = Array.from({ length: ROWS }, (_, at) => Object.freeze({ town: `town-${at + 1}-end`, orders: at }));
  const content = {
    taskId: '0b4f5c1e-8a51-4b62-9a7e-6a4f8f1f0c11',
    taskName: 'Orders\r\nBcc: everyone@example.com',
    question: 'How many orders does each town have?',
    answer: 'Linz leads with 59 orders. <script>alert(1)</script> <!channel>',
    sql: Object.freeze(['SELECT town, orders FROM towns']),
    data: Object.freeze([
      Object.freeze({
        columns: Object.freeze(['town', 'orders']),
        rows: Object.freeze(rows),
        totalRows: ROWS,
        truncated: false,
      }),
    ]),
    steps: 2,
    usage: Object.freeze({ totalTokens: 321 }),
    timestamp: '2026-01-15T12:00:00.000Z',
  };
  return Object.freeze({
    channel,
    recipient: Object.freeze({ ...recipient }),
    subject: reportSubject(content.taskName),
    content: Object.freeze(content),
  });
}

export function deliverChecks(make: () => Promise<DeliverSubject>): Check[] {
  const check = (name: string, run: (subject: DeliverSubject, app: TestApp, delivery: Delivery) => Promise<void>) => ({
    name,
    run: async () => {
      await using subject = await make();
      await using app = await createTestApp({ plugins: [...(subject.with ?? []), subject.plugin] });
      await run(subject, app, deliveryTo(subject));
    },
  });
  const send = async (app: TestApp, delivery: Delivery, signal?: AbortSignal) =>
    app.callKey(deliver, delivery.channel, delivery, app.scope(signal && { signal }));
  const failure = async (app: TestApp, delivery: Delivery): Promise<DeliveryError> => {
    const error = await send(app, delivery).then(
      () => assert.fail('said that it was sent'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof DeliveryError, `threw ${String(error)}, which is no DeliveryError`);
    assert.match(error.message, /^[A-Z].*\S{2,} \S.*\.$/s);
    return error;
  };
  return [
    check('sends a report in one try, and says so', async ({ tries }, app, delivery) => {
      assert.deepEqual(await send(app, delivery), { status: 'sent' });
      assert.equal(tries().length, 1);
      assert.ok(tries()[0]?.includes('Linz leads with 59 orders.'), 'the answer did not arrive');
      assert.ok(tries()[0]?.includes('town-1-end'), 'the rows did not arrive');
    }),
    check('shows what it would send, and sends nothing', async ({ tries }, app, delivery) => {
      const shown = await app.callKey(deliverPreview, delivery.channel, delivery, app.scope());
      assert.ok(JSON.stringify(shown).includes('Linz leads with 59 orders.'), 'the answer is not shown');
      assert.equal(tries().length, 0);
    }),
    check('sends at most fifty rows of a dataset', async ({ tries }, app, delivery) => {
      const shown = await app.callKey(deliverPreview, delivery.channel, delivery, app.scope());
      await send(app, delivery);
      for (const text of [JSON.stringify(shown), tries()[0] ?? '']) assert.ok(!text.includes('town-51-end'));
    }),
    check('tries once, and calls a failure that passes not final', async ({ answer, tries }, app, delivery) => {
      answer('busy');
      assert.equal((await failure(app, delivery)).final, false);
      assert.equal(tries().length, 1);
      answer('accept');
      assert.deepEqual(await send(app, delivery), { status: 'sent' });
    }),
    check('calls a refusal final', async ({ answer }, app, delivery) => {
      answer('refuse');
      assert.equal((await failure(app, delivery)).final, true);
    }),
    check('sends nothing to a recipient that is not valid', async ({ invalidRecipients, tries }, app, delivery) => {
      for (const recipient of [{}, ...invalidRecipients]) {
        assert.equal((await failure(app, { ...delivery, recipient })).final, true, JSON.stringify(recipient));
      }
      assert.equal((await failure(app, { ...delivery, content: {} })).final, true);
      assert.equal(tries().length, 0);
    }),
    check('ends with the signal of its scope', async ({ answer }, app, delivery) => {
      answer('hang');
      const sent = send(app, delivery, AbortSignal.timeout(100));
      await within('what goes on after its signal', HANG_MS, assert.rejects(sent));
    }),
    check('tells no secret', async ({ answer, secrets = [] }, app, delivery) => {
      const shown = await app.callKey(deliverPreview, delivery.channel, delivery, app.scope());
      const said = [JSON.stringify(shown)];
      for (const mood of ['busy', 'refuse'] as const) {
        answer(mood);
        const error: AtlasError = await failure(app, delivery);
        said.push(error.message, String(error.hint), JSON.stringify(error.details));
      }
      said.push(JSON.stringify(app.lines));
      for (const secret of secrets) assert.ok(!said.join('\n').includes(secret), 'told a secret');
    }),
  ];
}

export function deliverContract(name: string, make: () => Promise<DeliverSubject>): void {
  registerChecks(`deliver contract: ${name}`, deliverChecks(make));
}
