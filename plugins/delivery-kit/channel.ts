/** Brings a channel of deliveries: how a report is rendered for it and sent. */
import { createHash } from 'node:crypto';
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import {
  type Awaitable,
  type Delivery,
  deliver,
  type PluginContext,
  type Scope,
  type Static,
} from '../../kernel/index.ts';
import { type ChartPicture, chartPictures } from './chart-pictures.ts';
import { DeliveryError, deliveryErrorOf } from './errors.ts';
import { deliverPreview } from './hooks.ts';
import { Notice, type Report, reportOf } from './report.ts';

export interface Sending {
  /** A UUID that is the same whenever this report is sent to this recipient. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** With the organization that sends. */
  readonly scope: Scope;
}

export interface Channel<R extends TSchema, M extends object> {
  /** Key of `deliver`: `email`. */
  readonly channel: string;
  readonly recipient: R;
  /** `pictures`: of the report's charts, where `hasPictures`; a preview has none. */
  render(subject: string, report: Report, pictures: readonly ChartPicture[]): M;
  /** Its messages can hold pictures. */
  readonly hasPictures?: boolean;
  /** Left out: the channel takes reports only. */
  renderNotice?(subject: string, notice: Notice): M;
  /** One try. What it throws becomes a `DeliveryError`. */
  send(message: M, recipient: Static<R>, sending: Sending): Awaitable<unknown>;
}

/** Call it in `setup`: taps `deliver` and `deliver.preview`. */
export function defineChannel<R extends TSchema, M extends object>(
  ctx: Pick<PluginContext, 'tapKey'>,
  { channel, recipient: schema, render, hasPictures = false, renderNotice, send }: Channel<R, M>,
): void {
  const draw = chartPictures();
  const noticeOf = ({ subject, content }: Delivery) =>
    renderNotice !== undefined && Value.Check(Notice, content) ? renderNotice(subject, content) : undefined;
  async function messageOf(delivery: Delivery): Promise<M> {
    const notice = noticeOf(delivery);
    if (notice !== undefined) return notice;
    const report = reportOf(delivery.content);
    return render(delivery.subject, report, hasPictures ? await draw(report) : []);
  }
  ctx.tapKey(
    deliverPreview,
    channel,
    (delivery) => noticeOf(delivery) ?? render(delivery.subject, reportOf(delivery.content), []),
  );
  ctx.tapKey(deliver, channel, async (delivery, scope) => {
    const { recipient } = delivery;
    const { signal } = scope;
    if (!Value.Check(schema, recipient)) {
      const path = Value.Errors(schema, recipient).First()?.path ?? '';
      throw new DeliveryError(`The recipient is not valid: ${path.slice(1) || 'it'} is missing or not as expected.`, {
        final: true,
        code: 'invalid_request',
      });
    }
    try {
      await send(await messageOf(delivery), recipient as Static<R>, { key: keyOf(delivery), signal, scope });
      return { status: 'sent' as const };
    } catch (error) {
      signal.throwIfAborted();
      throw deliveryErrorOf(error);
    }
  });
}

/** The same for each try: made of the report's task and time or of the notice's id, and of the recipient without its secrets. */
function keyOf({ channel, recipient, content }: Delivery): string {
  const { address, channel: room, url } = recipient;
  const parts = [channel, address, room, url, content.taskId ?? content.id, content.timestamp];
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  // Version 8 of RFC 9562: a UUID of one's own making.
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5');
}
